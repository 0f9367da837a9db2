#include "graph/kernel/evaluate.h"

#include "core/workspace.h"
#include "graph/kernel/blocking_call.h"
#include "graph/kernel/widened_kernel.h"
#include "graph/name_prefix.h"
#include "graph/node_in_text.h"
#include "graph/shape_context.h"

#include <fmt/format.h>

#include <future>

namespace flowray::graph {
namespace {

std::vector<Array> run_compute(const Node& node, std::span<const NodeInput> inputs, Parallel& parallel) {
  std::vector<Array> values;
  for (const NodeInput& input : inputs) values.push_back(input.value);
  std::vector<Array> outputs(static_cast<size_t>(node.num_outputs()));
  DynamicCall call(node.attrs(), values, outputs, parallel);
  node.schema().row.compute(call);
  return outputs;
}

/// It cannot be cancelled: for steps there is the executor.
std::vector<Array> run_blocking(const Node& node, std::span<const NodeInput> inputs, NodeStates& states) {
  std::promise<BlockingResult> promise;
  BlockingCall call(
      node, inputs, [&](BlockingResult result) { promise.set_value(std::move(result)); }, {}, {}, &states);
  const auto give_up = node.schema().row.start(call);
  BlockingResult result = promise.get_future().get();
  if (result.code != Code::kOk) errors::throw_error(result.code, result.text);
  result.outputs.resize(static_cast<size_t>(node.num_outputs()));
  return std::move(result.outputs);
}

Variable& variable_behind(const NodeInput& input) { return resource_as<Variable>(*input.resource); }

std::vector<Array> run_view(std::span<const NodeInput> inputs, const Shape& shape) {
  const NodeInput& input = inputs[0];
  return {(input.resource != nullptr ? variable_behind(input).read() : input.value).reshape(shape)};
}

/// Shapes, dtypes and known values in the form that `prepare` asks for.
struct PreparedShapes {
  std::vector<PrepareContext::Value> inputs;
  std::vector<PrepareContext::Value> outputs;

  PreparedShapes(const Node& node, std::span<const NodeInput> values, std::span<const Shape> output_shapes) {
    for (size_t i = 0; i < values.size(); ++i) {
      const Endpoint from = node.inputs()[i];
      if (values[i].resource != nullptr) {
        inputs.push_back({from.shape(), base_dtype(from.dtype()), nullptr});
      } else {
        inputs.push_back({values[i].value.shape(), values[i].value.dtype(), &values[i].value});
      }
    }
    for (int i = 0; i < node.num_outputs(); ++i) {
      outputs.push_back({output_shapes[static_cast<size_t>(i)], base_dtype(node.output_dtype(i)), nullptr});
    }
  }
};

/// A kernel for variants, which have no elements, gets the Array itself.
void* elements_of(Array& value) {
  return value.dtype() == DType::kVariant ? &value : const_cast<void*>(std::as_const(value).raw_data());
}

std::vector<Array> run_kernel(const Node& node, std::span<const NodeInput> inputs,
                              std::span<const Shape> shapes, NodeStates& states, Parallel& parallel) {
  const PreparedShapes prepared(node, inputs, shapes);
  PrepareContext context(node.name(), node.schema(), node.attrs(), prepared.inputs, prepared.outputs, states,
                         parallel.workers());
  const std::unique_ptr<Kernel> kernel = prepare_kernel(context);

  std::vector<Array> outputs(static_cast<size_t>(node.num_outputs()));
  std::vector<void*> slots;
  std::vector<uint32_t> places;
  for (const NodeInput& input : inputs) {
    slots.push_back(input.resource != nullptr ? static_cast<Resource*>(&variable_behind(input))
                                              : elements_of(const_cast<Array&>(input.value)));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (node.output_dtype(static_cast<int>(i)) == DType::kVariant) {
      slots.push_back(&outputs[i]);
      continue;
    }
    if (!is_ref(node.output_dtype(static_cast<int>(i)))) {
      outputs[i] = Array::uninitialized(node.output_dtype(static_cast<int>(i)), shapes[i]);
    }
    slots.push_back(outputs[i].has_value() ? outputs[i].mutable_raw_data() : nullptr);
  }
  for (uint32_t i = 0; i < slots.size(); ++i) places.push_back(i);
  Workspace workspace(kernel->workspace_bytes());
  kernel->run(KernelCall(slots.data(), places, inputs.size(), workspace.data(), parallel));
  return outputs;
}

/// What the handle's node declares; where that leaves something open, the shape that the variable has now.
/// That there is none is for the kernel to say.
Shape running_handle_shape(const Endpoint& from, const Resource& resource) {
  const Shape declared = handle_shape(from);
  if (from.dtype() != DType::kResource || declared.is_fully_defined()) return declared;
  const auto* variable = dynamic_cast<const Variable*>(&resource);
  if (variable == nullptr) return declared;
  return variable->initialized() ? variable->read().shape() : Shape();
}

}  // namespace

std::vector<Shape> infer_running_shapes(const Node& node, std::span<const NodeInput> inputs) {
  std::vector<ShapeContext::Input> known;
  std::vector<Shape> handle_shapes(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Endpoint from = node.inputs()[i];
    if (inputs[i].resource != nullptr) {
      handle_shapes[i] = running_handle_shape(from, *inputs[i].resource);
      known.push_back(
          {from.shape(), base_dtype(from.dtype()), nullptr, &handle_shapes[i], handle_attrs(from)});
    } else {
      known.push_back({inputs[i].value.shape(), inputs[i].value.dtype(), &inputs[i].value});
    }
  }
  ShapeContext context(node.schema(), node.attrs(), known, node.num_outputs(), /*running=*/true);
  if (node.schema().row.shape != nullptr) node.schema().row.shape(context);
  return std::move(context.outputs());
}

std::vector<Array> evaluate(const Node& node, std::span<const NodeInput> inputs, NodeStates& states,
                            Parallel& parallel) {
  const OpRow& row = node.schema().row;
  if (row.compute != nullptr) return run_compute(node, inputs, parallel);
  if (row.start != nullptr) return run_blocking(node, inputs, states);
  const std::vector<Shape> shapes = infer_running_shapes(node, inputs);
  if (row.view) return run_view(inputs, shapes[0]);
  if (row.prepare == nullptr) {
    throw errors::UnimplementedError(fmt::format("No OpKernel was registered to support Op '{}'", node.op()));
  }
  return run_kernel(node, inputs, shapes, states, parallel);
}

void rethrow_with_node(const Node& node, const Error& error) {
  const auto* op_error = dynamic_cast<const errors::OpError*>(&error);
  // What Python would raise while a graph is built (ValueError, IndexError) is wrong in the graph.
  const Code code = op_error == nullptr ? Code::kInvalidArgument : op_error->code();
  const std::string name = node.name().substr(prefix_length(node.graph()));  // as the function has it
  std::string text = error.message();
  for (size_t at = text.find(kNodeInText); at != std::string::npos;
       at = text.find(kNodeInText, at + name.size())) {
    text.replace(at, kNodeInText.size(), name);
  }
  errors::throw_error(code, fmt::format("{}\n\t [[{{{{node {}}}}}]]{}", text, name, made_at(node)), name);
}

}  // namespace flowray::graph
