#pragma once
/// Functions that make several nodes, inside a name scope of their own.

#include "tf/build/call_scope.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowray::tf {

/// One output of a node, as both sides name it: the graph's Endpoint, and the language's Tensor where one
/// is wanted.
class Output : public graph::Endpoint {
 public:
  Output(graph::Endpoint endpoint) : graph::Endpoint(endpoint) {}         // NOLINT: implicit, as all of these
  Output(const Tensor& tensor) : graph::Endpoint(endpoint_of(tensor)) {}  // NOLINT
  operator Tensor() const { return tensor_of(*this); }                    // NOLINT
};

/// The scope of one call: nodes made while it lives are called "NAME/...", except for the last, which gets
/// NAME itself. Opened before the arguments become tensors, so that their constants stand in it.
class Composite : public CallScope {
 public:
  /// `name` is the user's, `default_name` the function's. In the graph of its arguments, which must be set.
  Composite(std::initializer_list<Argument> arguments, std::string_view name, std::string_view default_name,
            Input::Where where)
      : Composite(graph_of(arguments, where), name, default_name, where) {}
  Composite(graph::Graph& graph, std::string_view name, std::string_view default_name, Input::Where where)
      : CallScope(graph, where), builder_(graph), scope_(graph, name.empty() ? default_name : name) {}

  graph::Builder& builder() { return builder_; }
  /// "NAME/": given as a node's name it makes that node the result.
  const std::string& result_name() const { return scope_.path(); }

  /// The argument as a tensor; `dtype` kInvalid: its own.
  Output convert(const Input& input, std::string_view name, DType dtype = DType::kInvalid) {
    return convert_to_endpoint(graph(), input, dtype, name);
  }
  Output convert_like(const Input& input, const Output& other, std::string_view name) {
    return convert_with_hint(graph(), input, base_dtype(other.dtype()), name);
  }

  Output op(std::string_view op, std::initializer_list<Output> inputs, graph::Attrs attrs = {},
            std::string_view name = {}) {
    return builder_.op(op, {inputs.begin(), inputs.end()}, std::move(attrs), name);
  }
  Output op(std::string_view op, std::vector<graph::Endpoint> inputs, graph::Attrs attrs = {},
            std::string_view name = {}) {
    return builder_.op(op, std::move(inputs), std::move(attrs), name);
  }
  /// The last node.
  Tensor result(std::string_view op, std::initializer_list<Output> inputs, graph::Attrs attrs = {}) {
    return tensor_of(builder_.op(op, {inputs.begin(), inputs.end()}, std::move(attrs), scope_.path()));
  }
  Tensor result(std::string_view op, std::vector<graph::Endpoint> inputs, graph::Attrs attrs = {}) {
    return tensor_of(builder_.op(op, std::move(inputs), std::move(attrs), scope_.path()));
  }

 private:
  graph::Builder builder_;
  graph::NameScope scope_;
};

}  // namespace flowray::tf
