#pragma once
/// What functions for learning rates have in common.

#include <flowray/tf/math.h>

#include "tf/build/composite.h"
#include "tf/build/unset.h"

#include <string>

namespace flowray::tf::train {

/// What each rate begins with: its name scope, the first rate, and the numbers in that one's dtype.
class Decay {
 public:
  Decay(const Input& learning_rate, const Input& global_step, const std::string& name,
        const char* default_name)
      : scope_({{"learning_rate", learning_rate}, {"global_step", global_step}}, name, default_name,
               learning_rate.where()),
        global_step_(global_step),
        initial(scope_.convert(learning_rate, "initial_learning_rate")) {}

  Tensor number(const Argument& argument) const {
    argument.check_set();
    return cast(argument.input(), base_dtype(initial.dtype()));
  }
  Tensor step() const { return number({"global_step", global_step_}); }
  const std::string& result_name() const { return scope_.result_name(); }

 private:
  Composite scope_;
  const Input& global_step_;

 public:
  const Tensor initial;
};

}  // namespace flowray::tf::train
