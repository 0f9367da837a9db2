#pragma once
/// Fetches in the program's own structure: what tf.Session.run takes in Python as nested lists,
/// tuples and dicts.
///
///     const auto wanted = std::tuple(loss, std::vector{first, second});
///     auto [value, layers] = tf::run_nested(session, wanted, {{x, images}});
///
///     struct Step { tf::Tensor loss, accuracy; };
///     struct Values { tf::Array loss, accuracy; };
///     Values values = tf::run_as<Values>(session, Step{loss, accuracy}, {{x, images}});
///
/// All of it is one step.

#include <flowray/array.h>
#include <flowray/tf/session.h>
#include <flowray/tf/sparse_tensor.h>
#include <flowray/tf/tensor.h>
#include <flowray/tf/variable.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <map>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

namespace internal {

/// What a structure of fetches becomes, and how: `add` lists its fetches, `take` builds it of their values.
template <class T>
struct Nested;

template <class T>
  requires std::same_as<T, Tensor> || std::same_as<T, Operation> || std::same_as<T, Variable>
struct Nested<T> {
  using Values = Array;
  static void add(const T& fetch, std::vector<Fetch>& list) { list.emplace_back(fetch); }
  static Values take(const T&, std::span<Array>& values) {
    Array first = std::move(values.front());
    values = values.subspan(1);
    return first;
  }
};

template <>
struct Nested<SparseTensor> {
  using Values = SparseTensorValue;
  static void add(const SparseTensor& fetch, std::vector<Fetch>& list) {
    for (const Tensor& part : {fetch.indices(), fetch.values(), fetch.dense_shape()}) list.emplace_back(part);
  }
  static Values take(const SparseTensor&, std::span<Array>& values) {
    Values taken{std::move(values[0]), std::move(values[1]), std::move(values[2])};
    values = values.subspan(3);
    return taken;
  }
};

template <class T>
struct Nested<std::vector<T>> {
  using Values = std::vector<typename Nested<T>::Values>;
  static void add(const std::vector<T>& fetches, std::vector<Fetch>& list) {
    for (const T& fetch : fetches) Nested<T>::add(fetch, list);
  }
  static Values take(const std::vector<T>& fetches, std::span<Array>& values) {
    Values taken;
    for (const T& fetch : fetches) taken.push_back(Nested<T>::take(fetch, values));
    return taken;
  }
};

template <class T, size_t N>
struct Nested<std::array<T, N>> {
  using Values = std::array<typename Nested<T>::Values, N>;
  static void add(const std::array<T, N>& fetches, std::vector<Fetch>& list) {
    for (const T& fetch : fetches) Nested<T>::add(fetch, list);
  }
  static Values take(const std::array<T, N>& fetches, std::span<Array>& values) {
    Values taken;
    for (size_t i = 0; i < N; ++i) taken[i] = Nested<T>::take(fetches[i], values);
    return taken;
  }
};

template <class Key, class T>
struct Nested<std::map<Key, T>> {
  using Values = std::map<Key, typename Nested<T>::Values>;
  static void add(const std::map<Key, T>& fetches, std::vector<Fetch>& list) {
    for (const auto& [key, fetch] : fetches) Nested<T>::add(fetch, list);
  }
  static Values take(const std::map<Key, T>& fetches, std::span<Array>& values) {
    Values taken;
    for (const auto& [key, fetch] : fetches) taken.emplace(key, Nested<T>::take(fetch, values));
    return taken;
  }
};

template <class... Ts>
struct Nested<std::tuple<Ts...>> {
  using Values = std::tuple<typename Nested<Ts>::Values...>;
  static void add(const std::tuple<Ts...>& fetches, std::vector<Fetch>& list) {
    std::apply([&](const Ts&... fetch) { (Nested<Ts>::add(fetch, list), ...); }, fetches);
  }
  static Values take(const std::tuple<Ts...>& fetches, std::span<Array>& values) {
    return std::apply([&](const Ts&... fetch) { return Values{Nested<Ts>::take(fetch, values)...}; },
                      fetches);
  }
};

template <class A, class B>
struct Nested<std::pair<A, B>> {
  using Values = std::pair<typename Nested<A>::Values, typename Nested<B>::Values>;
  static void add(const std::pair<A, B>& fetches, std::vector<Fetch>& list) {
    Nested<A>::add(fetches.first, list);
    Nested<B>::add(fetches.second, list);
  }
  static Values take(const std::pair<A, B>& fetches, std::span<Array>& values) {
    auto first = Nested<A>::take(fetches.first, values);
    return {std::move(first), Nested<B>::take(fetches.second, values)};
  }
};

// ---- structs of fetches: their fields are counted by what initialises them

struct AnyFetch {
  template <class T>
    requires std::same_as<T, Tensor> || std::same_as<T, Operation> || std::same_as<T, Variable> ||
             std::same_as<T, SparseTensor>
  operator T() const;
};

template <class T, size_t... I>
concept HasFields = requires { T{((void)I, AnyFetch())...}; };
template <class T, size_t... I>
constexpr bool has_fields(std::index_sequence<I...>) {
  return HasFields<T, I...>;
}
/// At most eight.
template <class T, size_t N = 8>
constexpr size_t count_fields() {
  if constexpr (N == 0 || has_fields<T>(std::make_index_sequence<N>())) {
    return N;
  } else {
    return count_fields<T, N - 1>();
  }
}

/// Calls `function` with so many fields of a struct.
template <size_t N, class T, class Function>
decltype(auto) with_fields(T& value, const Function& function) {
  static_assert(N >= 1 && N <= 8, "a struct of one to eight tensors, operations or variables is fetched");
  if constexpr (N == 1) {
    auto& [a] = value;
    return function(a);
  } else if constexpr (N == 2) {
    auto& [a, b] = value;
    return function(a, b);
  } else if constexpr (N == 3) {
    auto& [a, b, c] = value;
    return function(a, b, c);
  } else if constexpr (N == 4) {
    auto& [a, b, c, d] = value;
    return function(a, b, c, d);
  } else if constexpr (N == 5) {
    auto& [a, b, c, d, e] = value;
    return function(a, b, c, d, e);
  } else if constexpr (N == 6) {
    auto& [a, b, c, d, e, f] = value;
    return function(a, b, c, d, e, f);
  } else if constexpr (N == 7) {
    auto& [a, b, c, d, e, f, g] = value;
    return function(a, b, c, d, e, f, g);
  } else {
    auto& [a, b, c, d, e, f, g, h] = value;
    return function(a, b, c, d, e, f, g, h);
  }
}

}  // namespace internal

/// The values of tensors, sparse tensors, operations and variables in tuples, pairs, vectors, arrays and
/// maps, however deep, in the same structure; an operation's is an Array without value.
template <class Structure>
typename internal::Nested<Structure>::Values run_nested(Session& session, const Structure& fetches,
                                                        const FeedDict& feeds = {},
                                                        const RunOptions& options = {}) {
  std::vector<Fetch> list;
  internal::Nested<Structure>::add(fetches, list);
  std::vector<Array> values = session.run(std::span<const Fetch>(list), feeds, options);
  std::span<Array> rest(values);
  return internal::Nested<Structure>::take(fetches, rest);
}

/// The values of the fields of a struct, of at most eight tensors, sparse tensors, operations and variables,
/// in those of another struct, of as many Arrays and SparseTensorValues.
template <class Values, class Fetches>
  requires std::is_aggregate_v<Values> && std::is_aggregate_v<Fetches>
Values run_as(Session& session, const Fetches& fetches, const FeedDict& feeds = {},
              const RunOptions& options = {}) {
  constexpr size_t kCount = internal::count_fields<Fetches>();
  std::vector<Fetch> list;
  internal::with_fields<kCount>(
      fetches, [&]<class... Ts>(const Ts&... fetch) { (internal::Nested<Ts>::add(fetch, list), ...); });
  std::vector<Array> arrays = session.run(std::span<const Fetch>(list), feeds, options);
  std::span<Array> rest(arrays);
  Values values;
  internal::with_fields<kCount>(fetches, [&]<class... Ts>(const Ts&... fetch) {
    internal::with_fields<kCount>(
        values, [&](auto&... value) { ((value = internal::Nested<Ts>::take(fetch, rest)), ...); });
  });
  return values;
}

}  // namespace flowray::tf

#pragma GCC visibility pop
