"""Ops that give random numbers."""

from case import draft, malformed
from families import family


@family("RandomShuffle")
def shuffle(m):
    for shape in ((9,), (5, 2), (1,), (0, 3), (4, 2, 2)):
        yield draft(m.values(*shape), seed=5, seed2=7)


@family("Multinomial")
def multinomial(m):
    for shape, count in (((2, 5), 4), ((1, 3), 9), ((3, 4), 0)):
        yield draft(m.values(*shape), m.array(count, "int32"), seed=5, seed2=7)
    yield malformed(m.values(2, 3), m.array(-1, "int32"), seed=5, seed2=7)


@family("StatelessMultinomial")
def stateless_multinomial(m):
    for shape, count in (((2, 5), 4), ((1, 3), 9), ((3, 4), 0)):
        for seed in STATELESS_SEEDS:
            yield draft(m.values(*shape), m.array(count, "int32"), m.array(seed, "Tseed"))
    yield malformed(m.values(2, 3), m.array(-1, "int32"), m.array((5, 7), "Tseed"))
    yield malformed(m.values(2, 3), m.array(2, "int32"), m.array((5, 7, 9), "Tseed"))


RANDOM_SHAPES = ((3, 4), (7,), (), (0, 2), (300,))


@family("RandomUniform", "RandomStandardNormal", "TruncatedNormal")
def random_numbers(m):
    for shape in RANDOM_SHAPES:
        for seeds in ((5, 7), (0, 9)):
            yield draft(m.array(shape, "T"), seed=seeds[0], seed2=seeds[1])
    yield malformed(m.array((2, -1), "T"), seed=5, seed2=7)


@family("RandomUniformInt")
def random_integers(m):
    for shape in RANDOM_SHAPES:
        yield draft(m.array(shape, "T"), m.array(-5, "Tout"), m.array(90, "Tout"), seed=5, seed2=7)
    yield malformed(m.array((2,), "T"), m.array(5, "Tout"), m.array(5, "Tout"), seed=5, seed2=7)


@family("RandomGamma", tolerance=4)
def random_gamma(m):
    for shape in RANDOM_SHAPES:
        yield draft(m.array(shape, "S"), m.array((0.5, 1, 3), "T"), seed=5, seed2=7)
        yield draft(m.array(shape, "S"), m.array(2.5, "T"), seed=5, seed2=7)


@family("RandomPoissonV2")
def random_poisson(m):
    for shape in RANDOM_SHAPES:
        yield draft(m.array(shape, "S"), m.array((1, 3, 20), "R"), seed=5, seed2=7)


STATELESS_SEEDS = ((5, 7), (0, 0), (-3, 2**30 + 1))


@family("StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal")
def stateless_numbers(m):
    for shape in RANDOM_SHAPES:
        for seed in STATELESS_SEEDS:
            yield draft(m.array(shape, "T"), m.array(seed, "Tseed"))
    yield malformed(m.array((2, -1), "T"), m.array((5, 7), "Tseed"))


@family("StatelessRandomUniformInt")
def stateless_integers(m):
    for shape in RANDOM_SHAPES:
        for seed in STATELESS_SEEDS:
            yield draft(m.array(shape, "T"), m.array(seed, "Tseed"), m.array(-5, "dtype"), m.array(90, "dtype"))
    yield malformed(m.array((2,), "T"), m.array((5, 7), "Tseed"), m.array(5, "dtype"), m.array(5, "dtype"))
