#pragma once
/// An optimizer of tf.keras: its learning rate may be set between steps.

#include <flowray/tf/train.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace flowray::tf::keras {

/// Leaves its work to one of tf::train, whose rate is a variable. It serves one graph after the other: what
/// it kept in the one before stays behind.
class RatedOptimizer final : public train::Optimizer {
 public:
  /// Makes the optimizer for a rate.
  using Make = std::function<std::shared_ptr<train::Optimizer>(const tf::Input& learning_rate)>;
  RatedOptimizer(std::string name, tf::Input learning_rate, Make make);

  Operation apply_gradients(const std::vector<train::GradientAndVariable>& grads_and_vars,
                            const train::ApplyGradientsOptions& options, tf::Input::Where where) override;
  Variable get_slot(const Variable& variable, const std::string& name, tf::Input::Where where) const override;
  std::vector<std::string> get_slot_names() const override;

  /// The variable of the rate in the graph of those that are trained; none where the program gave a tensor.
  Variable learning_rate(graph::Graph& home);

 protected:
  // The other one's, which are asked in place of these.
  void create_slots(const std::vector<Variable>& /*variables*/) override {}
  void prepare() override {}
  Operation apply_dense(const Tensor& /*gradient*/, const Variable& /*variable*/) override { return {}; }

 private:
  /// A number, which becomes a variable; all else is the program's own matter.
  bool is_rate_a_number() const { return first_rate_.literal() != nullptr || first_rate_.array() != nullptr; }
  train::Optimizer& inner(graph::Graph& home);

  tf::Input first_rate_;
  Make make_;
  Variable rate_;
  std::shared_ptr<train::Optimizer> inner_;
};

}  // namespace flowray::tf::keras
