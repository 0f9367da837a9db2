#pragma once
/// tf.metrics: what is measured over many steps, in local variables. Run tf::local_variables_initializer()
/// before, `update` in each step, `value` when it is asked for.

#include <flowray/tf/input.h>

#include <string>

#pragma GCC visibility push(default)

namespace flowray::tf::metrics {

struct Metric {
  Tensor value;   // float32 scalar of all steps until now; 0 before the first
  Tensor update;  // takes one step's values in and is the value with them
};

/// The mean of all elements of `values`, which are converted to float32.
Metric mean(const Input& values, const NameOption& options = {});
/// How many `predictions` are equal to their `labels`, of all. Both have the same shape; predictions of
/// another dtype are converted to that of the labels. Throws UnimplementedError for different or unknown
/// ranks.
Metric accuracy(const Input& labels, const Input& predictions, const NameOption& options = {});

}  // namespace flowray::tf::metrics

#pragma GCC visibility pop
