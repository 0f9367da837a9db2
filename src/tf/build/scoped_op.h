#pragma once
/// Functions of TensorFlow 1 that are one op, in a scope of their own or by another name, and with the two
/// seeds of a random op: what a table (python/endpoints.tsv) says of them is carried out here.

#include "tf/build/apply_op.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::tf {

struct ScopedOp {
  /// `call.name` is not read.
  OpCall call;
  /// The user's name; empty: `scope`, or `node` where there is no scope.
  std::string_view name = {};
  /// The scope around the node; empty: there is none, and the node itself bears the user's name.
  std::string_view scope = {};
  /// The node's name in the scope, or by default.
  std::string_view node = {};
  /// Arguments that become tensors in the scope already, beside the node and not below it: what their
  /// constants are called. As many as `call.args`, "" for those that the op converts; empty: the op
  /// converts all.
  std::vector<std::string> names = {};
  /// Whether the function has an argument `seed`, and what is given for it.
  bool seeded = false;
  std::optional<int64_t> seed = {};
};

/// Makes the node. Constants that the arguments become stand below it: "erfinv/Erfinv/x".
graph::Node* apply_scoped_op(ScopedOp scoped);

}  // namespace flowray::tf
