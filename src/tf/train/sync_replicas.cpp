#include <flowray/tf/array.h>
#include <flowray/tf/collections.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/indexed_slices.h>
#include <flowray/tf/math.h>
#include <flowray/tf/session.h>
#include <flowray/tf/sync_replicas.h>
#include <flowray/tf/variable.h>

#include "graph/builder.h"
#include "tf/build/call_scope.h"
#include "tf/build/unset.h"
#include "tf/train/update_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>

namespace flowray::tf::train {

/// What apply_gradients() has made.
struct SyncReplicasOptimizer::Made {
  Variable global_step;
  FIFOQueue tokens;
  FilledQueue chief;
  Operation chief_init;
  Operation local_step_init;
  Tensor not_ready;
  std::shared_ptr<Dropping> dropping;  // null: no gradient is dropped
};

/// What the chief runs in place of one step where replicas may be dropped: first it waits until the gradients
/// of a step are there, by steps that change nothing, so that what then takes them never waits in its middle.
///
/// Each step gives as many tokens as there are replicas, living or not: what a replica that died leaves in
/// the queue is taken by the others, which give a gradient for it, so a step is complete without it. A
/// dequeue of one that is dying takes a token along; then a step has fewer gradients than wanted, or no
/// replica has a token.
struct SyncReplicasOptimizer::Dropping {
  using Clock = std::chrono::steady_clock;

  void run(Session& session, const Operation& synchronise, const RunOptions& options) {
    const int there = wait(session, options);
    drain(session, options);
    session.run(synchronise, {{num_required, there}}, options);
  }

  /// How many gradients every accumulator has, `wanted` at most.
  int wait(Session& session, const RunOptions& options) {
    const auto may_take =
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(after_secs));
    const Clock::time_point begin = Clock::now();
    Clock::time_point next_token = begin + may_take;
    while (true) {
      const std::array<Array, 2> counts = session.run({num_given, num_left}, {}, options);
      const int there = counts[0].item<int>();
      const auto now = Clock::now();
      if (there >= wanted) return last = wanted;
      if (there > 0 && now - begin >= may_take) {
        say_who_gave(there);
        return last = there;
      }
      // All tokens went to replicas that gave nothing for them, and those that live may wait for one.
      if (now >= next_token && counts[1].item<int>() == 0) {
        session.run(one_token, {}, options);
        next_token = now + may_take;
      }
      std::this_thread::sleep_for(std::clamp<Clock::duration>((now - begin) / 16, kLeastPause, kMostPause));
    }
  }

  void say_who_gave(int there) const {
    if (there == last) return;
    fmt::print(stderr,
               "flowray: SyncReplicasOptimizer goes on with the gradients of {} of {} replicas: the others "
               "have given none for {} seconds\n",
               there, wanted, after_secs);
  }

  /// Takes the tokens of the step that is over: a replica with one would give a stale gradient,
  /// which is dropped.
  void drain(Session& session, const RunOptions& options) const {
    RunOptions soon = options;
    soon.timeout_in_ms = kDrainMs;
    try {
      for (int left = session.run(num_left, {}, options).item<int>(); left > 0; --left)
        session.run(take_token, {}, soon);
    } catch (const errors::DeadlineExceededError&) {
      // A replica was quicker.
    }
  }

  static constexpr std::chrono::microseconds kLeastPause{200};
  static constexpr std::chrono::milliseconds kMostPause{50};
  static constexpr int64_t kDrainMs = 200;
  const int wanted;
  const double after_secs;
  Tensor num_required = {};  // fed to what takes the gradients
  Tensor num_given = {};
  Tensor num_left = {};       // of tokens
  Operation take_token = {};  // waits where there is none
  Operation one_token = {};   // gives one of the step under way
  int last = wanted;          // with how many gradients the last step went on
};

/// What belongs to one variable: its accumulator, which is where the variable is.
struct SyncReplicasOptimizer::Aggregation {
  Tensor accumulator;
  Operation give;            // adds a replica's gradient
  GradientAndVariable mean;  // of as many as make a step
};

namespace {

int positive(const char* name, int value) {
  if (value > 0) return value;
  throw ValueError(fmt::format("`{}` must be positive, got {}", name, value));
}

void not_negative(const char* name, double value) {
  if (value >= 0) return;  // no NaN, either
  throw ValueError(fmt::format("`{}` must not be negative, got {}", name, value));
}

std::shared_ptr<Optimizer> checked_optimizer(std::shared_ptr<Optimizer> optimizer) {
  if (optimizer == nullptr)
    throw ValueError("SyncReplicasOptimizer needs an optimizer to apply the gradients.");
  return optimizer;
}

Tensor number_of(const Variable& step) { return cast(step, DType::kInt64); }

graph::Node* accumulator_node(const char* op, const Variable& variable, DType dtype,
                              const TensorShape& shape) {
  return apply_op_node(
      {.op = op,
       .name = "conditional_accumulator",
       .attrs = {{"dtype", dtype}, {"shape", shape}, {"shared_name", variable.name() + "/grad_accum"}}});
}

/// Where a replica counts its steps: on its own task, whatever device function is in force.
Variable make_local_step(const Variable& global_step) {
  const ColocationGuard here = colocate_with(no_op());
  return Variable(Input(0), {.trainable = false,
                             .collections = {GraphKeys::LOCAL_VARIABLES},
                             .name = "sync_rep_local_step",
                             .dtype = base_dtype(global_step.dtype())});
}

}  // namespace

SyncReplicasOptimizer::SyncReplicasOptimizer(std::shared_ptr<Optimizer> optimizer, int replicas_to_aggregate,
                                             const SyncReplicasOptions& options)
    : Optimizer(options.name, options.use_locking),
      optimizer_(checked_optimizer(std::move(optimizer))),
      replicas_to_aggregate_(positive("replicas_to_aggregate", replicas_to_aggregate)),
      total_num_replicas_(
          positive("total_num_replicas", options.total_num_replicas.value_or(replicas_to_aggregate))),
      options_(options) {
  not_negative("drop_after_secs", options.drop_after_secs);
  check_all_set(options.variables_to_average, "variables_to_average");
}

SyncReplicasOptimizer::~SyncReplicasOptimizer() = default;

std::vector<GradientAndVariable> SyncReplicasOptimizer::compute_gradients(
    const Tensor& loss, const ComputeGradientsOptions& options, Input::Where where) {
  return optimizer_->compute_gradients(loss, options, where);
}

SyncReplicasOptimizer::Aggregation SyncReplicasOptimizer::aggregate(const GradientAndVariable& pair,
                                                                    const Variable& local_step,
                                                                    const Input& num_required) const {
  const auto& [gradient, variable] = pair;
  const DeviceGuard there = device(variable.op().device());
  const DType dtype = base_dtype(gradient.dtype());
  Aggregation made;
  if (const std::optional<IndexedSlices> slices = indexed_slices(gradient)) {
    made.accumulator =
        tensor_of({accumulator_node("SparseConditionalAccumulator", variable, dtype, TensorShape({})), 0});
    made.give = Operation(apply_op_node({.op = "SparseAccumulatorApplyGradient",
                                         .args = {Input(made.accumulator), Input(number_of(local_step)),
                                                  Input(cast(slices->indices, DType::kInt64)),
                                                  Input(slices->values), Input(Array(DType::kInt64, {0}))},
                                         .attrs = {{"has_known_shape", false}}}));
    graph::Node* taken = apply_op_node({.op = "SparseAccumulatorTakeGradient",
                                        .args = {Input(made.accumulator), num_required},
                                        .attrs = {{"dtype", dtype}}});
    const Tensor rows = tensor_of({taken, 1});
    made.mean.gradient = convert_to_tensor(
        IndexedSlices{rows, tensor_of({taken, 0}), tf::shape(variable, {.out_type = DType::kInt64})});
  } else {
    made.accumulator =
        tensor_of({accumulator_node("ConditionalAccumulator", variable, dtype, variable.shape()), 0});
    made.give = Operation(
        apply_op_node({.op = "AccumulatorApplyGradient",
                       .args = {Input(made.accumulator), Input(number_of(local_step)), Input(gradient)}}));
    made.mean.gradient = apply_op({.op = "AccumulatorTakeGradient",
                                   .args = {Input(made.accumulator), num_required},
                                   .attrs = {{"dtype", dtype}}});
    made.mean.gradient.set_shape(variable.shape());
  }
  made.mean.variable = variable;
  return made;
}

/// How many gradients each accumulator has at least.
Tensor SyncReplicasOptimizer::least_given(const std::vector<Aggregation>& aggregations) {
  std::vector<Input> counts;
  for (const Aggregation& of : aggregations) {
    const DeviceGuard there = device(of.mean.variable.op().device());
    counts.emplace_back(apply_op({.op = "AccumulatorNumAccumulated", .args = {Input(of.accumulator)}}));
  }
  return reduce_min(stack(counts));
}

Operation SyncReplicasOptimizer::apply_gradients(const std::vector<GradientAndVariable>& grads_and_vars,
                                                 const ApplyGradientsOptions& options, Input::Where where) {
  const ErrorLine errors(where);
  if (grads_and_vars.empty()) throw ValueError("Must supply at least one variable");
  check_variables_set(grads_and_vars);
  if (!options.global_step.has_value()) throw ValueError("Global step is required to check staleness");
  const Variable& global_step = options.global_step;
  graph::Graph& graph = global_step.op().node()->graph();
  const CallScope call(graph, where);
  const Variable local_step = make_local_step(global_step);
  const Operation local_step_init = local_step.assign(global_step).op();
  const Tensor not_ready = report_uninitialized_variables(global_variables());
  const std::string step_device = global_step.op().device();

  const graph::NameScope scope(graph, name());
  const int tokens_per_step = std::max(total_num_replicas_, replicas_to_aggregate_);
  std::shared_ptr<Dropping> dropping;
  if (options_.drop_after_secs > 0) {
    dropping.reset(new Dropping{.wanted = replicas_to_aggregate_, .after_secs = options_.drop_after_secs});
    dropping->num_required =
        placeholder_with_default(Input(replicas_to_aggregate_), {}, {.name = "num_required"});
  }
  const Input num_required =
      dropping != nullptr ? Input(dropping->num_required) : Input(replicas_to_aggregate_);
  std::vector<Aggregation> aggregations;
  std::vector<GradientAndVariable> means;
  std::vector<Dependency> given;
  for (const GradientAndVariable& pair : grads_and_vars) {
    if (!pair.gradient.has_value()) {
      means.push_back(pair);
      continue;
    }
    aggregations.push_back(aggregate(pair, local_step, num_required));
    means.push_back(aggregations.back().mean);
    given.emplace_back(aggregations.back().give);
  }

  const graph::NameScope root(graph, "");
  std::optional<DeviceGuard> beside_step;
  beside_step.emplace(&graph, step_device);
  const Operation update = optimizer_->apply_gradients(means, {.global_step = global_step}, where);
  const DType step_dtype = base_dtype(global_step.dtype());
  FIFOQueue tokens(-1, {step_dtype}, {.shapes = {{}}, .shared_name = "sync_token_q", .name = "sync_token_q"});
  // The runner's own: a queue of a ps that is closed once stays so.
  const FIFOQueue dummy(1, {DType::kInt32},
                        {.shapes = {{}}, .shared_name = "dummy_queue", .name = "dummy_queue"});
  Tensor token;
  {
    const ControlDependenciesGuard when_given = control_dependencies(given);
    token = tokens.dequeue();
  }
  Operation synchronise;
  {
    const ControlDependenciesGuard when_updated = control_dependencies({update});
    synchronise = tokens.enqueue_many({fill(Input(Array({tokens_per_step})), global_step.read_value())});
  }
  beside_step.reset();
  const Operation train = local_step.assign(token).op();
  if (options_.variable_averages != nullptr) {
    const ControlDependenciesGuard when_synchronised = control_dependencies({synchronise});
    const std::vector<Averaged> averaged(options_.variables_to_average.begin(),
                                         options_.variables_to_average.end());
    synchronise = averaged.empty() ? options_.variable_averages->apply(where)
                                   : options_.variable_averages->apply(averaged, where);
  }
  std::vector<Dependency> chief_init = {local_step_init};
  for (const Aggregation& of : aggregations) {
    const DeviceGuard there = device(of.mean.variable.op().device());
    chief_init.emplace_back(
        Operation(apply_op_node({.op = "AccumulatorSetGlobalStep",
                                 .name = "SetGlobalStep",
                                 .args = {Input(of.accumulator), Input(number_of(global_step))}})));
  }
  FilledQueue chief{dummy, {synchronise}, dummy.close(), dummy.close({.cancel_pending_enqueues = true})};
  if (dropping != nullptr) {
    dropping->num_given = least_given(aggregations);
    const DeviceGuard beside_tokens = device(step_device);
    dropping->num_left = tokens.size();
    dropping->take_token = tokens.dequeue().op();
    dropping->one_token = tokens.enqueue({global_step.read_value()});
    chief.run = [dropping](Session& session, const Operation& op, const RunOptions& how) {
      dropping->run(session, op, how);
    };
  }
  made_ = std::make_unique<Made>(Made{.global_step = global_step,
                                      .tokens = tokens,
                                      .chief = std::move(chief),
                                      .chief_init = group(chief_init),
                                      .local_step_init = local_step_init,
                                      .not_ready = not_ready,
                                      .dropping = dropping});
  return train;
}

Variable SyncReplicasOptimizer::get_slot(const Variable& variable, const std::string& name,
                                         Input::Where where) const {
  return optimizer_->get_slot(variable, name, where);
}

std::vector<std::string> SyncReplicasOptimizer::get_slot_names() const {
  return optimizer_->get_slot_names();
}

const SyncReplicasOptimizer::Made& SyncReplicasOptimizer::made(const char* what) const {
  if (made_ != nullptr) return *made_;
  throw ValueError(fmt::format("{} should be called after apply_gradients().", what));
}

FilledQueue SyncReplicasOptimizer::get_chief_queue_runner() const {
  return made("get_chief_queue_runner()").chief;
}
Operation SyncReplicasOptimizer::chief_init_op() const { return made("chief_init_op()").chief_init; }
Operation SyncReplicasOptimizer::local_step_init_op() const {
  return made("local_step_init_op()").local_step_init;
}
Tensor SyncReplicasOptimizer::ready_for_local_init_op() const {
  return made("ready_for_local_init_op()").not_ready;
}

Operation SyncReplicasOptimizer::get_init_tokens_op(int num_tokens, Input::Where where) {
  const ErrorLine errors(where);
  const Made& of = made("get_init_tokens_op()");
  const int needed = replicas_to_aggregate_ - total_num_replicas_;
  if (num_tokens == -1) {
    num_tokens = replicas_to_aggregate_;
  } else if (num_tokens < needed) {
    throw ValueError(fmt::format("Too few tokens to finish the first step: {} (given) vs {} (needed)",
                                 num_tokens, needed));
  }
  graph::Graph& graph = of.global_step.op().node()->graph();
  const CallScope call(graph, where);
  const graph::NameScope root(graph, "");
  if (num_tokens <= 0) return no_op("no_init_tokens");
  const DeviceGuard there = device(of.global_step.op().device());
  return of.tokens.enqueue_many({fill(Input(Array({num_tokens})), of.global_step.read_value())});
}

// Gradients reach variables by the optimizer that this one is made of.
void SyncReplicasOptimizer::create_slots(const std::vector<Variable>& /*variables*/) {}
void SyncReplicasOptimizer::prepare() {}
Operation SyncReplicasOptimizer::apply_dense(const Tensor& /*gradient*/, const Variable& variable) {
  throw errors::InternalError("SyncReplicasOptimizer updates no variable itself: " + variable.name());
}

}  // namespace flowray::tf::train
