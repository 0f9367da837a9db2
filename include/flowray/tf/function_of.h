#pragma once
/// FunctionOf: a function of a tensor or variable as options take it, such as a layer's activation.

#include <flowray/tf/input.h>

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
  FunctionOf(F function) : function_(std::move(function)) {}

  /// Whether there is one.
  bool has_value() const { return function_ != nullptr; }
  /// Its result; only where there is one.
  Tensor operator()(const Argument& x) const { return function_(x); }

 private:
  template <class... Rest>
  static FunctionOf of(Tensor (*function)(const Input&, Rest...)) {
    if (function == nullptr) return {};
    return [function](const Argument& x) { return function(x, std::remove_cvref_t<Rest>{}...); };
  }

  std::function<Tensor(const Argument&)> function_;
};

}  // namespace flowray::tf

#pragma GCC visibility pop
