#pragma once
/// How functions of the public language make nodes: arguments become tensors inside the operation's own name
/// scope ("add/y"), types follow from one another, and the node takes the scope's name ("add").

#include <flowray/tf/graph.h>
#include <flowray/tf/input.h>

#include "graph/builder.h"
#include "graph/graph.h"
#include "tf/build/user_line.h"

#include <initializer_list>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace flowray::tf {

inline graph::Endpoint endpoint_of(const Tensor& tensor) { return {tensor.node(), tensor.value_index()}; }
inline Tensor tensor_of(graph::Endpoint endpoint) { return {endpoint.node, endpoint.index}; }

/// The default graph of this thread, without counting.
graph::Graph& default_graph();

/// What Graph::as_default does, for a front door whose scopes are not blocks: they may end in any order.
void enter_default_graph(graph::Graph& graph);
void leave_default_graph(graph::Graph& graph);
/// The default graph of all threads that have opened no scope; null: each has one of its own.
void set_default_graph_of_process(graph::Graph* graph);
/// Whether this thread's own has nodes.
bool has_bottom_graph();

/// An argument of a function of the language, by the name that the public header has for it: one value, one
/// that may be left out, or a list. What it is made of outlives it.
class Argument {
 public:
  Argument(std::string_view name, const Input& input) : name_(name), inputs_(&input, 1) {}
  Argument(std::string_view name, const OptionalInput& input) : name_(name) {
    if (input.has_value()) inputs_ = {&*input, 1};
  }
  Argument(std::string_view name, const std::vector<Input>& list)
      : name_(name), inputs_(list), is_list_(true) {}
  Argument(std::string_view name, const List<Input>& list) : Argument(name, list.items()) {}

  std::string_view name() const { return name_; }
  /// The one value; only of an argument that was given and is not a list.
  const Input& input() const { return inputs_.front(); }
  /// All values.
  std::span<const Input> inputs() const { return inputs_; }
  /// Throws ValueError for what stands for none, and names it: 'x', 'shape[1]', 'values[0]'.
  void check_set() const;

 private:
  std::string_view name_;
  std::span<const Input> inputs_;
  bool is_list_ = false;
};

/// The graph that a function with these arguments adds to: that of the first tensor among them, else the
/// default one. Throws ValueError where tensors of two graphs meet, and for an argument that stands for none.
/// So a function names all of its arguments where it begins: those that it calls know them by other names.
/// `where`: the line of the call, where no argument remembers it.
graph::Graph& graph_of(std::initializer_list<Argument> arguments, Input::Where where = {});

/// An argument of an op: one value, or a list where the schema has one.
using OpArg = std::variant<Input, std::vector<Input>>;

/// The graph of an op's arguments; where the op is applied those are looked at one by one.
graph::Graph& graph_of(const std::vector<OpArg>& args);

struct OpCall {
  std::string_view op;
  /// The op's name in the graph; empty: `op`.
  std::string_view name = {};
  std::vector<OpArg> args = {};
  graph::Attrs attrs = {};
  /// The user's line, for what has no arguments or none that remember it.
  Input::Where where = {};
};

/// Makes the node of one op. The graph is that of its arguments.
graph::Node* apply_op_node(const OpCall& call);
/// Its output 0.
Tensor apply_op(const OpCall& call);

/// tf.convert_to_tensor: constants become a Const called `name` in the current scope. `dtype` kInvalid:
/// its own.
graph::Endpoint convert_to_endpoint(graph::Graph& graph, const Input& input, DType dtype,
                                    std::string_view name);

/// The same as a Tensor.
inline Tensor to_tensor(graph::Graph& graph, const Input& input, std::string_view name,
                        DType dtype = DType::kInvalid) {
  return tensor_of(convert_to_endpoint(graph, input, dtype, name));
}

/// The same with a dtype that is only preferred: what cannot have it keeps its own.
graph::Endpoint convert_with_hint(graph::Graph& graph, const Input& input, DType hint, std::string_view name);

/// A list with tensors in it: Pack, and a Const NAME/i for each of its numbers. `dtype` kInvalid: that of its
/// first tensor.
graph::Endpoint pack_inputs(graph::Graph& graph, const std::vector<Input>& list, DType dtype,
                            std::string_view name);

/// A colocation group of a node: what `_class` says, or itself.
std::vector<std::string> colocation_groups(const graph::Node& node);

}  // namespace flowray::tf
