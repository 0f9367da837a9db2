#include <flowray/tf/variable_scope.h>

#include "core/mutex.h"
#include "core/thread_owned.h"
#include "graph/builder.h"
#include "tf/build/apply_op.h"
#include "tf/build/collections.h"
#include "tf/build/eager_variable.h"
#include "tf/build/unset.h"
#include "tf/variables/custom_getter.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <thread>

namespace flowray::tf {
namespace {

/// What get_variable has made in one graph, and which scopes are open in each thread. Attached to the graph.
struct VariableStore {
  Mutex mutex;
  std::map<std::string, std::shared_ptr<internal::VariableState>> variables FLOWRAY_GUARDED_BY(mutex);

  struct ThreadScopes {
    VariableScope root;
    std::vector<VariableScope*> open;         // the guards own them
    std::map<std::string, int> times_opened;  // by full name, for unique default names
  };
  Mutex threads_mutex;
  std::map<std::thread::id, std::unique_ptr<ThreadScopes>> threads FLOWRAY_GUARDED_BY(threads_mutex);

  ThreadScopes& here() {
    const MutexLock lock(threads_mutex);
    std::unique_ptr<ThreadScopes>& scopes = threads[std::this_thread::get_id()];
    if (scopes == nullptr) scopes = std::make_unique<ThreadScopes>();
    return *scopes;
  }
};

VariableStore& store_of(graph::Graph& graph) { return graph.attachment<VariableStore>("variable_store"); }

VariableScope& current_scope(graph::Graph& graph) {
  VariableStore::ThreadScopes& scopes = store_of(graph).here();
  return scopes.open.empty() ? scopes.root : *scopes.open.back();
}

std::string joined(const std::string& scope, std::string_view name) {
  return scope.empty() ? std::string(name) : fmt::format("{}/{}", scope, name);
}

/// `prefix`, or prefix_1, ... if a scope of that name was open before.
std::string unique_scope(VariableStore::ThreadScopes& scopes, const std::string& outer,
                         const std::string& prefix) {
  const auto opened = [&](const std::string& name) { return scopes.times_opened[joined(outer, name)] > 0; };
  if (!opened(prefix)) return prefix;
  int index = 1;
  while (opened(fmt::format("{}_{}", prefix, index))) ++index;
  return fmt::format("{}_{}", prefix, index);
}

std::string_view last_part(std::string_view name) {
  const size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

}  // namespace

struct VariableScopeGuard::State {
  explicit State(graph::Graph& scope_graph) : graph(scope_graph) {}
  graph::Graph& graph;
  VariableScope scope;
  std::optional<graph::NameScope> name_scope;
  std::map<std::string, int> times_opened_outside;
  bool restores_counts = false;
};

VariableScopeGuard::VariableScopeGuard(std::string_view name, const VariableScope* existing,
                                       const VariableScopeOptions& options)
    : state_(std::make_unique<State>(default_graph())) {
  // As in Python "" is a name, of a scope below which others are called "OUTER//v"; no name at all
  // is std::string_view().
  const bool named = name.data() != nullptr && (!name.empty() || options.default_name.empty());
  if (existing == nullptr && !named && options.default_name.empty()) {
    throw TypeError("If default_name is None then name_or_scope is required");
  }
  VariableStore::ThreadScopes& scopes = store_of(state_->graph).here();
  const VariableScope& outer = current_scope(state_->graph);
  VariableScope& scope = state_->scope;
  std::string own_name(name);
  if (existing != nullptr) {
    scope = *existing;
    if (options.reuse.mode() != Reuse::Mode::kInherit) scope.reuse_ = options.reuse;
  } else {
    if (!named) own_name = unique_scope(scopes, outer.name_, options.default_name);
    scope = outer;
    scope.name_ = joined(outer.name_, own_name);
    // Reusing is inherited, whatever an inner scope says.
    const bool asks = options.reuse.mode() == Reuse::Mode::kYes || options.reuse.mode() == Reuse::Mode::kAuto;
    if (asks) scope.reuse_ = options.reuse;
  }
  if (options.initializer.has_value()) scope.initializer_ = options.initializer;
  if (options.regularizer.has_value()) scope.regularizer_ = options.regularizer;
  if (options.dtype != DType::kInvalid) scope.dtype_ = options.dtype;
  if (options.caching_device.has_value()) scope.caching_device_ = options.caching_device;
  if (options.use_resource.has_value()) scope.use_resource_ = options.use_resource;
  if (options.constraint.has_value()) scope.constraint_ = options.constraint;
  if (options.auxiliary_name_scope) {
    const std::string_view wanted = existing != nullptr ? last_part(existing->name_)
                                    : !named            ? std::string_view(options.default_name)
                                                        : name;
    state_->name_scope.emplace(state_->graph, wanted);
    if (existing == nullptr) scope.original_name_scope_ = state_->name_scope->path();
  }
  state_->times_opened_outside = scopes.times_opened;
  state_->restores_counts = existing != nullptr;
  if (existing == nullptr) ++scopes.times_opened[scope.name_];
  scopes.open.push_back(&scope);
}

VariableScopeGuard::~VariableScopeGuard() {
  VariableStore::ThreadScopes& scopes = store_of(state_->graph).here();
  scopes.open.pop_back();
  if (state_->restores_counts) {
    scopes.times_opened = state_->times_opened_outside;
    return;
  }
  // The names of scopes inside are free again: entering this one a second time must find the same names.
  const std::string inside = state_->scope.name_ + "/";
  for (auto& [name, count] : scopes.times_opened) {
    if (name.starts_with(inside)) count = 0;
  }
}

const VariableScope& VariableScopeGuard::scope() const { return state_->scope; }
void VariableScopeGuard::reuse_variables() { state_->scope.reuse_ = Reuse(true); }

VariableScopeGuard variable_scope(std::string_view name, const VariableScopeOptions& options,
                                  Input::Where where) {
  const ErrorLine errors(where);
  return {name, nullptr, options};
}
VariableScopeGuard variable_scope(const VariableScope& scope, const VariableScopeOptions& options,
                                  Input::Where where) {
  const ErrorLine errors(where);
  return {{}, &scope, options};
}
VariableScope get_variable_scope() { return current_scope(default_graph()); }
void reuse_variables() { current_scope(default_graph()).reuse_variables(); }

namespace internal {

CustomGetter& custom_getter_here() {
  struct OfThread {
    CustomGetter getter;
  };
  return ThreadOwned<OfThread>::get().getter;
}

}  // namespace internal

/// One call of get_variable.
class VariableGetter {
 public:
  VariableGetter(const internal::GetVariableCall& call, Input::Where where)
      : graph_(default_graph()),
        scope_(current_scope(graph_)),
        store_(store_of(graph_)),
        full_name_(call.name),
        options_(call.options),
        reuse_(call.reuse),
        where_(where) {}

  /// By way of the custom getter of the scope, if there is one.
  static Variable ask(const std::string& name, const std::optional<TensorShape>& shape,
                      const GetVariableOptions& options, Input::Where where) {
    const ErrorLine errors(where);
    const VariableScope& scope = current_scope(default_graph());
    internal::GetVariableCall asked{
        .name = joined(scope.name_, name), .shape = shape, .options = options, .reuse = scope.reuse_};
    // A custom getter sees what the scope says.
    GetVariableOptions& of_call = asked.options;
    if (!of_call.initializer.has_value()) of_call.initializer = scope.initializer_;
    if (!of_call.regularizer.has_value()) of_call.regularizer = scope.regularizer_;
    if (!of_call.caching_device.has_value()) of_call.caching_device = scope.caching_device_;
    if (!of_call.use_resource.has_value()) of_call.use_resource = scope.use_resource_;
    if (!of_call.constraint.has_value()) of_call.constraint = scope.constraint_;
    const auto make = [where](const internal::GetVariableCall& call) {
      return VariableGetter(call, where).get(call.shape.has_value() ? &*call.shape : nullptr);
    };
    const internal::CustomGetter custom = internal::custom_getter_here();
    if (!custom) return make(asked);
    const graph::NameScope root(default_graph(), "");
    return custom(make, asked);
  }

  Variable get(const TensorShape* shape) {
    if (graph_.is_eager() || lifted_variables(graph_).to != nullptr)
      return make(shape);  // nobody holds what was made before
    std::shared_ptr<internal::VariableState> found;
    {
      const MutexLock lock(store_.mutex);
      const auto known = store_.variables.find(full_name_);
      if (known != store_.variables.end()) found = known->second;
    }
    const Reuse::Mode reuse = reuse_.mode();
    if (found != nullptr) {
      if (reuse == Reuse::Mode::kNo) throw_exists(*found);
      check_same(*found, shape);
      return Variable(found);
    }
    if (reuse == Reuse::Mode::kYes) {
      throw ValueError(fmt::format(
          "Variable {} does not exist, or was not created with tf.get_variable(). Did you mean to "
          "set reuse=tf.AUTO_REUSE in VarScope?",
          full_name_));
    }
    return make(shape);
  }

 private:
  [[noreturn]] void throw_exists(const internal::VariableState& state) const {
    const graph::SourceLine line = state.node->line();
    throw ValueError(
        fmt::format("Variable {} already exists, disallowed. Did you mean to set reuse=True or "
                    "reuse=tf.AUTO_REUSE in VarScope? Originally defined at:\n\n  {}:{}",
                    full_name_, line.file, line.line));
  }

  void check_same(const internal::VariableState& state, const TensorShape* shape) const {
    const Shape& found_shape = state.is_resource ? state.shape : state.node->output_shape(0);
    if (shape != nullptr && !shape->is_compatible_with(found_shape)) {
      throw ValueError(fmt::format("Trying to share variable {}, but specified shape {} and found shape {}.",
                                   full_name_, shape->to_tuple_string(), found_shape.to_tuple_string()));
    }
    const DType found_dtype = state.is_resource ? state.dtype : state.node->output_dtype(0);
    if (options_.dtype != DType::kInvalid && options_.dtype != base_dtype(found_dtype)) {
      throw ValueError(fmt::format("Trying to share variable {}, but specified dtype {} and found dtype {}.",
                                   full_name_, dtype_name(options_.dtype), dtype_name(found_dtype)));
    }
  }

  Variable make(const TensorShape* shape) {
    const graph::NameScope root(graph_, "");
    VariableOptions made{.trainable = options_.trainable,
                         .collections = options_.collections,
                         .validate_shape = options_.validate_shape,
                         .caching_device = options_.caching_device,
                         .name = full_name_,
                         .constraint = options_.constraint,
                         .use_resource = options_.use_resource.value_or(resource_variables_enabled())};
    const Initializer initializer =
        options_.initializer.has_value() ? options_.initializer : scope_.initializer_;
    const UserLine line(graph_, where_);
    Variable variable;
    if (initializer.value().has_value()) {
      check_set(*initializer.value(), "initializer");
      if (shape != nullptr) throw ValueError("If initializer is a constant, do not specify shape.");
      made.dtype = options_.dtype;
      variable = Variable(*initializer.value(), made);
    } else {
      if (shape == nullptr) {
        throw ValueError(
            fmt::format("Variable {} did not get an initializer, so its `shape` argument must be specified.",
                        full_name_));
      }
      variable = make_from_function(*shape, initializer, made);
    }
    if (!variable.ref().is_eager()) {
      const MutexLock lock(store_.mutex);
      store_.variables[full_name_] = variable.state();
    }
    regularize(variable);
    return variable;
  }

  void regularize(const Variable& variable) {
    const Regularizer& regularizer =
        options_.regularizer.has_value() ? options_.regularizer : scope_.regularizer_;
    if (!regularizer.has_value()) return;
    if (graph_.is_eager()) {
      internal::eager_regularization_of(graph_).add(
          {.name = full_name_ + "/Regularizer/",
           .variable = variable.state(),
           .compute = [regularizer](const auto& state) { return regularizer(Variable(state)); }});
      return;
    }
    const ColocationGuard beside = colocate_with(variable.op());
    const graph::NameScope scope(graph_, full_name_ + "/Regularizer/");
    if (const Tensor loss = regularizer(variable); loss.has_value())
      internal::collections_of(graph_).add(internal::kRegularizationLosses, loss.node());
  }

  Variable make_from_function(const TensorShape& shape, const Initializer& initializer,
                              const VariableOptions& made) {
    if (!shape.is_fully_defined()) {
      throw ValueError(fmt::format(
          "The initializer passed is not valid. It should be a callable with no arguments and the shape "
          "should "
          "not be provided or an instance of `tf.keras.initializers.*' and `shape` should be fully "
          "defined.\nVariable {} was asked for with shape {}.",
          full_name_, shape.to_tuple_string()));
    }
    const DType dtype = options_.dtype != DType::kInvalid ? options_.dtype : scope_.dtype_;
    Initializer chosen = initializer;
    if (!chosen.has_value())
      chosen = is_floating(dtype) || is_complex(dtype) ? glorot_uniform_initializer() : zeros_initializer();
    return Variable([&] { return chosen(shape, dtype); }, made, where_);
  }

  graph::Graph& graph_;
  const VariableScope& scope_;
  VariableStore& store_;
  const std::string full_name_;
  const GetVariableOptions& options_;
  const Reuse reuse_;
  const Input::Where where_;
};

Variable get_variable(const std::string& name, const TensorShape& shape, const GetVariableOptions& options,
                      Input::Where where) {
  return VariableGetter::ask(name, shape, options, where);
}

Variable get_variable_of_value(const std::string& name, const GetVariableOptions& options,
                               Input::Where where) {
  return VariableGetter::ask(name, std::nullopt, options, where);
}

}  // namespace flowray::tf
