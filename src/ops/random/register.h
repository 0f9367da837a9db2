#pragma once
/// Random numbers, stateless and not, and candidates that are drawn.

#include "graph/op_schema.h"

namespace flowray::ops {

/// All ops of the files in this folder.
void register_random_family(graph::OpTable& table);

// The share of each file; register.cpp calls them.

/// LogUniformCandidateSampler, UniformCandidateSampler, ComputeAccidentalHits.
void register_candidate_ops(graph::OpTable& table);
/// Multinomial, StatelessMultinomial.
void register_multinomial_ops(graph::OpTable& table);
/// RandomUniform, RandomUniformInt, RandomStandardNormal, TruncatedNormal, RandomShuffle.
void register_random_ops(graph::OpTable& table);
/// RandomGamma, RandomPoisson, RandomPoissonV2.
void register_random_gamma_ops(graph::OpTable& table);
/// StatelessRandomUniform, ....
void register_stateless_random_ops(graph::OpTable& table);
/// SampleDistortedBoundingBox, SampleDistortedBoundingBoxV2.
void register_distorted_box_ops(graph::OpTable& table);

}  // namespace flowray::ops
