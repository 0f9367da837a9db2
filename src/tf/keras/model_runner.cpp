// The steps of a model, and the session in which they run.
#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/eager.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include "core/mutex.h"
#include "tf/build/unset.h"
#include "tf/eager/eager_runner.h"
#include "tf/eager/traced_function.h"
#include "tf/flow/flow_build.h"
#include "tf/keras/model_state.h"
#include "tf/keras/rated_optimizer.h"
#include "tf/keras/scores.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>

namespace flowray::tf::keras {
namespace {

struct SharedSession {
  Mutex mutex;
  std::weak_ptr<Session> session FLOWRAY_GUARDED_BY(mutex);
};

/// The variables of a graph that have got their first values, in whichever session.
struct FirstValues {
  Mutex mutex;
  std::set<const graph::Node*> given FLOWRAY_GUARDED_BY(mutex);
};

/// The means of values over the dimensions that weights have not, multiplied by these.
Tensor weighted(const Tensor& values, const Tensor& weights) {
  const TensorShape& shape = values.shape();
  std::vector<int64_t> axes;
  for (int i = weights.shape().rank(); shape.has_rank() && i < shape.rank(); ++i) axes.push_back(i);
  return (axes.empty() ? values : reduce_mean(values, axes)) * cast(weights, base_dtype(values.dtype()));
}

/// A mask with dimensions of 1 behind it, as many as `losses` has more.
Tensor like_losses(const Tensor& mask, const Tensor& losses) {
  Tensor result = mask;
  while (losses.shape().has_rank() && result.shape().rank() < losses.shape().rank())
    result = expand_dims(result, -1);
  return result;
}

Tensor mean_of(const Tensor& values) { return reduce_mean(values); }

/// How much a batch counts in the mean of such values: one number for all of it counts once, as tf.keras has
/// it; unset: by its elements.
Tensor count_of(const Tensor& values) {
  return values.shape().has_rank() && values.shape().rank() == 0 ? constant(1.0f) : Tensor();
}

/// What a function, the program's own perhaps, gives.
Tensor score_of(const ScoreFunction::Function& function, const Tensor& truths, const Tensor& outputs,
                std::string_view name) {
  const LinesOfTheirOwn lines(outputs.node()->graph());
  return returned(function(truths, outputs), name);
}

/// Runs a step, and says what to do where a weight has no value.
template <class F>
std::vector<Array> with_advice(const F& run) {
  try {
    return run();
  } catch (const errors::FailedPreconditionError& error) {
    throw errors::FailedPreconditionError(
        error.message() +
            "\nThe variables of a model get their first values once, in the session of the first call that "
            "needs them. In another session set_weights() gives the weights some, set_learning_rate() an "
            "optimizer's rate, or tf::global_variables_initializer() all.",
        error.node_name());
  }
}

}  // namespace

Graph home_graph() {
  if (!default_graph().is_eager()) return get_default_graph();
  static const auto* const graph = new Graph(eagerly::graph_to_trace(/*is_first_trace=*/true));
  return *graph;
}

std::shared_ptr<Session> session_of(const Graph& graph) {
  Session* const given = get_default_session();
  if (given != nullptr && given->graph() == graph)
    return {std::shared_ptr<void>(), given};  // the program's own
  SharedSession& shared = graph.get()->attachment<SharedSession>("keras_session");
  const MutexLock lock(shared.mutex);
  std::shared_ptr<Session> session = shared.session.lock();
  if (session == nullptr) {
    session = std::make_shared<Session>(graph);
    shared.session = session;
  }
  return session;
}

void share_session(const Graph& graph, const std::shared_ptr<Session>& session) {
  SharedSession& shared = graph.get()->attachment<SharedSession>("keras_session");
  const MutexLock lock(shared.mutex);
  shared.session = session;
}

std::shared_ptr<Session> backend::get_session() { return session_of(get_default_graph()); }

namespace {

/// All global variables of the graph that the session has no value of are given their first one, each once:
/// what was trained in a session that ended is not taken for new.
void initialize_variables(const Graph& graph, Session& session) {
  const GraphScope in_graph(graph.get());
  FirstValues& first = graph.get()->attachment<FirstValues>("keras_first_values");
  std::vector<Variable> fresh;
  {
    const MutexLock lock(first.mutex);
    for (const Variable& variable : global_variables()) {
      if (!first.given.contains(variable.op().node())) fresh.push_back(variable);
    }
  }
  if (fresh.empty()) return;
  const WithoutScopes outside(*graph.get());
  const Array missing = session.run(report_uninitialized_variables(fresh));
  const std::span<const std::string> words = missing.span<std::string>();
  const std::set<std::string> names(words.begin(), words.end());
  std::vector<Operation> initializers;
  for (const Variable& variable : fresh) {
    if (names.contains(variable.op().name())) initializers.push_back(variable.initializer());
  }
  if (!initializers.empty()) session.run(initializers);
  const MutexLock lock(first.mutex);
  for (const Variable& variable : fresh) first.given.insert(variable.op().node());
}

}  // namespace

std::shared_ptr<Session> ready_session(const Graph& graph) {
  std::shared_ptr<Session> session = session_of(graph);
  initialize_variables(graph, *session);
  return session;
}

Session& ModelRunner::session() {
  state_.session = ready_session(state_.graph);
  return *state_.session;
}

Tensor ModelRunner::loss_of_output(size_t i, const Tensor& targets, const Tensor& output,
                                   const Tensor& weights) {
  Tensor losses = score_of(loss_of(state_.losses[i]), targets, output, "loss");
  if (const Tensor mask = mask_of(output); mask.has_value()) {
    const Tensor counts = cast(mask, base_dtype(losses.dtype()));
    losses = losses * like_losses(counts, losses) / reduce_mean(counts);
  }
  return mean_of(weights.has_value() ? weighted(losses, weights) : losses);
}

/// A metric that counts over batches: its value behind this one. `weights` may be unset.
void ModelRunner::add_running(ModelStep& step, const metrics::Metric& metric, const Tensor& targets,
                              const Tensor& output, const Tensor& weights) {
  const LinesOfTheirOwn lines(output.node()->graph());
  metrics::UpdateOptions options;
  if (weights.has_value()) options.sample_weight = weights;
  if (const Tensor mask = mask_of(output); mask.has_value())
    options.sample_weight = weights.has_value() ? cast(mask, float32) * like_losses(weights, mask) : mask;
  const ControlDependenciesGuard behind =
      control_dependencies({metric.update_state(targets, output, options)});
  step.running.emplace_back(step.scores.size(), metric);
  step.counts.resize(step.scores.size() + 1);
  const Tensor score = metric.result();
  if (score.shape().has_rank() && score.shape().rank() != 0) {
    throw errors::UnimplementedError(fmt::format(
        "The metric '{}' gives {} numbers; in a model each one gives one.\nGive it one threshold, "
        "and several metrics for several.",
        metric.name(), score.shape().to_tuple_string()));
  }
  step.scores.push_back(identity(score));
}

/// Where an output has a mask, its means are over the elements that the mask keeps.
void ModelRunner::add_metrics(ModelStep& step, size_t i, const Tensor& targets, const Tensor& output) {
  for (const ScoreFunction& metric : state_.metrics[i]) {
    if (metric.metric() != nullptr) {
      add_running(step, *metric.metric(), targets, output);
      continue;
    }
    const ScoreFunction::Function function =
        metric_of(metric, state_.target_shapes[i], output.shape(), state_.losses[i]);
    const Tensor values = score_of(function, targets, output, "metrics");
    const Tensor mask = mask_of(output);
    step.counts.resize(step.scores.size());
    if (mask.has_value() && values.shape().has_rank() && values.shape().rank() >= mask.shape().rank()) {
      const Tensor counts = cast(mask, base_dtype(values.dtype()));
      step.counts.push_back(reduce_sum(counts));
      step.scores.push_back(mean_of(values * like_losses(counts, values) / reduce_mean(counts)));
    } else {
      step.counts.push_back(count_of(values));
      step.scores.push_back(mean_of(values));
    }
  }
}

/// Elements count by their weights there, and where the output has a mask by that, too.
void ModelRunner::add_weighted_metrics(ModelStep& step, size_t i, const Tensor& targets, const Tensor& output,
                                       const Tensor& weights) {
  for (const WeightedMetric& metric : state_.weighted_metrics[i]) {
    if (metric.score.metric() != nullptr) {
      add_running(step, *metric.score.metric(), targets, output, weights);
      continue;
    }
    step.counts.resize(step.scores.size() + 1);
    if (metric.running != nullptr) {
      step.scores.push_back(returned(metric.running(targets, output, weights), "weighted_metrics"));
      continue;
    }
    const ScoreFunction::Function function =
        metric_of(metric.score, state_.target_shapes[i], output.shape(), state_.losses[i]);
    const Tensor values = score_of(function, targets, output, "weighted_metrics");
    const Tensor mask = mask_of(output);
    const bool is_masked =
        mask.has_value() && values.shape().has_rank() && values.shape().rank() >= mask.shape().rank();
    if ((!weights.has_value() && !is_masked) || !values.shape().has_rank() || values.shape().rank() == 0) {
      step.scores.push_back(mean_of(values));
      continue;
    }
    Tensor counts = ones_like(values);
    if (weights.has_value()) counts = counts * cast(like_losses(weights, values), base_dtype(values.dtype()));
    if (is_masked) counts = counts * like_losses(cast(mask, base_dtype(values.dtype())), values);
    const Tensor count = reduce_sum(counts);
    step.counts.back() = count;
    step.scores.push_back(div_no_nan(reduce_sum(values * counts), count));
  }
}

namespace {

thread_local AddedMetrics* collecting = nullptr;

}  // namespace

AddedMetrics::AddedMetrics() : before_(std::exchange(collecting, this)) {}
AddedMetrics::~AddedMetrics() { collecting = before_; }
void AddedMetrics::add(const std::string& name, const Tensor& value) {
  if (collecting != nullptr) collecting->all_.emplace_back(name, value);
}

/// The whole loss; with those of several outputs it becomes the step's first scores.
Tensor ModelRunner::total_loss(ModelStep& step, const std::vector<Tensor>& targets,
                               const std::vector<Tensor>& outputs, const std::vector<Tensor>& weights) {
  std::vector<Tensor> losses;
  Tensor total;
  const auto add = [&](const Tensor& loss) {
    total = total.has_value() ? total + cast(loss, base_dtype(total.dtype())) : loss;
  };
  for (const size_t i : state_.outputs_with_loss()) {
    losses.push_back(loss_of_output(i, targets[i], outputs[i], weights[i]));
    add(state_.loss_weights[i] == 1.0 ? losses.back() : losses.back() * state_.loss_weights[i]);
  }
  for (const Tensor& added : model_.losses()) add(added);
  if (!total.has_value()) {
    throw ValueError(
        "The model cannot be compiled because it has no loss to optimize.\nGive compile a loss for one of "
        "its "
        "outputs, or add_loss().");
  }
  step.scores = {total};
  if (outputs.size() > 1) step.scores.insert(step.scores.end(), losses.begin(), losses.end());
  return total;
}

/// What changes the weights, and what follows it.
void ModelRunner::add_training(ModelStep& step, const Tensor& total) {
  step.effects = model_.updates();
  if (auto* const rated = dynamic_cast<RatedOptimizer*>(state_.optimizer.get()))
    step.optimizer_steps = rated->steps_made();
  if (!state_.trained) state_.trained = model_.trainable_weights();
  std::vector<Operation>
      minimized;  // none where all are frozen: an empty var_list would mean all of the graph
  if (!state_.trained->empty())
    minimized = {state_.optimizer->minimize(total, {.var_list = *state_.trained})};
  step.effects.insert(step.effects.end(), minimized.begin(), minimized.end());
  const ControlDependenciesGuard behind = control_dependencies({minimized.begin(), minimized.end()});
  for (const auto& [weight, constraint] : model_.constraints()) {
    if (!weight.constraint().has_value())  // else the optimizer has seen to it
      step.effects.push_back(weight.assign(constraint(weight.read_value())).op());
  }
}

/// Those of a file, now that the optimizer's variables are there.
void ModelRunner::load_optimizer_weights() {
  const OptimizerWeights weights = *std::exchange(state_.first_optimizer_weights, {});
  auto& optimizer = dynamic_cast<RatedOptimizer&>(*state_.optimizer);
  std::vector<Variable> variables;
  std::vector<Array> values = weights.slots;
  if (!state_.trained->empty()) {
    graph::Graph& home = state_.trained->front().op().node()->graph();
    for (const WeightSlot& slot : optimizer.slots_in_files(*state_.trained))
      variables.push_back(optimizer.variable_of(slot, home));
    for (const auto& [variable, value] : optimizer.go_on_from(weights.steps, home)) {
      variables.push_back(variable);
      values.push_back(value);
    }
  }
  set_values(variables, values);
}

ModelStep ModelRunner::made_score_step(bool training, bool weighted) {
  ModelStep step{.feeds = state_.inputs};
  model_.clear_updates();
  const AddedMetrics added;
  const std::vector<Tensor> outputs = model_.apply(state_.inputs, training, Input::Where());
  std::vector<Tensor> targets(outputs.size());
  std::vector<Tensor> weights(outputs.size());
  const std::vector<size_t> with_loss = state_.outputs_with_loss();
  for (const size_t i : with_loss) {
    targets[i] = placeholder(state_.target_dtype(i), state_.target_shapes[i], {.name = "target"});
    step.feeds.push_back(targets[i]);
  }
  for (const size_t i : with_loss) {
    if (!weighted) break;
    const TensorShape shape = state_.has_weights_of_times[i] ? TensorShape{-1, -1} : TensorShape{-1};
    weights[i] = placeholder(float32, shape, {.name = "sample_weights"});
    step.feeds.push_back(weights[i]);
  }
  const Tensor total = total_loss(step, targets, outputs, weights);
  for (const size_t i : with_loss) {
    add_metrics(step, i, targets[i], outputs[i]);
    if (!state_.weighted_metrics.empty()) add_weighted_metrics(step, i, targets[i], outputs[i], weights[i]);
  }
  for (const auto& [name, value] : added.all()) {
    step.added_metrics.push_back(name);
    step.counts.resize(step.scores.size());
    step.counts.push_back(cast(size(value), float32));
    step.scores.push_back(mean_of(value));
  }
  step.counts.resize(step.scores.size());
  if (training) add_training(step, total);
  return step;
}

ModelStep& ModelRunner::score_step(bool training, bool weighted) {
  ModelStep& step = state_.score_steps[{training, weighted}];
  if (step.scores.empty()) {
    const GraphScope in_graph(state_.graph.get());
    {
      const NameScopeGuard scope = name_scope(training ? "training" : "testing");
      step = made_score_step(training, weighted);
      if (training && state_.first_optimizer_weights.has_value()) load_optimizer_weights();
    }
    // tf.keras opens the scope a second time, which shows in the names of the next model's optimizer.
    if (training) const NameScopeGuard again = name_scope("training");
  }
  if (state_.added_metrics != step.added_metrics) state_.added_metrics = step.added_metrics;
  return step;
}

ModelStep& ModelRunner::predict_step() {
  if (state_.predict_step == nullptr) {
    const GraphScope in_graph(state_.graph.get());
    auto step = std::make_unique<ModelStep>();
    step->feeds = state_.inputs;
    step->scores = model_.apply(state_.inputs, /*training=*/false, Input::Where());
    state_.predict_step = std::move(step);
  }
  return *state_.predict_step;
}

std::vector<Array> ModelRunner::values_of(const std::vector<Variable>& variables) {
  if (!variables.empty() && variables[0].ref().is_eager()) {
    std::vector<Array> values;
    for (const Variable& variable : variables)
      values.push_back(eagerly::current_value(endpoint_of(variable.ref())));
    return values;
  }
  Session& ready = session();
  return with_advice([&] { return ready.run(variables); });
}

double ModelRunner::value_of(const Tensor& scalar) {
  const Array value =
      scalar.node()->graph().is_eager() ? eagerly::current_value(endpoint_of(scalar)) : session().run(scalar);
  return value.astype(DType::kFloat64).item<double>();
}

namespace {

void set_at_once(const std::vector<Variable>& variables, const std::vector<Array>& values) {
  const EagerScope at_once;
  for (size_t i = 0; i < values.size(); ++i)
    variables[i].assign(tf::Input(values[i].astype(base_dtype(variables[i].dtype()))));
}

void set_in(Session& session, const std::vector<Variable>& variables, const std::vector<Array>& values) {
  for (size_t i = 0; i < values.size(); ++i)
    variables[i].load(values[i].astype(base_dtype(variables[i].dtype())), &session);
}

}  // namespace

void ModelRunner::set_values(const std::vector<Variable>& variables, const std::vector<Array>& values) {
  if (variables.empty()) return;
  if (variables[0].ref().is_eager()) return set_at_once(variables, values);
  set_in(session(), variables, values);
}

void load_values(const std::vector<Variable>& variables, const std::vector<Array>& values) {
  if (variables.empty()) return;
  if (variables[0].ref().is_eager()) return set_at_once(variables, values);
  set_in(*ready_session(variables[0].graph()), variables, values);
}

void ModelRunner::prepare(ModelStep& step) {
  const std::shared_ptr<Session> current = session_of(state_.graph);
  // A session of the program's own may have ended since the last call, and another one stand in its place.
  const bool is_ours = current.use_count() != 0;
  if (step.session.get() == current.get() && (is_ours || ready_.contains(&step))) return;
  Session& ready = session();
  std::vector<Fetch> fetches(step.scores.begin(), step.scores.end());
  for (const Tensor& count : step.counts) {
    if (count.has_value()) fetches.emplace_back(count);
  }
  fetches.insert(fetches.end(), step.effects.begin(), step.effects.end());
  step.call = ready.make_callable(fetches, std::vector<FeedKey>(step.feeds.begin(), step.feeds.end()));
  step.session = current;
  ready_.insert(&step);
}

std::vector<Array> ModelRunner::run(ModelStep& step, const std::vector<Array>& values) {
  prepare(step);
  std::vector<const Array*> feeds;
  for (const Array& value : values) feeds.push_back(&value);
  std::vector<Array> results = with_advice([&] { return step.call(feeds); });
  if (step.optimizer_steps != nullptr) ++*step.optimizer_steps;
  results.resize(step.scores.size() +
                 static_cast<size_t>(std::ranges::count_if(
                     step.counts, [](const Tensor& count) { return count.has_value(); })));
  return results;
}

}  // namespace flowray::tf::keras
