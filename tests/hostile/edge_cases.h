#pragma once
/// Every number of every op at every edge, one after the other.

#include "graph/op_schema.h"
#include "wire/graph_def.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::hostile {

/// The cases that the schemas of the ops ask for. Each takes a graph in which the op works, the smallest that
/// there is, and changes one thing of one node of that op:
/// - an int attribute, the first and last number of a list of them: 0, -1, 2^31 - 1, 2^31, 2^63 - 1, -2^63
/// - a float attribute: NaN, infinity
/// - a list attribute: one more, one fewer, none
/// - the first and the last element of an integer input: n, n - 1, -n, -n - 1 for each n that is a dimension
///   of any input, and 0 and the edges of its dtype
/// - the first and the last element of a real input, and all of them: NaN, infinity, 2^63
/// Inputs are changed where they are constants.
class EdgeCases {
 public:
  /// `graphs`: encoded. `op`: the only one; all where that is empty.
  EdgeCases(const graph::OpTable& ops, const std::vector<std::string>& graphs, std::string_view op);

  size_t size() const { return cases_.size(); }
  size_t num_ops() const { return num_ops_; }
  /// What of the case is another than in the graph that works: "Conv2D strides[0] = -1".
  std::string name(size_t number) const;
  /// Encoded.
  std::string graph(size_t number) const;

 private:
  /// Where in a graph, and what is to be there.
  struct Case {
    uint32_t graph;
    uint32_t node;
    uint32_t place;   // of the attribute in the schema, or of the input behind these
    int64_t element;  // kAll, kLength
    double real;
    int64_t integer;
  };
  static constexpr int64_t kAll = -1;     // elements
  static constexpr int64_t kLength = -2;  // `integer` is added to it; none where it is INT64_MIN

  void add_op(uint32_t graph, uint32_t node, const wire::GraphDef& message, const graph::OpSchema& schema);
  void add_attr(Case at, const graph::AttrSchema& attr, const wire::AttrValue* value);
  void add_input(Case at, const wire::TensorProto& constant, const std::vector<int64_t>& sizes);
  std::string place_name(const Case& at, const graph::OpSchema& schema) const;

  const graph::OpTable& ops_;
  const std::vector<std::string>& graphs_;
  std::vector<Case> cases_;
  size_t num_ops_ = 0;
};

}  // namespace flowray::hostile
