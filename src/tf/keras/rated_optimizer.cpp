#include "tf/keras/rated_optimizer.h"

#include <flowray/tf/array.h>
#include <flowray/tf/variable_scope.h>

#include "graph/graph.h"
#include "tf/build/unset.h"
#include "tf/flow/flow_build.h"
#include "tf/train/update_rule.h"

#include <fmt/format.h>

#include <utility>

namespace flowray::tf::keras {

RatedOptimizer::RatedOptimizer(std::string name, tf::Input learning_rate, Make make)
    : Optimizer(std::move(name), /*use_locking=*/false),
      first_rate_(std::move(learning_rate)),
      make_(std::move(make)) {
  check_set(first_rate_, "learning_rate");
  if (!is_rate_a_number()) inner_ = make_(first_rate_);
}

Variable RatedOptimizer::learning_rate(graph::Graph& home) {
  if (!is_rate_a_number()) return {};
  if (rate_.has_value() && rate_.graph().get() == &home) return rate_;
  const GraphScope at_home(&home);
  const WithoutScopes outside(home);
  const VariableScopeGuard scope =
      variable_scope("", {.default_name = fmt::format("training/{}/learning_rate", name())});
  get_variable_scope().set_partitioner(nullptr);
  const Initializer first(
      [this](const TensorShape&, DType dtype) { return convert_to_tensor(first_rate_, {.dtype = dtype}); });
  rate_ = get_variable("", TensorShape{}, {.dtype = float32, .initializer = first, .trainable = false});
  inner_ = make_(rate_);
  return rate_;
}

train::Optimizer& RatedOptimizer::inner(graph::Graph& home) {
  (void)learning_rate(home);
  return *inner_;
}

Operation RatedOptimizer::apply_gradients(const std::vector<train::GradientAndVariable>& grads_and_vars,
                                          const train::ApplyGradientsOptions& options,
                                          tf::Input::Where where) {
  const ErrorLine errors(where);
  if (grads_and_vars.empty()) throw ValueError("No variables provided.");
  train::check_variables_set(grads_and_vars);
  graph::Graph& home = grads_and_vars.front().variable.op().node()->graph();
  return inner(home).apply_gradients(grads_and_vars, options, where);
}

Variable RatedOptimizer::get_slot(const Variable& variable, const std::string& name,
                                  tf::Input::Where where) const {
  return inner_ == nullptr ? Variable() : inner_->get_slot(variable, name, where);
}

std::vector<std::string> RatedOptimizer::get_slot_names() const {
  return inner_ == nullptr ? std::vector<std::string>() : inner_->get_slot_names();
}

}  // namespace flowray::tf::keras
