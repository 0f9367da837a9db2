#include "ops/random/register.h"

namespace flowray::ops {

void register_random_family(graph::OpTable& table) {
  register_candidate_ops(table);
  register_multinomial_ops(table);
  register_random_ops(table);
  register_random_gamma_ops(table);
  register_stateless_random_ops(table);
  register_distorted_box_ops(table);
}

}  // namespace flowray::ops
