#pragma once
/// Batches of arrays through a model: what fit, evaluate and predict do.

#include "tf/build/user_line.h"
#include "tf/keras/model_state.h"
#include "tf/keras/progress_bar.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::tf::keras {

/// Elements with their true values and weights, as a model's steps take them.
struct Examples {
  std::vector<Array> x;        // of each input
  std::vector<Array> y;        // of each output
  std::vector<Array> weights;  // of each output, or none

  int64_t size() const { return x[0].dim(0); }
  bool is_weighted() const { return !weights.empty(); }
  /// The examples of these numbers, in their order.
  Examples at(const std::vector<int64_t>& numbers) const;
  Examples rows(int64_t begin, int64_t end) const;
  /// What is fed to a step.
  std::vector<Array> values() const;
};

class Training {
 public:
  explicit Training(Model& model) : model_(model), state_(*model.model_), runner_(model) {}

  History fit(const Arrays& x, const Arrays& y, const FitOptions& options);
  /// The means over all examples.
  Logs evaluate(const Examples& examples, int64_t batch_size);
  /// One step. `counts`, where it is given, gets how much the batch counts in the mean of each score.
  std::vector<double> step(const Examples& batch, bool training, std::vector<double>* counts = nullptr);
  /// What each output gives.
  std::vector<Array> predict(const Arrays& x, int64_t batch_size);
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
  std::vector<Array> checked_inputs(const Arrays& x, std::string_view advice);
  std::vector<Array> checked_targets(const Arrays& y, int64_t size, std::string_view advice);
  std::vector<Array> checked_weights(const Arrays& weights, int64_t size);
  /// How many losses of outputs stand behind the whole loss.
  size_t num_losses() const { return state_.num_outputs() > 1 ? state_.outputs_with_loss().size() : 0; }
  void train_epoch(const Examples& examples, int64_t epoch, const FitOptions& options,
                   const Examples* validation);
  std::vector<int64_t> order_of(int64_t size, const FitOptions& options, uint64_t epoch) const;
  /// Calls a function of the program's: its errors and nodes are of its own lines.
  template <class F>
  void call_back(const F& function) const {
    const LinesOfTheirOwn lines(*state_.graph.get());
    function();
  }
  void tell(const FitOptions& options, const std::function<void(Callback&)>& what) const;
  ProgressBar::Write write_of(const FitOptions& options) const;

  Model& model_;
  Model::State& state_;
  ModelRunner runner_;
  History history_;
};

}  // namespace flowray::tf::keras
