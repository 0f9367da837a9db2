#include <flowray/tf/array.h>
#include <flowray/tf/keras/layer.h>
#include <flowray/tf/keras/models.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>

#include "core/checked_size.h"
#include "tf/build/call_scope.h"
#include "tf/build/eager_variable.h"
#include "tf/build/unset.h"
#include "tf/keras/input_spec.h"
#include "tf/keras/layer_names.h"
#include "tf/keras/layer_state.h"
#include "tf/keras/masks.h"
#include "tf/keras/model_state.h"
#include "tf/keras/moved_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace flowray::tf::keras {
namespace {

thread_local bool is_calling = false;

}  // namespace

bool is_in_call() { return is_calling; }

Layer::Layer(const std::string& class_name, const LayerOptions& options) : state_(std::make_shared<State>()) {
  state_->name = options.name.empty() ? next_name(default_graph(), snake_case(class_name)) : options.name;
  state_->trainable = options.trainable;
  state_->input_shape = options.input_shape;
}

Layer::Layer(const Layer& other)
    : std::enable_shared_from_this<Layer>(other),
      state_(other.state_->is_shared ? other.state_ : std::make_shared<State>(*other.state_)) {}

Layer& Layer::operator=(const Layer& other) {
  state_ = other.state_->is_shared ? other.state_ : std::make_shared<State>(*other.state_);
  return *this;
}

const std::string& Layer::name() const { return state_->name; }
bool Layer::trainable() const { return state_->trainable; }
void Layer::set_trainable(bool trainable) { state_->trainable = trainable; }
bool Layer::built() const { return state_->is_built; }
const std::optional<TensorShape>& Layer::input_shape() const { return state_->input_shape; }
const std::vector<TensorShape>& Layer::output_shapes() const { return state_->output_shapes; }
const std::vector<InputSpec>& Layer::input_spec() const { return state_->input_spec; }
void Layer::set_input_spec(std::vector<InputSpec> spec) { state_->input_spec = std::move(spec); }
bool Layer::supports_masking() const { return state_->supports_masking; }
void Layer::support_masking(bool supports) { state_->supports_masking = supports; }
const std::vector<Tensor>& Layer::input_masks() const { return state_->input_masks; }
const CallArguments& Layer::arguments() const { return state_->arguments; }

namespace {

std::atomic<DType> dtype_of_all = DType::kFloat32;

/// Throws ValueError for what weights are not.
DType checked_dtype(DType dtype, const char* what) {
  if (dtype == DType::kFloat32 || dtype == DType::kFloat64) return dtype;
  throw ValueError(
      fmt::format("{}: weights are float32 or float64 here, but {} is given.", what, dtype_name(dtype)));
}

}  // namespace

DType backend::floatx() { return dtype_of_all; }
void backend::set_floatx(DType dtype, tf::Input::Where where) {
  const ErrorLine errors(where);
  dtype_of_all = checked_dtype(dtype, "set_floatx");
}

DType Layer::dtype() const { return state_->dtype.value_or(backend::floatx()); }
void Layer::set_dtype(DType dtype, Where where) {
  const ErrorLine errors(where);
  if (built())
    throw ValueError(fmt::format("The dtype of the layer '{}' is set before it is built.", name()));
  state_->dtype = checked_dtype(dtype, name().c_str());
  state_->is_dtype_given = true;
}

void Layer::set_data_format(const std::string& data_format, Where where) {
  const ErrorLine errors(where);
  if (data_format != "channels_first" && data_format != "channels_last") {
    throw ValueError(
        fmt::format("The `data_format` argument must be one of \"channels_first\", \"channels_last\". "
                    "Received: {}",
                    data_format));
  }
  if (built()) {
    throw ValueError(fmt::format("The data_format of the layer '{}' is set before it is built.", name()));
  }
  state_->is_channels_first = data_format == "channels_first";
  if (!state_->made_of.is_null() && state_->made_of.find("data_format") != nullptr)
    state_->made_of.set("data_format", data_format);
}

// ---- calls

void Layer::build(const TensorShape&) {}

Tensor Layer::call(const Tensor& inputs, bool) { return inputs; }

namespace {

void check_one(size_t given, const std::string& name) {
  if (given == 1) return;
  const ErrorLine line{Input::Where()};
  throw ValueError(
      fmt::format("Layer \"{}\" expects 1 input(s), but it received {} input tensors.", name, given));
}

template <class T>
T the_only(std::vector<T> outputs, const std::string& name) {
  if (outputs.size() == 1) return std::move(outputs[0]);
  const ErrorLine line{Input::Where()};
  throw ValueError(
      fmt::format("Layer \"{}\" has {} outputs.\napply() gives all of them.", name, outputs.size()));
}

}  // namespace

void Layer::build_for(const std::vector<TensorShape>& input_shapes) {
  check_one(input_shapes.size(), name());
  build(input_shapes[0]);
}

std::vector<Tensor> Layer::call_for(const std::vector<Tensor>& inputs, bool training) {
  check_one(inputs.size(), name());
  return {returned(call(inputs[0], training), "call")};
}

std::vector<Tensor> Layer::apply(const std::vector<Tensor>& inputs, bool training, Where where,
                                 const CallArguments& arguments) {
  const ErrorLine errors(where);
  if (inputs.empty()) throw ValueError(fmt::format("Layer \"{}\" was called without an input.", name()));
  check_all_set(inputs, "inputs");
  graph::Graph& graph = node_of(inputs[0], "inputs").graph();
  const CallScope in_call(graph, where);
  const NameScopeGuard scope = name_scope(name());
  const Exchanged<CallArguments> given(state_->arguments, arguments);
  return apply_here(inputs, training);
}

Tensor Layer::apply_without_scope(Layer& inner, const Tensor& inputs, bool training) {
  return the_only(inner.apply_here({inputs}, training), inner.name());
}

namespace {

/// Inputs as a layer computes with them: of its dtype where it has one, with channels behind all else.
std::vector<Tensor> as_computed(std::vector<Tensor> inputs, std::optional<DType> dtype, bool turns) {
  for (Tensor& input : inputs) {
    const DType given = base_dtype(input.dtype());
    if (dtype.has_value() && is_floating(given) && given != *dtype) input = cast(input, *dtype);
    if (turns) input = layers::with_channels_last(input);
  }
  return inputs;
}

/// Where the channels are first: dimension -1 of what the layer computes with is -3 of images.
void turn_channels(InputSpec& spec) {
  const auto channels = spec.axes.find(-1);
  const std::optional<int64_t> rank = spec.ndim.has_value() ? spec.ndim : spec.min_ndim;
  if (channels == spec.axes.end() || !rank.has_value()) return;
  const int64_t size = channels->second;
  spec.axes.erase(channels);
  spec.axes[1 - *rank] = size;
}

}  // namespace

std::vector<Tensor> Layer::apply_here(const std::vector<Tensor>& inputs, bool training) {
  const Exchanged<bool> calling(is_calling, true);
  graph::Graph& graph = inputs[0].node()->graph();
  if (!built() && !state_->dtype.has_value()) {
    const DType given = base_dtype(inputs[0].dtype());
    state_->dtype = given == DType::kFloat32 || given == DType::kFloat64 ? given : backend::floatx();
  }
  const bool has_dtype = state_->is_dtype_given && !state_->made_of.is_null();
  const std::vector<Tensor> turned =
      as_computed(inputs, has_dtype ? state_->dtype : std::nullopt, state_->is_channels_first);
  if (!built()) {
    const LinesOfTheirOwn lines(graph);
    std::vector<TensorShape> shapes;
    for (const Tensor& input : turned) shapes.push_back(input.shape());
    build_for(shapes);
    if (state_->is_channels_first) std::ranges::for_each(state_->input_spec, &turn_channels);
    state_->is_built = state_->is_shared = true;
  } else {
    check_inputs(state_->input_spec, inputs, name());
  }
  for (const Variable& weight : weights()) {
    graph::Graph* const home = weight.graph().get();
    if (home == &graph || home == lifted_variables(graph).to) continue;
    throw ValueError(
        fmt::format("{} must be from the same graph as the layer '{}'.\nA layer belongs to the graph in "
                    "which it was called first.",
                    inputs[0].name(), name()));
  }
  std::vector<Tensor> masks;
  for (const Tensor& input : inputs) masks.push_back(mask_of(input));
  const LinesOfTheirOwn lines(graph);
  std::vector<Tensor> outputs;
  {
    const Exchanged<std::vector<Tensor>> given(state_->input_masks, masks);
    outputs = call_for(turned, training);
  }
  if (state_->is_channels_first)
    std::ranges::transform(outputs, outputs.begin(), &layers::with_channels_first);
  mask_outputs(inputs, masks, outputs);
  state_->output_shapes.clear();
  for (const Tensor& output : outputs) {
    state_->output_shapes.push_back(output.shape());
    if (!state_->activity_regularizer.has_value()) continue;
    const Tensor size = cast(shape(output)[0], base_dtype(output.dtype()));
    add_loss(state_->activity_regularizer(output) / size);
  }
  return outputs;
}

Tensor Layer::operator()(const Tensor& inputs, bool training, Where where) {
  return (*this)(std::vector<Tensor>{inputs}, training, where);
}
Tensor Layer::operator()(std::initializer_list<Tensor> inputs, bool training, Where where) {
  return (*this)(std::vector<Tensor>(inputs), training, where);
}
Tensor Layer::operator()(const std::vector<Tensor>& inputs, bool training, Where where) {
  const ErrorLine errors(where);
  return the_only(apply(inputs, training, where), name());
}

// ---- calls of functional models

std::shared_ptr<Layer> Layer::held() {
  std::shared_ptr<Layer> held = weak_from_this().lock();
  return held != nullptr ? held : copy();
}

std::vector<KerasTensor> Layer::apply(const std::vector<KerasTensor>& inputs, std::optional<bool> training,
                                      Where where, const CallArguments& arguments) {
  const ErrorLine errors(where);
  return note_call(
      inputs,
      apply(std::vector<Tensor>(inputs.begin(), inputs.end()), training.value_or(false), where, arguments),
      training, arguments);
}

std::vector<KerasTensor> Layer::apply_masked(const std::vector<KerasTensor>& inputs, const KerasTensor& mask,
                                             std::optional<bool> training, Where where) {
  const ErrorLine errors(where);
  if (inputs.empty())
    throw ValueError(
        fmt::format("Layer '{}' was called with a mask for inputs, but without inputs.", name()));
  std::vector<Tensor> given(inputs.begin(), inputs.end());
  check_all_set(given, "inputs");
  if (!mask.has_value()) throw_unset_argument("tf::keras::KerasTensor", "mask");
  given[0] = masked(given[0], mask);
  std::vector<KerasTensor> all = inputs;
  all.push_back(mask);
  return note_call(all, apply(given, training.value_or(false), where), training, nullptr, /*has_mask=*/true);
}

std::vector<KerasTensor> Layer::note_call(const std::vector<KerasTensor>& inputs,
                                          const std::vector<Tensor>& outputs, std::optional<bool> training,
                                          const CallArguments& arguments, bool has_mask) {
  const auto call = std::make_shared<LayerCall>();
  call->outputs = outputs;
  call->arguments = arguments;
  call->layer = held();
  call->layer_name = name();
  call->inputs = inputs;
  call->has_mask = has_mask;
  call->training = training;
  call->layer_identity = state_.get();
  call->number = static_cast<int>(state_->calls.size());
  state_->calls.push_back(call);
  std::vector<KerasTensor> made;
  for (size_t i = 0; i < call->outputs.size(); ++i) made.emplace_back(call->outputs[i], call, i);
  return made;
}

std::vector<std::vector<KerasTensor>> Layer::outputs_of_calls() const {
  std::vector<std::vector<KerasTensor>> calls;
  for (const std::weak_ptr<const LayerCall>& weak : state_->calls) {
    const std::shared_ptr<const LayerCall> call = weak.lock();
    if (call == nullptr) continue;
    calls.emplace_back();
    for (size_t i = 0; i < call->outputs.size(); ++i) calls.back().emplace_back(call->outputs[i], call, i);
  }
  return calls;
}

std::vector<InboundNode> Layer::inbound_nodes() const {
  std::vector<InboundNode> nodes;
  for (const std::vector<KerasTensor>& outputs : outputs_of_calls())
    nodes.push_back({.inputs = outputs[0].call()->inputs, .outputs = outputs});
  return nodes;
}

std::vector<std::shared_ptr<Layer>> Layer::submodules() const {
  std::vector<std::shared_ptr<Layer>> all;
  for (const std::shared_ptr<Layer>& inner : inner_layers()) {
    all.push_back(inner);
    const std::vector<std::shared_ptr<Layer>> behind = inner->submodules();
    all.insert(all.end(), behind.begin(), behind.end());
  }
  return all;
}

KerasTensor Layer::operator()(const KerasTensor& inputs, std::optional<bool> training, Where where) {
  return (*this)(std::vector<KerasTensor>{inputs}, training, where);
}
KerasTensor Layer::operator()(std::initializer_list<KerasTensor> inputs, std::optional<bool> training,
                              Where where) {
  return (*this)(std::vector<KerasTensor>(inputs), training, where);
}
KerasTensor Layer::operator()(const std::vector<KerasTensor>& inputs, std::optional<bool> training,
                              Where where) {
  const ErrorLine errors(where);
  return the_only(apply(inputs, training, where), name());
}

KerasTensor Input(const TensorShape& shape, const InputOptions& options, tf::Input::Where where) {
  const ErrorLine errors(where);
  if (!shape.has_rank())
    throw ValueError(
        "Input: the shape of an element must have a known rank.\nA dimension of unknown size is -1.");
  const Graph home = home_graph();
  graph::Graph& graph = *home.get();
  const CallScope in_call(graph, where);
  const std::string name =
      options.name.empty() ? fmt::format("input_{}", next_uid(graph, "input")) : options.name;
  const auto call = std::make_shared<LayerCall>();
  const TensorShape batch_shape = TensorShape{options.batch_size}.concatenate(shape);
  const DType dtype = options.dtype.value_or(backend::floatx());
  const auto layer = std::make_shared<InputLayer>(name, batch_shape, dtype);
  call->layer = layer;
  call->layer_identity = layer.get();
  call->layer_name = name;
  call->outputs = {placeholder(dtype, batch_shape, {.name = name})};
  return {call->outputs[0], call, 0};
}

// ---- weights

Variable Layer::add_weight(const std::string& name, const TensorShape& shape, const WeightOptions& options,
                           Where where) {
  const ErrorLine errors(where);
  if (!shape.is_fully_defined()) {
    throw ValueError(
        fmt::format("The shape {} of the weight '{}' of layer '{}' is not known.\nGive the model inputs of "
                    "known size, or an "
                    "input_shape.",
                    shape.to_tuple_string(), name, this->name()));
  }
  if (options.regularizer.has_value()) state_->regularizers.try_emplace(name, options.regularizer);
  if (options.constraint.has_value()) state_->constraints.try_emplace(name, options.constraint);
  VariableOptions made{.trainable = options.trainable && trainable(), .name = name};
  if (const auto rule = state_->constraints.find(name);
      rule != state_->constraints.end() && rule->second.has_value()) {
    // Optimizers in loops of the program's own find it there.
    made.constraint = [constraint = rule->second](const Variable& weight) {
      return constraint(weight.read_value());
    };
  }
  const Initializer& initializer = options.initializer;
  const Variable weight =
      initializer.value().has_value()
          ? Variable(cast(*initializer.value(), options.dtype.value_or(dtype())), made)
          : Variable([&] { return initializer(shape, options.dtype.value_or(dtype())); }, made);
  state_->named_weights[name] = weight;
  (options.trainable ? state_->trainable_weights : state_->non_trainable_weights).push_back(weight);
  return weight;
}

void Layer::add_update(const Operation& update) { state_->updates.push_back(update); }
std::vector<Operation> Layer::updates() const {
  return trainable() ? state_->updates : std::vector<Operation>();  // a frozen layer keeps its means
}
void Layer::clear_updates() {
  state_->updates.clear();
  state_->call_losses.clear();
}

// ---- what training adds

void Layer::set_regularizer(const std::string& weight, const regularizers::Regularizer& regularizer) {
  state_->regularizers[weight] = regularizer;
}
void Layer::set_constraint(const std::string& weight, const constraints::Constraint& constraint) {
  state_->constraints[weight] = constraint;
}
void Layer::set_activity_regularizer(const regularizers::Regularizer& regularizer) {
  state_->activity_regularizer = regularizer;
}
void Layer::add_loss(const Tensor& loss) { state_->call_losses.push_back(loss); }

void Layer::take_rules_of(const Layer& other) {
  state_->regularizers = other.state_->regularizers;
  state_->constraints = other.state_->constraints;
  state_->activity_regularizer = other.state_->activity_regularizer;
}

std::vector<Tensor> Layer::losses() const {
  std::vector<Tensor> losses = state_->call_losses;
  for (const auto& [name, regularizer] : state_->regularizers) {
    const auto weight = state_->named_weights.find(name);
    if (weight != state_->named_weights.end() && regularizer.has_value())
      losses.push_back(returned(regularizer(weight->second), "regularizer"));
  }
  return losses;
}

std::vector<std::pair<Variable, FunctionOf<Tensor>>> Layer::constraints() const {
  std::vector<std::pair<Variable, FunctionOf<Tensor>>> constraints;
  for (const auto& [name, constraint] : state_->constraints) {
    const auto weight = state_->named_weights.find(name);
    if (weight != state_->named_weights.end() && constraint.has_value())
      constraints.emplace_back(weight->second, constraint);
  }
  return constraints;
}

// ---- weights, all of them

std::vector<Variable> Layer::trainable_weights() const {
  return trainable() ? state_->trainable_weights : std::vector<Variable>();
}

std::vector<Variable> Layer::non_trainable_weights() const {
  std::vector<Variable> result = trainable() ? std::vector<Variable>() : state_->trainable_weights;
  result.insert(result.end(), state_->non_trainable_weights.begin(), state_->non_trainable_weights.end());
  return result;
}

std::vector<Variable> Layer::weights() const {
  std::vector<Variable> result = state_->trainable_weights;
  result.insert(result.end(), state_->non_trainable_weights.begin(), state_->non_trainable_weights.end());
  return result;
}

int64_t Layer::count_params(Where where) const {
  const ErrorLine errors(where);
  if (!built()) {
    throw ValueError(
        fmt::format("You tried to call `count_params` on layer {}, but the layer isn't built. You can build "
                    "it manually via: "
                    "`{}.build(batch_input_shape)`.",
                    name(), name()));
  }
  CheckedSize count(0);
  for (const Variable& weight : weights()) count += weight.shape().num_elements();
  return count;
}

}  // namespace flowray::tf::keras
