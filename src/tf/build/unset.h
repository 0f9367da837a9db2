#pragma once
/// Handles that stand for none - a default-made tf::Tensor, tf::Operation or tf::Variable - where one is
/// needed. What takes a handle asks here for what is behind it.

#include <flowray/tf/variable.h>

#include "graph/graph.h"
#include "tf/build/user_line.h"

#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::tf {

/// ValueError "None values not supported.", which names the argument: 'loss', or "ys[1]". `where`: the call's
/// place, which none names further out.
[[noreturn]] void throw_unset_argument(std::string_view handle, std::string_view argument,
                                       Input::Where where = {});
/// The same of a method that was called on such a handle: "shape()".
[[noreturn]] void throw_unset_method(std::string_view handle, std::string_view method,
                                     Input::Where where = {});

/// The same of what a function of the program's returned: "What 'body' returned at [0] is ...". `place` is
/// " at [0]", " as output" or nothing.
[[noreturn]] void throw_unset_result(std::string_view handle, std::string_view function,
                                     std::string_view place);
/// The same of what was to be waited for.
[[noreturn]] void throw_unset_dependency(std::string_view list, size_t i);

/// "list[2]"
std::string element_name(std::string_view list, size_t i);

/// The node behind an argument.
inline graph::Node& node_of(const Tensor& tensor, std::string_view argument) {
  if (!tensor.has_value()) throw_unset_argument("tf::Tensor", argument);
  return *tensor.node();
}
inline graph::Node& node_of(const Operation& operation, std::string_view argument) {
  if (!operation.has_value()) throw_unset_argument("tf::Operation", argument);
  return *operation.node();
}
inline graph::Node& node_of(const Variable& variable, std::string_view argument) {
  if (!variable.has_value()) throw_unset_argument("tf::Variable", argument);
  return *variable.ref().node();
}

/// The node behind an argument that may be a tensor's or a variable's.
graph::Node& node_of_either(const Tensor& tensor, std::string_view argument);

/// Whether a field of options that has no default was left out: it is an empty list then.
bool is_left_out(const Input& input);

/// Throws for an input that is an unset tensor or variable, or a list with one in it: 'shape[1]'.
void check_set(const Input& input, std::string_view argument);
/// The same of an argument that may be left out.
inline void check_set(const OptionalInput& input, std::string_view argument) {
  if (input.has_value()) check_set(*input, argument);
}
void check_all_set(std::span<const Input> inputs, std::string_view argument);
/// Throws unless all handles of a list are set.
template <class Handle>
  requires(!std::same_as<Handle, Input>)
void check_all_set(const std::vector<Handle>& handles, std::string_view argument) {
  for (size_t i = 0; i < handles.size(); ++i) {
    if (!handles[i].has_value()) (void)node_of(handles[i], element_name(argument, i));
  }
}
template <class Item>
void check_all_set(const List<Item>& list, std::string_view argument) {
  check_all_set(list.items(), argument);
}

/// The one handle that a function of the program's returned, which must be set.
inline Tensor returned(Tensor result, std::string_view function, std::string_view place = {}) {
  if (!result.has_value()) throw_unset_result("tf::Tensor", function, place);
  return result;
}
inline Operation returned(Operation result, std::string_view function, std::string_view place = {}) {
  if (!result.has_value()) throw_unset_result("tf::Operation", function, place);
  return result;
}
/// The same of item `i` of several.
void check_returned(const Input& result, std::string_view function, size_t i);
inline void check_returned(const std::vector<Input>& results, std::string_view function) {
  for (size_t i = 0; i < results.size(); ++i) check_returned(results[i], function, i);
}

}  // namespace flowray::tf
