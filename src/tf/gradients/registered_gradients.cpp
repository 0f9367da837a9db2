#include "tf/gradients/registered_gradients.h"

#include <flowray/tf/several.h>

#include "core/mutex.h"
#include "graph/gradient_overrides.h"
#include "ops/all_ops.h"
#include "tf/build/apply_op.h"
#include "tf/build/tensor_text.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace flowray::tf {
namespace {

/// Never destroyed: functions of another language's outlive its interpreter.
struct GradientRegistry {
  Mutex mutex;
  std::map<std::string, RegisteredGradient, std::less<>> by_name FLOWRAY_GUARDED_BY(mutex);
};

GradientRegistry& registry() {
  static auto* const made = new GradientRegistry();
  return *made;
}

std::string text_of(Input::Where where) {
  return fmt::format("{} {}:{}", where.function_name(), where.file_name(), where.line());
}

[[noreturn]] void throw_registered_twice(const std::string& name, const std::string& place) {
  throw KeyError(
      fmt::format("Registering two gradient with name '{}'! (Previous registration was in {})\nRegister it "
                  "by a name of its own, and let gradient_override_map give it to the operations that are to "
                  "have it.",
                  name, place));
}

}  // namespace

const RegisteredGradient* registered_gradient(std::string_view name) {
  GradientRegistry& all = registry();
  const MutexLock lock(all.mutex);
  const auto found = all.by_name.find(name);
  return found == all.by_name.end() ? nullptr : &found->second;
}

void register_gradient(const graph::OpTable& ops, const std::string& name, RegisteredGradient gradient) {
  const graph::OpSchema* const own = ops.find(name);
  const bool has_own = own != nullptr && (own->row.gradient != nullptr || own->row.not_differentiable ||
                                          own->row.flow != graph::FlowRole::kNone);
  if (has_own) throw_registered_twice(name, "flowray's own");
  GradientRegistry& all = registry();
  const MutexLock lock(all.mutex);
  const auto [place, is_new] = all.by_name.try_emplace(name, std::move(gradient));
  if (!is_new) throw_registered_twice(name, place->second.place);
}

RegisterGradient::RegisterGradient(const std::string& op_type, GradientFunction function,
                                   Input::Where where) {
  const ErrorLine errors(where);
  internal::check_callable(function, "function", where);
  register_gradient(ops::op_table(), op_type, {std::move(function), text_of(where)});
}

void NotDifferentiable(const std::string& op_type, Input::Where where) {
  const ErrorLine errors(where);
  register_gradient(ops::op_table(), op_type, {nullptr, text_of(where)});
}

GradientOverrideGuard::GradientOverrideGuard(const graph::Graph* graph,
                                             std::map<std::string, std::string> op_type_map)
    : overrides_(std::make_unique<graph::GradientOverrides>(*graph, std::move(op_type_map))) {}
GradientOverrideGuard::~GradientOverrideGuard() = default;

GradientOverrideGuard gradient_override_map(const std::map<std::string, std::string>& op_type_map) {
  return {&default_graph(), op_type_map};
}

std::vector<graph::Endpoint> call_gradient_function(const GradientFunction& function, graph::Node& node,
                                                    const std::vector<graph::Endpoint>& grads) {
  std::vector<Tensor> given;
  for (const graph::Endpoint& grad : grads) given.push_back(grad ? tensor_of(grad) : Tensor());
  std::vector<Tensor> made;
  {
    const GraphScope scope(&node.graph());
    const LinesOfTheirOwn lines(node.graph());
    made = function(Operation(&node), given);
  }
  if (made.size() != node.inputs().size()) {
    throw ValueError(fmt::format("Num gradients {} generated for op {} do not match num inputs {}",
                                 made.size(), graph::to_text(node), node.inputs().size()));
  }
  std::vector<graph::Endpoint> result;
  for (const Tensor& grad : made) {
    if (grad.has_value() && &grad.node()->graph() != &node.graph()) {
      throw ValueError(fmt::format(
          "{} must be from the same graph as {}.\nThe function that was registered as the gradient of '{}' "
          "gave a tensor of another graph.",
          tensor_text(grad), node.name(), node.name()));
    }
    result.push_back(grad.has_value() ? endpoint_of(grad) : graph::Endpoint{});
  }
  return result;
}

}  // namespace flowray::tf
