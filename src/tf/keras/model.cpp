#include <flowray/tf/array.h>
#include <flowray/tf/keras/models.h>

#include "tf/build/call_scope.h"
#include "tf/keras/model_state.h"
#include "tf/keras/optimizers.h"
#include "tf/keras/scores.h"
#include "tf/keras/training.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace flowray::tf::keras {
namespace {

std::vector<double> numbers_of(const Logs& logs) {
  std::vector<double> numbers;
  for (const auto& [name, value] : logs) numbers.push_back(value);
  return numbers;
}

}  // namespace

Model::Model(const std::string& name, std::shared_ptr<State> state)
    : Layer("Model", {.name = name}), model_(std::move(state)) {
  support_masking();
  Layer::state_->is_shared = true;
}

Model::Model(const KerasTensor& inputs, const KerasTensor& outputs, const std::string& name, Where where)
    : Model(std::vector{inputs}, std::vector{outputs}, name, where) {}

Model::Model(const std::vector<KerasTensor>& inputs, const std::vector<KerasTensor>& outputs,
             const std::string& name, Where where)
    : Model(name, std::make_shared<State>()) {
  const ErrorLine errors(where);
  if (inputs.empty() || outputs.empty()) throw ValueError("A model needs at least one input and one output.");
  model_->network = Network(inputs, outputs);
  model_->graph = outputs[0].graph();
  model_->layers = model_->network.layers();
  model_->set_ends(inputs, outputs);
  model_->output_names = model_->network.output_names();
  model_->is_built = true;
}

Model::~Model() = default;

void Model::State::set_ends(std::vector<KerasTensor> input_tensors, std::vector<KerasTensor> output_tensors) {
  input_ends = std::move(input_tensors);
  output_ends = std::move(output_tensors);
  inputs.assign(input_ends.begin(), input_ends.end());
  outputs.assign(output_ends.begin(), output_ends.end());
  input_names.clear();
  for (const KerasTensor& input : input_ends) input_names.push_back(input.call()->layer_name);
}

std::string Model::class_name() const {
  if (!model_->own_class.empty()) return model_->own_class;
  return model_->is_sequential ? "Sequential" : "Functional";
}
std::shared_ptr<Layer> Model::copy() const {
  return model_->own_class.empty() ? std::make_shared<Model>(*this) : nullptr;
}
const std::vector<std::shared_ptr<Layer>>& Model::layers() const { return model_->layers; }
bool Model::built() const {
  return model_->is_built || (!model_->own_class.empty() && Layer::state_->is_built);
}
const std::vector<KerasTensor>& Model::inputs() const { return model_->input_ends; }
const std::vector<KerasTensor>& Model::outputs() const { return model_->output_ends; }
const std::vector<std::string>& Model::input_names() const { return model_->input_names; }
const std::vector<std::string>& Model::output_names() const { return model_->output_names; }

std::shared_ptr<Layer> Model::get_layer(const std::string& name, Where where) const {
  std::vector<std::string> names;
  for (const std::shared_ptr<Layer>& layer : model_->layers) {
    if (layer->name() == name) return layer;
    names.push_back("'" + layer->name() + "'");
  }
  const ErrorLine line(where);
  throw ValueError(
      fmt::format("No such layer: {}. Existing layers are: [{}].", name, fmt::join(names, ", ")));
}

std::vector<std::shared_ptr<Layer>> Model::inner_layers() const { return model_->layers; }

std::vector<Variable> Model::states() const {
  std::vector<Variable> all;
  for (const std::shared_ptr<Layer>& layer : model_->layers) {
    const std::vector<Variable> own = layer->states();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

void Model::reset_states(Where where) {
  const UserLine line(*model_->graph.get(), where);
  const std::vector<Variable> variables = states();
  std::vector<Array> zeros;
  for (const Variable& state : variables) zeros.emplace_back(DType::kFloat32, Shape(state.shape().dims()));
  ModelRunner(*this).set_values(variables, zeros);
}

void Model::set_trainable(bool trainable) {
  Layer::set_trainable(trainable);
  for (const std::shared_ptr<Layer>& layer : model_->layers) layer->set_trainable(trainable);
}

void Model::build_for(const std::vector<TensorShape>& input_shapes) {
  if (!model_->own_class.empty()) {
    if (input_shapes.size() == 1) Layer::build_for(input_shapes);
    return;
  }
  if (input_shapes.size() == 1) Sequential(*this).build(input_shapes[0]);
}

std::vector<Tensor> Model::call_for(const std::vector<Tensor>& inputs, bool training) {
  if (!model_->own_class.empty()) return Layer::call_for(inputs, training);
  const size_t expected = model_->inputs.size();
  if (inputs.size() != expected) {
    throw ValueError(fmt::format("Layer \"{}\" expects {} input(s), but it received {} input tensors.",
                                 name(), expected, inputs.size()));
  }
  model_->was_called = true;
  if (!model_->is_sequential || !model_->beside_outputs.empty()) return model_->network.run(inputs, training);
  std::vector<Tensor> values = inputs;
  for (const std::shared_ptr<Layer>& layer : model_->layers) values = layer->apply(values, training, Where());
  return values;
}

/// Layers inside have said it of their outputs.
std::vector<Tensor> Model::compute_mask(const std::vector<Tensor>&, const std::vector<Tensor>&) { return {}; }

std::vector<Operation> Model::updates() const {
  std::vector<Operation> all = Layer::updates();
  for (const std::shared_ptr<Layer>& layer : model_->layers) {
    const std::vector<Operation> own = layer->updates();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

std::vector<Tensor> Model::losses() const {
  std::vector<Tensor> all = Layer::losses();
  for (const std::shared_ptr<Layer>& layer : model_->layers) {
    const std::vector<Tensor> own = layer->losses();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

std::vector<std::pair<Variable, FunctionOf<Tensor>>> Model::constraints() const {
  std::vector<std::pair<Variable, FunctionOf<Tensor>>> all = Layer::constraints();
  for (const std::shared_ptr<Layer>& layer : model_->layers) {
    const auto own = layer->constraints();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

void Model::clear_updates() {
  Layer::clear_updates();
  for (const std::shared_ptr<Layer>& layer : model_->layers) layer->clear_updates();
}

// ---- training

namespace {

/// Of each output whether its sample weights are those of times; others than outputs where the options do not
/// fit.
std::vector<bool> have_weights_of_times(const CompileOptions& options, size_t outputs) {
  std::vector<bool> all;
  for (const std::string& mode : options.sample_weight_modes) {
    if (!mode.empty() && mode != "temporal" && mode != "samplewise") {
      throw ValueError(
          fmt::format("compile: a sample_weight_mode is \"temporal\" or empty, but one is \"{}\".", mode));
    }
    all.push_back(mode == "temporal");
  }
  if (all.size() < 2) all.assign(outputs, !all.empty() && all[0]);
  return all;
}

}  // namespace

namespace {

/// That they are known, and that none that counts over batches, in variables of its own, is given twice.
void check_metrics(std::vector<std::vector<ScoreFunction>> metrics,
                   const std::vector<std::vector<ScoreFunction>>& weighted) {
  metrics.insert(metrics.end(), weighted.begin(), weighted.end());
  std::vector<const metrics::Metric*> seen;
  for (const auto& of_output : metrics) {
    for (const ScoreFunction& score : of_output) {
      (void)metric_of(score, TensorShape::unknown_rank(), TensorShape::unknown_rank());
      const metrics::Metric* const metric = score.metric();
      if (metric == nullptr) continue;
      if (std::ranges::any_of(seen, [&](const auto* other) { return metric->is_same_as(*other); })) {
        throw ValueError(fmt::format(
            "The metric '{}' is given several times, and would count them together.\nGive an object for each "
            "output, and for weighted_metrics: "
            "{{.metrics_of_outputs = {{{{metrics::AUC()}}, {{metrics::AUC()}}}}}}.",
            metric->name()));
      }
      seen.push_back(metric);
    }
  }
}

/// None where no output has any.
std::vector<std::vector<WeightedMetric>> weighted_metrics_of(
    const std::vector<std::vector<ScoreFunction>>& scores) {
  std::vector<std::vector<WeightedMetric>> all(scores.size());
  bool has_any = false;
  for (size_t i = 0; i < scores.size(); ++i) {
    for (const ScoreFunction& score : scores[i]) all[i].push_back({.score = score});
    has_any = has_any || !scores[i].empty();
  }
  if (!has_any) all.clear();
  return all;
}

}  // namespace

void Model::compile(const CompileOptions& options, Where where) {
  const CallScope call(*model_->graph.get(), where);
  if (model_->has_no_ends_yet()) return compile_later(options);
  const size_t outputs = model_->num_outputs();
  const auto check_count = [&](size_t given, const char* what) {
    if (given == outputs) return;
    throw ValueError(fmt::format(
        "When passing a list as {} argument, it should have one entry per model output. The model has {} "
        "outputs, but you passed {}.",
        what, outputs, given));
  };
  std::vector<ScoreFunction> losses = options.losses;
  if (losses.empty()) losses.assign(outputs, options.loss);
  check_count(losses.size(), "loss");
  std::vector<std::vector<ScoreFunction>> metrics = options.metrics_of_outputs;
  if (metrics.empty()) metrics.assign(outputs, options.metrics);
  check_count(metrics.size(), "metrics");
  std::vector<std::vector<ScoreFunction>> weighted = options.weighted_metrics_of_outputs;
  if (weighted.empty()) weighted.assign(outputs, options.weighted_metrics);
  check_count(weighted.size(), "weighted_metrics");
  check_metrics(metrics, weighted);
  std::vector<double> weights = options.loss_weights;
  if (weights.empty()) weights.assign(outputs, 1.0);
  check_count(weights.size(), "loss_weights");
  const std::vector<bool> of_times = have_weights_of_times(options, outputs);
  check_count(of_times.size(), "sample_weight_modes");
  for (size_t i = 0; i < outputs; ++i) {
    if (losses[i].has_value()) {
      (void)loss_of(losses[i]);
    } else if (!metrics[i].empty() || !weighted[i].empty()) {
      throw errors::UnimplementedError(
          fmt::format("compile(metrics=) of the output {}, which has no loss, is not there yet.\n"
                      "Give metrics_of_outputs, with none for it, or give it a loss.",
                      i < model_->output_names.size() ? model_->output_names[i] : "output"));
    }
  }
  model_->optimizer = optimizer_of(options.optimizer);
  model_->trained.reset();
  model_->first_optimizer_weights.reset();
  if (!Model::weights().empty()) model_->trained = trainable_weights();
  model_->losses = std::move(losses);
  model_->metrics = std::move(metrics);
  model_->weighted_metrics = weighted_metrics_of(weighted);
  model_->added_metrics.clear();
  model_->loss_weights = std::move(weights);
  model_->has_weights_of_times = of_times;
  model_->target_shapes.clear();
  model_->score_steps.clear();
  model_->is_compiled = true;
}

History Model::fit(const Arrays& x, const Arrays& y, const FitOptions& options, Where where) {
  const UserLine line(*model_->graph.get(), where);
  return Training(*this).fit(x, y, options);
}

History Model::fit(const data::Dataset& x, const FitOptions& options, Where where) {
  const UserLine line(*model_->graph.get(), where);
  return Training(*this).fit(x, options);
}

std::vector<double> Model::evaluate(const Arrays& x, const Arrays& y, const EvaluateOptions& options,
                                    Where where) {
  const UserLine line(*model_->graph.get(), where);
  return numbers_of(Training(*this).evaluate(x, y, options));
}

std::vector<double> Model::evaluate(const data::Dataset& x, const EvaluateOptions& options, Where where) {
  const UserLine line(*model_->graph.get(), where);
  return numbers_of(Training(*this).evaluate(x, options));
}

std::vector<Array> Model::predict_outputs(const Arrays& x, int64_t batch_size, Where where) {
  return predict_outputs(x, PredictOptions{.batch_size = batch_size}, where);
}

std::vector<Array> Model::predict_outputs(const Arrays& x, const PredictOptions& options, Where where) {
  const UserLine line(*model_->graph.get(), where);
  return Training(*this).predict(x, options);
}

std::vector<Array> Model::predict_outputs(const data::Dataset& x, const PredictOptions& options,
                                          Where where) {
  const UserLine line(*model_->graph.get(), where);
  return Training(*this).predict(x, options);
}

DType Model::State::target_dtype(size_t output) const {
  if (output >= outputs.size()) return backend::floatx();
  return base_dtype(outputs[output].dtype()) == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
}

void Model::State::check_one_output(const std::string& name) const {
  if (num_outputs() <= 1) return;
  throw ValueError(fmt::format("The model '{}' has {} outputs.\npredict_outputs() gives all of them.", name,
                               num_outputs()));
}

Array Model::predict(const Arrays& x, int64_t batch_size, Where where) {
  return predict(x, PredictOptions{.batch_size = batch_size}, where);
}

Array Model::predict(const Arrays& x, const PredictOptions& options, Where where) {
  const UserLine line(*model_->graph.get(), where);
  model_->check_one_output(name());
  return predict_outputs(x, options, where)[0];
}

Array Model::predict(const data::Dataset& x, const PredictOptions& options, Where where) {
  const UserLine line(*model_->graph.get(), where);
  model_->check_one_output(name());
  return predict_outputs(x, options, where)[0];
}

std::vector<double> Model::train_on_batch(const Arrays& x, const Arrays& y,
                                          const std::optional<Arrays>& sample_weight, Where where) {
  const UserLine line(*model_->graph.get(), where);
  Training training(*this);
  return training.step_by_itself(training.checked(x, y, sample_weight), /*training=*/true);
}

std::vector<double> Model::test_on_batch(const Arrays& x, const Arrays& y,
                                         const std::optional<Arrays>& sample_weight, Where where) {
  const UserLine line(*model_->graph.get(), where);
  Training training(*this);
  return training.step_by_itself(training.checked(x, y, sample_weight), /*training=*/false);
}

Array Model::predict_on_batch(const Arrays& x, Where where) {
  const UserLine line(*model_->graph.get(), where);
  return predict(x, std::numeric_limits<int64_t>::max(), where);
}

void Model::prepare(const Arrays& x, const Arrays& y, const std::optional<Arrays>& sample_weight,
                    bool training, Where where) {
  const UserLine line(*model_->graph.get(), where);
  Training steps(*this);
  const Examples examples = steps.checked(x, y, sample_weight);
  steps.prepare(training, examples.is_weighted());
}

void Model::prepare_predict(const Arrays& x, Where where) {
  const UserLine line(*model_->graph.get(), where);
  Training(*this).prepare_predict(x);
}

std::vector<std::string> Model::metrics_names() const {
  return model_->names_of_scores(model_->added_metrics);
}

std::vector<std::string> Model::State::names_of_scores(const std::vector<std::string>& added) const {
  std::vector<std::string> names = {"loss"};
  const auto add = [&](const std::string& base) {
    std::string name = base;
    for (int i = 1; std::ranges::find(names, name) != names.end(); ++i) name = fmt::format("{}_{}", base, i);
    names.push_back(name);
  };
  const bool are_several = num_outputs() > 1;
  if (are_several) {
    for (const std::string& name : names_with_loss()) add(name + "_loss");
  }
  for (size_t i = 0; i < metrics.size(); ++i) {
    const std::string prefix = are_several ? output_names[i] + "_" : "";
    for (const ScoreFunction& metric : metrics[i]) add(prefix + metric_name(metric));
    if (weighted_metrics.empty()) continue;
    for (const WeightedMetric& metric : weighted_metrics[i])
      add(prefix + "weighted_" + metric_name(metric.score));
  }
  for (const std::string& name : added) add(name);
  return names;
}

std::vector<size_t> Model::State::outputs_with_loss() const {
  std::vector<size_t> numbers;
  for (size_t i = 0; i < losses.size(); ++i) {
    if (losses[i].has_value()) numbers.push_back(i);
  }
  return numbers;
}

std::vector<std::string> Model::State::names_with_loss() const {
  std::vector<std::string> names;
  for (const size_t i : outputs_with_loss()) {
    // A Sequential that the first batch will build has no outputs yet.
    const bool is_built_later = i >= output_names.size();
    names.push_back(!is_built_later ? output_names[i] : layers.empty() ? "output" : layers.back()->name());
  }
  return names;
}

}  // namespace flowray::tf::keras
