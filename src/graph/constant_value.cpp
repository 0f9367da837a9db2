#include "graph/constant_value.h"

#include "graph/evaluate.h"
#include "graph/integers.h"

#include <algorithm>

namespace flowray::graph {
namespace {

constexpr int64_t kMaxElements = 4096;  // larger values decide no shapes and would only cost time
constexpr int kMaxDepth = 16;

/// Folding needs no state: a stateful node is never folded.
class NoStates final : public NodeStates {
 public:
  std::shared_ptr<NodeState> find_or_make(const std::string&,
                                          const std::function<std::shared_ptr<NodeState>()>&) override {
    throw errors::InternalError("a stateful node was folded");
  }
};

bool is_small(const Shape& shape) {
  const int64_t count = shape.num_elements();
  return count >= 0 && count <= kMaxElements;
}

Array value_at_depth(Endpoint endpoint, int depth);

/// The inputs' values; empty if one is not known. Ops that look at shapes only get arrays whose elements mean nothing.
std::vector<NodeInput> known_inputs(const Node& node, int depth) {
  std::vector<NodeInput> inputs;
  for (const Endpoint& input : node.inputs()) {
    Array value;
    if (node.schema().row.reads_shapes_only && !is_ref(input.dtype())) {
      if (!input.shape().is_fully_defined() || dtype_size(input.dtype()) == 0) return {};
      value = is_small(input.shape()) ? Array(input.dtype(), input.shape())
                                      : Array::wrap(nullptr, nullptr, input.dtype(), input.shape());
    } else {
      value = value_at_depth(input, depth - 1);
    }
    if (!value.has_value()) return {};
    inputs.push_back({std::move(value), nullptr});
  }
  return inputs;
}

Array value_at_depth(Endpoint endpoint, int depth) {
  const Node& node = *endpoint.node;
  const OpRow& row = node.schema().row;
  if (node.op() == "Const") return node.attrs().get<Array>("value");
  if (depth == 0 || row.stateful || is_ref(endpoint.dtype()) || node.num_inputs() == 0) return {};
  if (endpoint.shape().num_elements() > kMaxElements) return {};
  const std::vector<NodeInput> inputs = known_inputs(node, depth);
  if (inputs.empty()) return {};
  NoStates states;
  Serial serial;
  try {
    return evaluate(node, inputs, states, serial)[static_cast<size_t>(endpoint.index)];
  } catch (const Error&) {
    return {};  // the step that runs the node reports what is wrong with it
  }
}

Shape shape_at_depth(Endpoint endpoint, int depth);

Shape packed_shape(const Node& node, int depth) {
  std::vector<int64_t> dims;
  for (const Endpoint& input : node.inputs()) {
    const Array value = value_at_depth(input, depth - 1);
    dims.push_back(value.has_value() && value.size() == 1 ? to_integers(value)[0] : Shape::kUnknownDim);
    if (dims.back() < 0) dims.back() = Shape::kUnknownDim;
  }
  return Shape(dims);
}

Shape concatenated_shape(const Node& node, int depth) {
  Shape out;
  for (int i = 0; i + 1 < node.num_inputs(); ++i) out = out.concatenate(shape_at_depth(node.input(i), depth - 1));
  return out;
}

/// Shape(x)[begin:end:stride] for plain slices without masks for new or lost axes.
Shape sliced_shape(const Node& node, int depth) {
  const Shape whole = shape_at_depth(node.input(0), depth - 1);
  const Array begin = value_at_depth(node.input(1), depth - 1);
  const Array end = value_at_depth(node.input(2), depth - 1);
  const Array stride = value_at_depth(node.input(3), depth - 1);
  const auto mask = [&](const char* name) { return node.attrs().get<int64_t>(name); };
  const bool plain = mask("ellipsis_mask") == 0 && mask("new_axis_mask") == 0 && mask("shrink_axis_mask") == 0;
  if (!whole.has_rank() || !plain || begin.size() != 1 || end.size() != 1 || stride.size() != 1) {
    return Shape::unknown_rank();
  }
  const int64_t rank = whole.rank();
  const auto clamp = [rank](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank); };
  const int64_t first = mask("begin_mask") != 0 ? 0 : clamp(to_integers(begin)[0]);
  const int64_t last = mask("end_mask") != 0 ? rank : clamp(to_integers(end)[0]);
  if (to_integers(stride)[0] != 1) return Shape::unknown_rank();
  std::vector<int64_t> dims;
  for (int64_t i = first; i < last; ++i) dims.push_back(whole.dim(static_cast<int>(i)));
  return Shape(dims);
}

/// Whether an array of this shape can hold dimensions: longer vectors are data.
bool is_short_vector(const Shape& shape) { return shape.rank() == 1 && shape.dim(0) <= Shape::kMaxRank; }

Shape shape_at_depth(Endpoint endpoint, int depth) {
  const Node& node = *endpoint.node;
  if (depth == 0) return Shape::unknown_rank();
  if (node.op() == "Shape") return node.input(0).shape();
  if (node.op() == "ShapeN") return node.input(endpoint.index).shape();
  if (is_short_vector(endpoint.shape())) {
    if (node.op() == "Pack") return packed_shape(node, depth);
    if (node.op() == "ConcatV2") return concatenated_shape(node, depth);
    if (node.op() == "StridedSlice") return sliced_shape(node, depth);
    if (node.op() == "Cast" || node.op() == "Identity") return shape_at_depth(node.input(0), depth - 1);
    const Array value = value_at_depth(endpoint, depth - 1);
    if (value.has_value() && value.size() <= Shape::kMaxRank) {
      std::vector<int64_t> dims = to_integers(value);
      for (int64_t& dim : dims) dim = std::max(dim, Shape::kUnknownDim);
      return Shape(dims);
    }
  }
  const bool of_known_length = is_short_vector(endpoint.shape()) && endpoint.shape().dim(0) >= 0;
  return of_known_length ? Shape::of_rank(static_cast<int>(endpoint.shape().dim(0))) : Shape::unknown_rank();
}

}  // namespace

Array constant_value(Endpoint endpoint) { return value_at_depth(endpoint, kMaxDepth); }
Shape constant_value_as_shape(Endpoint endpoint) { return shape_at_depth(endpoint, kMaxDepth); }

}  // namespace flowray::graph
