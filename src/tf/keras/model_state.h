#pragma once
/// What a model is made of, for the sources of models.h.

#include <flowray/tf/keras/metrics.h>
#include <flowray/tf/keras/models.h>
#include <flowray/tf/saver.h>

#include "tf/build/apply_op.h"
#include "tf/keras/network.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace flowray::tf::keras {

/// One step of a model: what is fed and what is fetched.
struct ModelStep {
  std::vector<Tensor> feeds;   // the inputs; the true values; how much each element counts
  std::vector<Tensor> scores;  // the loss, then the metrics; or the outputs
  std::vector<Tensor> counts;  // how much a batch counts in the mean of its score; unset: by its elements
  std::vector<std::pair<size_t, metrics::Metric>> running;  // numbers of scores that are values, and of what
  std::vector<std::string> added_metrics;                   // names of the last scores, which layers add
  std::vector<Operation> effects;
  int64_t* optimizer_steps = nullptr;  // counts those of training, where the optimizer is one of tf.keras
  std::shared_ptr<Session> session;    // that `call` is of
  CallableOfMany call;
};

/// What layers of the program's say of themselves while their calls are made for a step: metrics by name.
class AddedMetrics {
 public:
  AddedMetrics();
  AddedMetrics(const AddedMetrics&) = delete;
  AddedMetrics& operator=(const AddedMetrics&) = delete;
  ~AddedMetrics();
  /// Of the step that this thread is making; goes nowhere where it makes none.
  static void add(const std::string& name, const Tensor& value);
  const std::vector<std::pair<std::string, Tensor>>& all() const { return all_; }

 private:
  std::vector<std::pair<std::string, Tensor>> all_;
  AddedMetrics* before_;
};

/// What an optimizer keeps: how many steps it has made, and its slots of each variable.
struct OptimizerWeights {
  int64_t steps = 0;
  std::vector<Array> slots;  // in tf.keras' order
};

/// A metric that counts elements by their weights.
struct WeightedMetric {
  ScoreFunction score;
  /// In place of `score`: a metric that is kept over batches (a running one). `weights` may be null.
  std::function<Tensor(const Tensor& y_true, const Tensor& y_pred, const Tensor& weights)> running;
};

struct Model::State {
  Graph graph;
  bool is_sequential = false;
  std::string own_class;                         // of a class of the program's that has call()
  std::optional<CompileOptions> compiled_later;  // of such a model without inputs yet
  std::vector<std::shared_ptr<Layer>> layers;
  bool is_built = false;
  bool is_deferred = false;  // built by the first numbers that it saw
  bool was_called = false;
  /// The input of a sequential model whose inputs were given before its layers, with the batch in front.
  std::optional<std::pair<TensorShape, InputOptions>> given_input;
  // Where it is built:
  std::vector<KerasTensor> input_ends;
  std::vector<KerasTensor> output_ends;  // not in training
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  std::vector<std::string> input_names;
  std::vector<std::string> output_names;
  Network network;                          // of a functional model
  std::vector<KerasTensor> beside_outputs;  // what else its steps make: losses and metrics that were added

  bool is_compiled = false;
  std::optional<OptimizerWeights> first_optimizer_weights;  // of a file, for the first step of training
  std::shared_ptr<train::Optimizer> optimizer;
  /// What steps train: the weights that were trainable when compile() was called, or when the first ones were
  /// made after it.
  std::optional<std::vector<Variable>> trained;
  std::vector<ScoreFunction> losses;                          // of each output; unset: none
  std::vector<std::vector<ScoreFunction>> metrics;            // of each output
  std::vector<std::vector<WeightedMetric>> weighted_metrics;  // of each output, behind the others; or none
  std::vector<std::string> added_metrics;  // of the step that was used last: layers may add some in one only
  std::vector<double> loss_weights;
  std::vector<bool> has_weights_of_times;  // of each output: the weights of its elements are [batch, time]
  std::vector<TensorShape> target_shapes;  // of each output; empty until the first ones are seen
  /// By whether it trains and whether elements have weights.
  std::map<std::pair<bool, bool>, ModelStep> score_steps;
  std::unique_ptr<ModelStep> predict_step;

  std::shared_ptr<Session> session;  // kept, so that the variables stay
  /// Of the weights that there were when it was made, by their names.
  std::map<std::vector<std::string>, std::unique_ptr<train::Saver>> savers;

  /// Also of a sequential model that is not built.
  size_t num_outputs() const { return is_sequential ? 1 : outputs.size(); }
  /// Of a class of the program's: the first batch will say what its inputs are.
  bool has_no_ends_yet() const { return !own_class.empty() && !is_built; }
  /// Throws for a model, called so, of several.
  void check_one_output(const std::string& name) const;
  /// Numbers of the outputs that have a loss, and so true values.
  std::vector<size_t> outputs_with_loss() const;
  std::vector<std::string> names_with_loss() const;
  train::Saver& saver_of(const std::vector<Variable>& weights);
  /// The variable of the optimizer's rate. Throws where there is none.
  Variable learning_rate(const std::vector<Variable>& weights) const;
  /// The loss and the metrics of compile, then those that layers add in a step.
  std::vector<std::string> names_of_scores(const std::vector<std::string>& added) const;
  /// What the true values of an output are computed with.
  DType target_dtype(size_t output) const;
  void set_ends(std::vector<KerasTensor> input_tensors, std::vector<KerasTensor> output_tensors);
  /// Its layers are others now: the steps that were made are no more.
  void forget_steps() {
    score_steps.clear();
    predict_step.reset();
    target_shapes.clear();
  }
};

/// Steps of a model in its session, for one call of the program's.
class ModelRunner {
 public:
  explicit ModelRunner(Model& model) : model_(model), state_(*model.model_) {}

  /// The session, with all variables of the graph initialized.
  Session& session();
  ModelStep& score_step(bool training, bool weighted);
  ModelStep& predict_step();
  /// Makes it ready to run in the session.
  void prepare(ModelStep& step);
  std::vector<Array> values_of(const std::vector<Variable>& variables);
  /// Of a scalar of the program's.
  double value_of(const Tensor& scalar);
  void set_values(const std::vector<Variable>& variables, const std::vector<Array>& values);
  /// Runs one; `values` are fed in the order of its feeds. Gives the scores, then the counts that are set.
  std::vector<Array> run(ModelStep& step, const std::vector<Array>& values);

 private:
  ModelStep made_score_step(bool training, bool weighted);
  Tensor total_loss(ModelStep& step, const std::vector<Tensor>& targets, const std::vector<Tensor>& outputs,
                    const std::vector<Tensor>& weights);
  void add_training(ModelStep& step, const Tensor& total);
  void load_optimizer_weights();
  Tensor loss_of_output(size_t i, const Tensor& targets, const Tensor& output, const Tensor& weights);
  static void add_running(ModelStep& step, const metrics::Metric& metric, const Tensor& targets,
                          const Tensor& output, const Tensor& weights = {});
  void add_metrics(ModelStep& step, size_t i, const Tensor& targets, const Tensor& output);
  void add_weighted_metrics(ModelStep& step, size_t i, const Tensor& targets, const Tensor& output,
                            const Tensor& weights);

  Model& model_;
  Model::State& state_;
  std::set<const ModelStep*> ready_;
};

/// The graph of the models that are made now: the default one; while operations run at once, one for all of
/// them, whose variables are those of eager execution.
Graph home_graph();
/// From now on the models of the graph share this one, for as long as somebody keeps it; null:
/// one of their own.
void share_session(const Graph& graph, const std::shared_ptr<Session>& session);
/// The session that models of a graph share; see backend::get_session.
std::shared_ptr<Session> session_of(const Graph& graph);
/// The same, with all variables of the graph initialized.
std::shared_ptr<Session> ready_session(const Graph& graph);
/// Gives variables values in the session of their graph's models; those of eager execution at once.
void load_values(const std::vector<Variable>& variables, const std::vector<Array>& values);

}  // namespace flowray::tf::keras
