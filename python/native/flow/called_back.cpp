#include "native/flow/called_back.h"
#include "native/convert/kept_object.h"

namespace flowray::python {
namespace {

/// What a function has given.
template <class Value>
std::vector<Value> values_of(const nb::object& results) {
  std::vector<Value> values;
  for (nb::handle item : results) {
    if constexpr (std::is_same_v<Value, tf::BranchValue>) {
      if (nb::isinstance<tf::Operation>(item)) {
        values.emplace_back(nb::cast<const tf::Operation&>(item));
        continue;
      }
    }
    values.emplace_back(as_input(item));
  }
  return values;
}

}  // namespace

tf::LoopBody as_loop_body(nb::handle function) {
  return [function = KeptObject(function)](const std::vector<tf::Tensor>& values) {
    return values_of<tf::Input>(nb::object(function(give(values))));
  };
}

tf::LoopCondition as_loop_condition(nb::handle function) {
  return [function = KeptObject(function)](const std::vector<tf::Tensor>& values) {
    return tf::convert_to_tensor(as_input(nb::object(function(give(values)))));
  };
}

tf::FoldFunction as_fold_function(nb::handle function) {
  return [function = KeptObject(function)](const std::vector<tf::Tensor>& before,
                                           const std::vector<tf::Tensor>& row) {
    return values_of<tf::Input>(nb::object(function(give(before), give(row))));
  };
}

tf::Branch as_branch(nb::handle function) {
  return [function = KeptObject(function)] { return values_of<tf::BranchValue>(function()); };
}

Cases as_cases(nb::handle pairs) {
  Cases cases;
  for (nb::handle pair : pairs)
    cases.emplace_back(nb::cast<const tf::Tensor&>(pair[0]), as_branch(nb::object(pair[1])));
  return cases;
}

}  // namespace flowray::python
