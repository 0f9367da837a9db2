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


PICTURES = ((40, 60, 3), (7, 5, 1), (120, 33, 3), (1, 1, 1))
OBJECTS = [[[0.1, 0.2, 0.6, 0.9], [0.5, 0.5, 0.75, 0.7]]]


@family("SampleDistortedBoundingBox", "SampleDistortedBoundingBoxV2")
def distorted_boxes(m):
    covered = (lambda value: ([m.array(value, "float32")], {})) if m.signature.name.endswith("V2") else lambda value: ([], {"min_object_covered": value})

    def drawn(size, objects, least=0.25, how=draft, **attrs):
        inputs, more = covered(least)
        return how(m.array(size, "T"), np.array(objects, np.float32), *inputs, **{"seed": 5, "seed2": 7, **more, **attrs})

    for size in PICTURES:
        for least in (0.0, 0.25, 0.9):
            yield drawn(size, OBJECTS, least)
        for seed in range(6):
            yield drawn(size, OBJECTS, 0.1, seed=seed + 1, aspect_ratio_range=[0.5, 2.0], area_range=[0.05, 0.8])
        yield drawn(size, np.zeros((1, 0, 4)), use_image_if_no_bounding_boxes=True, area_range=[0.08, 1.0], aspect_ratio_range=[0.75, 1.33])
        yield drawn(size, OBJECTS, aspect_ratio_range=[4.0, 5.0], max_attempts=3)
        yield drawn(size, OBJECTS, area_range=[0.9, 0.95], aspect_ratio_range=[0.1, 9.0], max_attempts=50)
    yield drawn(PICTURES[0], np.zeros((1, 0, 4)), how=malformed)
    yield drawn((0, 5, 3), OBJECTS, how=malformed)
    yield drawn((4, 5), OBJECTS, how=malformed)
    yield drawn(PICTURES[0], OBJECTS[0], how=malformed)
    yield drawn(PICTURES[0], [[[0.1, 0.2, 1.5, 0.4]]], how=malformed)
    yield drawn(PICTURES[0], [[[-0.1, 0.2, 0.5, 0.4]]], how=malformed)
    yield drawn(PICTURES[0], OBJECTS, -1.0, how=malformed)
    yield drawn(PICTURES[0], OBJECTS, 1.5, how=malformed)
    for attrs in ({"aspect_ratio_range": [1.0]}, {"aspect_ratio_range": [-1.0, 1.0]}, {"area_range": [0.5]}, {"area_range": [0.0, 1.0]},
                  {"area_range": [0.5, 1.5]}, {"max_attempts": 0}):
        yield drawn(PICTURES[0], OBJECTS, how=malformed, **attrs)
