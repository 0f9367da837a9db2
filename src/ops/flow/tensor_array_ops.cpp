/// The ops on TensorArrays, third version: the handle is a resource, and a float "flow" orders them.
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/resource/resource_value.h"
#include "graph/shape_context.h"
#include "ops/elements/variant_elements.h"
#include "ops/flow/register.h"
#include "ops/flow/tensor_array.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_math_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace flowray::ops {
namespace {

using errors::InvalidArgumentError;
using graph::DynamicCall;
using graph::Endpoint;
using graph::GradientContext;
using graph::NameScope;
using graph::ShapeContext;

TensorArray& tensor_array_of(DynamicCall& call) { return graph::resource_of<TensorArray>(call.in(0)); }

void check_dtype(const TensorArray& list, DType asked) {
  if (list.dtype() == asked) return;
  throw InvalidArgumentError(fmt::format("TensorArray dtype is {} but Op requested dtype {}.",
                                         dtype_kernel_name(list.dtype()), dtype_kernel_name(asked)));
}

int64_t index_of(const Array& index) {
  if (index.rank() == 0) return index.item<int32_t>();
  throw InvalidArgumentError(
      fmt::format("TensorArray index must be scalar, but had shape: {}", index.shape().to_string()));
}

std::span<const int32_t> indices_of(const Array& indices) {
  if (indices.rank() == 1) return indices.span<int32_t>();
  throw InvalidArgumentError(
      fmt::format("Expected indices to be a vector, but received shape: {}", indices.shape().to_string()));
}

void make_list(DynamicCall& call) {
  static std::atomic<uint64_t> number{0};
  const Array& size = call.in(0);
  if (size.rank() != 0) {
    throw InvalidArgumentError(
        fmt::format("TensorArray size must be scalar, but had shape: {}", size.shape().to_string()));
  }
  if (size.item<int32_t>() < 0) throw InvalidArgumentError("Size should be >= 0.");
  const graph::Attrs& attrs = call.attrs();
  TensorArray::Options options{.dtype = attrs.get<DType>("dtype"),
                               .element_shape = attrs.get<Shape>("element_shape"),
                               .dynamic_size = attrs.get<bool>("dynamic_size"),
                               .clear_after_read = attrs.get<bool>("clear_after_read"),
                               .identical_element_shapes = attrs.get<bool>("identical_element_shapes")};
  std::string name = fmt::format("{}_{}", attrs.get<std::string>("tensor_array_name"),
                                 number.fetch_add(1, std::memory_order_relaxed));
  call.set_out(0, graph::resource_value(
                      std::make_shared<TensorArray>(std::move(name), size.item<int32_t>(), options)));
  call.set_out(1, Array(0.0f));
}

void gradient_list(DynamicCall& call) {
  call.set_out(
      0, graph::resource_value(tensor_array_of(call).gradient(call.attrs().get<std::string>("source"))));
  call.set_out(1, Array(0.0f));
}

void write(DynamicCall& call) {
  tensor_array_of(call).write(index_of(call.in(1)), call.in(2));
  call.set_out(0, call.in(3));
}

void read(DynamicCall& call) {
  check_dtype(tensor_array_of(call), call.attrs().get<DType>("dtype"));
  call.set_out(0, tensor_array_of(call).read(index_of(call.in(1))));
}

void gather(DynamicCall& call) {
  check_dtype(tensor_array_of(call), call.attrs().get<DType>("dtype"));
  call.set_out(
      0, tensor_array_of(call).gather(indices_of(call.in(1)), call.attrs().get<Shape>("element_shape")));
}

void scatter(DynamicCall& call) {
  const std::span<const int32_t> indices = indices_of(call.in(1));
  const Array& value = call.in(2);
  if (value.rank() < 1) {
    throw InvalidArgumentError(
        fmt::format("Input value for unpack must be at least a vector but received shape: {}",
                    value.shape().to_string()));
  }
  if (static_cast<int64_t>(indices.size()) != value.dim(0)) {
    throw InvalidArgumentError(fmt::format("Expected len(indices) == values.shape[0], but saw: {} vs. {}",
                                           indices.size(), value.dim(0)));
  }
  for (size_t i = 0; i < indices.size(); ++i)
    tensor_array_of(call).write(indices[i], row_of(value, static_cast<int64_t>(i)));
  call.set_out(0, call.in(3));
}

void concat(DynamicCall& call) {
  check_dtype(tensor_array_of(call), call.attrs().get<DType>("dtype"));
  std::vector<int64_t> lengths;
  call.set_out(0, tensor_array_of(call).concat(lengths));
  call.set_out(1, Array(lengths));
}

void split(DynamicCall& call) {
  const Array& value = call.in(1);
  const Array& lengths = call.in(2);
  if (lengths.rank() != 1) {
    throw InvalidArgumentError(
        fmt::format("Expected lengths to be a vector, received shape: {}", lengths.shape().to_string()));
  }
  if (value.rank() < 1) {
    throw InvalidArgumentError(fmt::format("Expected value to be at least a vector, but received shape: {}",
                                           value.shape().to_string()));
  }
  const std::span<const int64_t> rows = lengths.span<int64_t>();
  int64_t total = 0;
  bool is_sum = true;
  for (const int64_t n : rows) is_sum = !__builtin_add_overflow(total, n, &total) && n >= 0 && is_sum;
  if (!is_sum || total != value.dim(0)) {
    throw InvalidArgumentError(
        fmt::format("Expected sum of lengths to be equal to values.shape[0], but sum of lengths is {} "
                    "and value's shape is: {} ",
                    total, value.shape().to_string()));
  }
  if (tensor_array_of(call).size() != static_cast<int64_t>(rows.size())) {
    throw InvalidArgumentError(
        fmt::format("TensorArray's size is not equal to the size of lengths ({} vs. {}), and the "
                    "TensorArray is not marked as dynamically resizeable",
                    tensor_array_of(call).size(), rows.size()));
  }
  int64_t begin = 0;
  for (size_t i = 0; i < rows.size(); begin += rows[i++]) {
    tensor_array_of(call).write(static_cast<int64_t>(i), rows_of(value, begin, begin + rows[i]));
  }
  call.set_out(0, call.in(3));
}

void size(DynamicCall& call) { call.set_out(0, Array(static_cast<int32_t>(tensor_array_of(call).size()))); }
void close(DynamicCall& call) { tensor_array_of(call).close(); }

/// The shape of a handle as TensorFlow's clients know it, and a scalar flow.
void list_shapes(ShapeContext& context) {
  context.set_output(0, Shape{2});
  context.set_output(1, Shape());
}

void gathered_shape(ShapeContext& context) {
  const Shape& indices = context.input(1);
  const Shape rows{indices.rank() == 1 ? indices.dim(0) : Shape::kUnknownDim};
  context.set_output(0, rows.concatenate(context.attrs().get<Shape>("element_shape")));
}

void concatenated_shape(ShapeContext& context) {
  context.set_output(
      0, Shape{Shape::kUnknownDim}.concatenate(context.attrs().get<Shape>("element_shape_except0")));
  context.set_output(1, Shape{Shape::kUnknownDim});
}

// ---- gradients: what is read goes into a list of its own, which sums it, and is read there instead of what
// was written

/// Which tf.gradients made `grad`: its name up to the last scope called "gradients...". Each has lists of
/// its own.
std::string source_of(Endpoint grad) {
  const std::string& name = grad.node->name();
  for (size_t end = name.size(), begin; end != std::string::npos; end = begin) {
    const size_t slash = end == 0 ? std::string::npos : name.rfind('/', end - 1);
    begin = slash;
    const size_t token = slash == std::string::npos ? 0 : slash + 1;
    if (std::string_view(name).substr(token).starts_with("gradients")) return name.substr(0, end);
  }
  throw ValueError(
      fmt::format("Expected op/tensor name to start with gradients (excluding scope), got: {}. The "
                  "gradients of a TensorArray are told apart by the scope that they are made in: give "
                  "gradients() a name that starts with 'gradients', or none",
                  grad.name()));
}

struct FlowingList {
  Endpoint handle;
  Endpoint flow;
};

/// TensorArray(handle).grad(source, flow) of TensorFlow's Python.
FlowingList list_of_gradients(GradientContext& g, Endpoint flow) {
  const NameScope scope(g.graph(), "TensorArrayGrad");
  const ColocateWith with(g.graph(), g.input(0).node);
  const Endpoint handle = g.op("TensorArrayGradV3", {g.input(0), flow}, {{"source", source_of(g.grad())}});
  const WaitFor wait(g.graph(), handle);
  return {handle, g.op("Identity", {flow}, {}, "gradient_flow")};
}

/// What is read after all of the forward list is written: its size is known only then.
FlowingList list_to_read(GradientContext& g, Endpoint& flow) {
  const Endpoint written = g.op("Identity", {g.output(0)}, {}, "flow_out");
  {
    const WaitFor wait(g.graph(), written);
    flow = g.op("Identity", {g.grad()}, {}, "write_barrier");
  }
  return list_of_gradients(g, flow);
}

std::vector<Endpoint> read_gradient(GradientContext& g) {
  const FlowingList list = list_of_gradients(g, g.input(2));
  const NameScope scope(g.graph(), "TensorArrayWrite");
  return {{}, {}, g.op("TensorArrayWriteV3", {list.handle, g.input(1), g.grad(), list.flow})};
}

std::vector<Endpoint> gather_gradient(GradientContext& g) {
  const FlowingList list = list_of_gradients(g, g.input(2));
  const NameScope scope(g.graph(), "TensorArrayScatter");
  return {{}, {}, g.op("TensorArrayScatterV3", {list.handle, g.input(1), g.grad(), list.flow})};
}

std::vector<Endpoint> concat_gradient(GradientContext& g) {
  const FlowingList list = list_of_gradients(g, g.input(1));
  const NameScope scope(g.graph(), "TensorArraySplit");
  return {{}, g.op("TensorArraySplitV3", {list.handle, g.grad(), g.output(1), list.flow})};
}

std::vector<Endpoint> write_gradient(GradientContext& g) {
  Endpoint flow;
  const FlowingList list = list_to_read(g, flow);
  const DType dtype = g.attrs().get<DType>("T");
  return {{}, {}, g.op("TensorArrayReadV3", {list.handle, g.input(1), list.flow}, {{"dtype", dtype}}), flow};
}

std::vector<Endpoint> scatter_gradient(GradientContext& g) {
  Endpoint flow;
  const FlowingList list = list_to_read(g, flow);
  const DType dtype = g.attrs().get<DType>("T");
  return {
      {}, {}, g.op("TensorArrayGatherV3", {list.handle, g.input(1), list.flow}, {{"dtype", dtype}}), flow};
}

std::vector<Endpoint> split_gradient(GradientContext& g) {
  Endpoint flow;
  const FlowingList list = list_to_read(g, flow);
  const DType dtype = g.attrs().get<DType>("T");
  return {{}, g.op("TensorArrayConcatV3", {list.handle, list.flow}, {{"dtype", dtype}}), {}, flow};
}

constexpr graph::OpRow array_row(std::string_view name, std::string_view inputs, std::string_view outputs,
                                 std::string_view attrs, graph::ShapeFunction shape,
                                 graph::ComputeFunction compute, graph::GradientFunction gradient = nullptr) {
  return {.name = name,
          .inputs = inputs,
          .outputs = outputs,
          .attrs = attrs,
          .stateful = true,
          .shape = shape,
          .gradient = gradient,
          .not_differentiable = gradient == nullptr,
          .compute = compute};
}

constexpr graph::OpRow kOps[] = {
    array_row("TensorArrayV3", "size:int32", "handle:resource, flow:float32",
              "dtype:type; element_shape:shape=unknown; dynamic_size:bool=false; clear_after_read:bool=true; "
              "identical_element_shapes:bool=false; tensor_array_name:string=\"\"",
              list_shapes, make_list),
    array_row("TensorArrayGradV3", "handle:resource, flow_in:float32",
              "grad_handle:resource, flow_out:float32", "source:string", list_shapes, gradient_list),
    array_row("TensorArrayWriteV3", "handle:resource, index:int32, value:T, flow_in:float32",
              "flow_out:float32", "T:type", graph::scalar_shape, write, write_gradient),
    array_row("TensorArrayReadV3", "handle:resource, index:int32, flow_in:float32", "value:dtype",
              "dtype:type", graph::unknown_shape, read, read_gradient),
    array_row("TensorArrayGatherV3", "handle:resource, indices:int32, flow_in:float32", "value:dtype",
              "dtype:type; element_shape:shape=unknown", gathered_shape, gather, gather_gradient),
    array_row("TensorArrayScatterV3", "handle:resource, indices:int32, value:T, flow_in:float32",
              "flow_out:float32", "T:type", graph::scalar_shape, scatter, scatter_gradient),
    array_row("TensorArrayConcatV3", "handle:resource, flow_in:float32", "value:dtype, lengths:int64",
              "dtype:type; element_shape_except0:shape=unknown", concatenated_shape, concat, concat_gradient),
    array_row("TensorArraySplitV3", "handle:resource, value:T, lengths:int64, flow_in:float32",
              "flow_out:float32", "T:type", graph::scalar_shape, split, split_gradient),
    array_row("TensorArraySizeV3", "handle:resource, flow_in:float32", "size:int32", "", graph::scalar_shape,
              size),
    array_row("TensorArrayCloseV3", "handle:resource", "", "", graph::no_outputs, close),
};

}  // namespace

void register_tensor_array_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kOps) table.add(row);
}

}  // namespace flowray::ops
