#include <flowray/tf/templates.h>

#include "tf/build/apply_op.h"
#include "tf/build/unset.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

namespace flowray::tf {

struct TemplateScope::State {
  std::string name;
  TemplateOptions options;
  std::optional<VariableScope> scope = std::nullopt;
  bool is_first_call = true;
  bool has_variables = false;

  /// None where its name is to be made unique.
  std::string_view wanted_name() const {
    return options.unique_name.empty() ? std::string_view() : std::string_view(options.unique_name);
  }
};

struct TemplateScope::Call::Open {
  explicit Open(std::shared_ptr<State> of) : state(std::move(of)) {}

  std::shared_ptr<State> state;
  std::optional<VariableScopeGuard> guard = std::nullopt;
  bool looks_for_new = false;
  size_t trainable_before = 0;
  bool is_finished = false;
};

TemplateScope::TemplateScope(const std::string& name, const TemplateOptions& options, Input::Where where)
    : state_(std::make_shared<State>(State{.name = name, .options = options})) {
  const ErrorLine errors(where);
  if (default_graph().is_eager()) {
    throw errors::UnimplementedError(
        "tf::make_template while eager execution is on: nothing keeps its variables by their names.\nKeep "
        "the "
        "variables in an object, and make them in its constructor.");
  }
  if (!options.create_scope_now) return;
  const VariableScopeGuard scope(
      state_->wanted_name(), nullptr,
      {.default_name = name, .custom_getter = options.custom_getter, .auxiliary_name_scope = false});
  state_->scope = scope.scope();
}

TemplateScope::Call::Call(const TemplateScope& of, Input::Where where)
    : open_(std::make_unique<Open>(of.state_)) {
  const ErrorLine errors(where);
  State& state = *open_->state;
  if (state.scope.has_value()) {
    open_->guard.emplace(std::string_view(), &*state.scope,
                         VariableScopeOptions{.reuse = state.is_first_call ? Reuse() : Reuse(true)});
  } else {
    open_->guard.emplace(
        state.wanted_name(), nullptr,
        VariableScopeOptions{.default_name = state.name, .custom_getter = state.options.custom_getter});
    state.scope = open_->guard->scope();
  }
  open_->looks_for_new = state.has_variables;
  if (open_->looks_for_new) {
    open_->trainable_before = tf::trainable_variables().size();
  } else {
    state.is_first_call = false;
  }
}

TemplateScope::Call::~Call() {
  if (!open_->is_finished && !open_->looks_for_new) open_->state->is_first_call = true;
}

void TemplateScope::Call::finish() {
  open_->is_finished = true;
  open_->state->has_variables = true;
  if (!open_->looks_for_new) return;
  const std::vector<Variable> now = tf::trainable_variables();
  if (now.size() <= open_->trainable_before) return;
  std::ostringstream made;
  for (size_t i = open_->trainable_before; i < now.size(); ++i)
    made << (i == open_->trainable_before ? "" : ", ") << now[i];
  throw ValueError(
      fmt::format("Trainable variable created when calling a template after the first time, perhaps you used "
                  "tf.Variable when you meant tf.get_variable: [{}]",
                  made.str()));
}

const std::string& TemplateScope::name() const { return state_->name; }

std::string TemplateScope::variable_scope_name() const {
  if (!state_->scope.has_value()) return {};
  const std::string& name = state_->scope->name();
  return name.empty() || name.ends_with('/') ? name : name + "/";
}

std::vector<Variable> TemplateScope::global_variables() const {
  return state_->has_variables ? tf::global_variables(variable_scope_name()) : std::vector<Variable>();
}
std::vector<Variable> TemplateScope::local_variables() const {
  return state_->has_variables ? tf::local_variables(variable_scope_name()) : std::vector<Variable>();
}
std::vector<Variable> TemplateScope::trainable_variables() const {
  return state_->has_variables ? tf::trainable_variables(variable_scope_name()) : std::vector<Variable>();
}

std::vector<Variable> TemplateScope::variables() const {
  std::vector<Variable> all = global_variables();
  for (const Variable& variable : local_variables()) all.push_back(variable);
  return all;
}

std::vector<Variable> TemplateScope::non_trainable_variables() const {
  const std::vector<Variable> trained = trainable_variables();
  std::vector<Variable> others;
  for (const Variable& variable : global_variables()) {
    if (std::ranges::find(trained, variable) == trained.end()) others.push_back(variable);
  }
  return others;
}

}  // namespace flowray::tf
