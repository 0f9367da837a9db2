#pragma once
/// Printing, as TensorFlow's logging_ops do it, and values that are known without a session.

#include <flowray/tf/graph.h>
#include <flowray/tf/input.h>

#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

struct PrintOptions {
  /// "stderr", "stdout", "log(info)" and its siblings, or "file://PATH", which is appended to.
  std::string output_stream = "stderr";
  /// So many elements at each end of a dimension; -1: all.
  int64_t summarize = 3;
  /// Between two items, and behind the last one.
  std::string sep = " ";
  std::string end = "\n";
  std::string name = {};
};
/// An operation that prints texts and tensors in a line: tf::print({"loss:", loss}). Something must wait for
/// it.
Operation print(const std::vector<Input>& inputs, const PrintOptions& options = {});

/// What is known of a tensor's value without a session: it follows from constants and shapes.
std::optional<Array> get_static_value(const Tensor& tensor);

}  // namespace flowray::tf

#pragma GCC visibility pop
