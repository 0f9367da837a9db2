#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/tensor_array.h>

#include "graph/constant_value.h"
#include "tf/build/composite.h"
#include "tf/build/unset.h"

#include <fmt/format.h>

namespace flowray::tf {

using graph::Endpoint;

/// What all handles of one array share.
struct TensorArray::State {
  DType dtype = DType::kInvalid;
  Tensor handle;
  /// The number of elements, or where a tensor says it.
  std::optional<int32_t> known_size;
  Tensor size;
  bool dynamic_size = false;
  bool infer_shape = true;
  bool follows_first_write = true;
  TensorShape element_shape = TensorShape::unknown_rank();
  /// Where the first value is made that is written.
  std::vector<std::string> beside;
};

namespace {

TensorShape without_first(const TensorShape& shape) {
  if (!shape.has_rank() || shape.rank() == 0) return TensorShape::unknown_rank();
  return TensorShape(shape.dims().subspan(1));
}

Tensor converted(Composite& call, const Input& input, DType dtype, const char* name) {
  return tensor_of(convert_with_hint(call.graph(), input, dtype, name));
}

}  // namespace

TensorArray::TensorArray(DType dtype, const TensorArrayOptions& options, Input::Where where)
    : state_(std::make_shared<State>()) {
  const ErrorLine errors(where);
  if (options.handle.has_value() && options.size.has_value())
    throw ValueError("Cannot provide both a handle and size at the same time");
  if (!options.handle.has_value() && !options.size.has_value())
    throw ValueError("Size must be provided if handle is not provided");
  state_->dtype = dtype;
  state_->dynamic_size = options.dynamic_size;
  state_->infer_shape = options.infer_shape;
  state_->element_shape = options.element_shape;
  state_->follows_first_write = options.colocate_with_first_write_call;
  if (options.handle.has_value()) {
    if (!options.flow.has_value()) throw ValueError("flow must not be None if handle is not None.");
    state_->handle = options.handle;
    flow_ = options.flow;
    return;
  }
  const CallScope call({{"size", *options.size}}, where);
  const bool same_shapes = options.infer_shape || options.element_shape.is_fully_defined();
  graph::Node* const node = apply_op_node({.op = "TensorArrayV3",
                                           .name = options.name.empty() ? "TensorArray" : options.name,
                                           .args = {*options.size},
                                           .attrs = {{"dtype", dtype},
                                                     {"element_shape", options.element_shape},
                                                     {"dynamic_size", options.dynamic_size},
                                                     {"clear_after_read", options.clear_after_read},
                                                     {"identical_element_shapes", same_shapes},
                                                     {"tensor_array_name", options.tensor_array_name}}});
  state_->handle = Tensor(node, 0);
  flow_ = Tensor(node, 1);
  state_->size = node->is_value() ? to_tensor(call.graph(), *options.size, "size", DType::kInt32)
                                  : tensor_of({node->input(0).node, node->input(0).index});
  const Array value = graph::constant_value(endpoint_of(state_->size));
  if (options.size->tensor() == nullptr && value.dtype() == DType::kInt32 && value.rank() == 0)
    state_->known_size = value.item<int32_t>();
}

DType TensorArray::dtype() const { return state_->dtype; }
const Tensor& TensorArray::handle() const { return state_->handle; }
const TensorShape& TensorArray::element_shape() const { return state_->element_shape; }
bool TensorArray::dynamic_size() const { return state_->dynamic_size; }
TensorArray TensorArray::with_flow(const Tensor& flow) const {
  (void)node_of(flow, "flow");
  return {state_, flow};
}

void TensorArray::check_element_shape(const TensorShape& shape) const {
  if (!state_->infer_shape && !state_->element_shape.is_fully_defined()) return;
  if (!shape.is_compatible_with(state_->element_shape)) {
    throw ValueError(fmt::format("Inconsistent shapes: saw {} but expected {} ", shape.to_tuple_string(),
                                 state_->element_shape.to_tuple_string()));
  }
  if (state_->infer_shape) state_->element_shape = state_->element_shape.merge_with(shape);
}

namespace {

/// Operations that write stand beside the first value that is written.
class BesideFirst {
 public:
  BesideFirst(graph::Graph& graph, bool wanted, std::vector<std::string>& beside, const Tensor& value)
      : guard_(wanted ? &graph : nullptr, groups(wanted, beside, value)) {}

 private:
  static std::vector<std::string> groups(bool wanted, std::vector<std::string>& beside, const Tensor& value) {
    if (wanted && beside.empty()) beside = colocation_groups(*value.node());
    return beside;
  }
  ColocationGuard guard_;
};

}  // namespace

Tensor TensorArray::read(const Input& index, const NameOption& options) const {
  Tensor value = apply_op({.op = "TensorArrayReadV3",
                           .name = options.name,
                           .args = {state_->handle, index, flow_},
                           .attrs = {{"dtype", state_->dtype}}});
  if (state_->element_shape.has_rank()) value.set_shape(state_->element_shape);
  return value;
}

TensorArray TensorArray::write(const Input& index, const Input& value, const NameOption& options) const {
  Composite call({{"flow", Input(flow_)}, {"index", index}, {"value", value}}, options.name,
                 "TensorArrayWrite", index.where());
  const Tensor element = converted(call, value, state_->dtype, "value");
  check_element_shape(element.shape());
  const BesideFirst beside(call.graph(), state_->follows_first_write, state_->beside, element);
  return with_flow(apply_op(
      {.op = "TensorArrayWriteV3", .name = options.name, .args = {state_->handle, index, element, flow_}}));
}

Tensor TensorArray::stack(const NameOption& options, Input::Where where) const {
  Composite call(state_->handle.node()->graph(), options.name, "TensorArrayStack", where);
  const ColocationGuard beside = colocate_with(state_->handle.op());
  Input count = 0;
  if (state_->dynamic_size || (!state_->known_size.has_value() && !state_->size.has_value())) {
    count = size();
  } else if (state_->known_size) {
    count = tensor_of(call.builder().constant(Array(*state_->known_size)));
  } else {
    count = state_->size;
  }
  return gather(tf::range(0, count), options);
}

Tensor TensorArray::gather(const Input& indices, const NameOption& options) const {
  Tensor rows = apply_op({.op = "TensorArrayGatherV3",
                          .name = options.name,
                          .args = {state_->handle, indices, flow_},
                          .attrs = {{"dtype", state_->dtype}, {"element_shape", state_->element_shape}}});
  return rows;
}

Tensor TensorArray::concat(const NameOption& options, Input::Where where) const {
  const UserLine line(state_->handle.node()->graph(), where);
  const TensorShape& element = state_->element_shape;
  Tensor rows =
      apply_op({.op = "TensorArrayConcatV3",
                .name = options.name,
                .args = {state_->handle, flow_},
                .attrs = {{"dtype", state_->dtype}, {"element_shape_except0", without_first(element)}}});
  if (!state_->dynamic_size && state_->known_size && element.has_rank() && element.rank() > 0) {
    (void)size();
    const int64_t each = element.dim(0);
    const int64_t all = each < 0 ? TensorShape::kUnknownDim : each * *state_->known_size;
    rows.set_shape(TensorShape{all}.concatenate(without_first(element)));
  }
  return rows;
}

TensorArray TensorArray::unstack(const Input& value, const NameOption& options) const {
  Composite call({{"flow", Input(flow_)}, {"value", value}}, options.name, "TensorArrayUnstack",
                 value.where());
  const Tensor rows = converted(call, value, state_->dtype, "value");
  const Tensor count = shape(rows)[0];
  return scatter(tf::range(0, count), rows, options);
}

TensorArray TensorArray::scatter(const Input& indices, const Input& value, const NameOption& options) const {
  Composite call({{"flow", Input(flow_)}, {"indices", indices}, {"value", value}}, options.name,
                 "TensorArrayScatter", value.where());
  const Tensor rows = converted(call, value, state_->dtype, "value");
  check_element_shape(without_first(rows.shape()));
  const BesideFirst beside(call.graph(), state_->follows_first_write, state_->beside, rows);
  return with_flow(apply_op(
      {.op = "TensorArrayScatterV3", .name = options.name, .args = {state_->handle, indices, rows, flow_}}));
}

TensorArray TensorArray::split(const Input& value, const Input& lengths, const NameOption& options) const {
  Composite call({{"flow", Input(flow_)}, {"value", value}, {"lengths", lengths}}, options.name,
                 "TensorArraySplit", value.where());
  const Tensor rows = converted(call, value, state_->dtype, "value");
  const BesideFirst beside(call.graph(), state_->follows_first_write, state_->beside, rows);
  const Tensor sizes = cast(lengths, int64);
  const Array known = graph::constant_value(endpoint_of(sizes));
  if (state_->infer_shape && known.dtype() == DType::kInt64 && known.rank() == 1) {
    const auto each = known.span<int64_t>();
    const bool same = !each.empty() && std::ranges::all_of(each, [&](int64_t n) { return n == each[0]; });
    if (same) check_element_shape(TensorShape{each[0]}.concatenate(without_first(rows.shape())));
  }
  return with_flow(apply_op(
      {.op = "TensorArraySplitV3", .name = options.name, .args = {state_->handle, rows, sizes, flow_}}));
}

Tensor TensorArray::size(const NameOption& options, Input::Where where) const {
  const UserLine line(state_->handle.node()->graph(), where);
  if (!state_->dynamic_size && state_->known_size) return constant(*state_->known_size);
  return apply_op({.op = "TensorArraySizeV3", .name = options.name, .args = {state_->handle, flow_}});
}

Operation TensorArray::close(const NameOption& options, Input::Where where) const {
  return Operation(apply_op_node(
      {.op = "TensorArrayCloseV3", .name = options.name, .args = {state_->handle}, .where = where}));
}

TensorArray TensorArray::identity(Input::Where where) const {
  const TensorArray same = with_flow(tf::identity(Input(flow_, where)));
  (void)state_->handle.node()->graph().unique_name("TensorArray");  // TensorFlow's new object takes one
  return same;
}

}  // namespace flowray::tf
