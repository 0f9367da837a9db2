#pragma once
/// Changes a graph that works into one that may do harm.

#include "graph/op_schema.h"
#include "wire/graph_def.h"

#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <vector>

namespace flowray::hostile {

/// Of a text that is meant to use memory up.
inline constexpr size_t kLargeTextBytes = 100'000'000;

/// Makes of a constant a Placeholder whose attribute `_fed` holds its value (support/graph_trial.h).
void feed_constant(wire::NodeDef& constant);

/// Changes one to four things of the graph, which may borrow from the Mutation: attributes to the edges of
/// what they may be and beyond, lengths of lists, values and shapes of constants, inputs, ops. The same for
/// the same seed.
class Mutation {
 public:
  Mutation(const graph::OpTable& ops, uint64_t seed) : ops_(ops), random_(seed) {}

  void apply(wire::GraphDef& graph);
  /// The next text that comes up, an attribute's or an element's, is to have kLargeTextBytes.
  void want_large_text() { wants_large_text_ = true; }
  bool wants_large_text() const { return wants_large_text_; }

 private:
  size_t below(size_t count) { return count == 0 ? 0 : random_() % count; }
  bool one_in(size_t n) { return below(n) == 0; }
  int64_t edge();
  double real_edge();
  std::string text(const std::string& old);
  DType dtype();
  wire::TensorShapeProto shape();

  void change_sizes(wire::GraphDef& graph);
  void change_node(wire::GraphDef& graph);
  void change_function(wire::FunctionDef& function);
  void change_node_of_function(wire::FunctionDef& function);
  void change_args(std::vector<wire::OpDef::ArgDef>& args);
  void change_returned(wire::FunctionDef& function);
  void change_call(wire::NameAttrList& call);
  std::string function_name();
  void change_attr(wire::NodeDef& node);
  void change_value(wire::AttrValue& value, const graph::AttrSchema* schema);
  void change_list(wire::AttrValue::ListValue& list, const graph::AttrSchema* schema);
  template <class T, class Make>
  void change_items(std::vector<T>& items, Make make);
  void change_tensor(wire::TensorProto& tensor);
  void change_inputs(wire::GraphDef& graph, wire::NodeDef& node);
  void change_op(wire::NodeDef& node);

  const graph::OpTable& ops_;
  std::mt19937_64 random_;
  std::deque<std::string> kept_;        // what messages borrow
  std::vector<std::string> functions_;  // names of the library's
  bool wants_large_text_ = false;
};

}  // namespace flowray::hostile
