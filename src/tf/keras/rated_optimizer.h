#pragma once
/// An optimizer of tf.keras: its learning rate may be set between steps.

#include <flowray/tf/config.h>
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
};

struct WeightSlot {
  Variable weight;
  SlotInFiles slot;
};

/// What is done to each gradient before it is applied.
struct Clipping {
  std::optional<double> norm = {};
  std::optional<double> value = {};
};

/// Leaves its work to one of tf::train for each graph, whose rate is a variable there.
class RatedOptimizer final : public train::Optimizer {
 public:
  /// Makes the optimizer for a rate.
  using Make = std::function<std::shared_ptr<train::Optimizer>(const tf::Input& learning_rate)>;
  RatedOptimizer(std::string name, tf::Input learning_rate, OptimizerInFiles in_files, Make make,
                 const Clipping& clipping);

  Operation apply_gradients(const std::vector<train::GradientAndVariable>& grads_and_vars,
                            const train::ApplyGradientsOptions& options, tf::Input::Where where) override;
  Variable get_slot(const Variable& variable, const std::string& name, tf::Input::Where where) const override;
  std::vector<std::string> get_slot_names() const override;

  /// The variable of the rate in the graph of those that are trained; none where the program gave a tensor.
  Variable learning_rate(graph::Graph& home);

  using Optimizer::name;
  const OptimizerInFiles& in_files() const { return in_files_; }
  /// The slots of these weights, in the order of files.
  std::vector<WeightSlot> slots_in_files(const std::vector<Variable>& weights) const;
  /// {"class_name": "SGD", "config": ...} with this rate.
  Config config(double learning_rate) const;
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
  bool is_rate_a_number() const { return first_rate_.literal() != nullptr || first_rate_.array() != nullptr; }
  struct OfGraph {
    Variable rate;  // keeps its graph, so that none comes to be where another was
    std::shared_ptr<train::Optimizer> optimizer;
  };
  OfGraph& of(graph::Graph& home);
  train::Optimizer& inner(graph::Graph& home);
  const train::Optimizer* inner_or_null(const graph::Graph& home) const;

  std::vector<train::GradientAndVariable> clipped(const std::vector<train::GradientAndVariable>& pairs) const;
  Tensor clipped(Tensor gradient) const;

  tf::Input first_rate_;
  OptimizerInFiles in_files_;
  int64_t steps_ = 0;
  Make make_;
  Clipping clipping_;
  std::map<const graph::Graph*, OfGraph> of_graphs_;
  std::shared_ptr<train::Optimizer> of_tensor_;  // whose rate the program gave as a tensor
};

}  // namespace flowray::tf::keras
