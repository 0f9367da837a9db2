#include "tf/keras/rated_optimizer.h"

#include <flowray/tf/array.h>
#include <flowray/tf/indexed_slices.h>
#include <flowray/tf/math.h>
#include <flowray/tf/variable.h>

#include "graph/graph.h"
#include "tf/build/unset.h"
#include "tf/flow/flow_build.h"
#include "tf/train/update_rule.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace flowray::tf::keras {

RatedOptimizer::RatedOptimizer(std::string name, tf::Input learning_rate, OptimizerInFiles in_files,
                               Make make, const Clipping& clipping)
    : Optimizer(std::move(name), /*use_locking=*/false),
      first_rate_(std::move(learning_rate)),
      in_files_(std::move(in_files)),
      make_(std::move(make)),
      clipping_(clipping) {
  check_set(first_rate_, "learning_rate");
  for (const auto& [option, limit] :
       {std::pair("clipnorm", clipping.norm), std::pair("clipvalue", clipping.value)}) {
    if (!limit.has_value()) continue;
    if (!(*limit > 0) || !std::isfinite(*limit))
      throw ValueError(
          fmt::format("{} is {}, but above 0 and finite; leave it out for none", option, *limit));
    in_files_.options.set(option, *limit);
  }
  if (!is_rate_a_number()) of_tensor_ = make_(first_rate_);
}

Variable RatedOptimizer::learning_rate(graph::Graph& home) {
  return is_rate_a_number() ? of(home).rate : Variable();
}

Config RatedOptimizer::config(double learning_rate) const {
  Config config = Config::items({{"name", name()}, {"learning_rate", learning_rate}, {"decay", 0.0}});
  for (size_t i = 0; i < in_files_.options.names().size(); ++i)
    config.set(in_files_.options.names()[i], in_files_.options.values()[i]);
  return Config::items({{"class_name", name()}, {"config", config}});
}

/// Adam's powers are those of its next step.
std::vector<std::pair<Variable, Array>> RatedOptimizer::go_on_from(int64_t steps, graph::Graph& home) {
  steps_ = steps;
  std::vector<std::pair<Variable, Array>> values;
  for (const auto& [name, power] : train::UpdateRule::own_variables_of(inner(home))) {
    const double beta = in_files_.options.at(name == "beta1_power" ? "beta_1" : "beta_2").number();
    values.emplace_back(power, Array(static_cast<float>(std::pow(beta, static_cast<double>(steps) + 1))));
  }
  return values;
}

/// The program's scopes do not apply to the rate, as they do not to the weights of layers.
RatedOptimizer::OfGraph& RatedOptimizer::of(graph::Graph& home) {
  OfGraph& here = of_graphs_[&home];
  if (here.optimizer != nullptr) return here;
  const GraphScope at_home(&home);
  const WithoutScopes outside(home);
  const NameScopeGuard top = name_scope("");
  here.rate = Variable(convert_to_tensor(first_rate_, {.dtype = float32}),
                       {.trainable = false, .name = fmt::format("training/{}/learning_rate", name())});
  here.optimizer = make_(here.rate);
  return here;
}

train::Optimizer& RatedOptimizer::inner(graph::Graph& home) {
  return is_rate_a_number() ? *of(home).optimizer : *of_tensor_;
}

const train::Optimizer* RatedOptimizer::inner_or_null(const graph::Graph& home) const {
  if (!is_rate_a_number()) return of_tensor_.get();
  const auto found = of_graphs_.find(&home);
  return found == of_graphs_.end() ? nullptr : found->second.optimizer.get();
}

Operation RatedOptimizer::apply_gradients(const std::vector<train::GradientAndVariable>& grads_and_vars,
                                          const train::ApplyGradientsOptions& options,
                                          tf::Input::Where where) {
  const ErrorLine errors(where);
  if (grads_and_vars.empty()) throw ValueError("No variables provided.");
  train::check_variables_set(grads_and_vars);
  graph::Graph& home = grads_and_vars.front().variable.op().node()->graph();
  return inner(home).apply_gradients(clipped(grads_and_vars), options, where);
}

std::vector<train::GradientAndVariable> RatedOptimizer::clipped(
    const std::vector<train::GradientAndVariable>& pairs) const {
  std::vector<train::GradientAndVariable> made = pairs;
  for (train::GradientAndVariable& pair : made) {
    if (!pair.gradient.has_value() || (!clipping_.norm.has_value() && !clipping_.value.has_value())) continue;
    // Rows of a table are clipped as they come, and stay rows.
    if (std::optional<IndexedSlices> rows = indexed_slices(pair.gradient);
        rows.has_value() && rows->dense_shape.has_value()) {
      rows->values = clipped(rows->values);
      pair.gradient = convert_to_tensor(*rows);
    } else {
      pair.gradient = clipped(pair.gradient);
    }
  }
  return made;
}

Tensor RatedOptimizer::clipped(Tensor gradient) const {
  if (clipping_.value.has_value()) gradient = clip_by_value(gradient, -*clipping_.value, *clipping_.value);
  return clipping_.norm.has_value() ? clip_by_norm(gradient, *clipping_.norm) : gradient;
}

std::vector<WeightSlot> RatedOptimizer::slots_in_files(const std::vector<Variable>& weights) const {
  std::vector<WeightSlot> all;
  if (in_files_.is_by_weight) {
    for (const Variable& weight : weights) {
      for (const SlotInFiles& slot : in_files_.slots) all.push_back({weight, slot});
    }
  } else {
    for (const SlotInFiles& slot : in_files_.slots) {
      for (const Variable& weight : weights) all.push_back({weight, slot});
    }
  }
  return all;
}

Variable RatedOptimizer::get_slot(const Variable& variable, const std::string& name,
                                  tf::Input::Where where) const {
  const train::Optimizer* const optimizer =
      variable.has_value() ? inner_or_null(variable.op().node()->graph()) : nullptr;
  return optimizer == nullptr ? Variable() : optimizer->get_slot(variable, name, where);
}

std::vector<std::string> RatedOptimizer::get_slot_names() const {
  const train::Optimizer* const optimizer =
      of_graphs_.empty() ? of_tensor_.get() : of_graphs_.begin()->second.optimizer.get();
  return optimizer == nullptr ? std::vector<std::string>() : optimizer->get_slot_names();
}

}  // namespace flowray::tf::keras
