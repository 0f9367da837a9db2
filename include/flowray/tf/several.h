#pragma once
/// One value or several: what tf::cond, while_loop, map_fn and scan give to a program's functions and take
/// from them. Several are a tuple, pair or array where their number is written down, and a vector where it
/// is not.

#include <flowray/tf/input.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::internal {

/// A std::function without target, a null pointer.
template <class F>
bool is_unset(const F& function) {
  if constexpr (requires { function == nullptr; }) return function == nullptr;
  return false;
}
[[noreturn]] void throw_not_callable(std::string_view argument, Input::Where where);
/// Throws TypeError "'fn' must be callable." for one that is unset.
template <class F>
void check_callable(const F& function, std::string_view argument, Input::Where where) {
  if (is_unset(function)) throw_not_callable(argument, where);
}

/// A std::tuple, pair or array.
template <class T>
concept TupleLike = requires { std::tuple_size<T>::value; };
/// A std::vector of what converts to an Item.
template <class T, class Item>
concept ListOf = requires(const T& list) {
  requires std::same_as<T, std::vector<typename T::value_type>>;
  requires std::convertible_to<const typename T::value_type&, Item>;
};
/// One Item, or several of them.
template <class T, class Item>
concept OneOrSeveral = std::convertible_to<const T&, Item> || TupleLike<T> || ListOf<T, Item>;

/// What stands in a list of inputs, which as a whole is not an Array.
template <class T>
concept InList = InputLike<T> && !InputLike<std::vector<T>>;

/// What a function gave as a list of Items.
template <class Item, OneOrSeveral<Item> T>
std::vector<Item> list_of(const T& result) {
  std::vector<Item> items;
  if constexpr (std::convertible_to<const T&, Item>) {
    items.emplace_back(result);
  } else if constexpr (TupleLike<T>) {
    std::apply([&](const auto&... values) { (items.emplace_back(values), ...); }, result);
  } else {
    for (const auto& value : result) items.emplace_back(value);
  }
  return items;
}

/// Tensors in the shape of a function's result of type T: one, an array of so many, a vector.
template <class T, class Item>
auto shaped_as(std::vector<Tensor> tensors) {
  if constexpr (std::convertible_to<const T&, Item>) {
    return std::move(tensors.at(0));
  } else if constexpr (TupleLike<T>) {
    std::array<Tensor, std::tuple_size_v<T>> several;
    for (size_t i = 0; i < several.size(); ++i) several[i] = std::move(tensors.at(i));
    return several;
  } else {
    return tensors;
  }
}

/// N tensors as an array; one alone as itself.
template <size_t N>
using OneOrArray = std::conditional_t<N == 1, Tensor, std::array<Tensor, N>>;
template <size_t N>
OneOrArray<N> one_or_array(const std::vector<Tensor>& tensors) {
  if constexpr (N == 1) {
    return tensors.at(0);
  } else {
    std::array<Tensor, N> several;
    for (size_t i = 0; i < N; ++i) several[i] = tensors.at(i);
    return several;
  }
}

/// One value or a tuple, to begin with.
template <class T>
concept Initial = InputLike<T> || TupleLike<T>;
template <class T>
inline constexpr size_t kNumberIn = 1;
template <TupleLike T>
inline constexpr size_t kNumberIn<T> = std::tuple_size_v<T>;

/// Calls a function with N tensors, each of them an argument.
template <size_t N, class F>
decltype(auto) call_with(const F& function, const std::vector<Tensor>& tensors) {
  return [&]<size_t... I>(std::index_sequence<I...>) -> decltype(auto) {
    return function(tensors.at(I)...);
  }(std::make_index_sequence<N>());
}
template <class F, class Indices>
inline constexpr bool kTakes = false;
template <class F, size_t... I>
inline constexpr bool kTakes<F, std::index_sequence<I...>> =
    std::is_invocable_v<const F&, decltype((void(I), std::declval<const Tensor&>()))...>;
/// Can be called with N tensors.
template <class F, size_t N>
concept TakesTensors = kTakes<F, std::make_index_sequence<N>>;
/// Can be called with a list of tensors.
template <class F>
concept TakesList = std::is_invocable_v<const F&, const std::vector<Tensor>&>;

}  // namespace flowray::tf::internal

#pragma GCC visibility pop
