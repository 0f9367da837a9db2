#pragma once
/// Batches through a model: what fit, evaluate and predict do.

#include "tf/build/unset.h"
#include "tf/build/user_line.h"
#include "tf/keras/batches.h"
#include "tf/keras/model_state.h"
#include "tf/keras/progress_bar.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::tf::keras {

class Training {
 public:
  explicit Training(Model& model) : model_(model), state_(*model.model_), runner_(model) {}

  History fit(const Arrays& x, const Arrays& y, const FitOptions& options);
  History fit(const data::Dataset& x, const FitOptions& options);
  /// The means over all examples.
  Logs evaluate(const Arrays& x, const Arrays& y, const EvaluateOptions& options);
  Logs evaluate(const data::Dataset& x, const EvaluateOptions& options);
  /// One step. `counts`, where it is given, gets how much the batch counts in the mean of each score.
  std::vector<double> step(const Examples& batch, bool training, std::vector<double>* counts = nullptr);
  /// The same of a batch that stands for itself: what counts over batches begins with it.
  std::vector<double> step_by_itself(const Examples& batch, bool training);
  /// What each output gives.
  std::vector<Array> predict(const Arrays& x, const PredictOptions& options);
  std::vector<Array> predict(const data::Dataset& x, const PredictOptions& options);
  /// Checks arrays of a program, and builds the model for them where it is not built. `advice` is what an
  /// error says of them on its next line.
  Examples checked(const Arrays& x, const Arrays& y, const std::optional<Arrays>& weights,
                   std::string_view advice = {});

  /// Makes the steps.
  void prepare(bool training, bool weighted) { runner_.prepare(runner_.score_step(training, weighted)); }
  void prepare_predict(const Arrays& x) {
    (void)checked_inputs(x, {});
    runner_.prepare(runner_.predict_step());
  }

 private:
  class Means;
  using Callbacks = std::vector<std::shared_ptr<Callback>>;

  // ---- training_examples.cpp

  void check_compiled() const;
  std::vector<Array> checked_inputs(const Arrays& x, std::string_view advice);
  std::vector<Array> checked_targets(const Arrays& y, int64_t size, std::string_view advice);
  std::vector<Array> checked_weights(const Arrays& weights, const std::vector<Array>& truths);
  size_t num_inputs() const;
  /// Throws for elements of another number of components than a batch for scores has.
  void check_elements(const data::Dataset& dataset, std::string_view argument) const;
  void check_components(size_t given, std::string_view argument) const;
  /// The same of a batch to predict for.
  void check_inputs_of(const data::Dataset& dataset) const;
  /// What a dataset's element is, checked.
  Examples examples_of(std::vector<Array> components, std::string_view advice);
  /// The same without true values.
  Examples inputs_of(std::vector<Array> components);

  // ---- class_weights.cpp

  /// Of each output with a loss; none where there are none.
  std::vector<ClassWeights> class_weights_of(const FitOptions& options) const;
  /// The examples, whose weights are multiplied by those of their classes.
  Examples weighed(Examples examples, const std::vector<ClassWeights>& class_weights) const;

  // ---- training.cpp

  /// How many losses of outputs stand behind the whole loss.
  size_t num_losses() const { return state_.num_outputs() > 1 ? state_.outputs_with_loss().size() : 0; }
  /// `class_weighted`: the options of a fit() whose class weights count, while it runs.
  std::unique_ptr<Batches> batches_of(const data::Dataset& dataset, StepsOfEpoch steps,
                                      std::string_view advice, const FitOptions* class_weighted = nullptr);
  std::unique_ptr<Batches> validation_of(const FitOptions& options);
  History run_epochs(Batches& batches, Batches* validation, const FitOptions& options);
  /// False where there was no batch left for it.
  bool train_epoch(Batches& batches, int64_t epoch, const FitOptions& options, Batches* validation);
  Logs train_batches(Batches& batches, const FitOptions& options, ProgressBar& progress);
  /// Metrics that count over batches begin anew.
  void reset(const ModelStep& step);
  Means means_of(bool training, const Examples& batch, const Batches& batches);
  /// The means of an epoch; none where it has no batch.
  std::optional<Logs> evaluated(Batches& batches, const Callbacks& callbacks);
  void validate(Batches& validation, const Callbacks& callbacks, Logs& logs);
  /// What each output gives for the next batch, nothing of an empty one; none behind the last one.
  std::optional<std::vector<Array>> predicted(Batches& batches, int64_t number, const Callbacks& callbacks);
  std::vector<int64_t> order_of(int64_t size, const FitOptions& options, int64_t epoch) const;
  /// Calls a function of the program's: its errors and nodes are of its own lines.
  template <class F>
  void call_back(const F& function) const {
    const LinesOfTheirOwn lines(*state_.graph.get());
    function();
  }
  /// Says to callbacks whose model it is; nobody has stopped it yet. Throws ValueError for null pointers.
  void begin_telling(const Callbacks& callbacks) const;
  static void note_batch(const Callbacks& callbacks, const Examples& batch, const Batches& batches);
  void tell(const Callbacks& callbacks, const std::function<void(Callback&)>& what) const;
  /// Tells callbacks that an epoch has ended; what they add to the logs is there for the next ones.
  void tell_end_of_epoch(const FitOptions& options, int64_t epoch, Logs& logs) const;
  ProgressBar::Write write_of(const FitOptions& options) const;

  Model& model_;
  Model::State& state_;
  ModelRunner runner_;
  History history_;
};

}  // namespace flowray::tf::keras
