#pragma once
/// What a model is made of, for the sources of models.h.

#include <flowray/tf/keras/models.h>

#include "tf/build/apply_op.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace flowray::tf::keras {

/// One step of a model: what is fed and what is fetched.
struct ModelStep {
  std::vector<Tensor> feeds;   // the inputs; the true values; how much each element counts
  std::vector<Tensor> scores;  // the loss, then the metrics; or the outputs
  std::vector<Operation> effects;
  std::shared_ptr<Session> session;  // that `call` is of
  CallableOfMany call;
};

struct Sequential::State {
  Graph graph;
  std::string name;
  std::vector<std::shared_ptr<Layer>> layers;
  bool is_built = false;
  bool was_called = false;
  TensorShape input_shape = TensorShape::unknown_rank();
  Tensor input;
  Tensor output;  // of the layers as they were built, not in training

  bool is_compiled = false;
  std::shared_ptr<train::Optimizer> optimizer;
  ScoreFunction loss;
  std::vector<ScoreFunction> metrics;
  TensorShape target_shape = TensorShape::unknown_rank();
  /// By whether it trains and whether elements have weights.
  std::map<std::pair<bool, bool>, ModelStep> score_steps;
  std::unique_ptr<ModelStep> predict_step;

  std::shared_ptr<Session> session;  // kept, so that the variables stay
};

/// Steps of a model in its session, for one call of the program's.
class ModelRunner {
 public:
  explicit ModelRunner(Sequential& model, Sequential::State& state) : model_(model), state_(state) {}

  /// The session, with all variables of the graph initialized.
  Session& session();
  ModelStep& score_step(bool training, bool weighted);
  ModelStep& predict_step();
  /// Makes it ready to run in the session.
  void prepare(ModelStep& step);
  /// The values of the model's weights.
  std::vector<Array> weights();
  /// Runs one; `values` are fed in the order of its feeds.
  std::vector<Array> run(ModelStep& step, const std::vector<Array>& values);

 private:
  void initialize_variables(Session& session);

  Sequential& model_;
  Sequential::State& state_;
  std::set<const ModelStep*> ready_;
};

/// The session that models of a graph share; see backend::get_session.
std::shared_ptr<Session> session_of(const Graph& graph);

}  // namespace flowray::tf::keras
