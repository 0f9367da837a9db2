"""Random ops with fixed seeds: three runs in one session show how their state moves on."""

from families import family
from families.values import FLOATS, INTS, ints, scalar
from op_cases import raw
from tensorflow_v1 import np, tf

SEEDS = [(0, 1), (1, 2), (87654321, 7), (0, 2147483647), (123456789, 987654321), (-1, -5)]
RUNS = 3


@family
def random_floats():
    for op in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal"):
        for dtype in FLOATS:
            for size in (1, 2, 3, 4, 5, 17, 1000):
                yield raw(op, ints(size), dtype=tf.as_dtype(dtype), seed=1, seed2=2, runs=RUNS)
            for seed, seed2 in SEEDS:
                yield raw(op, ints(2, 3), dtype=tf.as_dtype(dtype), seed=seed, seed2=seed2, runs=RUNS)
        yield raw(op, ints(), dtype=tf.float32, seed=3, seed2=4, runs=RUNS)
        yield raw(op, ints(0), dtype=tf.float32, seed=3, seed2=4, runs=RUNS)
        yield raw(op, ints(7, dtype=np.int64), dtype=tf.float32, seed=3, seed2=4, runs=RUNS)
        yield raw(op, ints(300, 301), dtype=tf.float32, seed=3, seed2=4, runs=RUNS)  # several threads' worth


@family
def random_half_floats():
    for op in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal"):
        for dtype in (tf.float16, tf.bfloat16):
            yield raw(op, ints(9), dtype=dtype, seed=1, seed2=2, runs=RUNS)


@family
def random_ints():
    for dtype in INTS:
        for size in (1, 2, 3, 4, 5, 17, 1000):
            yield raw("RandomUniformInt", ints(size), scalar(0, dtype), scalar(10, dtype), seed=1, seed2=2, runs=RUNS)
        yield raw("RandomUniformInt", ints(5), scalar(-1000, dtype), scalar(1000003, dtype), seed=5, seed2=6, runs=RUNS)
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        yield raw("RandomUniformInt", ints(5), scalar(low, dtype), scalar(high, dtype), seed=5, seed2=6, runs=RUNS)
        for seed, seed2 in SEEDS:
            yield raw("RandomUniformInt", ints(3), scalar(0, dtype), scalar(100, dtype), seed=seed, seed2=seed2, runs=RUNS)


@family
def random_others():
    for dtype in (np.int32, np.float32):
        yield raw("RandomShuffle", np.arange(10).astype(dtype), seed=1, seed2=2, runs=RUNS)
        yield raw("RandomShuffle", np.arange(6).reshape(3, 2).astype(dtype), seed=1, seed2=2, runs=RUNS)
    logits = np.log(np.array([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]], np.float32))
    yield raw("Multinomial", logits, scalar(8), seed=1, seed2=2, runs=RUNS)


@family
def candidates():
    classes = np.array([[1, 0], [2, 3]])
    for op in ("LogUniformCandidateSampler", "UniformCandidateSampler"):
        for unique, range_max in ((True, 50), (True, 8), (False, 5)):
            yield raw(op, classes, num_true=2, num_sampled=6, unique=unique, range_max=range_max, seed=3, seed2=5, runs=2)
    yield raw("ComputeAccidentalHits", classes, np.array([2, 7, 1, 0]), num_true=2)


@family
def gamma_and_poisson():
    for dtype in FLOATS:
        for seed, seed2 in SEEDS:
            yield raw("RandomGamma", ints(3, 2), np.array([0.3, 1, 2.5, 40], dtype), seed=seed, seed2=seed2, runs=RUNS)
        yield raw("RandomGamma", ints(7), np.array(0.7, dtype), seed=1, seed2=2, runs=RUNS)
        yield raw("RandomPoissonV2", ints(5), np.array([0.5, 3, 20, 1000], dtype), dtype=tf.int64, seed=1, seed2=2, runs=RUNS)
        yield raw("RandomPoissonV2", ints(5), np.array([0.5, 12], dtype), dtype=tf.float32, seed=3, seed2=2, runs=RUNS)
    yield raw("RandomPoissonV2", ints(2, 2), np.array([[1, 50]], np.int32), dtype=tf.int32, seed=3, seed2=2, runs=RUNS)
    yield raw("RandomGamma", ints(0), np.array([1.0]), seed=1, seed2=2, runs=RUNS)
