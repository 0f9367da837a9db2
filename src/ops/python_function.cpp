// Functions of a Python process. They run in the process that registered them; there is none in a server.

#include "graph/blocking_call.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/data_ops.h"

#include <fmt/format.h>

namespace flowray::ops {
namespace {

std::function<void()> start_python_function(graph::BlockingCall& call) {
  throw errors::InvalidArgumentError(
      fmt::format("ValueError: callback {} is not found", call.attrs().get<std::string>("token")));
}

}  // namespace

void register_python_function_ops(graph::OpTable& table) {
  table.add({.name = "PyFunc",
             .inputs = "input:[Tin]",
             .outputs = "output:[Tout]",
             .attrs = "token:string; Tin:list(type); Tout:list(type)",
             .stateful = true,
             .shape = graph::unknown_shape,
             .not_differentiable = true,
             .start = start_python_function});
  table.add({.name = "EagerPyFunc",
             .inputs = "input:[Tin]",
             .outputs = "output:[Tout]",
             .attrs = "token:string; is_async:bool=false; Tin:list(type); Tout:list(type)",
             .stateful = true,
             .shape = graph::unknown_shape,
             .start = start_python_function});
}

}  // namespace flowray::ops
