#pragma once
/// Resource variables of graphs: a handle (VarHandleOp) that stands for the value, which each use reads anew.
/// And variables of both kinds that are cut into parts, which each use puts together.

#include <flowray/tf/control_flow.h>
#include <flowray/tf/variable.h>

#include "tf/build/collections.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::tf {

/// Nodes made while it lives stand with none and have the devices of no scope around it.
class Anywhere {
 public:
  explicit Anywhere(graph::Graph& graph);
  Anywhere(const Anywhere&) = delete;
  Anywhere& operator=(const Anywhere&) = delete;
  ~Anywhere();

 private:
  graph::Graph& graph_;
  std::vector<std::vector<std::string>> colocation_;
  std::optional<DeviceFunctionGuard> devices_;
};

/// What a fetch of the variable gives: its reference, or the first node that reads a resource variable.
Tensor graph_element(const Variable& variable);

/// The handle in the graph that nodes are made in now: the variable's own, or the body of a function.
graph::Endpoint handle_here(const internal::VariableState& variable);

/// What the variable's value() gives: a new ReadVariableOp, or what its caching device has read.
Tensor value_of_resource(const internal::VariableState& variable);
/// What its read_value() gives: a new "Read/ReadVariableOp", and an Identity of it.
Tensor read_resource(const internal::VariableState& variable);
/// ReadVariableOp where nodes are made now.
Tensor new_read(const internal::VariableState& variable);

/// The value of all parts of a variable that is cut, behind what is waited for here.
Tensor concatenated_parts(const internal::VariableState& variable);
/// The same that waits for nothing: what value() gives.
Tensor value_of_parts(const internal::VariableState& variable);

/// A new AssignVariableOp, AssignAddVariableOp or AssignSubVariableOp.
graph::Node* assign_resource(const internal::VariableState& variable, std::string_view op, const Input& value,
                             const std::string& name = {});

/// The operation that changes the variable, of what a method like assign() gives.
Operation assignment_behind(const Tensor& updated);

/// The variable as `assignment` leaves it: its reads wait for that. What a fetch of it gives is made now.
std::shared_ptr<internal::VariableState> variable_after(const internal::VariableState& variable,
                                                        graph::Node& assignment);

}  // namespace flowray::tf
