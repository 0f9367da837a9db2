#pragma once
/// Python's functions and actors, called from C++ by their names:
///
///     ObjectRef<int> sum = ray::Task(ray::PyFunction<int>{"numbers", "plus"}).Remote(1, 2);
///     ray::ActorHandleXlang counter = ray::Actor(ray::PyActorClass{"numbers", "Counter"}).Remote(10);
///     ObjectRef<int> next = counter.Task(ray::PyActorMethod<int>{"add"}).Remote(1);
///
/// Processes of an interpreter's run them: of the one that has started the runtime, or of one that a C++
/// program's runtime starts with the first call (RayConfig::python_interpreter; docs/python-actors.md). In
/// local mode of a C++ program they are a RayFunctionNotFound. What both languages have can be
/// sent: nothing, numbers, text, bytes, arrays, references, and lists and maps of these; a struct with
/// FLOWRAY_FIELDS is a list there.

#include <flowray/ray/actor.h>

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>

#pragma GCC visibility push(default)

namespace flowray::ray {

/// A function of a module that `import` finds; it returns what reads as an R.
template <typename R>
struct PyFunction {
  /// The module's name as `import` finds it: "package.module".
  std::string module_name;
  /// The function's name in the module.
  std::string function_name;
  /// As Ray says which language it is.
  bool IsPython() const { return true; }
  /// For templates that ask what it returns. Calls nothing: Task() does.
  R operator()() const { return R(); }
};

/// A class of a module.
struct PyActorClass {
  /// The module's name as `import` finds it: "package.module".
  std::string module_name;
  /// The class's name in the module.
  std::string class_name;
  /// What makes its objects; nothing else does.
  std::string function_name = "__init__";
  /// As Ray says which language it is.
  bool IsPython() const { return true; }
  /// For templates that ask what it returns. Calls nothing: Actor() does.
  void operator()() const {}
};

/// A method of whatever class the actor is.
template <typename R>
struct PyActorMethod {
  /// The method's name.
  std::string function_name;
  /// As Ray says which language it is.
  bool IsPython() const { return true; }
  /// For templates that ask what it returns. Calls nothing: Task() does.
  R operator()() const { return R(); }
};

/// Java's functions and classes, as Ray's programs name them: there is no Java here,
/// and a call of one throws RayException.
template <typename R>
struct JavaFunction {
  /// The class that has it.
  std::string class_name;
  /// The function's name in the class.
  std::string function_name;
  /// As Ray says which language it is.
  bool IsJava() const { return true; }
  /// For templates that ask what it returns. Calls nothing: Task() does.
  R operator()() const { return R(); }
};
/// A class of Java's.
struct JavaActorClass {
  /// With its package.
  std::string class_name;
  /// Empty.
  std::string module_name = "";
  /// What makes its objects.
  std::string function_name = "<init>";
  /// As Ray says which language it is.
  bool IsJava() const { return true; }
  /// For templates that ask what it returns. Calls nothing: Actor() does.
  void operator()() const {}
};
/// A method of such a class.
template <typename R>
struct JavaActorMethod {
  /// The method's name.
  std::string function_name;
  /// As Ray says which language it is.
  bool IsJava() const { return true; }
  /// For templates that ask what it returns. Calls nothing: Task() does.
  R operator()() const { return R(); }
};

namespace internal {

[[noreturn]] void throw_no_java(const std::string& name);

enum class PythonCall : uint64_t { kTask, kMakeActor, kMethod };

/// Sets which function the call is of: "module:name", or a method's name.
void fill_python_function(CallOptions& call, PythonCall kind, const std::string& name);
std::string name_in_module(const std::string& module, const std::string& name);

template <typename Argument>
void encode_python_argument(Encoder& out, const Argument& argument) {
  if constexpr (kIsRef<Argument>) {
    out.argument_ref(require_handle(argument));
  } else if constexpr (std::is_convertible_v<const Argument&, std::string_view>) {
    out.write_string(argument);
  } else {
    encode(out, argument);
  }
}

/// As python/native/ray/remote_functions.cpp reads them.
template <typename... Argument>
void encode_python_arguments(Encoder& out, std::string_view name, const Argument&... arguments) {
  out.begin_list(2 + sizeof...(Argument));
  out.write_string(name);
  out.write_unsigned(sizeof...(Argument));
  (encode_python_argument(out, arguments), ...);
}

template <typename R, typename... Argument>
ObjectRef<R> call_python(const CallOptions& call, std::string_view name, const Argument&... arguments) {
  EncoderLease encoder;
  encode_python_arguments(*encoder, name, arguments...);
  ObjectHandle* handle = nullptr;
  submit(call, typeid(void), *encoder, {&handle, 1});
  return ObjectRef<R>(handle);
}

/// What Task(PyFunction) returns.
template <typename R>
class [[nodiscard]] PyTaskCaller : public TaskSetters<PyTaskCaller<R>> {
 public:
  explicit PyTaskCaller(const PyFunction<R>& function)
      : TaskSetters<PyTaskCaller>(CallOptions()),
        name_(name_in_module(function.module_name, function.function_name)) {
    fill_python_function(this->call_, PythonCall::kTask, name_);
    this->call_.max_retries = kDefaultTaskRetries;
  }

  /// Starts the task and returns at once. An ObjectRef among the arguments is waited for,
  /// and its value passed.
  template <typename... Argument>
  ObjectRef<R> Remote(const Argument&... arguments) const {
    return call_python<R>(this->call_, name_, arguments...);
  }

 private:
  std::string name_;
};

/// What ActorHandleXlang::Task returns.
template <typename R>
class [[nodiscard]] PyActorTaskCaller {
 public:
  PyActorTaskCaller(ActorId actor, const PyActorMethod<R>& method) : name_(method.function_name) {
    fill_python_function(call_, PythonCall::kMethod, name_);
    call_.actor = require_actor(actor);
  }

  /// For messages.
  PyActorTaskCaller& SetName(std::string name) {
    call_.name = std::move(name);
    return *this;
  }
  /// As those of calls of C++'s actors.
  PyActorTaskCaller& SetResource(std::string name, double amount) {
    check_resource_of_call(std::move(name), amount);
    return *this;
  }
  PyActorTaskCaller& SetResources(const std::unordered_map<std::string, double>& resources) {
    for (const auto& [name, amount] : resources) check_resource_of_call(name, amount);
    return *this;
  }
  /// Calls the method and returns at once. One handle's calls run in the order in which they were made.
  template <typename... Argument>
  ObjectRef<R> Remote(const Argument&... arguments) const {
    return call_python<R>(call_, name_, arguments...);
  }

 private:
  std::string name_;
  CallOptions call_;
};

}  // namespace internal

/// An actor of a Python class, in whatever process it is. Can be copied, and sent inside of values and as an
/// argument: in Python it is an ActorHandle.
template <>
class ActorHandle<void, true> {
 public:
  ActorHandle() noexcept = default;
  /// For Flowray itself.
  explicit ActorHandle(ActorId id) noexcept : id_(id) {}
  /// As that of a C++ actor's.
  ActorHandle(const std::string& id) : id_{internal::id_of_text(id)} {}
  /// For templates.
  static bool IsActorHandle() { return true; }
  /// Of the actor with that ID(), which is all that another process needs.
  static ActorHandle FromBytes(const std::string& serialized_actor_handle) {
    return ActorHandle(serialized_actor_handle);
  }

  /// A call of a method. Throws RayException if the handle is empty.
  template <typename R>
  internal::PyActorTaskCaller<R> Task(const PyActorMethod<R>& method) const {
    return {id_, method};
  }
  /// Throws RayException: there is no Java.
  template <typename R>
  internal::PyActorTaskCaller<R> Task(const JavaActorMethod<R>& method) const {
    internal::throw_no_java(method.function_name);
  }
  /// As those of ActorHandle.
  void Kill() const { Kill(true); }
  /// `no_restart` false: the actor is made again if it has restarts left.
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
using ActorHandleXlang = ActorHandle<void, true>;

template <>
struct Codec<ActorHandleXlang> {
  /// Writes the handle; it does not count.
  static void encode(Encoder& out, const ActorHandleXlang& value) { out.write_actor(value.id()); }
  /// Reads the handle.
  static ActorHandleXlang decode(Decoder& in) { return ActorHandleXlang(in.read_actor()); }
};

namespace internal {

/// What Actor(PyActorClass) returns.
class [[nodiscard]] PyActorCreator : public ActorSetters<PyActorCreator> {
 public:
  explicit PyActorCreator(const PyActorClass& type);

  /// How many of its methods may run at a time, each in a thread of its interpreter (1 unless set), which
  /// runs one thread at a time but where that waits. Remote throws RayException for less than 1.
  PyActorCreator& SetMaxConcurrency(int max_concurrency) {
    this->call_.max_concurrency = max_concurrency;
    return *this;
  }
  /// Does not compile.
  template <typename... Group>
  PyActorCreator& SetConcurrencyGroup(const Group&...) {
    static_assert(kNever<TypeList<Group...>>,
                  "SetConcurrencyGroup(): a group is one of C++ methods, and this is a Python class; "
                  "SetMaxConcurrency() gives it several threads");
    return *this;
  }
  /// Does not compile.
  template <typename Wanted>
  PyActorCreator& SetIsolation(Wanted) {
    static_assert(kNever<Wanted>,
                  "SetIsolation(): a Python class runs in an interpreter's process; leave it out");
    return *this;
  }

  /// Starts the actor and returns at once. If its constructor raises,
  /// calls of its methods throw RayActorException.
  template <typename... Argument>
  ActorHandleXlang Remote(const Argument&... arguments) const {
    EncoderLease encoder;
    encode_python_arguments(*encoder, name_, arguments...);
    return ActorHandleXlang(create_actor(call_, typeid(void), *encoder));
  }

 private:
  std::string name_;
};

}  // namespace internal

/// A call of a Python function in a worker process.
template <typename R>
internal::PyTaskCaller<R> Task(PyFunction<R> function) {
  return internal::PyTaskCaller<R>(function);
}

/// An actor of a Python class.
inline internal::PyActorCreator Actor(PyActorClass type) { return internal::PyActorCreator(type); }

/// Throw RayException: there is no Java.
template <typename R>
internal::PyTaskCaller<R> Task(JavaFunction<R> function) {
  internal::throw_no_java(function.class_name + "." + function.function_name);
}
/// The same of an actor.
inline internal::PyActorCreator Actor(const JavaActorClass& type) {
  internal::throw_no_java(type.class_name);
}

/// The actor of that name, of a Python class; none if there is none (any more).
std::optional<ActorHandleXlang> GetActor(const std::string& name, const std::string& ray_namespace = "");

}  // namespace flowray::ray

#pragma GCC visibility pop
