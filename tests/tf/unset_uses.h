#pragma once
/// Calls of the public headers with a handle that stands for none: what is called, and the argument that the
/// ValueError must name as the header does.

#include <flowray/tf.h>

#include <string>
#include <string_view>

namespace flowray::unset_uses {

/// What the calls are made of. `None` is what stands for the unset tensor.
template <class None>
struct HandlesWith {
  const tf::Graph graph;
  const tf::GraphScope scope = graph.as_default();
  const tf::Tensor x = tf::placeholder(tf::float32, {2, 3});
  const tf::Variable v{1.0f};
  const None none;
  const tf::Variable no_variable = {};
  const tf::Operation no_operation = {};
};
using Handles = HandlesWith<tf::Tensor>;
/// The same where the tensor is the second item of a list, {1, none}.
using HandlesInLists = HandlesWith<tf::Input>;

struct Use {
  const char* argument;
  const char* call;
  /// False where the call does not compile with such handles.
  bool (*make)(const Handles&);
  /// Null where it is not to be tried.
  bool (*make_with_list)(const HandlesInLists&);
};

// With a line for each argument; the others are such that nothing else is wrong before.
#define FLOWRAY_USE_WITH(...)                                                                     \
  [](const auto& handles) {                                                                       \
    [[maybe_unused]] const auto& [graph, scope, x, v, none, no_variable, no_operation] = handles; \
    if constexpr (requires { static_cast<void>(__VA_ARGS__); }) {                                 \
      static_cast<void>(__VA_ARGS__);                                                             \
      return true;                                                                                \
    } else {                                                                                      \
      return false;                                                                               \
    }                                                                                             \
  }
#define USE(argument, ...) \
  Use { argument, #__VA_ARGS__, FLOWRAY_USE_WITH(__VA_ARGS__), FLOWRAY_USE_WITH(__VA_ARGS__) }
/// The same of what takes no lists, or a lambda.
#define USE_ALONE(argument, ...)                                                                        \
  Use {                                                                                                 \
    argument, #__VA_ARGS__,                                                                             \
        [](const Handles& handles) {                                                                    \
          [[maybe_unused]] const auto& [graph, scope, x, v, none, no_variable, no_operation] = handles; \
          static_cast<void>(__VA_ARGS__);                                                               \
          return true;                                                                                  \
        },                                                                                              \
        nullptr                                                                                         \
  }

/// How often the text says where in these tests something was made.
inline int lines_named(std::string_view text) {
  constexpr std::string_view kPlace = " made at tests/tf/unset_";
  int times = 0;
  for (size_t at = text.find(kPlace); at != std::string_view::npos; at = text.find(kPlace, at + 1)) ++times;
  return times;
}

/// "" where the error comes, with this text in it and no line twice; else what came.
template <class Call>
std::string wrong(const Call& call, std::string_view text) {
  try {
    return call() ? "nothing was thrown" : "it does not compile";
  } catch (const tf::ValueError& error) {
    const std::string what = error.what();
    const bool named =
        what.starts_with("None values not supported.\n") && what.find(text) != std::string::npos;
    return named && lines_named(what) <= 1 ? "" : what;
  } catch (const std::exception& error) {
    return std::string("no ValueError: ") + error.what();
  }
}

/// The same of a call whose message must name the argument: 'values', or 'values[1]' of it.
inline std::string wrong_name(const Use& use) {
  const auto make = [&] { return use.make(Handles()); };
  const std::string name = use.argument;
  if (wrong(make, "'" + name + "[").empty()) return {};
  return wrong(make, "'" + name + "'");
}

/// The same with {1, none}: 'shape[1]'. It may be that the argument is not a list.
inline std::string wrong_name_in_list(const Use& use) {
  if (use.make_with_list == nullptr) return {};
  bool compiles = true;
  const auto make = [&] { return compiles = use.make_with_list(HandlesInLists{.none = {1, tf::Tensor()}}); };
  const std::string came = wrong(make, "'" + std::string(use.argument) + "[1]");
  return compiles ? came : "";
}

}  // namespace flowray::unset_uses
