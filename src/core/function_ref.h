#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace flowray {

template <typename Signature>
class FunctionRef;

/// A reference to something callable: two words, no allocation, owns nothing.
///
/// Meant for parameters, where the callable outlives the call: `void visit(FunctionRef<void(int)>
/// visitor)` takes a lambda, a functor or a function. Keeping one beyond the full expression that made it
/// leaves it dangling.
template <typename Result, typename... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  /// Refers to a lambda or functor (an lvalue, or a temporary that lives until the end of the
  /// full expression).
  template <typename Callable>
    requires(!std::same_as<std::remove_cvref_t<Callable>, FunctionRef> &&
             !std::is_function_v<std::remove_reference_t<Callable>> &&
             std::is_invocable_r_v<Result, Callable&, Arguments...>)
  FunctionRef(Callable&& callable) noexcept  // NOLINT(google-explicit-constructor): converts by design.
      : call_([](Target target, Arguments... arguments) -> Result {
          auto& object = *static_cast<std::remove_reference_t<Callable>*>(target.object);
          return std::invoke(object, std::forward<Arguments>(arguments)...);
        }) {
    target_.object = const_cast<void*>(static_cast<const void*>(std::addressof(callable)));
  }

  /// Refers to a plain function. `function` must not be null.
  FunctionRef(Result (*function)(Arguments...)) noexcept  // NOLINT(google-explicit-constructor)
      : call_([](Target target, Arguments... arguments) -> Result {
          auto* pointer = reinterpret_cast<Result (*)(Arguments...)>(target.function);
          return pointer(std::forward<Arguments>(arguments)...);
        }) {
    target_.function = reinterpret_cast<void (*)()>(function);
  }

  Result operator()(Arguments... arguments) const {
    return call_(target_, std::forward<Arguments>(arguments)...);
  }

 private:
  // A pointer to a function need not fit a pointer to an object, so the two share a union.
  union Target {
    void* object;
    void (*function)();
  };

  Target target_;
  Result (*call_)(Target, Arguments...);
};

}  // namespace flowray
