// tf.contrib.eager.defun: which trace a call takes.
#include <flowray/tf/array.h>
#include <flowray/tf/contrib/eager.h>
#include <flowray/tf/eager.h>

#include "core/mutex.h"
#include "tf/build/apply_op.h"
#include "tf/build/unset.h"
#include "tf/build/user_line.h"
#include "tf/eager/traced_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace flowray::tf::contrib::eager {
namespace {

using data::TensorSpec;

/// "TensorSpec(shape=(2,), dtype=tf.float32, name=None)"
std::string spec_text(const TensorSpec& spec) {
  return fmt::format("TensorSpec(shape={}, dtype=tf.{}, name=None)", spec.shape.to_tuple_string(),
                     dtype_name(spec.dtype));
}

TensorSpec spec_of(const Tensor& tensor) {
  return {.dtype = base_dtype(tensor.dtype()), .shape = tensor.shape()};
}

/// The arguments as values, by the dtypes of a signature where there is one.
std::vector<Tensor> tensors_of(const std::vector<Input>& arguments,
                               const std::optional<std::vector<TensorSpec>>& signature) {
  if (signature.has_value() && arguments.size() != signature->size()) {
    throw TypeError(
        fmt::format("Binding inputs to tf.function failed due to `{} arguments of an input_signature with "
                    "{}`.\nGive each "
                    "of its tensors.",
                    arguments.size(), signature->size()));
  }
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < arguments.size(); ++i) {
    ConstantOptions options;
    if (signature.has_value()) options.dtype = (*signature)[i].dtype;
    tensors.push_back(convert_to_tensor(arguments[i], options));
    if (!signature.has_value() || (*signature)[i].shape.is_compatible_with(tensors[i].shape())) continue;
    throw TypeError(
        fmt::format("Binding inputs to tf.function failed due to `Can not cast {} to {}`.\nThe "
                    "input_signature says what fits.",
                    spec_text(spec_of(tensors[i])), spec_text((*signature)[i])));
  }
  return tensors;
}

}  // namespace

/// One trace of each kind of arguments. Functions have few of them: they are looked through.
struct Traces::State {
  struct Trace {
    std::vector<TensorSpec> arguments;
    std::shared_ptr<eagerly::TracedFunction> function;
  };

  const std::shared_ptr<eagerly::TracedFunction>* find(const std::vector<Tensor>& tensors)
      FLOWRAY_REQUIRES(mutex) {
    const auto is_for = [&](const Trace& trace) {
      if (options.input_signature.has_value()) return true;
      return std::ranges::equal(trace.arguments, tensors, [](const TensorSpec& spec, const Tensor& tensor) {
        return spec.dtype == base_dtype(tensor.dtype()) && spec.shape == tensor.shape();
      });
    };
    const auto found = std::ranges::find_if(traces, is_for);
    return found == traces.end() ? nullptr : &found->function;
  }

  Trace made(const std::vector<Tensor>& tensors, const Function& function) FLOWRAY_REQUIRES(mutex) {
    Trace trace;
    for (size_t i = 0; i < tensors.size(); ++i) {
      trace.arguments.push_back(spec_of(tensors[i]));
      if (options.input_signature.has_value()) trace.arguments[i].shape = (*options.input_signature)[i].shape;
    }
    const Graph graph = eagerly::graph_to_trace(/*is_first_trace=*/!std::exchange(has_been_traced, true));
    const GraphScope in_graph(graph.get());
    std::vector<Tensor> inputs;
    for (const TensorSpec& spec : trace.arguments) inputs.push_back(placeholder(spec.dtype, spec.shape));
    const std::vector<Tensor> outputs = function(inputs);
    check_all_set(outputs, "the result of a function of defun()");
    trace.function = std::make_shared<eagerly::TracedFunction>(graph, inputs, outputs);
    return trace;
  }

  const DefunOptions options;
  Mutex mutex;
  std::vector<Trace> traces FLOWRAY_GUARDED_BY(mutex);
  bool has_been_traced FLOWRAY_GUARDED_BY(mutex) = false;

  explicit State(DefunOptions given) : options(std::move(given)) {}
};

Traces::Traces(DefunOptions options) {
  for (const TensorSpec& spec : options.input_signature.value_or(std::vector<TensorSpec>())) {
    if (spec.dtype != DType::kInvalid && spec.dataset.empty()) continue;
    throw TypeError(
        "An input_signature needs the dtype of each argument: {{.dtype = tf::float32, .shape = {-1, 3}}}");
  }
  state_ = std::make_shared<State>(std::move(options));
}

std::vector<Tensor> Traces::call(const std::vector<Input>& arguments, const Function& function) const {
  State& state = *state_;
  const std::vector<Tensor> tensors = tensors_of(arguments, state.options.input_signature);
  if (!executing_eagerly()) return function(tensors);
  std::shared_ptr<eagerly::TracedFunction> traced;
  {
    const MutexLock lock(state.mutex);
    if (const auto* const known = state.find(tensors)) {
      traced = *known;
    } else {
      state.traces.push_back(state.made(tensors, function));
      traced = state.traces.back().function;
    }
  }
  return traced->call(tensors);
}

int64_t Traces::count() const {
  const MutexLock lock(state_->mutex);
  return static_cast<int64_t>(state_->traces.size());
}

}  // namespace flowray::tf::contrib::eager
