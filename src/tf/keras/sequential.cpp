#include <flowray/tf/array.h>
#include <flowray/tf/keras/models.h>

#include "tf/build/call_scope.h"
#include "tf/build/unset.h"
#include "tf/keras/layer_names.h"
#include "tf/keras/model_state.h"
#include "tf/keras/optimizers.h"
#include "tf/keras/scores.h"
#include "tf/keras/training.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::tf::keras {
namespace {

std::vector<double> numbers_of(const Logs& logs) {
  std::vector<double> numbers;
  for (const auto& [name, value] : logs) numbers.push_back(value);
  return numbers;
}

std::string with_batch(const TensorShape& shape) {
  if (!shape.has_rank()) return "multiple";
  std::string text = "(None";
  for (int i = 1; i < shape.rank(); ++i)
    text += shape.dim(i) < 0 ? ", None" : fmt::format(", {}", shape.dim(i));
  return text + (shape.rank() == 1 ? ",)" : ")");
}

}  // namespace

Sequential::Sequential() : Sequential(next_name(default_graph(), "sequential")) {}

Sequential::Sequential(const std::string& name) : state_(std::make_unique<State>()) {
  // While operations run at once a model has a graph to itself: its training is one of steps.
  if (!default_graph().is_eager()) state_->graph = get_default_graph();
  state_->name = name;
}

Sequential::~Sequential() = default;

const std::string& Sequential::name() const { return state_->name; }
const std::vector<std::shared_ptr<Layer>>& Sequential::layers() const { return state_->layers; }
bool Sequential::built() const { return state_->is_built; }

void Sequential::add(std::shared_ptr<Layer> layer, Input::Where where) {
  const UserLine line(*state_->graph.get(), where);
  if (layer == nullptr)
    throw TypeError("The added layer must be an instance of class Layer. Received: a null pointer");
  for (const std::shared_ptr<Layer>& known : state_->layers) {
    if (known->name() != layer->name()) continue;
    throw ValueError(
        fmt::format("All layers added to a Sequential model should have unique names. Name \"{}\" is already "
                    "the name of a "
                    "layer in this model. Update the `name` argument to pass a unique name.",
                    layer->name()));
  }
  if (state_->was_called)
    throw RuntimeError(
        "A layer cannot be added to a model that was trained or called.\nAdd all layers first.");
  state_->layers.push_back(std::move(layer));
  Layer& last = *state_->layers.back();
  if (state_->is_built) {
    const GraphScope in_graph(state_->graph.get());
    state_->output = last(state_->output);
  } else if (state_->layers.size() == 1 && last.input_shape().has_value()) {
    build(TensorShape{-1}.concatenate(*last.input_shape()));
  }
}

void Sequential::build(const TensorShape& input_shape, Input::Where where) {
  const CallScope call(*state_->graph.get(), where);
  if (state_->layers.empty())
    throw ValueError("A Sequential model without layers cannot be built.\nAdd one first.");
  if (state_->is_built) return;
  if (!input_shape.has_rank() || input_shape.rank() == 0)
    throw ValueError("build: the inputs' shape must be known, the batch in front: {-1, 32}");
  const bool is_deferred = !state_->layers.front()->input_shape().has_value();
  state_->input_shape = TensorShape{-1}.concatenate(TensorShape(input_shape.dims().subspan(1)));
  const std::string name = is_deferred ? "input_1" : state_->layers.front()->name() + "_input";
  state_->input = placeholder(float32, state_->input_shape, {.name = name});
  std::optional<NameScopeGuard> scope;
  if (is_deferred) scope.emplace(state_->graph.get(), state_->name);
  state_->output = state_->input;
  for (const std::shared_ptr<Layer>& layer : state_->layers) state_->output = (*layer)(state_->output);
  state_->is_built = true;
}

Tensor Sequential::operator()(const Tensor& inputs, bool training, Input::Where where) {
  const ErrorLine errors(where);
  const CallScope call(node_of(inputs, "inputs").graph(), where);
  if (!state_->is_built) build(inputs.shape());
  state_->was_called = true;
  const NameScopeGuard scope = name_scope(state_->name);
  Tensor x = inputs;
  for (const std::shared_ptr<Layer>& layer : state_->layers) x = (*layer)(x, training);
  return x;
}

// ---- training

void Sequential::compile(const CompileOptions& options, Input::Where where) {
  const CallScope call(*state_->graph.get(), where);
  if (!options.loss.has_value()) throw ValueError("compile: a loss is needed");
  (void)loss_of(options.loss);
  for (const ScoreFunction& metric : options.metrics)
    (void)metric_of(metric, TensorShape::unknown_rank(), TensorShape::unknown_rank());
  state_->optimizer = optimizer_of(options.optimizer);
  state_->loss = options.loss;
  state_->metrics = options.metrics;
  state_->target_shape = TensorShape::unknown_rank();
  state_->score_steps.clear();
  state_->is_compiled = true;
}

History Sequential::fit(const Array& x, const Array& y, const FitOptions& options, Input::Where where) {
  const UserLine line(*state_->graph.get(), where);
  return Training(*this, *state_).fit(x, y, options);
}

std::vector<double> Sequential::evaluate(const Array& x, const Array& y, const EvaluateOptions& options,
                                         Input::Where where) {
  const UserLine line(*state_->graph.get(), where);
  Training training(*this, *state_);
  return numbers_of(training.evaluate(training.checked(x, y, options.sample_weight), options.batch_size));
}

Array Sequential::predict(const Array& x, int64_t batch_size, Input::Where where) {
  const UserLine line(*state_->graph.get(), where);
  return Training(*this, *state_).predict(x, batch_size);
}

std::vector<double> Sequential::train_on_batch(const Array& x, const Array& y,
                                               const std::optional<Array>& sample_weight,
                                               Input::Where where) {
  const UserLine line(*state_->graph.get(), where);
  Training training(*this, *state_);
  return training.step(training.checked(x, y, sample_weight), /*training=*/true);
}

std::vector<double> Sequential::test_on_batch(const Array& x, const Array& y,
                                              const std::optional<Array>& sample_weight, Input::Where where) {
  const UserLine line(*state_->graph.get(), where);
  Training training(*this, *state_);
  return training.step(training.checked(x, y, sample_weight), /*training=*/false);
}

Array Sequential::predict_on_batch(const Array& x, Input::Where where) {
  return predict(x, std::max<int64_t>(x.rank() > 0 ? x.dim(0) : 1, 1), where);
}

void Sequential::prepare(const Array& x, const Array& y, const std::optional<Array>& sample_weight,
                         bool training, Input::Where where) {
  const UserLine line(*state_->graph.get(), where);
  Training steps(*this, *state_);
  const Examples examples = steps.checked(x, y, sample_weight);
  steps.prepare(training, examples.weights.has_value());
}

void Sequential::prepare_predict(const Array& x, Input::Where where) {
  const UserLine line(*state_->graph.get(), where);
  Training(*this, *state_).prepare_predict(x);
}

std::vector<std::string> Sequential::metrics_names() const {
  std::vector<std::string> names = {"loss"};
  for (const ScoreFunction& metric : state_->metrics) {
    const std::string base = metric_name(metric);
    std::string name = base;
    for (int i = 1; std::ranges::find(names, name) != names.end(); ++i) name = fmt::format("{}_{}", base, i);
    names.push_back(name);
  }
  return names;
}

// ---- weights

namespace {

template <class Get>
std::vector<Variable> all_of(const std::vector<std::shared_ptr<Layer>>& layers, const Get& get) {
  std::vector<Variable> all;
  for (const std::shared_ptr<Layer>& layer : layers) {
    const std::vector<Variable> own = get(*layer);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

}  // namespace

std::vector<Variable> Sequential::weights() const {
  return all_of(state_->layers, [](const Layer& layer) { return layer.weights(); });
}
std::vector<Variable> Sequential::trainable_weights() const {
  return all_of(state_->layers, [](const Layer& layer) { return layer.trainable_weights(); });
}
std::vector<Variable> Sequential::non_trainable_weights() const {
  return all_of(state_->layers, [](const Layer& layer) { return layer.non_trainable_weights(); });
}

std::vector<Array> Sequential::get_weights(Input::Where where) {
  const UserLine line(*state_->graph.get(), where);
  if (!state_->is_built) {
    throw ValueError(
        fmt::format("Weights for model '{}' have not yet been created. Weights are created when the model is "
                    "first called on inputs or "
                    "`build()` is called with an `input_shape`.",
                    state_->name));
  }
  return ModelRunner(*this, *state_).weights();
}

void Sequential::set_weights(const std::vector<Array>& weights, Input::Where where) {
  const UserLine line(*state_->graph.get(), where);
  const std::vector<Variable> variables = this->weights();
  if (variables.size() != weights.size()) {
    throw ValueError(
        fmt::format("You called `set_weights(weights)` on layer \"{}\" with a weight list of length {}, but "
                    "the layer was "
                    "expecting {} weights.",
                    state_->name, weights.size(), variables.size()));
  }
  for (size_t i = 0; i < weights.size(); ++i) {
    if (variables[i].shape().is_compatible_with(weights[i].shape()) && weights[i].has_value()) continue;
    throw ValueError(fmt::format("Layer weight shape {} not compatible with provided weight shape {}",
                                 variables[i].shape().to_tuple_string(),
                                 weights[i].shape().to_tuple_string()));
  }
  Session& session = ModelRunner(*this, *state_).session();
  for (size_t i = 0; i < weights.size(); ++i) variables[i].load(weights[i].astype(DType::kFloat32), &session);
}

int64_t Sequential::count_params(Input::Where where) const {
  const UserLine line(*state_->graph.get(), where);
  int64_t count = 0;
  for (const std::shared_ptr<Layer>& layer : state_->layers) count += layer->count_params();
  return count;
}

// ---- summary

namespace {

constexpr size_t kLineWidth = 65;

/// Cells in columns of these ends; what is too long goes on in the next line.
std::string table_row(const std::vector<std::string>& cells) {
  constexpr size_t kEnds[] = {29, 55, 65};
  std::vector<std::string> rest = cells;
  std::string text;
  while (std::ranges::any_of(rest, [](const std::string& cell) { return !cell.empty(); })) {
    std::string line;
    for (size_t i = 0; i < rest.size(); ++i) {
      const size_t room = kEnds[i] - line.size() - (i + 1 < rest.size() ? 2 : 0);
      const size_t taken = std::min(room, rest[i].size());
      line += rest[i].substr(0, taken);
      rest[i].erase(0, taken);
      if (i == 0 && !rest[0].empty()) rest[0].insert(0, " ");  // as the first line of it begins
      if (line.size() < kEnds[i]) line += std::string(kEnds[i] - line.size(), ' ');
    }
    text += line + "\n";
  }
  return text;
}

std::string size_text(int64_t count) {
  double bytes = 4.0 * static_cast<double>(count);
  for (const char* unit : {"Byte", "KB", "MB"}) {
    if (bytes < 1024) return fmt::format("{} ({:.2f} {})", count, bytes, unit);
    bytes /= 1024;
  }
  return fmt::format("{} ({:.2f} GB)", count, bytes);
}

int64_t elements_in(const std::vector<Variable>& variables) {
  int64_t count = 0;
  for (const Variable& variable : variables) count += variable.shape().num_elements();
  return count;
}

}  // namespace

std::string Sequential::summary(Input::Where where) const {
  const UserLine line(*state_->graph.get(), where);
  if (!state_->is_built) {
    throw ValueError(
        "This model has not yet been built. Build the model first by calling `build()` or by calling the "
        "model on a batch of "
        "data.");
  }
  const bool is_deferred = !state_->layers.front()->input_shape().has_value();
  std::string text = fmt::format("Model: \"{}\"\n{}\n", state_->name, std::string(kLineWidth, '_'));
  text += table_row({" Layer (type)", "Output Shape", "Param #"}) + std::string(kLineWidth, '=') + "\n";
  for (const std::shared_ptr<Layer>& layer : state_->layers) {
    text += table_row({fmt::format(" {} ({})", layer->name(), layer->class_name()),
                       is_deferred ? "multiple" : with_batch(layer->output_shape_),
                       std::to_string(layer->count_params())});
    text += std::string(kLineWidth, ' ') + "\n";
  }
  text += std::string(kLineWidth, '=') + "\n";
  text += fmt::format("Total params: {}\nTrainable params: {}\nNon-trainable params: {}\n",
                      size_text(elements_in(weights())), size_text(elements_in(trainable_weights())),
                      size_text(elements_in(non_trainable_weights())));
  return text + std::string(kLineWidth, '_') + "\n";
}

}  // namespace flowray::tf::keras
