#pragma once
/// An optimizer of tf.keras: its learning rate may be set between steps.

#include <flowray/tf/config.h>
#include <flowray/tf/keras/learning_rate_schedules.h>
#include <flowray/tf/train.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace flowray::tf::keras {

/// A slot, and what files call it.
struct SlotInFiles {
  std::string name;
  std::string in_files;
};

/// What files have of an optimizer besides its name and rate.
struct OptimizerInFiles {
  Config options;
  std::vector<SlotInFiles> slots = {};
  bool is_by_weight = false;  // all slots of a weight, one after the other; else a slot of all weights
  bool counts_steps = false;  // whether its rule goes by their number, whatever its rate does
  bool has_momentum_cache = false;
};

/// What files have of an optimizer for a weight; of none: for all of them, a scalar.
struct WeightSlot {
  Variable weight;
  SlotInFiles slot;
  /// What files call it.
  std::string name_in_files(const std::string& optimizer) const;
  TensorShape shape() const { return weight.has_value() ? weight.shape() : TensorShape({}); }
};

/// What is done to each gradient before it is applied.
struct Clipping {
  std::optional<double> norm = {};
  std::optional<double> value = {};
};

/// What gradients of a step are multiplied by, and what is done to them before.
struct Rating {
  optimizers::LearningRate learning_rate = 0.001;
  double decay = 0;
  Clipping clipping = {};
  std::optional<double> momentum_decay = {};  // Nadam's, which files call `decay`
};

/// What a step goes by.
struct StepNumbers {
  tf::Input learning_rate = 0.0;
  Tensor iterations;  // how many steps there were before it, a float32; unset where nobody asks
  Variable momentum_cache;
};

/// A rule of tf.keras itself.
class KerasRule : public train::Optimizer {
 public:
  /// What the next step goes by.
  void set_numbers(const StepNumbers& numbers) { numbers_ = numbers; }

 protected:
  explicit KerasRule(std::string name) : Optimizer(std::move(name), /*use_locking=*/false) {}
  void prepare() override { rate_ = hyperparameter(numbers_.learning_rate, "learning_rate"); }
  const StepNumbers& numbers() const { return numbers_; }
  Tensor rate(const Variable& variable) const { return cast_to(rate_, variable); }

 private:
  StepNumbers numbers_;
  Tensor rate_;
};

/// Leaves its work to one of tf::train, or to a KerasRule, for each graph, where its rate is a variable.
class RatedOptimizer final : public train::Optimizer {
 public:
  /// Makes the one that works. It is told its rate before each step.
  using Make = std::function<std::shared_ptr<train::Optimizer>()>;
  /// What it is made with in place of the rate.
  static constexpr double kRateOfEachStep = 0.0;
  /// Throws ValueError for clipping and decays that are none.
  RatedOptimizer(std::string name, Rating rating, OptimizerInFiles in_files, Make make);

  Operation apply_gradients(const std::vector<train::GradientAndVariable>& grads_and_vars,
                            const train::ApplyGradientsOptions& options, tf::Input::Where where) override;
  Variable get_slot(const Variable& variable, const std::string& name, tf::Input::Where where) const override;
  std::vector<std::string> get_slot_names() const override;

  /// The variable of the rate in the graph of those that are trained; none where the program gave something
  /// else.
  Variable learning_rate(graph::Graph& home);
  /// The tensor or variable that the program gave as the rate, as a tensor; unset where it gave none.
  Tensor rate_tensor() const;

  using Optimizer::name;
  const OptimizerInFiles& in_files() const { return in_files_; }
  /// The slots of these weights, in the order of files.
  std::vector<WeightSlot> slots_in_files(const std::vector<Variable>& weights) const;
  /// What it keeps there in this graph; none where it has made no step there.
  Variable variable_of(const WeightSlot& slot, const graph::Graph& home) const;
  /// What files have of a rate that is a schedule; null of another. Throws errors::UnimplementedError for the
  /// program's own.
  Config schedule_in_files() const;
  /// {"class_name": "SGD", "config": ...} with this rate: a number, or schedule_in_files().
  Config config(const Config& learning_rate) const;
  /// How many steps it has made.
  int64_t steps() const { return steps_; }
  /// For who runs its steps: what counts them.
  int64_t* steps_made() { return &steps_; }
  /// That it has made so many: the variables of the graph that hang on it, and their values.
  std::vector<std::pair<Variable, Array>> go_on_from(int64_t steps, graph::Graph& home);

 protected:
  // The other one's, which are asked in place of these.
  void create_slots(const std::vector<Variable>& /*variables*/) override {}
  void prepare() override {}
  Operation apply_dense(const Tensor& /*gradient*/, const Variable& /*variable*/) override { return {}; }

 private:
  /// A number, which becomes a variable; all else is the program's own matter.
  bool is_rate_a_number() const;
  bool counts_steps() const;
  struct OfGraph {
    Variable rate;  // keeps its graph, so that none comes to be where another was
    Variable iterations;
    Variable momentum_cache;
    std::shared_ptr<train::Optimizer> optimizer;
  };
  OfGraph& of(graph::Graph& home);
  const train::Optimizer* inner_or_null(const graph::Graph& home) const;
  StepNumbers numbers_of(const OfGraph& here) const;

  std::vector<train::GradientAndVariable> clipped(const std::vector<train::GradientAndVariable>& pairs) const;
  Tensor clipped(Tensor gradient) const;

  Rating rating_;
  OptimizerInFiles in_files_;
  int64_t steps_ = 0;
  Make make_;
  std::map<const graph::Graph*, OfGraph> of_graphs_;
};

}  // namespace flowray::tf::keras
