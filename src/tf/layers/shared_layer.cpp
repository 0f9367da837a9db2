#include <flowray/tf/layers.h>

#include "tf/build/call_scope.h"
#include "tf/layers/layer_variables.h"
#include "tf/layers/shared_layer.h"

#include <exception>
#include <utility>

namespace flowray::tf {
namespace {

/// For the call that runs in this thread: the layer whose scope is not open yet, and the one that
/// is told of new variables.
thread_local layers::Shared::State* waiting_layer = nullptr;
thread_local layers::Shared::State* told_layer = nullptr;

}  // namespace

void tell_of_variable(const Variable& variable) {
  if (told_layer != nullptr && !told_layer->built) told_layer->variables.push_back(variable);
}

LayerScope::LayerScope(const std::string& name, const std::string& default_name, Reuse reuse)
    : shared_(std::exchange(waiting_layer, nullptr)) {
  if (shared_ == nullptr) {
    scope_.emplace(name, nullptr, VariableScopeOptions{.default_name = default_name, .reuse = reuse});
    return;
  }
  if (!shared_->scope) {
    scope_.emplace(name, nullptr, VariableScopeOptions{.default_name = default_name, .reuse = reuse});
    shared_->scope = scope_->scope();
    return;
  }
  scope_.emplace(
      std::string_view(), &*shared_->scope,
      VariableScopeOptions{.reuse = shared_->built ? Reuse(true) : reuse, .auxiliary_name_scope = false});
  names_.emplace(&default_graph(), shared_->scope->original_name_scope());
}

LayerScope::~LayerScope() = default;

namespace layers {

Shared::Shared() : state_(std::make_shared<State>()) {}
Shared::Shared(std::function<Tensor(const Input&)> layer)
    : layer_(std::move(layer)), state_(std::make_shared<State>()) {
  if (layer_ == nullptr) throw TypeError("A shared layer needs a function.");
}

Tensor Shared::operator()(const Input& inputs) const {
  if (layer_ == nullptr) throw TypeError("A shared layer needs a function.");
  const Call call(*this);
  return layer_(inputs);
}

const std::vector<Variable>& Shared::variables() const { return state_->variables; }
std::string Shared::scope_name() const {
  if (!state_->scope) {
    throw ValueError(
        "No name available for layer scope because the layer has not been used yet. The scope name "
        "is determined the first time a layer instance is called.");
  }
  return state_->scope->name();
}
bool Shared::built() const { return state_->built; }

struct Shared::Call::State {
  std::shared_ptr<Shared::State> shared;
  Shared::State* waiting_outside = nullptr;
  Shared::State* told_outside = nullptr;
  std::unique_ptr<LayerScope> scope = {};
  int exceptions = std::uncaught_exceptions();
};

Shared::Call::Call(const Shared& shared)
    : state_(std::make_unique<State>(shared.state_, waiting_layer, told_layer)) {
  waiting_layer = told_layer = shared.state_.get();
}

Shared::Call::~Call() {
  state_->scope.reset();
  if (std::uncaught_exceptions() == state_->exceptions) state_->shared->built = true;
  waiting_layer = state_->waiting_outside;
  told_layer = state_->told_outside;
}

void Shared::Call::open(const std::string& name, const std::string& default_name, Reuse reuse) {
  state_->scope = std::make_unique<LayerScope>(name, default_name, reuse);
}

}  // namespace layers
}  // namespace flowray::tf
