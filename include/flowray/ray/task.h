#pragma once
/// Task(f).Remote(...): runs a function in a worker process.

#include <flowray/ray/function.h>
#include <flowray/ray/placement_group.h>
#include <flowray/ray/runtime_env.h>

#include <array>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#pragma GCC visibility push(default)

namespace flowray::ray {

namespace internal {

/// How often a task is run again when its process dies, unless SetMaxRetries says otherwise: as in Ray.
inline constexpr int kDefaultTaskRetries = 3;

/// Throws RayException for an amount that is not positive, or above 1 and not whole.
void add_resource(CallOptions& call, std::string name, double amount);
/// backend().submit(), after looking whether the function was found.
void submit(const CallOptions& call, const std::type_info& type, Encoder& arguments,
            std::span<ObjectHandle*> returns);
/// Looks the function up. Throws RayFunctionNotFound.
void fill_function(CallOptions& call, const FunctionKey& key, const std::type_info& type);
/// Checks it; for calls of actors, which take what their actor has.
void check_resource_of_call(std::string name, double amount);

template <typename>
inline constexpr bool kNever = false;

/// Takes the place of a call that cannot be, so that the compiler complains of that alone.
struct NotCallable {
  template <typename... T>
  NotCallable SetName(const T&...) const;
  template <typename... T>
  NotCallable SetResource(const T&...) const;
  template <typename... T>
  NotCallable SetPlacementGroup(const T&...) const;
  template <typename... T>
  NotCallable SetRuntimeEnv(const T&...) const;
  template <typename... T>
  NotCallable SetResources(const T&...) const;
  template <typename... T>
  NotCallable SetMaxRetries(const T&...) const;
  template <typename... T>
  NotCallable SetRetryExceptions(const T&...) const;
  template <typename... T>
  NotCallable SetDeadline(const T&...) const;
  template <typename... T>
  NotCallable SetGeneratorBackpressure(const T&...) const;
  template <typename... T>
  NotCallable SetMaxRestarts(const T&...) const;
  template <int N>
  NotCallable NumReturns() const;
  template <typename... T>
  NotCallable Remote(T&&...) const;
  template <typename... T>
  NotCallable Get(const T&...) const;
  template <typename F>
  NotCallable Task(const F&) const;
  NotCallable operator*() const;
  template <typename T>
  operator T() const;  // NOLINT: implicit
};

/// What Remote returns: one reference, or one to each item of the tuple, pair or array that the
/// function returns.
template <typename R, int kReturns>
struct Returned {
  static_assert(kReturns == 1 || kIsTupleLike<R>,
                "NumReturns<N>(): the function must return a std::tuple, std::pair or std::array of N items");
};
template <typename R>
struct Returned<R, 1> {
  using Refs = ObjectRef<R>;
};
template <typename T>
struct Returned<Generator<T>, 1> {
  using Refs = ObjectRefGenerator<T>;
};
template <int kReturns, typename... T>
  requires(kReturns > 1)
struct Returned<std::tuple<T...>, kReturns> {
  static_assert(sizeof...(T) == kReturns,
                "NumReturns<N>(): the function's std::tuple has another number of items");
  using Refs = std::tuple<ObjectRef<T>...>;
};
template <int kReturns, typename A, typename B>
  requires(kReturns > 1)
struct Returned<std::pair<A, B>, kReturns> {
  static_assert(kReturns == 2, "NumReturns<N>(): the function's std::pair has two items");
  using Refs = std::pair<ObjectRef<A>, ObjectRef<B>>;
};
template <int kReturns, typename T, size_t N>
  requires(kReturns > 1)
struct Returned<std::array<T, N>, kReturns> {
  static_assert(N == kReturns, "NumReturns<N>(): the function's std::array has another number of items");
  using Refs = std::array<ObjectRef<T>, N>;
};

/// Of a function that returns a Generator.
template <typename F>
constexpr bool is_generator() {
  return GeneratedValue<ReturnedBy<F>>::kIsGenerated;
}
/// What follows from the function's type.
template <typename F>
void set_kind_of_return(CallOptions& call) {
  call.is_stream = is_generator<F>();
  call.ends_with_reader = call.is_stream;
}
/// Throws RayException for less than 1.
void set_deadline(CallOptions& call, int deadline_ms);
/// Sets by how many values the call may be ahead; -1: by any number. Throws RayException for another one that
/// is less than 1.
void set_backpressure(CallOptions& call, int num_objects);

template <typename Refs, size_t... I>
Refs make_refs(std::span<ObjectHandle*> handles, std::index_sequence<I...>) {
  if constexpr (kIsTupleLike<Refs> && !kIsArray<Refs>) {
    return Refs{std::tuple_element_t<I, Refs>(handles[I])...};
  } else if constexpr (kIsArray<Refs>) {
    return Refs{typename Refs::value_type(handles[I])...};
  } else {
    return Refs(handles[0]);
  }
}

/// What Task(f) and actor.Task(m) share: encoding and submitting.
template <typename F, int kReturns>
class Caller {
 public:
  using Return = ReturnedBy<F>;
  using Refs = typename Returned<Return, kReturns>::Refs;

  template <typename... Argument>
  static Refs call(const CallOptions& call, Argument&&... arguments) {
    EncoderLease encoder;
    encode_arguments<typename Signature<F>::Parameters>(*encoder, call, std::forward<Argument>(arguments)...);
    std::array<ObjectHandle*, kReturns> handles{};
    submit(call, typeid(F), *encoder, handles);
    return make_refs<Refs>(handles, std::make_index_sequence<kReturns>());
  }
};

/// What can be set of a task and of an actor; Self is what derives from it.
template <class Self>
class ResourceSetters {
 public:
  /// Throws RayException for an amount that is not positive, or above 1 and not whole.
  Self& SetResource(std::string name, double amount) {
    add_resource(call_, std::move(name), amount);
    return self();
  }
  Self& SetResources(const std::unordered_map<std::string, double>& resources) {
    call_.resources.clear();
    for (const auto& [name, amount] : resources) add_resource(call_, name, amount);
    return self();
  }
  /// Resources are taken from the group's bundle with that index, from 0; -1: of any. Remote's reference
  /// throws RayException where there is no room for them in it, ever.
  Self& SetPlacementGroup(const PlacementGroup& group, int bundle_index) {
    call_.group = group.id();
    call_.bundle = bundle_index;
    return self();
  }
  /// Its env_vars are variables of the environment that the task, or the actor's process, has. Calls that it
  /// makes have their own. Throws RayRuntimeEnvException for env_vars that are not texts by name.
  Self& SetRuntimeEnv(const RuntimeEnv& runtime_env) {
    call_.environment = environment_text(runtime_env);
    return self();
  }

 protected:
  explicit ResourceSetters(CallOptions&& call) : call_(std::move(call)) {}
  Self& self() { return static_cast<Self&>(*this); }

  CallOptions call_;
};

template <class Self>
class TaskSetters : public ResourceSetters<Self> {
 public:
  /// For messages.
  Self& SetName(std::string name) {
    this->call_.name = std::move(name);
    return this->self();
  }
  /// How often the task is run again when its process dies (3 unless set; -1: always). An exception is
  /// no reason, unless SetRetryExceptions says so.
  Self& SetMaxRetries(int max_retries) {
    this->call_.max_retries = max_retries;
    return this->self();
  }

  /// Whether the task is run again when it throws, too: both kinds of failure count together against
  /// SetMaxRetries, and what it throws the last time is its result. One that was cancelled is not run again.
  Self& SetRetryExceptions(bool retry_exceptions) {
    this->call_.retry_exceptions = retry_exceptions;
    return this->self();
  }
  /// How long after Remote the task may take, its waiting, retries and the calls that it makes among it. Then
  /// what is left of these ends as by Cancel with `force`: Get throws TaskCancelledException. Throws
  /// RayException for less than 1.
  Self& SetDeadline(int deadline_ms) {
    set_deadline(this->call_, deadline_ms);
    return this->self();
  }

 protected:
  explicit TaskSetters(CallOptions&& call) : ResourceSetters<Self>(std::move(call)) {}
};

/// What Task(f) returns.
template <typename F, int kReturns = 1>
class [[nodiscard]] TaskCaller : public TaskSetters<TaskCaller<F, kReturns>> {
 public:
  explicit TaskCaller(CallOptions&& call) : TaskSetters<TaskCaller>(std::move(call)) {}

  /// The function returns a tuple, pair or array of N items: Remote returns a reference to each.
  template <int N>
  TaskCaller<F, N> NumReturns() const {
    CallOptions call = this->call_;
    call.num_returns = N;
    return TaskCaller<F, N>(std::move(call));
  }
  /// Of a function that returns a Generator: it waits while it is ahead by so many values of its consumer
  /// (-1, unless set: it does not wait). Throws RayException for less than 1.
  TaskCaller& SetGeneratorBackpressure(int num_objects) {
    static_assert(is_generator<F>(), "SetGeneratorBackpressure(): the function returns no Generator");
    set_backpressure(this->call_, num_objects);
    return *this;
  }
  /// Starts the task and returns at once. Each argument is a value that converts to the parameter's type, or
  /// an ObjectRef to one, which the task then waits for.
  template <typename... Argument>
  typename Caller<F, kReturns>::Refs Remote(Argument&&... arguments) const {
    require_sendable_return<F>();
    return Caller<F, kReturns>::call(this->call_, std::forward<Argument>(arguments)...);
  }
};

}  // namespace internal

/// A call of `function` in a worker process. Throws RayFunctionNotFound if RAY_REMOTE does not name it:
///     ObjectRef<int> sum = ray::Task(Plus).Remote(1, 2);
///     ObjectRef<int> six = ray::Task([](int x) { return 2 * x; }).Remote(3);
/// A lambda without captures needs no RAY_REMOTE.
template <typename F>
auto Task(F function) {
  if constexpr (internal::is_plain_lambda<F>()) {
    [[maybe_unused]] const bool& known = internal::Lambda<F>::kRegistered;
    return flowray::ray::Task(+function);
  } else if constexpr (!internal::Signature<F>::kIsFunction) {
    static_assert(
        internal::kNever<F>,
        "ray::Task() takes a function, not a lambda or another object: write a function `int f(int x) "
        "{...}` outside of main, RAY_REMOTE(f); below it, and ray::Task(f). A lambda may have no captures");
    return internal::NotCallable();
  } else if constexpr (internal::Signature<F>::kIsMember) {
    static_assert(internal::kNever<F>,
                  "ray::Task() takes no member function: call it as handle.Task(&Class::method)");
    return internal::NotCallable();
  } else {
    internal::CallOptions call;
    internal::fill_function(call, internal::FunctionKey::of(function), typeid(F));
    call.max_retries = internal::kDefaultTaskRetries;
    internal::set_kind_of_return<F>(call);
    return internal::TaskCaller<F>(std::move(call));
  }
}

}  // namespace flowray::ray

#pragma GCC visibility pop
