#include <flowray/tf/array.h>
#include <flowray/tf/eager.h>
#include <flowray/tf/several.h>

#include "tf/build/apply_op.h"
#include "tf/build/eager_variable.h"
#include "tf/build/tensor_text.h"
#include "tf/build/unset.h"
#include "tf/eager/eager_runner.h"
#include "tf/eager/tape.h"
#include "tf/eager/tape_gradient.h"
#include "tf/gradients/registered_gradients.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace flowray::tf {
namespace {

graph::ValueNode& value_of(const Tensor& tensor, std::string_view argument) {
  graph::Node& node = node_of_either(tensor, argument);
  if (!node.is_value()) {
    throw ValueError(fmt::format(
        "Passed in object {} of type 'Tensor', not tf.Tensor or tf.Variable or ExtensionType.\nIt "
        "belongs to a graph: a tape records what runs at once.",
        tensor_text(tensor)));
  }
  return static_cast<graph::ValueNode&>(node);
}

/// An array with a one at element `i` and zeros elsewhere.
Array one_at(const Array& like, int64_t i) {
  Array array(like.dtype(), like.shape());
  const Array one = Array(1.0).astype(like.dtype());
  const size_t width = dtype_size(like.dtype());
  std::memcpy(static_cast<std::byte*>(array.mutable_raw_data()) + static_cast<size_t>(i) * width,
              one.raw_data(), width);
  return array;
}

/// In a function that is traced a tape's gradients are those of its graph.
std::vector<Tensor> gradients_in_graph(const List<Tensor>& targets, const List<GradientTarget>& sources,
                                       const TapeGradientOptions& options, Input::Where where) {
  graph::Graph& graph = default_graph();
  std::vector<GradientTarget> xs;
  for (const GradientTarget& source : sources) {
    const Tensor& tensor = source.tensor();
    const bool is_variable = tensor.is_eager() && is_ref(tensor.dtype());
    xs.emplace_back(is_variable ? tensor_of(reference_in(graph, tensor)) : tensor);
  }
  return gradients(
      targets, List<GradientTarget>(xs, where),
      {.grad_ys = options.output_gradients, .unconnected_gradients = options.unconnected_gradients}, where);
}

}  // namespace

struct GradientTape::State {
  explicit State(const GradientTapeOptions& options)
      : tape(options.watch_accessed_variables), is_persistent(options.persistent) {}

  std::vector<Tensor> gradient(const std::vector<Tensor>& targets, const std::vector<GradientTarget>& sources,
                               const std::vector<OptionalInput>& output_gradients) const {
    eagerly::GradientRequest request{.bit = tape.bit(), .targets = {}, .sources = {}, .output_gradients = {}};
    std::vector<Tensor> held;
    for (const Tensor& target : targets) request.targets.push_back(endpoint_of(target));
    for (const GradientTarget& source : sources) request.sources.push_back(endpoint_of(source.tensor()));
    for (size_t i = 0; i < output_gradients.size(); ++i) {
      const OptionalInput& gradient = output_gradients[i];
      if (!gradient.has_value() || (gradient->tensor() != nullptr && !gradient->tensor()->has_value())) {
        request.output_gradients.emplace_back();
        continue;
      }
      const DType dtype = base_dtype(targets[i].dtype());
      held.push_back(to_tensor(eagerly::eager_graph(), *gradient, "output_gradients",
                               gradient->tensor() == nullptr ? dtype : DType::kInvalid));
      request.output_gradients.push_back(endpoint_of(held.back()));
    }
    return eagerly::tape_gradient(request);
  }

  eagerly::Tape tape;
  const bool is_persistent;
  bool is_used = false;
};

GradientTape::GradientTape(const GradientTapeOptions& options) : state_(std::make_unique<State>(options)) {
  start();
}
GradientTape::GradientTape(GradientTape&&) noexcept = default;
GradientTape& GradientTape::operator=(GradientTape&&) noexcept = default;
GradientTape::~GradientTape() = default;

void GradientTape::watch(const Tensor& tensor, Input::Where where) {
  const ErrorLine errors(where);
  if (!executing_eagerly() && tensor.has_value()) return;  // a graph has it all
  state_->tape.watch(value_of(tensor, "tensor"));
}

void GradientTape::watch(const Variable& variable, Input::Where where) {
  const ErrorLine errors(where);
  state_->tape.watch(value_of(variable.ref(), "variable"));
}

std::vector<Variable> GradientTape::watched_variables() const {
  std::vector<Variable> variables;
  for (const graph::ValueNode* node : state_->tape.watched()) {
    if (auto state = state_of_eager_variable(*node)) variables.emplace_back(std::move(state));
  }
  return variables;
}

void GradientTape::start() {
  if (state_->tape.is_recording())
    throw ValueError(
        "Tape is still recording, This can happen if you try to re-enter an already-active tape.");
  state_->tape.start();
}
void GradientTape::stop() { state_->tape.stop(); }
bool GradientTape::is_recording() const { return state_->tape.is_recording(); }

void GradientTape::reset() {
  state_->tape.reset();
  state_->is_used = false;
}

std::vector<Tensor> GradientTape::gradient(const List<Tensor>& targets, const List<GradientTarget>& sources,
                                           const TapeGradientOptions& options, Input::Where where) {
  const ErrorLine errors(where);
  if (state_->is_used) {
    throw RuntimeError(
        "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)");
  }
  if (!options.output_gradients.empty() && options.output_gradients.size() != targets.size()) {
    throw ValueError(fmt::format("Length mismatch. Passed {} output_gradients for {} targets",
                                 options.output_gradients.size(), targets.size()));
  }
  if (options.unconnected_gradients != "none" && options.unconnected_gradients != "zero") {
    throw ValueError(fmt::format("Unknown value for unconnected_gradients: '{}'\nIt is \"none\" or \"zero\".",
                                 options.unconnected_gradients));
  }
  if (!executing_eagerly()) {
    check_all_set(targets.items(), "targets");
    return gradients_in_graph(targets, sources, options, where);
  }
  const UserLine line(eagerly::eager_graph(), where);
  for (size_t i = 0; i < targets.size(); ++i) (void)value_of(targets[i], element_name("targets", i));
  for (size_t i = 0; i < sources.size(); ++i) (void)value_of(sources[i].tensor(), element_name("sources", i));
  if (!state_->is_persistent) stop();
  const EagerScope at_once;
  std::vector<Tensor> gradients =
      state_->gradient(targets.items(), sources.items(), options.output_gradients);
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i].has_value() || options.unconnected_gradients != "zero") continue;
    const Tensor& source = sources[i].tensor();
    gradients[i] = constant(Array(base_dtype(source.dtype()), source.value().shape()));
  }
  if (!state_->is_persistent) {
    state_->is_used = true;
    state_->tape.reset();
  }
  return gradients;
}

Tensor GradientTape::gradient(const Tensor& target, const GradientTarget& source,
                              const TapeGradientOptions& options, Input::Where where) {
  return gradient(List<Tensor>({target}, where), List<GradientTarget>({source}, where), options, where)
      .front();
}

/// Row by row: each is a gradient of one element.
Tensor GradientTape::jacobian(const Tensor& target, const GradientTarget& source, Input::Where where) {
  const ErrorLine errors(where);
  if (state_->is_used) {
    throw RuntimeError(
        "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)");
  }
  const UserLine line(eagerly::eager_graph(), where);
  (void)value_of(target, "target");
  (void)value_of(source.tensor(), "source");
  if (!state_->is_persistent) stop();
  const EagerScope at_once;
  const Array value = target.value();
  std::vector<Input> rows;
  bool is_connected = true;
  for (int64_t i = 0; i < value.size() && is_connected; ++i) {
    const Tensor row = state_->gradient({target}, {source}, {OptionalInput(one_at(value, i))}).front();
    is_connected = row.has_value();
    if (is_connected) rows.emplace_back(row);
  }
  if (!state_->is_persistent) {
    state_->is_used = true;
    state_->tape.reset();
  }
  if (!is_connected) return {};
  const TensorShape shape = value.shape().concatenate(source.tensor().value().shape());
  if (rows.empty()) return constant(Array(base_dtype(source.tensor().dtype()), shape));
  return reshape(stack(rows), shape);
}

std::vector<Tensor> custom_gradient(
    const std::function<ValuesAndGradient(const std::vector<Tensor>&)>& function,
    const List<Tensor>& arguments, Input::Where where) {
  const ErrorLine errors(where);
  internal::check_callable(function, "function", where);
  if (!executing_eagerly()) {
    check_all_set(arguments.items(), "arguments");
    return custom_gradient_in_graph(function, arguments.items(), where);
  }
  std::vector<graph::Endpoint> inputs;
  for (size_t i = 0; i < arguments.size(); ++i) {
    (void)value_of(arguments[i], element_name("arguments", i));
    inputs.push_back(endpoint_of(arguments[i]));
  }
  ValuesAndGradient given;
  {
    const eagerly::RecordingPaused paused;
    given = function(arguments.items());
  }
  internal::check_callable(given.gradient, "gradient", where);
  if (eagerly::recording().tapes == 0 || given.values.empty()) return given.values;
  const UserLine line(eagerly::eager_graph(), where);
  // A node of its own for the values, which no other op has made.
  std::vector<graph::Endpoint> values;
  for (size_t i = 0; i < given.values.size(); ++i) {
    (void)value_of(given.values[i], element_name("values", i));
    values.push_back(endpoint_of(given.values[i]));
  }
  std::vector<graph::Endpoint> kept = inputs;
  graph::Node* made = nullptr;
  {
    const eagerly::RecordingPaused paused;
    made = graph::Builder(eagerly::eager_graph()).node("IdentityN", values);
  }
  auto& node = static_cast<graph::ValueNode&>(*made);
  eagerly::record(node, kept, /*is_differentiable=*/true);
  if (node.tapes() != 0)
    node.set_extra(
        std::make_shared<eagerly::CustomBackward>(eagerly::CustomBackward{std::move(given.gradient)}));
  std::vector<Tensor> results;
  for (int i = 0; i < node.num_outputs(); ++i) results.emplace_back(&node, i);
  return results;
}

}  // namespace flowray::tf
