#pragma once
/// Draws a graph of one op from its schema alone.

#include "graph/op_schema.h"
#include "wire/graph_def.h"

#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::hostile {

/// A graph of any registered op, with attributes, constants, variables, handles and variants as its schema
/// asks for them and nothing else: handles of another kind than the op works with, shapes that do not fit and
/// of ranks up to 257, values at their edges, control flow and calls within each other. Most are refused;
/// what is not was never thought of. The same for the same seed.
class DrawnGraph {
 public:
  DrawnGraph(const graph::OpTable& ops, uint64_t seed) : ops_(ops), random_(seed) {}

  /// The bytes of its GraphDef. `op`: its last node; one of all where that is empty.
  std::string draw(std::string_view op);
  /// One text of the next graph is to have kLargeTextBytes (mutation.h).
  void want_large_text() { wants_large_text_ = true; }
  bool wants_large_text() const { return wants_large_text_; }

 private:
  size_t below(size_t count) { return count == 0 ? 0 : random_() % count; }
  bool one_in(size_t n) { return below(n) == 0; }
  int64_t integer();
  std::string text();
  DType dtype_of(const graph::AttrSchema& attr);
  std::vector<int64_t> dims();
  wire::TensorShapeProto shape();

  /// Adds a node and what it takes, and gives its name.
  std::string add(std::string_view op, int depth, DType wanted = DType::kInvalid);
  void add_functions();
  void set_attr(wire::NodeDef& node, const graph::AttrSchema& attr);
  void set_list(wire::AttrValue& value, const graph::AttrSchema& attr);
  void set_function(wire::AttrValue& value);
  std::string input(DType dtype, bool is_ref, int depth);
  std::string nested_input(DType dtype, int depth);
  std::string constant(DType dtype);
  std::string maker_of(DType dtype, bool is_ref, int& output);

  const graph::OpTable& ops_;
  std::mt19937_64 random_;
  wire::GraphDef graph_;
  std::vector<int64_t> usual_dims_;
  std::deque<Array> kept_;  // what the message borrows
  bool wants_large_text_ = false;
};

}  // namespace flowray::hostile
