#include "engine/run/dynamic_node.h"

#include "core/buffer.h"
#include "core/workspace.h"
#include "graph/kernel/evaluate.h"
#include "graph/kernel/files_of_step.h"
#include "graph/kernel/widened_kernel.h"
#include "graph/shape_context.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace flowray::engine {
namespace {

/// Up to so many integers are taken to be a shape, an axis or the like, which `prepare` may look at.
constexpr int64_t kMostValues = 16;

bool is_small_integers(DType dtype, const Shape& shape) {
  return (dtype == DType::kInt32 || dtype == DType::kInt64) && shape.num_elements() <= kMostValues;
}

}  // namespace

const Shape& DynamicNode::shape_of(const Input& input) {
  return input.array != nullptr ? input.array->shape() : *input.shape;
}

Array DynamicNode::array_of(const Input& input) {
  if (input.array != nullptr) return *input.array;
  if (input.resource != nullptr) return Array();
  Array copy = Array::uninitialized(input.dtype, *input.shape);
  if (copy.size() > 0) std::memcpy(copy.mutable_raw_data(), input.elements, copy.size_bytes());
  return copy;
}

std::span<Array> DynamicNode::run(graph::NodeStates& states, Parallel& parallel,
                                  const files::FileAccess& files) {
  outputs_.clear();
  outputs_.resize(static_cast<size_t>(node_.num_outputs()));
  const graph::OpRow& row = node_.schema().row;
  const Prepared* known = nullptr;
  if (row.compute != nullptr) {
    const graph::FilesOfStep scope(files);
    compute(parallel);
  } else if (row.start != nullptr || (known = prepared(states, parallel)) == nullptr) {
    const graph::FilesOfStep scope(files);
    evaluate(states, parallel);
  } else if (row.view) {
    run_view(*known);
  } else {
    run_kernel(*known, parallel);
  }
  return outputs_;
}

void DynamicNode::compute(Parallel& parallel) {
  arrays_.clear();
  for (const Input& input : inputs_) arrays_.push_back(array_of(input));
  const struct LetGo {  // after an error, too: a held value is copied when its variable is updated
    std::vector<Array>& arrays;
    ~LetGo() { arrays.clear(); }
  } let_go{arrays_};
  graph::DynamicCall call(node_.attrs(), arrays_, outputs_, parallel);
  node_.schema().row.compute(call);
}

void DynamicNode::evaluate(graph::NodeStates& states, Parallel& parallel) {
  std::vector<graph::NodeInput> inputs;
  for (const Input& input : inputs_) inputs.push_back({array_of(input), input.resource});
  std::ranges::move(graph::evaluate(node_, inputs, states, parallel), outputs_.begin());
}

/// Null where `prepare` needs more than shapes and small integers, or there is something wrong:
/// graph::evaluate looks at everything in each run, and tells.
const DynamicNode::Prepared* DynamicNode::prepared(graph::NodeStates& states, Parallel& parallel) {
  for (const auto& each : prepared_) {
    if (each != nullptr && suits(*each)) return each.get();
  }
  if (num_in_vain_ == kMostInVain) return nullptr;
  std::unique_ptr<Prepared> made;
  if (!needs_values_) made = prepare(states, parallel, /*with_values=*/false);
  if (made == nullptr) {
    made = prepare(states, parallel, /*with_values=*/true);
    needs_values_ = made != nullptr;
  }
  if (made == nullptr) {
    ++num_in_vain_;
    return nullptr;
  }
  return (prepared_[next_++ % kMostPrepared] = std::move(made)).get();
}

bool DynamicNode::suits(const Prepared& prepared) const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Input& input = inputs_[i];
    if (input.resource != nullptr) continue;
    if (!(prepared.input_shapes[i] == shape_of(input))) return false;
    const Array& value = prepared.values[i];
    if (!value.has_value() || value.size() == 0) continue;
    const void* elements = input.array != nullptr ? input.array->raw_data() : input.elements;
    if (std::memcmp(value.raw_data(), elements, value.size_bytes()) != 0) return false;
  }
  return true;
}

std::unique_ptr<DynamicNode::Prepared> DynamicNode::prepare(graph::NodeStates& states, Parallel& parallel,
                                                            bool with_values) const {
  auto made = std::make_unique<Prepared>();
  std::vector<graph::ShapeContext::Input> known;
  std::vector<Shape> handle_shapes(inputs_.size());
  std::vector<graph::PrepareContext::Value> in;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Input& input = inputs_[i];
    const graph::Endpoint from = node_.inputs()[i];
    Array& value = made->values.emplace_back();
    if (input.resource != nullptr) {
      made->input_shapes.emplace_back();
      handle_shapes[i] = graph::handle_shape(from);
      known.push_back(
          {from.shape(), base_dtype(from.dtype()), nullptr, &handle_shapes[i], graph::handle_attrs(from)});
    } else {
      made->input_shapes.push_back(shape_of(input));
      if (with_values && is_small_integers(input.dtype, shape_of(input))) {
        value = array_of(input);
        (void)value.mutable_raw_data();  // its own, whatever becomes of the input
      }
      known.push_back({shape_of(input), input.dtype, nullptr});
    }
    in.push_back({known.back().shape, known.back().dtype, nullptr});
  }
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (made->values[i].has_value()) in[i].value = known[i].value = &made->values[i];
  }
  try {
    graph::ShapeContext shapes(node_.schema(), node_.attrs(), known, node_.num_outputs(), /*running=*/true);
    if (node_.schema().row.shape != nullptr) node_.schema().row.shape(shapes);
    made->output_shapes = std::move(shapes.outputs());
    std::vector<graph::PrepareContext::Value> out;
    for (int i = 0; i < node_.num_outputs(); ++i) {
      const Shape& shape = made->output_shapes[static_cast<size_t>(i)];
      if (!shape.is_fully_defined() && !is_ref(node_.output_dtype(i))) return nullptr;
      out.push_back({shape, base_dtype(node_.output_dtype(i)), nullptr});
    }
    if (node_.schema().row.view) return made;
    if (node_.schema().row.prepare == nullptr) return nullptr;
    graph::PrepareContext context(node_.name(), node_.schema(), node_.attrs(), in, out, states,
                                  parallel.workers());
    made->kernel = graph::prepare_kernel(context);
  } catch (const Error&) {
    return nullptr;
  }
  return made;
}

void DynamicNode::run_view(const Prepared& prepared) {
  const Input& input = inputs_[0];
  const Array value = input.resource != nullptr ? graph::resource_as<graph::Variable>(*input.resource).read()
                                                : array_of(input);
  outputs_[0] = value.reshape(prepared.output_shapes[0]);
}

void DynamicNode::run_kernel(const Prepared& prepared, Parallel& parallel) {
  slots_.clear();
  for (const Input& input : inputs_) {
    if (input.resource != nullptr) {
      slots_.push_back(static_cast<graph::Resource*>(&graph::resource_as<graph::Variable>(*input.resource)));
    } else if (input.dtype == DType::kVariant) {  // no elements: kernels for them take the Array itself
      slots_.push_back(const_cast<Array*>(input.array));
    } else {
      slots_.push_back(input.array != nullptr ? const_cast<void*>(input.array->raw_data()) : input.elements);
    }
  }
  for (int i = 0; i < node_.num_outputs(); ++i) {
    Array& output = outputs_[static_cast<size_t>(i)];
    if (node_.output_dtype(i) == DType::kVariant) {
      slots_.push_back(&output);
      continue;
    }
    if (!is_ref(node_.output_dtype(i))) output = memory_for(i, prepared);
    slots_.push_back(output.has_value() ? output.mutable_raw_data() : nullptr);
  }
  while (places_.size() < slots_.size()) places_.push_back(static_cast<uint32_t>(places_.size()));
  Workspace workspace(prepared.kernel->workspace_bytes());
  prepared.kernel->run(graph::KernelCall(slots_.data(), {places_.data(), slots_.size()}, inputs_.size(),
                                         workspace.data(), parallel));
}

/// New, or the unshared buffer of an input that the kernel may write over.
Array DynamicNode::memory_for(int output, const Prepared& prepared) {
  const DType dtype = node_.output_dtype(output);
  const Shape& shape = prepared.output_shapes[static_cast<size_t>(output)];
  for (const graph::InPlacePair& pair : prepared.kernel->in_place()) {
    if (pair.output != output) continue;
    Array* given = inputs_[static_cast<size_t>(pair.input)].given;
    const bool fits = given != nullptr && given->has_value() && given->dtype() == dtype &&
                      is_trivial(dtype) && given->shape().num_elements() == shape.num_elements() &&
                      given->buffer()->writable_in_place();
    if (!fits) continue;
    Array taken = std::move(*given);
    *given = Array();
    return taken.shape() == shape ? taken : taken.reshape(shape);
  }
  return Array::uninitialized(dtype, shape);
}

}  // namespace flowray::engine
