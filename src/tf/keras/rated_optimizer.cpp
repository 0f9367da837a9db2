#include "tf/keras/rated_optimizer.h"

#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/errors.h>
#include <flowray/tf/indexed_slices.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/variable.h>

#include "graph/graph.h"
#include "tf/build/call_scope.h"
#include "tf/build/unset.h"
#include "tf/flow/flow_build.h"
#include "tf/train/update_rule.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace flowray::tf::keras {

namespace {

constexpr const char* kMomentumCache = "momentum_cache";

}  // namespace

std::string WeightSlot::name_in_files(const std::string& optimizer) const {
  if (!weight.has_value()) return fmt::format("training/{}/{}:0", optimizer, slot.in_files);
  return fmt::format("training/{}/{}/{}:0", optimizer, weight.op().name(), slot.in_files);
}

RatedOptimizer::RatedOptimizer(std::string name, Rating rating, OptimizerInFiles in_files, Make make)
    : Optimizer(std::move(name), /*use_locking=*/false),
      rating_(std::move(rating)),
      in_files_(std::move(in_files)),
      make_(std::move(make)) {
  check_set(rating_.learning_rate.value(), "learning_rate");
  for (const auto& [option, limit] :
       {std::pair("clipnorm", rating_.clipping.norm), std::pair("clipvalue", rating_.clipping.value)}) {
    if (!limit.has_value()) continue;
    if (!(*limit > 0) || !std::isfinite(*limit))
      throw ValueError(
          fmt::format("{} is {}, but above 0 and finite; leave it out for none", option, *limit));
    in_files_.options.set(option, *limit);
  }
  if (const double decay = rating_.momentum_decay.value_or(rating_.decay);
      !(decay >= 0) || !std::isfinite(decay)) {
    throw ValueError(fmt::format("Expected decay >= 0, received: {}", decay));
  }
  (void)make_();  // what it is made of is wrong here, if it is
}

bool RatedOptimizer::is_rate_a_number() const {
  const optimizers::LearningRate& rate = rating_.learning_rate;
  return !rate.schedule().has_value() &&
         (rate.value().literal() != nullptr || rate.value().array() != nullptr);
}

bool RatedOptimizer::counts_steps() const {
  return in_files_.counts_steps || rating_.decay > 0 || rating_.learning_rate.schedule().has_value();
}

Variable RatedOptimizer::learning_rate(graph::Graph& home) {
  return is_rate_a_number() ? of(home).rate : Variable();
}

Tensor RatedOptimizer::rate_tensor() const {
  if (is_rate_a_number() || rating_.learning_rate.schedule().has_value()) return {};
  return *tf::Input(rating_.learning_rate.value()).tensor();
}

Config RatedOptimizer::schedule_in_files() const {
  const auto& schedule = rating_.learning_rate.schedule();
  if (!schedule.has_value()) return {};
  if (!schedule->get_config().is_null()) return schedule->get_config();
  throw errors::UnimplementedError(
      "The optimizer's learning rate is a function of the program's, which no file can hold.\nTake one of "
      "tf::keras::optimizers::schedules, or save with .include_optimizer = false.");
}

Config RatedOptimizer::config(const Config& learning_rate) const {
  const double decay = rating_.momentum_decay.value_or(rating_.decay);
  Config config = Config::items({{"name", name()}, {"learning_rate", learning_rate}, {"decay", decay}});
  for (size_t i = 0; i < in_files_.options.names().size(); ++i)
    config.set(in_files_.options.names()[i], in_files_.options.values()[i]);
  return Config::items({{"class_name", name()}, {"config", config}});
}

/// Adam's powers are those of its next step.
std::vector<std::pair<Variable, Array>> RatedOptimizer::go_on_from(int64_t steps, graph::Graph& home) {
  steps_ = steps;
  const OfGraph& here = of(home);
  std::vector<std::pair<Variable, Array>> values;
  if (here.iterations.has_value()) values.emplace_back(here.iterations, Array(steps));
  for (const auto& [name, power] : train::UpdateRule::own_variables_of(*here.optimizer)) {
    const double beta = in_files_.options.at(name == "beta1_power" ? "beta_1" : "beta_2").number();
    values.emplace_back(power, Array(static_cast<float>(std::pow(beta, static_cast<double>(steps) + 1))));
  }
  return values;
}

/// The program's scopes do not apply to its numbers, as they do not to the weights of layers.
RatedOptimizer::OfGraph& RatedOptimizer::of(graph::Graph& home) {
  OfGraph& here = of_graphs_[&home];
  if (here.optimizer != nullptr) return here;
  const GraphScope at_home(&home);
  const WithoutScopes outside(home);
  const NameScopeGuard top = name_scope("");
  const auto number = [&](const char* what, const Tensor& first) {
    return Variable(first, {.trainable = false, .name = fmt::format("training/{}/{}", name(), what)});
  };
  if (is_rate_a_number())
    here.rate = number("learning_rate", convert_to_tensor(rating_.learning_rate.value(), {.dtype = float32}));
  if (counts_steps()) here.iterations = number("iter", constant(int64_t{0}));
  if (in_files_.has_momentum_cache) here.momentum_cache = number(kMomentumCache, constant(1.0f));
  here.optimizer = make_();
  return here;
}

const train::Optimizer* RatedOptimizer::inner_or_null(const graph::Graph& home) const {
  const auto found = of_graphs_.find(&home);
  return found == of_graphs_.end() ? nullptr : found->second.optimizer.get();
}

StepNumbers RatedOptimizer::numbers_of(const OfGraph& here) const {
  const optimizers::LearningRate& rate = rating_.learning_rate;
  StepNumbers numbers{.learning_rate = here.rate.has_value() ? tf::Input(here.rate) : rate.value(),
                      .momentum_cache = here.momentum_cache};
  if (!here.iterations.has_value()) return numbers;
  numbers.iterations = cast(here.iterations, float32);
  if (rate.schedule().has_value()) numbers.learning_rate = (*rate.schedule())(here.iterations);
  if (rating_.decay > 0) {
    const Tensor now = *tf::Input(numbers.learning_rate).tensor();
    numbers.learning_rate = now / cast(1.0 + rating_.decay * numbers.iterations, base_dtype(now.dtype()));
  }
  return numbers;
}

Operation RatedOptimizer::apply_gradients(const std::vector<train::GradientAndVariable>& grads_and_vars,
                                          const train::ApplyGradientsOptions& options,
                                          tf::Input::Where where) {
  const ErrorLine errors(where);
  if (grads_and_vars.empty()) throw ValueError("No variables provided.");
  train::check_variables_set(grads_and_vars);
  graph::Graph& home = grads_and_vars.front().variable.op().node()->graph();
  OfGraph& here = of(home);
  const CallScope call(home.is_eager() ? default_graph() : home, where);
  const StepNumbers numbers = numbers_of(here);
  if (auto* const rule = dynamic_cast<KerasRule*>(here.optimizer.get())) {
    rule->set_numbers(numbers);
  } else {
    train::UpdateRule::set_learning_rate_of(*here.optimizer, numbers.learning_rate);
  }
  const std::vector<train::GradientAndVariable> gradients = clipped(grads_and_vars);
  if (!here.iterations.has_value()) return here.optimizer->apply_gradients(gradients, options, where);
  Operation update = here.optimizer->apply_gradients(
      gradients, {.global_step = here.iterations, .name = options.name}, where);
  if (!options.global_step.has_value()) return update;
  const ControlDependenciesGuard behind = control_dependencies({update});
  return options.global_step.assign_add(1).op();
}

std::vector<train::GradientAndVariable> RatedOptimizer::clipped(
    const std::vector<train::GradientAndVariable>& pairs) const {
  std::vector<train::GradientAndVariable> made = pairs;
  for (train::GradientAndVariable& pair : made) {
    if (!pair.gradient.has_value() ||
        (!rating_.clipping.norm.has_value() && !rating_.clipping.value.has_value()))
      continue;
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
  if (rating_.clipping.value.has_value())
    gradient = clip_by_value(gradient, -*rating_.clipping.value, *rating_.clipping.value);
  return rating_.clipping.norm.has_value() ? clip_by_norm(gradient, *rating_.clipping.norm) : gradient;
}

std::vector<WeightSlot> RatedOptimizer::slots_in_files(const std::vector<Variable>& weights) const {
  std::vector<WeightSlot> all;
  if (in_files_.has_momentum_cache) all.push_back({{}, {kMomentumCache, kMomentumCache}});
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

Variable RatedOptimizer::variable_of(const WeightSlot& slot, const graph::Graph& home) const {
  if (slot.weight.has_value()) return get_slot(slot.weight, slot.slot.name, tf::Input::Where());
  const auto found = of_graphs_.find(&home);
  return found == of_graphs_.end() ? Variable() : found->second.momentum_cache;
}

std::vector<std::string> RatedOptimizer::get_slot_names() const {
  if (of_graphs_.empty()) return {};
  return of_graphs_.begin()->second.optimizer->get_slot_names();
}

}  // namespace flowray::tf::keras
