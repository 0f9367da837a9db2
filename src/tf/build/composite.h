#pragma once
/// Functions that make several nodes, inside a name scope of their own.

#include "tf/build/apply_op.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowray::tf {

/// The scope of one call: nodes made while it lives are called "NAME/...", except for the last, which gets
/// NAME itself. Opened before the arguments become tensors, so that their constants stand in it.
class Composite {
 public:
  /// `name` is the user's, `default_name` the function's. In the graph of `inputs`.
  Composite(std::initializer_list<const Input*> inputs, std::string_view name, std::string_view default_name,
            Input::Where where)
      : Composite(graph_of(inputs), name, default_name, where) {}
  Composite(graph::Graph& graph, std::string_view name, std::string_view default_name, Input::Where where)
      : builder_(graph), line_(graph, where), scope_(graph, name.empty() ? default_name : name) {}

  graph::Graph& graph() const { return builder_.graph(); }
  graph::Builder& builder() { return builder_; }
  /// "NAME/": given as a node's name it makes that node the result.
  const std::string& result_name() const { return scope_.path(); }

  /// The argument as a tensor; `dtype` kInvalid: its own.
  graph::Endpoint convert(const Input& input, std::string_view name, DType dtype = DType::kInvalid) {
    return convert_to_endpoint(graph(), input, dtype, name);
  }
  graph::Endpoint convert_like(const Input& input, graph::Endpoint other, std::string_view name) {
    return convert_with_hint(graph(), input, base_dtype(other.dtype()), name);
  }

  graph::Endpoint op(std::string_view op, std::vector<graph::Endpoint> inputs, graph::Attrs attrs = {},
                     std::string_view name = {}) {
    return builder_.op(op, std::move(inputs), std::move(attrs), name);
  }
  /// The last node.
  Tensor result(std::string_view op, std::vector<graph::Endpoint> inputs, graph::Attrs attrs = {}) {
    return tensor_of(builder_.op(op, std::move(inputs), std::move(attrs), scope_.path()));
  }

 private:
  graph::Builder builder_;
  UserLine line_;
  graph::NameScope scope_;
};

}  // namespace flowray::tf
