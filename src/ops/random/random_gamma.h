#pragma once

#include "graph/op_schema.h"

namespace flowray::ops {

/// RandomGamma, RandomPoisson, RandomPoissonV2; register_random_ops calls it.
void register_random_gamma_ops(graph::OpTable& table);

}  // namespace flowray::ops
