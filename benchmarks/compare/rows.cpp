#include "compare/rows.h"

namespace flowray::compare {

const std::vector<NamedRow>& all_rows() {
  static const std::vector<NamedRow> kRows = {
      {"scalar add", make_scalar_add},
      {"scalar add, run", make_scalar_add_run},
      {"linear regression training step", make_linear_regression},
      {"LeNet-5 batch 100", make_lenet5},
  };
  return kRows;
}

}  // namespace flowray::compare
