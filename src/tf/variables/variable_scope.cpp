#include <flowray/tf/array.h>
#include <flowray/tf/variable_scope.h>

#include "core/mutex.h"
#include "core/thread_owned.h"
#include "graph/builder.h"
#include "tf/build/apply_op.h"
#include "tf/build/collections.h"
#include "tf/build/eager_variable.h"
#include "tf/build/unset.h"
#include "tf/variables/custom_getter.h"
#include "tf/variables/known_variables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <thread>

namespace flowray::tf {

/// The scopes of a graph that are open in one thread.
struct ThreadVariableScopes {
  ThreadVariableScopes() { root.number_ = next_number(); }

  VariableScope root;
  std::vector<VariableScope*> open;         // the guards own them
  std::map<std::string, int> times_opened;  // by full name, for unique default names

  static uint64_t next_number() {
    static std::atomic<uint64_t> last{0};
    return ++last;
  }
  VariableScope& innermost() { return open.empty() ? root : *open.back(); }
};

namespace {

/// What get_variable has made in one graph, and which scopes are open in each thread. Attached to the graph.
struct VariableStore {
  using States = std::map<std::string, std::shared_ptr<internal::VariableState>>;

  Mutex mutex;
  States variables FLOWRAY_GUARDED_BY(mutex);
  States cut FLOWRAY_GUARDED_BY(mutex);  // into parts, which are among the variables

  Mutex threads_mutex;
  std::map<std::thread::id, std::unique_ptr<ThreadVariableScopes>> threads FLOWRAY_GUARDED_BY(threads_mutex);

  ThreadVariableScopes& here() {
    const MutexLock lock(threads_mutex);
    std::unique_ptr<ThreadVariableScopes>& scopes = threads[std::this_thread::get_id()];
    if (scopes == nullptr) scopes = std::make_unique<ThreadVariableScopes>();
    return *scopes;
  }
};

VariableStore& store_of(graph::Graph& graph) { return graph.attachment<VariableStore>("variable_store"); }

VariableScope& current_scope(graph::Graph& graph) { return store_of(graph).here().innermost(); }

std::string joined(const std::string& scope, std::string_view name) {
  return scope.empty() ? std::string(name) : fmt::format("{}/{}", scope, name);
}

/// `prefix`, or prefix_1, ... if a scope of that name was open before.
std::string unique_scope(ThreadVariableScopes& scopes, const std::string& outer, const std::string& prefix) {
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

namespace internal {

CustomGetter& custom_getter_here() {
  struct OfThread {
    CustomGetter getter;
  };
  return ThreadOwned<OfThread>::get().getter;
}

const SaveSlice*& part_being_made() {
  static thread_local const SaveSlice* part = nullptr;
  return part;
}

std::map<std::string, std::shared_ptr<VariableState>> known_variables(graph::Graph& graph) {
  VariableStore& store = store_of(graph);
  const MutexLock lock(store.mutex);
  return store.variables;
}

}  // namespace internal

void VariableScope::change(const std::function<void(VariableScope&)>& how) {
  how(*this);
  if (number_ == 0) return;
  ThreadVariableScopes& scopes = store_of(default_graph()).here();
  const auto change_open = [&](VariableScope& open) {
    if (&open != this && open.number_ == number_) how(open);
  };
  change_open(scopes.root);
  for (VariableScope* const open : scopes.open) change_open(*open);
}

void VariableScope::reuse_variables() {
  change([](VariableScope& scope) { scope.reuse_ = Reuse(true); });
}
void VariableScope::set_initializer(const Initializer& initializer) {
  change([&](VariableScope& scope) { scope.initializer_ = initializer; });
}
void VariableScope::set_regularizer(const Regularizer& regularizer) {
  change([&](VariableScope& scope) { scope.regularizer_ = regularizer; });
}
void VariableScope::set_dtype(DType dtype) {
  change([&](VariableScope& scope) { scope.dtype_ = dtype; });
}
void VariableScope::set_caching_device(const CachingDevice& caching_device) {
  change([&](VariableScope& scope) { scope.caching_device_ = caching_device; });
}
void VariableScope::set_use_resource(std::optional<bool> use_resource) {
  change([&](VariableScope& scope) { scope.use_resource_ = use_resource; });
}
void VariableScope::set_partitioner(const Partitioner& partitioner) {
  change([&](VariableScope& scope) { scope.partitioner_ = partitioner; });
}
void VariableScope::set_custom_getter(const CustomGetter& custom_getter) {
  change([&](VariableScope& scope) { scope.custom_getter_ = custom_getter; });
  if (current_scope(default_graph()).number_ == number_) internal::custom_getter_here() = custom_getter;
}

namespace {

/// A getter that asks the one of the scope around.
CustomGetter within(const CustomGetter& outer, const CustomGetter& own) {
  if (outer == nullptr || own == nullptr) return own == nullptr ? outer : own;
  return [outer, own](const VariableGetterFunction& make, const GetVariableCall& call) {
    return own([&](const GetVariableCall& asked) { return outer(make, asked); }, call);
  };
}

}  // namespace

struct VariableScopeGuard::State {
  explicit State(graph::Graph& scope_graph) : graph(scope_graph) {}
  graph::Graph& graph;
  VariableScope scope;
  std::optional<graph::NameScope> name_scope;
  std::map<std::string, int> times_opened_outside;
  bool restores_counts = false;
  CustomGetter getter_outside;
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
  ThreadVariableScopes& scopes = store_of(state_->graph).here();
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
  if (options.partitioner != nullptr) scope.partitioner_ = options.partitioner;
  state_->getter_outside = internal::custom_getter_here();
  scope.custom_getter_ =
      within(existing != nullptr ? existing->custom_getter_ : state_->getter_outside, options.custom_getter);
  scope.number_ = ThreadVariableScopes::next_number();
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
  internal::custom_getter_here() = scope.custom_getter_;
}

VariableScopeGuard::~VariableScopeGuard() {
  ThreadVariableScopes& scopes = store_of(state_->graph).here();
  if (scopes.open.empty() || scopes.open.back() != &state_->scope) {
    std::fputs(
        "flowray: a variable_scope ended out of order: let guards live in blocks, the last made ends first\n",
        stderr);
    std::terminate();
  }
  scopes.open.pop_back();
  internal::custom_getter_here() = state_->getter_outside;
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

/// One call of get_variable.
class VariableGetter {
 public:
  VariableGetter(const GetVariableCall& call, Input::Where where)
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
    GetVariableCall asked = with_scope(
        scope,
        {.name = joined(scope.name_, name), .shape = shape, .options = options, .reuse = scope.reuse_});
    const auto make = [where](const GetVariableCall& call) {
      return VariableGetter(call, where).get_whole_or_cut(call.shape);
    };
    const CustomGetter custom =
        options.custom_getter != nullptr ? options.custom_getter : internal::custom_getter_here();
    asked.options.custom_getter = nullptr;
    if (!custom) return make(asked);
    const graph::NameScope root(default_graph(), "");
    return custom(make, asked);
  }

  /// The variable that is called as the innermost scope.
  static Variable of_scope(const TensorShape& shape, const GetVariableOptions& options, Input::Where where) {
    const VariableScope& scope = current_scope(default_graph());
    const GetVariableCall asked =
        with_scope(scope, {.name = scope.name_, .shape = shape, .options = options, .reuse = scope.reuse_});
    return VariableGetter(asked, where).get_whole_or_cut(asked.shape);
  }

  /// A call with what the scope says where it does not.
  static GetVariableCall with_scope(const VariableScope& scope, GetVariableCall asked) {
    GetVariableOptions& of_call = asked.options;
    if (!of_call.initializer.has_value()) of_call.initializer = scope.initializer_;
    if (!of_call.regularizer.has_value()) of_call.regularizer = scope.regularizer_;
    if (!of_call.caching_device.has_value()) of_call.caching_device = scope.caching_device_;
    if (!of_call.use_resource.has_value()) of_call.use_resource = scope.use_resource_;
    if (!of_call.constraint.has_value()) of_call.constraint = scope.constraint_;
    if (of_call.partitioner == nullptr) of_call.partitioner = scope.partitioner_;
    return asked;
  }

  /// A variable that is cut where there is a partitioner.
  Variable get_whole_or_cut(const std::optional<TensorShape>& shape) {
    const bool is_scalar = shape.has_value() && shape->has_rank() && shape->rank() == 0;
    if (options_.partitioner != nullptr && !is_scalar) return get_cut(shape.value_or(Shape::unknown_rank()));
    if (const auto found = known_cut(); found != nullptr && reuse_.mode() == Reuse::Mode::kYes) {
      check_same(*found, shape.has_value() ? &*shape : nullptr, "reuse partitioned");
      return Variable(found);
    }
    if (known(full_name_ + "/part_0") != nullptr) {
      throw ValueError(
          fmt::format("No partitioner was provided, but a partitioned version of the variable was found: "
                      "{}/part_0. Perhaps a variable of the same name was already created with partitioning?",
                      full_name_));
    }
    return get(shape.has_value() ? &*shape : nullptr);
  }

 private:
  std::shared_ptr<internal::VariableState> known(const std::string& name) {
    const MutexLock lock(store_.mutex);
    const auto found = store_.variables.find(name);
    return found == store_.variables.end() ? nullptr : found->second;
  }

  std::shared_ptr<internal::VariableState> known_cut() {
    const MutexLock lock(store_.mutex);
    const auto found = store_.cut.find(full_name_);
    return found == store_.cut.end() ? nullptr : found->second;
  }

  Variable get(const TensorShape* shape) {
    if (graph_.is_eager() || lifted_variables(graph_).to != nullptr)
      return make(shape);  // earlier variables are not kept
    const std::shared_ptr<internal::VariableState> found = known(full_name_);
    const Reuse::Mode reuse = reuse_.mode();
    if (found != nullptr) {
      if (reuse == Reuse::Mode::kNo) throw_exists(*found);
      check_same(*found, shape, "share");
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

  // ---- parts

  Variable get_cut(TensorShape shape) {
    if (graph_.is_eager() || lifted_variables(graph_).to != nullptr) {
      throw errors::UnimplementedError(
          fmt::format("A partitioner of variable {} while eager execution is on: variables are cut in graphs "
                      "only",
                      full_name_));
    }
    if (known(full_name_) != nullptr) {
      throw ValueError(
          fmt::format("A partitioner was provided, but an unpartitioned version of the variable was found: "
                      "{}.  Perhaps a variable of the same name was already created without partitioning?",
                      full_name_));
    }
    const Initializer initializer =
        options_.initializer.has_value() ? options_.initializer : scope_.initializer_;
    const Tensor* const value = initializer.value().has_value() ? initializer.value()->tensor() : nullptr;
    if (value != nullptr) shape = shape.merge_with(value->shape());
    const DType dtype = options_.dtype != DType::kInvalid ? options_.dtype : scope_.dtype_;
    const std::vector<int64_t> partitions = checked_partitions(shape, dtype);
    if (const auto found = known_cut(); found != nullptr) {
      if (reuse_.mode() == Reuse::Mode::kNo) {
        throw ValueError(
            fmt::format("Partitioned variable with name {} already exists. Did you mean to set reuse=True or "
                        "reuse=tf.AUTO_REUSE in VarScope?",
                        full_name_));
      }
      check_same(*found, &shape, "reuse partitioned");
      if (found->partitions != partitions) {
        throw ValueError(
            fmt::format("Trying to reuse partitioned variable {}, but specified partitions [{}] and found "
                        "partitions [{}].",
                        full_name_, fmt::join(partitions, ", "), fmt::join(found->partitions, ", ")));
      }
      return Variable(found);
    }
    if (reuse_.mode() == Reuse::Mode::kYes) {
      throw ValueError(
          fmt::format("PartitionedVariable {} does not exist, or was not created with tf.get_variable(). Did "
                      "you mean to set reuse=False or reuse=tf.AUTO_REUSE in VarScope?",
                      full_name_));
    }
    return make_cut(shape, dtype, partitions, initializer);
  }

  std::vector<int64_t> checked_partitions(const TensorShape& shape, DType dtype) const {
    if (!shape.is_fully_defined()) {
      throw ValueError(
          fmt::format("Shape of a new partitioned variable must be fully defined, but instead was {}.",
                      shape.has_rank() ? shape.to_tuple_string() : "<unknown>"));
    }
    if (shape.rank() < 1) {
      throw ValueError(fmt::format("A partitioned Variable must have rank at least 1, shape: {}",
                                   shape.to_tuple_string()));
    }
    const std::vector<int64_t> partitions = options_.partitioner(shape, dtype);
    const std::string text = fmt::format("[{}]", fmt::join(partitions, ", "));
    if (static_cast<int>(partitions.size()) != shape.rank()) {
      throw ValueError(fmt::format(
          "Partitioner returned a partition list that does not match the Variable's rank: {} vs. {}", text,
          shape.to_tuple_string()));
    }
    if (std::ranges::any_of(partitions, [](int64_t parts) { return parts < 1; }))
      throw ValueError("Partitioner returned zero partitions for some axes: " + text);
    if (std::ranges::count_if(partitions, [](int64_t parts) { return parts > 1; }) > 1) {
      throw ValueError(
          fmt::format("Can only slice a variable along one dimension: shape: {}, partitioning: {}",
                      shape.to_tuple_string(), text));
    }
    return partitions;
  }

  /// Where each part begins and how large it is: the first ones are one larger where they cannot be alike.
  std::vector<internal::SaveSlice> slices(const TensorShape& shape,
                                          const std::vector<int64_t>& partitions) const {
    const auto cut = std::ranges::find_if(partitions, [](int64_t parts) { return parts > 1; });
    const size_t axis = cut == partitions.end() ? 0 : static_cast<size_t>(cut - partitions.begin());
    const int64_t count = partitions[axis];
    const std::vector<int64_t> full(shape.begin(), shape.end());
    internal::SaveSlice next{.full_name = full_name_,
                             .full_shape = full,
                             .offset = std::vector<int64_t>(full.size()),
                             .shape = full};
    std::vector<internal::SaveSlice> all;
    for (int64_t i = 0; i < count; ++i) {
      next.shape[axis] = full[axis] / count + (i < full[axis] % count ? 1 : 0);
      all.push_back(next);
      next.offset[axis] += next.shape[axis];
    }
    return all;
  }

  Variable make_cut(const TensorShape& shape, DType dtype, const std::vector<int64_t>& partitions,
                    const Initializer& initializer) {
    const UserLine line(graph_, where_);
    auto whole = std::make_shared<internal::VariableState>();
    for (const internal::SaveSlice& slice : slices(shape, partitions)) {
      const std::string name = fmt::format("{}/part_{}", full_name_, whole->parts.size());
      GetVariableCall call{.name = name, .options = options_, .reuse = reuse_};
      call.options.partitioner = nullptr;
      call.options.initializer = initializer;
      const internal::SaveSlice* const outer = std::exchange(internal::part_being_made(), &slice);
      struct Restore {
        const internal::SaveSlice* before;
        ~Restore() { internal::part_being_made() = before; }
      } const restore{outer};
      if (initializer.value().has_value()) {
        call.options.initializer = part_of_value(*initializer.value(), dtype, name, slice);
        call.options.dtype = DType::kInvalid;
      } else {
        call.shape = TensorShape(slice.shape);
        call.options.dtype = dtype;
      }
      const Variable part = VariableGetter(call, where_).get(call.shape.has_value() ? &*call.shape : nullptr);
      part.state()->slice = slice;
      whole->parts.push_back(part.state());
    }
    const internal::VariableState& first = *whole->parts.front();
    whole->node = first.node;
    whole->trainable = first.trainable;
    whole->is_resource = first.is_resource;
    whole->dtype = base_dtype(first.node->op() == "VarHandleOp" ? first.dtype : first.node->output_dtype(0));
    whole->shape = shape;
    whole->partitions = partitions;
    whole->whole_name = full_name_;
    const MutexLock lock(store_.mutex);
    store_.cut[full_name_] = whole;
    return Variable(whole);
  }

  Tensor part_of_value(const Input& value, DType dtype, const std::string& name,
                       const internal::SaveSlice& part) const {
    const graph::NameScope root(graph_, "");
    const graph::NameScope scope(graph_, name + "/PartitionedInitializer");
    const Input all = value.tensor() != nullptr ? Input(*value.tensor(), where_)
                                                : Input(to_tensor(graph_, value, "Const", dtype), where_);
    return slice(all, Input(TensorShape(part.offset), where_), Input(TensorShape(part.shape), where_));
  }

  // ---- variables

  [[noreturn]] void throw_exists(const internal::VariableState& state) const {
    const graph::SourceLine line = state.node->line();
    throw ValueError(
        fmt::format("Variable {} already exists, disallowed. Did you mean to set reuse=True or "
                    "reuse=tf.AUTO_REUSE in VarScope? Originally defined at:\n\n  {}:{}",
                    full_name_, line.file, line.line));
  }

  void check_same(const internal::VariableState& state, const TensorShape* shape, const char* to) const {
    const bool is_by_state = state.is_resource || !state.parts.empty();
    const Shape& found_shape = is_by_state ? state.shape : state.node->output_shape(0);
    if (shape != nullptr && !shape->is_compatible_with(found_shape)) {
      throw ValueError(fmt::format("Trying to {} variable {}, but specified shape {} and found shape {}.", to,
                                   full_name_, shape->to_tuple_string(), found_shape.to_tuple_string()));
    }
    const DType found_dtype = is_by_state ? state.dtype : state.node->output_dtype(0);
    if (options_.dtype != DType::kInvalid && options_.dtype != base_dtype(found_dtype)) {
      throw ValueError(fmt::format("Trying to {} variable {}, but specified dtype {} and found dtype {}.", to,
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
                         .use_resource = options_.use_resource.value_or(resource_variables_enabled()),
                         .synchronization = options_.synchronization,
                         .aggregation = options_.aggregation};
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

std::vector<Variable> create_partitioned_variables(const TensorShape& shape,
                                                   const std::vector<int64_t>& slicing,
                                                   const Initializer& initializer,
                                                   const PartitionedVariablesOptions& options,
                                                   Input::Where where) {
  const ErrorLine errors(where);
  if (static_cast<int>(slicing.size()) != shape.rank()) {
    throw ValueError(
        fmt::format("The 'shape' and 'slicing' of a partitioned Variable must have the length: shape: {}, "
                    "slicing: [{}]",
                    shape.to_tuple_string(), fmt::join(slicing, ", ")));
  }
  if (shape.rank() < 1) {
    throw ValueError(
        fmt::format("A partitioned Variable must have rank at least 1: shape: {}", shape.to_tuple_string()));
  }
  const bool is_named = !options.name.empty();
  const VariableScopeGuard scope(is_named ? std::string_view(options.name) : std::string_view(), nullptr,
                                 {.default_name = "PartitionedVariable", .reuse = options.reuse});
  const auto as_asked = [&](const TensorShape&, DType) { return slicing; };
  return VariableGetter::of_scope(shape,
                                  {.dtype = options.dtype,
                                   .initializer = initializer,
                                   .trainable = options.trainable,
                                   .collections = options.collections,
                                   .partitioner = as_asked},
                                  where)
      .parts();
}

}  // namespace flowray::tf
