#pragma once
/// RAY_REMOTE: tells the runtime which functions may be called from other processes.
///
///     int Plus(int a, int b);
///     RAY_REMOTE(Plus, Counter::Create, &Counter::Add);
///     RAY_REMOTE(RAY_FUNC(Scale, double), RAY_FUNC(Scale, Array));      // overloads: by their parameters
///     ray::Task(RAY_FUNC(Scale, double)).Remote(0.5);

#include <flowray/ray/arguments.h>
#include <flowray/ray/async.h>
#include <flowray/ray/generator.h>
#include <flowray/ray/ids.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

#pragma GCC visibility push(default)

namespace flowray::ray::internal {

// ---- what a function pointer says

template <typename F>
struct Signature {
  static constexpr bool kIsFunction = false;
};

template <typename R, typename... A>
struct Signature<R (*)(A...)> {
  static constexpr bool kIsFunction = true;
  static constexpr bool kIsMember = false;
  using Plain = R (*)(A...);  ///< without noexcept
  using Return = R;
  using Class = void;
  using Parameters = TypeList<A...>;
};
template <typename R, typename... A>
struct Signature<R (*)(A...) noexcept> : Signature<R (*)(A...)> {};

// const, & and noexcept are part of the type of a member function.
#define FLOWRAY_MEMBER_SIGNATURE(qualifiers)       \
  template <typename R, typename C, typename... A> \
  struct Signature<R (C::*)(A...) qualifiers> {    \
    static constexpr bool kIsFunction = true;      \
    static constexpr bool kIsMember = true;        \
    using Plain = R (C::*)(A...) qualifiers;       \
    using Return = R;                              \
    using Class = C;                               \
    using Parameters = TypeList<A...>;             \
  };                                               \
  template <typename R, typename C, typename... A> \
  struct Signature<R (C::*)(A...) qualifiers noexcept> : Signature<R (C::*)(A...) qualifiers> {}
FLOWRAY_MEMBER_SIGNATURE();
FLOWRAY_MEMBER_SIGNATURE(const);
FLOWRAY_MEMBER_SIGNATURE(&);
FLOWRAY_MEMBER_SIGNATURE(const&);
#undef FLOWRAY_MEMBER_SIGNATURE

/// What a call of the function gives: of a coroutine what that gives.
template <typename F>
using ReturnedBy = typename AsyncValue<std::decay_t<typename Signature<F>::Return>>::Type;

/// The same for a type in every process of a program; differs between types.
template <typename T>
constexpr uint64_t type_hash() {
  uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a of a text that contains the type's name
  for (const char letter : std::string_view(__PRETTY_FUNCTION__)) {
    hash = (hash ^ static_cast<uint8_t>(letter)) * 0x100000001B3u;
  }
  return hash;
}

/// A pointer to a function or member function of any type, to compare and to find it by.
struct FunctionKey {
  std::array<uint64_t, 2> pointer{};
  uint64_t type = 0;
  bool operator==(const FunctionKey&) const = default;

  template <typename F>
  static FunctionKey of(F function) {
    using Plain = typename Signature<F>::Plain;
    const Plain plain = function;
    FunctionKey key;
    static_assert(sizeof plain <= sizeof key.pointer);
    std::memcpy(key.pointer.data(), &plain, sizeof plain);
    key.type = kTypeHash<Plain>;
    return key;
  }
  /// `Plain` must be that of the key's function.
  template <typename Plain>
  Plain function() const {
    Plain plain;
    std::memcpy(&plain, pointer.data(), sizeof plain);
    return plain;
  }

 private:
  template <typename Plain>
  static constexpr uint64_t kTypeHash = type_hash<Plain>();
};

/// Whether an actor's class says by `checkpoint() const` what of it is to survive its process, and takes
/// that by `restore(value)`.
template <class T>
concept HasCheckpoint = requires(const T& from, T& to) {
  to.restore(std::declval<const std::decay_t<decltype(from.checkpoint())>&>());
};

template <typename F>
inline constexpr bool kIsConstMember = false;
template <typename R, typename C, typename... A>
inline constexpr bool kIsConstMember<R (C::*)(A...) const> = true;
template <typename R, typename C, typename... A>
inline constexpr bool kIsConstMember<R (C::*)(A...) const&> = true;

/// What is known of a registered function.
struct FunctionEntry {
  enum class Kind { kTask, kFactory, kMethod };

  Kind kind = Kind::kTask;
  FunctionId id;
  std::string name;        ///< as spelled in RAY_REMOTE, without & and spaces
  std::string class_name;  ///< of the actor that it makes or is a method of
  FunctionKey key;
  uint64_t class_hash = 0;  ///< of that class
  const std::type_info* made_class = nullptr;
  bool is_async = false;  ///< it returns a coroutine
  /// Tasks and methods: runs it; one result, or as many as its tuple has items. Throws what the
  /// function throws.
  void (*invoke)(const FunctionEntry& entry, Arguments& arguments, void* object,
                 std::span<Encoder> results) = nullptr;
  /// Factories: makes an object, and deletes it.
  void* (*make)(const FunctionEntry& entry, Arguments& arguments) = nullptr;
  void (*destroy)(void* object) = nullptr;
  /// Of factories whose class HasCheckpoint: writes it, and takes one that was written.
  void (*checkpoint)(const void* object, Encoder& out) = nullptr;
  void (*restore)(void* object, const ValueView& value) = nullptr;
  bool is_const = false;  ///< a method that leaves the object as it is
};

// ---- running it

template <typename T>
inline constexpr bool kIsTupleLike = false;
template <typename... T>
inline constexpr bool kIsTupleLike<std::tuple<T...>> = true;
template <typename A, typename B>
inline constexpr bool kIsTupleLike<std::pair<A, B>> = true;
template <typename T, size_t N>
inline constexpr bool kIsTupleLike<std::array<T, N>> = true;

template <typename T>
inline constexpr bool kIsArray = false;
template <typename T, size_t N>
inline constexpr bool kIsArray<std::array<T, N>> = true;

[[noreturn]] void throw_wrong_num_returns(const FunctionEntry& entry, size_t asked, size_t has);

template <typename R>
void encode_results(const FunctionEntry& entry, const R& value, std::span<Encoder> results) {
  if (results.size() == 1) return encode(results[0], value);
  if constexpr (kIsTupleLike<R>) {
    if (results.size() != std::tuple_size_v<R>)
      throw_wrong_num_returns(entry, results.size(), std::tuple_size_v<R>);
    if constexpr (kIsArray<
                      R>) {  // of any length: nothing is made for each of its items when this is compiled
      for (size_t i = 0; i < results.size(); ++i) encode(results[i], value[i]);
    } else {
      std::apply(
          [&](const auto&... items) {
            size_t i = 0;
            (encode(results[i++], items), ...);
          },
          value);
    }
  } else {
    throw_wrong_num_returns(entry, results.size(), 1);
  }
}

/// A detached coroutine: it begins at once, and its frame goes at its end.
struct Unawaited {
  struct promise_type {
    Unawaited get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    [[noreturn]] void unhandled_exception() const { throw; }
  };
};

/// What answer_later gives in this thread.
std::unique_ptr<LaterAnswer> later_answer();
/// Throws RayException where the call that runs in this thread is not one that gives values one by one.
void require_stream(const FunctionEntry& entry);
/// Gives the values of the call that runs in this thread; waits until it may go on after each. Throws
/// TaskCancelledException where it is not to.
void give_values(const FunctionEntry& entry, std::unique_ptr<GivenValues> values);
/// Sends what was written into the answer, or the error that the call ended with.
void send_answer(const FunctionEntry& entry, LaterAnswer& answer, const std::exception_ptr& error);

template <typename F, typename = typename Signature<F>::Parameters>
struct Invoker;

template <typename F, typename... Declared>
struct Invoker<F, TypeList<Declared...>> {
  using Return = typename Signature<F>::Return;
  using Class = typename Signature<F>::Class;

  using Values = std::tuple<std::remove_cvref_t<Declared>...>;

  /// Of a function that returns a Generator. The arguments stay until its end: it may take them by reference.
  class Given final : public GivenValues {
   public:
    Given(F function, Arguments& arguments, void* object)
        : values_(decoded(arguments)), generator_(call(function, values_, object)) {}
    bool next(Encoder& out) override {
      const auto* const value = generator_.Next();
      if (value != nullptr) encode(out, *value);
      return value != nullptr;
    }

   private:
    Values values_;
    Return generator_;
  };

  static Values decoded(Arguments& arguments) {
    arguments.expect(sizeof...(Declared));
    Values values{arguments.next<std::remove_cvref_t<Declared>>()...};
    arguments.finish();
    return values;
  }

  /// Calls the function with the decoded arguments.
  static Return call(F function, Arguments& arguments, void* object) {
    Values values = decoded(arguments);
    return call(function, values, object);
  }
  static Return call(F function, Values& values, [[maybe_unused]] void* object) {
    return std::apply(
        [&](auto&... items) -> Return {
          if constexpr (Signature<F>::kIsMember) {
            return (static_cast<Class*>(object)->*function)(pass<Declared>(items)...);
          } else {
            return function(pass<Declared>(items)...);
          }
        },
        values);
  }

  static void invoke(const FunctionEntry& entry, Arguments& arguments, void* object,
                     std::span<Encoder> results) {
    const F function = entry.key.function<F>();
    if constexpr (AsyncValue<std::decay_t<Return>>::kIsAsync) {
      // The arguments stay until its end: it may take them by reference.
      auto values = std::make_unique<Values>(decoded(arguments));
      answer_at_end(entry, function, std::move(values), object, later_answer());
    } else if constexpr (GeneratedValue<std::decay_t<Return>>::kIsGenerated) {
      require_stream(entry);
      give_values(entry, std::make_unique<Given>(function, arguments, object));
      for (Encoder& result : results) result.write_nil();
    } else if constexpr (std::is_void_v<Return>) {
      call(function, arguments, object);
      for (Encoder& result : results) result.write_nil();
    } else {
      encode_results<std::decay_t<Return>>(entry, call(function, arguments, object), results);
    }
  }

  static void* make(const FunctionEntry& entry, Arguments& arguments) {
    return const_cast<void*>(static_cast<const void*>(call(entry.key.function<F>(), arguments, nullptr)));
  }
  static void destroy(void* object) { delete static_cast<Return>(object); }

 private:
  static Unawaited answer_at_end(const FunctionEntry& entry, F function, std::unique_ptr<Values> values,
                                 void* object, std::unique_ptr<LaterAnswer> answer) {
    std::exception_ptr error;
    try {
      Return coroutine = call(function, *values, object);
      if constexpr (std::is_void_v<ReturnedBy<F>>) {
        co_await coroutine;
        for (Encoder& result : answer->results()) result.write_nil();
      } else {
        const auto value = co_await coroutine;
        encode_results<ReturnedBy<F>>(entry, value, answer->results());
      }
    } catch (...) {
      error = std::current_exception();
    }
    values.reset();
    send_answer(entry, *answer, error);
  }

  /// Parameters taken by reference get the decoded value itself, others may move from it.
  template <typename Parameter, typename T>
  static decltype(auto) pass(T& item) {
    if constexpr (std::is_lvalue_reference_v<Parameter>) {
      return static_cast<T&>(item);
    } else {
      return static_cast<T&&>(item);
    }
  }
};

template <typename... T>
constexpr bool all_can_be_sent(TypeList<T...>) {
  return (can_be_sent<std::remove_cvref_t<T>>() && ...);
}
/// Fails to compile for a parameter that cannot be sent, and says which.
template <typename... T>
constexpr void require_sendable_parameters(TypeList<T...>) {
  (require_sendable<std::remove_cvref_t<T>>(), ...);
}
template <typename F>
constexpr void require_sendable_return() {
  using Sent = typename GeneratedValue<ReturnedBy<F>>::Type;
  if constexpr (!std::is_void_v<Sent>) require_sendable<Sent>();
}

template <class T>
struct CheckpointOf {
  using Value = std::decay_t<decltype(std::declval<const T&>().checkpoint())>;
  static void write(const void* object, Encoder& out) {
    encode(out, static_cast<const Value&>(static_cast<const T*>(object)->checkpoint()));
  }
  static void read(void* object, const ValueView& value) {
    const Value taken = decode_value<Value>(value);
    static_cast<T*>(object)->restore(taken);
  }
};

template <typename F>
FunctionEntry make_entry_of_function(F function) {
  using S = Signature<F>;
  using Plain = typename S::Plain;
  using Return = typename S::Return;
  FunctionEntry entry;
  entry.key = FunctionKey::of(function);
  entry.is_async = AsyncValue<std::decay_t<Return>>::kIsAsync;
  if constexpr (S::kIsMember) {
    entry.kind = FunctionEntry::Kind::kMethod;
    entry.is_const = kIsConstMember<Plain>;
    entry.class_hash = type_hash<typename S::Class>();
    entry.invoke = Invoker<Plain>::invoke;
  } else if constexpr (std::is_pointer_v<Return> && std::is_class_v<std::remove_pointer_t<Return>> &&
                       !kIsOfGraph<std::remove_cv_t<std::remove_pointer_t<Return>>>) {
    using Made = std::remove_cv_t<std::remove_pointer_t<Return>>;
    entry.kind = FunctionEntry::Kind::kFactory;
    entry.class_hash = type_hash<Made>();
    entry.made_class = &typeid(Made);
    entry.make = Invoker<Plain>::make;
    entry.destroy = Invoker<Plain>::destroy;
    if constexpr (HasCheckpoint<Made>) {
      require_sendable<typename CheckpointOf<Made>::Value>();
      entry.checkpoint = CheckpointOf<Made>::write;
      entry.restore = CheckpointOf<Made>::read;
    }
  } else {
    entry.invoke = Invoker<Plain>::invoke;
  }
  return entry;
}

template <typename F>
FunctionEntry make_entry(F function) {
  if constexpr (!Signature<F>::kIsFunction) {
    static_assert(
        Signature<F>::kIsFunction,
        "RAY_REMOTE takes functions, static factories and member functions (overloads by RAY_FUNC), no "
        "lambdas or other objects");
    return {};
  } else {
    using Parameters = typename Signature<F>::Parameters;
    // What could not be sent is told of here, and nothing further is made of the function.
    if constexpr (!all_can_be_sent(Parameters())) {
      require_sendable_parameters(Parameters());
      return {};
    } else {
      return make_entry_of_function(function);
    }
  }
}

// ---- the registry (src/ray/functions/function_registry.h)

/// Adds a function under its spelled name. Never throws: two functions of one name are reported by Init().
void register_function(std::string_view spelled, FunctionEntry entry) noexcept;
/// The next name of a list as RAY_REMOTE's arguments are spelled; takes it off.
std::string_view next_spelled_name(std::string_view& list) noexcept;
/// null if the function was not registered. Safe from any thread.
const FunctionEntry* find_function(const FunctionKey& key) noexcept;
const FunctionEntry* find_function_by_name(std::string_view name) noexcept;

/// How a pointer to an object of one class becomes one to its base, where a method of the base is called.
void register_upcast(uint64_t from, uint64_t to, void* (*cast)(void* object)) noexcept;
template <typename From, typename To>
struct Upcast {
  static void* cast(void* object) { return static_cast<To*>(static_cast<From*>(object)); }
  static inline const bool kRegistered = (register_upcast(type_hash<From>(), type_hash<To>(), cast), true);
};

/// A lambda that holds nothing: it is a function.
template <typename F>
constexpr bool is_plain_lambda() {
  if constexpr (std::is_class_v<F> && std::is_empty_v<F> && std::is_default_constructible_v<F>) {
    if constexpr (requires(F lambda) { +lambda; }) return Signature<decltype(+F{})>::kIsFunction;
  }
  return false;
}
/// Adds it by the name that the compiler gives it.
void register_lambda(const std::type_info& type, FunctionEntry entry) noexcept;
/// Registered when the program starts, as what RAY_REMOTE names.
template <typename F>
struct Lambda {
  static inline const bool kRegistered = (register_lambda(typeid(F), make_entry(+F{})), true);
};

template <typename... F>
bool register_functions(std::string_view spelled, F... functions) noexcept {
  (register_function(next_spelled_name(spelled), make_entry(functions)), ...);
  return true;
}

/// Picks an overload by its parameters.
template <typename... A>
struct OverloadOf {
  template <typename R>
  constexpr auto operator()(R (*function)(A...)) const {
    return function;
  }
  template <typename R, typename C>
  constexpr auto operator()(R (C::*function)(A...)) const {
    return function;
  }
  template <typename R, typename C>
  constexpr auto operator()(R (C::*function)(A...) const) const {
    return function;
  }
};

}  // namespace flowray::ray::internal

#define FLOWRAY_JOIN_NOW(a, b) a##b
#define FLOWRAY_JOIN(a, b) FLOWRAY_JOIN_NOW(a, b)

/// At namespace scope, with a semicolon behind. The functions are found by their spelled names in every
/// process of the program, so two different functions must be spelled differently:
/// RAY_REMOTE(left::Run, right::Run).
#define RAY_REMOTE(...)                                                           \
  [[maybe_unused]] static const bool FLOWRAY_JOIN(flowray_remote_, __COUNTER__) = \
      ::flowray::ray::internal::register_functions(#__VA_ARGS__, __VA_ARGS__)

/// One of several functions of a name: RAY_FUNC(f, int, double), RAY_FUNC(&Counter::Add, int), RAY_FUNC(f)
/// without parameters.
#define RAY_FUNC(function, ...) (::flowray::ray::internal::OverloadOf<__VA_ARGS__>{}(function))

#pragma GCC visibility pop
