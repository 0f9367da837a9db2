#include "graph/constant_value.h"

#include "graph/dims_context.h"
#include "graph/integers.h"
#include "graph/kernel/evaluate.h"
#include "graph/shape_context.h"
#include "graph/value_node.h"

#include <algorithm>
#include <new>
#include <span>

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

/// All outputs are computed for the one that is asked for.
bool has_large_output(const Node& node) {
  for (int i = 0; i < node.num_outputs(); ++i)
    if (node.output_shape(i).num_elements() > kMaxElements) return true;
  return false;
}

/// How far is looked for a value.
struct Looking {
  int depth;
  /// Whether an element of a shape is known where the others are not.
  bool sees_single_dims;

  Looking deeper() const { return {depth - 1, sees_single_dims}; }
};

Array value_at(Endpoint endpoint, Looking looking);
Shape shape_at_depth(Endpoint endpoint, int depth);

/// The inputs' values; empty if one is not known. Ops that look at shapes only get arrays whose elements
/// mean nothing.
std::vector<NodeInput> known_inputs(const Node& node, Looking looking) {
  std::vector<NodeInput> inputs;
  for (const Endpoint& input : node.inputs()) {
    Array value;
    if (node.schema().row.reads_shapes_only && !is_ref(input.dtype())) {
      if (!input.shape().is_fully_defined() || dtype_size(input.dtype()) == 0) return {};
      value = is_small(input.shape()) ? Array(input.dtype(), input.shape())
                                      : Array::wrap(nullptr, nullptr, input.dtype(), input.shape());
    } else {
      value = value_at(input, looking.deeper());
    }
    if (!value.has_value()) return {};
    inputs.push_back({std::move(value), nullptr});
  }
  return inputs;
}

/// What comes out of a Switch whose choice is known, on the side that it takes.
Array switched_value(Endpoint endpoint, Looking looking) {
  const Array chosen = value_at(endpoint.node->input(1), looking.deeper());
  if (!chosen.has_value() || chosen.item<bool>() != (endpoint.index == 1)) return {};
  return value_at(endpoint.node->input(0), looking.deeper());
}

/// A number that is taken out of a shape: shape(x)[0]. TensorFlow sees none where a node is between the two,
/// or where the place is computed.
Array single_dim(Endpoint endpoint, int depth) {
  const DimsFunction dims_of = endpoint.node->schema().row.dims;
  if (dims_of == nullptr || endpoint.shape().rank() != 0) return {};
  const std::span<const Endpoint> inputs = endpoint.node->inputs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].node->is_value()) return {};
    const OpRow& row = inputs[i].node->schema().row;
    if (i == 0 ? !row.reads_shapes_only : !row.is_constant) return {};
  }
  if (endpoint.dtype() != DType::kInt32 && endpoint.dtype() != DType::kInt64) return {};
  const Shape dims = dims_of(DimsContext(endpoint, depth));
  if (dims.rank() != 1 || dims.dim(0) < 0) return {};
  return Array(dims.dim(0)).astype(endpoint.dtype());
}

Array value_at(Endpoint endpoint, Looking looking) {
  const Node& node = *endpoint.node;
  if (node.is_value()) return is_ref(endpoint.dtype()) ? Array() : value_node(endpoint).value(endpoint.index);
  const OpRow& row = node.schema().row;
  if (row.is_constant) return node.attrs().get<Array>("value");
  if (looking.depth > 0 && row.flow == FlowRole::kSwitch && !is_ref(endpoint.dtype()))
    return switched_value(endpoint, looking);
  if (looking.depth == 0 || row.stateful || row.is_placeholder || row.flow != FlowRole::kNone) return {};
  if (is_ref(endpoint.dtype()) || node.num_inputs() == 0) return {};
  if (has_large_output(node)) return {};
  if (looking.sees_single_dims) {
    Array dim = single_dim(endpoint, looking.depth);
    if (dim.has_value()) return dim;
  }
  const std::vector<NodeInput> inputs = known_inputs(node, looking);
  if (inputs.empty()) return {};
  NoStates states;
  Serial serial;
  try {
    return evaluate(node, inputs, states, serial)[static_cast<size_t>(endpoint.index)];
  } catch (const Error&) {
    return {};  // the step that runs the node reports what is wrong with it
  } catch (const std::bad_alloc&) {
    return {};  // how much it needs may depend on values: there may be more memory when a step runs it
  }
}

/// Whether an array of this shape can hold dimensions: longer vectors are data.
bool is_short_vector(const Shape& shape) { return shape.rank() == 1 && shape.dim(0) <= Shape::kMaxRank; }

Shape shape_at_depth(Endpoint endpoint, int depth) {
  if (depth == 0) return Shape::unknown_rank();
  if (is_short_vector(endpoint.shape())) {
    const DimsFunction dims_of = endpoint.node->is_value() ? nullptr : endpoint.node->schema().row.dims;
    if (dims_of != nullptr) return dims_of(DimsContext(endpoint, depth));
    const Array value = value_at(endpoint, {depth - 1, /*sees_single_dims=*/true});
    if (value.has_value() && value.size() <= Shape::kMaxRank) {
      std::vector<int64_t> dims = to_integers(value);
      for (int64_t& dim : dims) dim = std::max(dim, Shape::kUnknownDim);
      return Shape(dims);
    }
  }
  const bool of_known_length = is_short_vector(endpoint.shape()) && endpoint.shape().dim(0) >= 0;
  return of_known_length ? Shape::of_rank(endpoint.shape().dim(0)) : Shape::unknown_rank();
}

}  // namespace

Shape DimsContext::handle_shape(int i) const { return graph::handle_shape(endpoint_.node->input(i)); }
Array DimsContext::value(int i) const {
  return value_at(endpoint_.node->input(i), {depth_ - 1, /*sees_single_dims=*/true});
}
Shape DimsContext::dims(int i) const { return shape_at_depth(endpoint_.node->input(i), depth_ - 1); }

Array constant_value(Endpoint endpoint) { return value_at(endpoint, {kMaxDepth, false}); }
Array constant_value_for_shapes(Endpoint endpoint) { return value_at(endpoint, {kMaxDepth, true}); }
Shape constant_value_as_shape(Endpoint endpoint) { return shape_at_depth(endpoint, kMaxDepth); }

}  // namespace flowray::graph
