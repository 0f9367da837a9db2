#pragma once
/// tf.train.SyncReplicasOptimizer: replicas of a model, each a program of its own, whose gradients are
/// averaged before the variables change.

#include <flowray/tf/train.h>

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::train {

class SessionRunHook;  // flowray/tf/session_run_hooks.h

struct SyncReplicasOptions {
  /// How many replicas there are; left out: as many as are aggregated. With more of them the slowest are
  /// dropped in each step; with fewer some of them give more than one gradient to a step.
  std::optional<int> total_num_replicas = std::nullopt;
  /// Averages that the chief updates after each step, of these variables.
  std::shared_ptr<ExponentialMovingAverage> variable_averages = nullptr;
  /// Empty: none.
  std::vector<Variable> variables_to_average = {};
  /// Written into the nodes; nothing changes by it here. Set it only for a graph that TensorFlow is to run,
  /// which then locks the variable while it changes.
  bool use_locking = false;
  /// The scope of its nodes.
  std::string name = "sync_replicas";
  /// Of the chief. After so many seconds a step goes on with the gradients that are there, one at least,
  /// saying so on stderr. Tokens that ended replicas leave go to the others, which give more than one
  /// gradient to a step then. 0, as TensorFlow's: a replica that died, or ran out of data, may be waited for
  /// without end.
  double drop_after_secs = 0;
};

struct SyncReplicasHookOptions {
  /// What the chief puts into the queue of tokens at the start; -1: as many as gradients are aggregated.
  int num_tokens = -1;
};

/// An optimizer whose step is one of all replicas.
///
/// Each replica's gradients go to accumulators beside the variables. When `replicas_to_aggregate` of them are
/// there, the chief applies their mean by the optimizer that this one is made of, counts the global step up
/// and puts a token with its number into a queue for each replica, which waits for one before its next step.
/// Gradients of a replica that has not seen the last step's number are dropped. Nodes and shared names are
/// TensorFlow's (tensorflow/python/training/sync_replicas_optimizer.py), so replicas of both train together.
///
///     SyncReplicasOptimizer optimizer(AdagradOptimizer(0.1), 2);
///     auto train = optimizer.minimize(loss, {.global_step = step});
///     auto tokens = is_chief ? optimizer.get_init_tokens_op() : tf::no_op();
///     Supervisor supervisor({.is_chief = is_chief,
///                            .ready_for_local_init_op = optimizer.ready_for_local_init_op(),
///                            .local_init_op = optimizer.init_op_of(is_chief), .global_step = step});
///     supervisor.prepare(session);
///     if (is_chief) {
///       supervisor.start_queue_runners(session, {optimizer.get_chief_queue_runner()});
///       session.run(tokens);
///     }
class SyncReplicasOptimizer : public Optimizer {
 public:
  /// `replicas_to_aggregate` gradients make a step. Throws ValueError for a number that is not positive.
  SyncReplicasOptimizer(std::shared_ptr<Optimizer> optimizer, int replicas_to_aggregate,
                        const SyncReplicasOptions& options = {});
  /// The same of an optimizer itself.
  template <std::derived_from<Optimizer> Rule>
    requires(!std::same_as<Rule, SyncReplicasOptimizer>)
  SyncReplicasOptimizer(Rule optimizer, int replicas_to_aggregate, const SyncReplicasOptions& options = {})
      : SyncReplicasOptimizer(std::shared_ptr<Optimizer>(std::make_shared<Rule>(std::move(optimizer))),
                              replicas_to_aggregate, options) {}
  ~SyncReplicasOptimizer() override;

  /// As the optimizer that it is made of.
  std::vector<GradientAndVariable> compute_gradients(const Tensor& loss,
                                                     const ComputeGradientsOptions& options = {},
                                                     Input::Where where = Input::Where::current()) override;
  /// The replica's part of a step: it gives its gradients and waits for the step's token. Throws ValueError
  /// "Global step is required to check staleness" without a global step.
  Operation apply_gradients(const std::vector<GradientAndVariable>& grads_and_vars,
                            const ApplyGradientsOptions& options = {},
                            Input::Where where = Input::Where::current()) override;
  /// What the optimizer that it is made of gives.
  Variable get_slot(const Variable& variable, const std::string& name,
                    Input::Where where = Input::Where::current()) const override;
  /// What the optimizer that it is made of gives.
  std::vector<std::string> get_slot_names() const override;

  // What follows is there after apply_gradients(); before that it throws ValueError.

  /// What the chief runs again and again, for which there is a thread to be had. With drop_after_secs it is
  /// to be run by its `run`, as the Supervisor does.
  FilledQueue get_chief_queue_runner() const;
  /// Puts `num_tokens` tokens into the queue for the first step, to be run once by the chief; -1: as many as
  /// gradients are aggregated. Throws ValueError for fewer than the first step needs.
  Operation get_init_tokens_op(int num_tokens = -1, Input::Where where = Input::Where::current());
  /// What the chief has to run before the first step, and what every other replica has to.
  Operation chief_init_op() const;
  /// What every replica but the chief has to run before the first step.
  Operation local_step_init_op() const;
  /// chief_init_op() or local_step_init_op().
  Operation init_op_of(bool is_chief) const { return is_chief ? chief_init_op() : local_step_init_op(); }
  /// Which variables have no value: the two above need all of them.
  Tensor ready_for_local_init_op() const;
  /// What a MonitoredSession needs of this: it initialises, and the chief's puts tokens in and starts the
  /// thread. The optimizer must live as long as the hook.
  std::shared_ptr<SessionRunHook> make_session_run_hook(bool is_chief,
                                                        const SyncReplicasHookOptions& options = {});

 private:
  struct Made;
  struct Dropping;
  struct Aggregation;
  const Made& made(const char* what) const;
  Aggregation aggregate(const GradientAndVariable& pair, const Variable& local_step,
                        const Input& num_required) const;
  static Tensor least_given(const std::vector<Aggregation>& aggregations);
  void create_slots(const std::vector<Variable>& variables) override;
  void prepare() override;
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override;

  const std::shared_ptr<Optimizer> optimizer_;
  const int replicas_to_aggregate_;
  const int total_num_replicas_;
  const SyncReplicasOptions options_;
  std::unique_ptr<Made> made_;
};

}  // namespace flowray::tf::train

#pragma GCC visibility pop
