// The steps of a model, and the session in which they run.
#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include "core/mutex.h"
#include "tf/build/unset.h"
#include "tf/flow/flow_build.h"
#include "tf/keras/model_state.h"
#include "tf/keras/scores.h"

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

Tensor of_each_element(const Tensor& values) {
  const TensorShape& shape = values.shape();
  if (!shape.has_rank() || shape.rank() <= 1) return values;
  std::vector<int64_t> axes;
  for (int i = 1; i < shape.rank(); ++i) axes.push_back(i);
  return reduce_mean(values, axes);
}

Tensor mean_of(const Tensor& values) { return reduce_mean(values); }

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
            "needs them. In another session set_weights() or tf::global_variables_initializer() gives them "
            "some.",
        error.node_name());
  }
}

}  // namespace

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

std::shared_ptr<Session> backend::get_session() { return session_of(get_default_graph()); }

Session& ModelRunner::session() {
  state_.session = session_of(state_.graph);
  initialize_variables(*state_.session);
  return *state_.session;
}

/// All global variables of the graph that the session has no value of are given their first one, each once:
/// what was trained in a session that ended is not taken for new.
void ModelRunner::initialize_variables(Session& session) {
  const GraphScope in_graph(state_.graph.get());
  FirstValues& first = state_.graph.get()->attachment<FirstValues>("keras_first_values");
  std::vector<Variable> fresh;
  {
    const MutexLock lock(first.mutex);
    for (const Variable& variable : global_variables()) {
      if (!first.given.contains(variable.op().node())) fresh.push_back(variable);
    }
  }
  if (fresh.empty()) return;
  const WithoutScopes outside(*state_.graph.get());
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

ModelStep& ModelRunner::score_step(bool training, bool weighted) {
  ModelStep& step = state_.score_steps[{training, weighted}];
  if (!step.scores.empty()) return step;
  const GraphScope in_graph(state_.graph.get());
  const NameScopeGuard scope = name_scope(training ? "training" : "testing");
  const Tensor outputs = model_(state_.input, training);
  const Tensor targets = placeholder(float32, state_.target_shape, {.name = "target"});
  step.feeds = {state_.input, targets};
  Tensor losses = score_of(loss_of(state_.loss), targets, outputs, "loss");
  if (weighted) {
    const Tensor weights = placeholder(float32, {-1}, {.name = "sample_weights"});
    step.feeds.push_back(weights);
    losses = of_each_element(losses) * weights;
  }
  ModelStep made = step;
  made.scores.push_back(mean_of(losses));
  for (const ScoreFunction& metric : state_.metrics)
    made.scores.push_back(mean_of(
        score_of(metric_of(metric, state_.target_shape, outputs.shape()), targets, outputs, "metrics")));
  if (training) {
    made.effects.push_back(
        state_.optimizer->minimize(made.scores[0], {.var_list = model_.trainable_weights()}));
    for (const std::shared_ptr<Layer>& layer : state_.layers)
      made.effects.insert(made.effects.end(), layer->updates_.begin(), layer->updates_.end());
  }
  return step = std::move(made);
}

ModelStep& ModelRunner::predict_step() {
  if (state_.predict_step == nullptr) {
    const GraphScope in_graph(state_.graph.get());
    auto step = std::make_unique<ModelStep>();
    step->feeds = {state_.input};
    step->scores = {model_(state_.input, /*training=*/false)};
    state_.predict_step = std::move(step);
  }
  return *state_.predict_step;
}

std::vector<Array> ModelRunner::weights() {
  Session& ready = session();
  return with_advice([&] { return ready.run(model_.weights()); });
}

void ModelRunner::prepare(ModelStep& step) {
  const std::shared_ptr<Session> current = session_of(state_.graph);
  // A session of the program's own may have ended since the last call, and another one stand in its place.
  const bool is_ours = current.use_count() != 0;
  if (step.session.get() == current.get() && (is_ours || ready_.contains(&step))) return;
  Session& ready = session();
  std::vector<Fetch> fetches(step.scores.begin(), step.scores.end());
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
  results.resize(step.scores.size());
  return results;
}

}  // namespace flowray::tf::keras
