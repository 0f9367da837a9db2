"""Candidates drawn for a softmax of many classes, numbers of further distributions and their slopes."""

import numpy as np
from case import draft, malformed
from families import family

CLASSES = ((1, 2), (3, 0), (5, 4))


@family("UniformCandidateSampler", "LogUniformCandidateSampler")
def candidates(m):
    for rows in (CLASSES, CLASSES[:1], ()):
        true = np.array(rows, np.int64).reshape(-1, 2)
        for unique in (True, False):
            yield draft(true, num_true=2, num_sampled=4, unique=unique, range_max=9, seed=5, seed2=7)
    yield draft(np.array(CLASSES, np.int64), num_true=2, num_sampled=30, unique=False, range_max=1000, seed=5, seed2=7)
    yield draft(np.array(CLASSES, np.int64), num_true=2, num_sampled=9, unique=True, range_max=9, seed=5, seed2=7)
    yield malformed(np.array(CLASSES, np.int64), num_true=2, num_sampled=10, unique=True, range_max=9, seed=5, seed2=7)
    yield malformed(np.array(CLASSES, np.int64), num_true=3, num_sampled=4, unique=True, range_max=9, seed=5, seed2=7)


@family("ComputeAccidentalHits")
def accidental_hits(m):
    for sampled in ((1, 9, 5, 5), (7,), ()):
        yield draft(np.array(CLASSES, np.int64), np.array(sampled, np.int64), num_true=2)
    yield draft(np.zeros((0, 2), np.int64), np.array((1, 2), np.int64), num_true=2)
    yield draft(np.array(((3,), (3,)), np.int64), np.array((3, 3), np.int64), num_true=1)
    yield malformed(np.array(CLASSES, np.int64), np.array((1, 2), np.int64), num_true=3)


@family("IgammaGradA", "RandomGammaGrad", tolerance=64)
def slopes_of_gamma(m):
    for left, right in (((2, 3), (2, 3)), ((2, 3), (3,)), ((), (4,)), ((0, 3), (3,)), ((2, 1), (1, 5))):
        yield draft(m.values(*left, low=1, high=4), m.values(*right, low=0.5, high=4))
    yield malformed(m.values(2, 3, low=1, high=4), m.values(2, low=1, high=4))
