#pragma once
/// Actor(factory).Remote(...): an object in a worker process of its own; ActorHandle calls its methods.

#include <flowray/ray/task.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::ray {

namespace internal {

ActorId create_actor(const CallOptions& call, const std::type_info& type, Encoder& arguments);
/// Throws RayException for a group that cannot be, and RayFunctionNotFound for methods that RAY_REMOTE does
/// not name.
void add_concurrency_group(CallOptions& actor, const std::string& name, int max_concurrency,
                           const std::vector<FunctionKey>& methods);
/// Throws RayException for a name that no group can have.
std::string checked_group_name(std::string name);
/// Throws RayException for no actor.
ActorId require_actor(ActorId actor);
std::string name_in_namespace(const std::string& name, const std::string& ray_namespace);

template <typename F>
constexpr bool is_method() {
  if constexpr (Signature<F>::kIsFunction) return Signature<F>::kIsMember;
  return false;
}

/// What handle.Task(&Class::method) returns.
template <typename F, int kReturns = 1>
class [[nodiscard]] ActorTaskCaller {
 public:
  explicit ActorTaskCaller(CallOptions&& call) : call_(std::move(call)) {}

  /// For messages.
  ActorTaskCaller& SetName(std::string name) {
    call_.name = std::move(name);
    return *this;
  }
  /// Takes nothing: a call uses what its actor has, as in Ray, which one warning says. Throws RayException
  /// for an amount that is not positive, or above 1 and not whole.
  ActorTaskCaller& SetResource(std::string name, double amount) {
    check_resource_of_call(std::move(name), amount);
    return *this;
  }
  ActorTaskCaller& SetResources(const std::unordered_map<std::string, double>& resources) {
    for (const auto& [name, amount] : resources) check_resource_of_call(name, amount);
    return *this;
  }
  /// Runs the call in that concurrency group of the actor, in place of its method's. Its reference throws
  /// RayException if the actor has none of that name.
  ActorTaskCaller& SetConcurrencyGroup(std::string name) {
    call_.concurrency_groups = checked_group_name(std::move(name));
    return *this;
  }
  /// As Task(f).NumReturns<N>().
  template <int N>
  ActorTaskCaller<F, N> NumReturns() const {
    CallOptions call = call_;
    call.num_returns = N;
    return ActorTaskCaller<F, N>(std::move(call));
  }
  /// How long after Remote the call may take: then it is cancelled, as by Cancel, and with it the calls that
  /// it makes. Throws RayException for less than 1.
  ActorTaskCaller& SetDeadline(int deadline_ms) {
    set_deadline(call_, deadline_ms);
    return *this;
  }
  /// As Task(f).SetGeneratorBackpressure().
  ActorTaskCaller& SetGeneratorBackpressure(int num_objects) {
    static_assert(is_generator<F>(), "SetGeneratorBackpressure(): the method returns no Generator");
    set_backpressure(call_, num_objects);
    return *this;
  }
  /// Calls the method and returns at once. One handle's calls run in the order in which they were made.
  template <typename... Argument>
  typename Caller<F, kReturns>::Refs Remote(Argument&&... arguments) const {
    require_sendable_return<F>();
    return Caller<F, kReturns>::call(call_, std::forward<Argument>(arguments)...);
  }

 private:
  CallOptions call_;
};

}  // namespace internal

/// An actor of class T, in whatever process it is. Can be copied, and sent inside of values and as an
/// argument. The actor lives until it is killed or the driver's program ends. A default one is empty.
template <typename T, bool IsXlang = false>
class ActorHandle {
 public:
  static_assert(!IsXlang,
                "an actor of another language is an ActorHandle<void, true>: <flowray/ray/python.h>");
  ActorHandle() noexcept = default;
  /// For Flowray itself.
  explicit ActorHandle(ActorId id) noexcept : id_(id) {}
  /// A handle to the actor with that ID() in this runtime; its calls fail if there is none. Throws
  /// RayException for a text that is not an ID. Not explicit, as Ray's is not.
  ActorHandle(const std::string& id) : id_{internal::id_of_text(id)} {}
  /// For templates.
  static bool IsActorHandle() { return true; }
  /// Of the actor with that ID(), which is all that another process needs.
  static ActorHandle FromBytes(const std::string& serialized_actor_handle) {
    return ActorHandle(serialized_actor_handle);
  }

  /// A call of a method: handle.Task(&Counter::Add).Remote(1). The method may be one of a base class. Throws
  /// RayException if the handle is empty, RayFunctionNotFound if RAY_REMOTE does not name the method.
  template <typename F>
  auto Task(F method) const {
    if constexpr (!internal::is_method<F>()) {
      static_assert(internal::kNever<F>,
                    "ActorHandle::Task() takes a member function of the actor's class: "
                    "handle.Task(&Class::method)");
      return internal::NotCallable();
    } else {
      using Class = typename internal::Signature<F>::Class;
      static_assert(std::is_same_v<T, Class> || std::is_base_of_v<Class, T>,
                    "ActorHandle::Task(): the method is one of another class than the actor's");
      if constexpr (!std::is_same_v<T, Class> && std::is_base_of_v<Class, T>) {
        [[maybe_unused]] const bool& known = internal::Upcast<T, Class>::kRegistered;
      }
      internal::CallOptions call;
      internal::fill_function(call, internal::FunctionKey::of(method), typeid(F));
      call.actor = internal::require_actor(id_);
      internal::set_kind_of_return<F>(call);
      return internal::ActorTaskCaller<F>(std::move(call));
    }
  }

  /// Ends the actor's process at once; calls that it has not finished throw RayActorException. `no_restart`
  /// false: it is made again if it has restarts left.
  void Kill() const { Kill(true); }
  /// The same with a chance to be made again: see above.
  void Kill(bool no_restart) const {
    internal::backend().kill_actor(internal::require_actor(id_), no_restart);
  }

  /// The actor's identity as text; empty if there is none.
  std::string ID() const { return internal::id_text(id_.value); }
  /// The actor's identity, for Flowray itself.
  ActorId id() const noexcept { return id_; }
  /// Whether it refers to an actor at all.
  bool has_value() const noexcept { return static_cast<bool>(id_); }
  /// Whether both refer to one actor.
  bool operator==(const ActorHandle&) const noexcept = default;

 private:
  ActorId id_;
};

template <typename T>
struct Codec<ActorHandle<T>> {
  static void encode(Encoder& out, const ActorHandle<T>& value) { out.write_actor(value.id()); }
  static ActorHandle<T> decode(Decoder& in) { return ActorHandle<T>(in.read_actor()); }
};

/// What an actor has for itself.
enum class Isolation {
  kProcess,  ///< a process: what happens to it happens to no one else
  kThread,   ///< a thread of the program that called Init
};

namespace internal {

/// What can be set of an actor in whatever language it is; Self is what derives from it.
template <class Self>
class ActorSetters : public ResourceSetters<Self> {
 public:
  /// The name by which GetActor finds it, in the runtime's namespace or another one.
  Self& SetName(std::string name) {
    this->call_.name = std::move(name);
    return this->self();
  }
  Self& SetName(const std::string& name, const std::string& ray_namespace) {
    return SetName(name_in_namespace(name, ray_namespace));
  }
  /// How often the actor is made again, by the same factory and arguments, when its process dies (0 unless
  /// set; -1: always).
  Self& SetMaxRestarts(int max_restarts) {
    this->call_.max_retries = max_restarts;
    return this->self();
  }
  /// How often a call that the actor's process had is sent again when the process dies and the actor is made
  /// again (0 unless set; -1: always): it may have run in part, or to its end, before. Others of its caller's
  /// wait behind it. Remote throws RayException for less than -1.
  Self& SetMaxTaskRetries(int max_task_retries) {
    this->call_.max_task_retries = max_task_retries;
    return this->self();
  }

 protected:
  explicit ActorSetters(CallOptions&& call) : ResourceSetters<Self>(std::move(call)) {}
};

/// What Actor(factory) returns.
template <typename F>
class [[nodiscard]] ActorCreator : public ActorSetters<ActorCreator<F>> {
 public:
  using Made = std::remove_cv_t<std::remove_pointer_t<typename Signature<F>::Return>>;
  explicit ActorCreator(CallOptions&& call) : ActorSetters<ActorCreator>(std::move(call)) {}

  /// How many of its methods may run at a time, each in a thread of the actor's process (1 unless set).
  /// Calls begin in their order and end in any; what they share is theirs to guard. Where a method of the
  /// class is a coroutine (Async) all of them run in one thread, 1,000 at a time unless set: while one of
  /// them waits, others go on. Remote throws RayException for less than 1.
  ActorCreator& SetMaxConcurrency(int max_concurrency) {
    this->call_.max_concurrency = max_concurrency;
    return *this;
  }
  /// Declares a concurrency group: `max_concurrency` of its calls run at a time, however many others do.
  /// Calls of `methods` run in it, unless SetConcurrencyGroup of a call says otherwise; those of no group
  /// share SetMaxConcurrency. Throws RayException for a name that is declared or empty and for less than 1,
  /// RayFunctionNotFound for a method that RAY_REMOTE does not name.
  ///     ray::Actor(Network::Create).SetConcurrencyGroup("io", 2, &Network::Load, &Network::Save).Remote();
  template <typename... Method>
  ActorCreator& SetConcurrencyGroup(const std::string& name, int max_concurrency, Method... methods) {
    static_assert((is_method<Method>() && ...), "SetConcurrencyGroup() takes member functions of the actor");
    add_concurrency_group(this->call_, name, max_concurrency, {FunctionKey::of(methods)...});
    return *this;
  }
  /// kThread: the actor has no process, but runs in a thread of the program that called Init, whoever makes
  /// it: it sees the program's variables, and what it prints is the program's.
  /// All else is as ever: values are copied or lie in the store, calls come in order, several run at a time
  /// if SetMaxConcurrency says so. For actors that are trusted: a crash or an exit() there ends the program.
  /// No thread can be ended from outside: after Kill() and in Shutdown() it ends when its method returns or
  /// waits; IsCancelled() is true there from then on. Remote throws RayException where
  /// SetRuntimeEnv() was called, too.
  ActorCreator& SetIsolation(Isolation isolation) {
    this->call_.is_in_thread = isolation == Isolation::kThread;
    return *this;
  }
  /// Starts the actor and returns at once. If its constructor throws, calls of its methods
  /// throw RayActorException.
  template <typename... Argument>
  ActorHandle<Made> Remote(Argument&&... arguments) const {
    EncoderLease encoder;
    encode_arguments<typename Signature<F>::Parameters>(*encoder, this->call_,
                                                        std::forward<Argument>(arguments)...);
    return ActorHandle<Made>(create_actor(this->call_, typeid(F), *encoder));
  }
};

template <typename F>
constexpr bool is_factory() {
  if constexpr (Signature<F>::kIsFunction) {
    using Return = typename Signature<F>::Return;
    return !Signature<F>::kIsMember && std::is_pointer_v<Return> &&
           std::is_class_v<std::remove_pointer_t<Return>>;
  }
  return false;
}

}  // namespace internal

/// An actor made by `factory`, a function registered by RAY_REMOTE that returns a pointer to a new object:
///     ActorHandle<Counter> counter = ray::Actor(Counter::Create).Remote(10);
template <typename F>
auto Actor(F factory) {
  if constexpr (!internal::is_factory<F>()) {
    static_assert(internal::kNever<F>,
                  "ray::Actor() takes a factory: a function, not a lambda or a member function, that returns "
                  "a pointer to a new "
                  "object (static Counter* Create(int start) { return new Counter(start); })");
    return internal::NotCallable();
  } else {
    internal::CallOptions call;
    internal::fill_function(call, internal::FunctionKey::of(factory), typeid(F));
    return internal::ActorCreator<F>(std::move(call));
  }
}

/// In a method of an actor: ends the method and its actor for good, by an exception that the method lets
/// through. Its reference and those of calls that are not done throw RayActorException. Throws RayException
/// where no actor's call runs.
[[noreturn]] void ExitActor();
/// Whether the actor whose process this is was made again since its process died; false in other processes.
bool WasCurrentActorRestarted();

/// The actor that SetName has named; none if there is none (any more).
template <typename T>
std::optional<ActorHandle<T>> GetActor(const std::string& name, const std::string& ray_namespace = "") {
  if (name.empty()) return std::nullopt;
  const ActorId actor = internal::backend().find_actor(internal::name_in_namespace(name, ray_namespace));
  if (!actor) return std::nullopt;
  return ActorHandle<T>(actor);
}

}  // namespace flowray::ray

#pragma GCC visibility pop
