#pragma once
/// FunctionOf: a function of a tensor or variable as options take it, such as a layer's activation.

#include <flowray/tf/input.h>
#include <flowray/tf/several.h>

#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)

namespace flowray::tf {

namespace internal {
/// Options: what a function does well without.
template <class T>
concept HasDefault = std::is_aggregate_v<T> && std::is_default_constructible_v<T>;
}  // namespace internal

/// Makes a tensor of one Argument: {.activation = tf::nn::relu}, or a lambda. Of the language's functions the
/// options are the default ones; for others write a lambda:
///
///     {.activation = [](const tf::Tensor& x) { return tf::nn::leaky_relu(x, {.alpha = 0.1f}); }}
///
/// A default-made one is "none".
template <class Argument>
class FunctionOf {
 public:
  FunctionOf() = default;
  FunctionOf(std::nullptr_t) {}  // NOLINT: implicit, all of these
  /// A function of the language.
  FunctionOf(Tensor (*function)(const Input&)) : FunctionOf(of(function)) {}
  /// One with options, of which the default ones are taken.
  template <internal::HasDefault Options>
  FunctionOf(Tensor (*function)(const Input&, const Options&)) : FunctionOf(of(function)) {}
  template <internal::HasDefault Options>
  FunctionOf(Tensor (*function)(const Input&, const Options&, Input::Where)) : FunctionOf(of(function)) {}
  /// Whatever can be called with an Argument and gives a tensor.
  template <class F>
    requires(!std::same_as<F, FunctionOf> && std::is_invocable_r_v<Tensor, const F&, const Argument&>)
  FunctionOf(F function)
      : function_(internal::is_unset(function)
                      ? nullptr
                      : Function([function](const Argument& x, Input::Where) { return function(x); })) {}

  /// Whether there is one.
  bool has_value() const { return function_ != nullptr; }
  /// For Flowray itself: which function of the language it is, as files name those; null for others.
  void (*language_function() const)() { return language_function_; }
  /// Its result. Throws TypeError where there is none.
  Tensor operator()(const Argument& x, Input::Where where = Input::Where::current()) const {
    internal::check_callable(function_, "function", where);
    return function_(x, where);
  }

 private:
  using Function = std::function<Tensor(const Argument&, Input::Where)>;

  template <class... Rest>
  static FunctionOf of(Tensor (*function)(const Input&, Rest...)) {
    if (function == nullptr) return {};
    FunctionOf result;
    result.language_function_ = reinterpret_cast<void (*)()>(function);
    result.function_ = [function](const Argument& x, Input::Where where) {
      return function(Input(x, where), std::remove_cvref_t<Rest>{}...);
    };
    return result;
  }

  Function function_;
  void (*language_function_)() = nullptr;
};

}  // namespace flowray::tf

#pragma GCC visibility pop
