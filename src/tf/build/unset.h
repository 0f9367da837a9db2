#pragma once
/// Handles that stand for none - a default-made tf::Tensor, tf::Operation or tf::Variable - where one is
/// needed. What takes a handle asks here for what is behind it.

#include <flowray/tf/variable.h>

#include "graph/graph.h"
#include "tf/build/unset.h"

#include <memory>
#include <string_view>

namespace flowray::tf {

/// ValueError "None values not supported.", which names the argument: 'loss', or "ys[1]".
[[noreturn]] void throw_unset_argument(std::string_view handle, std::string_view argument);
/// The same of a method that was called on such a handle: "shape()".
[[noreturn]] void throw_unset_method(std::string_view handle, std::string_view method);

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

/// Throws for an input that is an unset tensor or variable.
inline void check_set(const Input& input, std::string_view argument) {
  if (input.tensor() != nullptr && !input.tensor()->has_value())
    throw_unset_argument("tf::Tensor or tf::Variable", argument);
}

inline void check_all_set(const List<Input>& list, std::string_view argument) {
  for (size_t i = 0; i < list.size(); ++i) check_set(list[i], element_name(argument, i));
}
/// Throws unless all handles of a list are set.
template <class Handle>
void check_all_set(const std::vector<Handle>& handles, std::string_view argument) {
  for (size_t i = 0; i < handles.size(); ++i) {
    if (!handles[i].has_value()) (void)node_of(handles[i], element_name(argument, i));
  }
}

}  // namespace flowray::tf
