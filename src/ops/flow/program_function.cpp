// Functions of a Python process. They run in the process that registered them, and not for the clients of a
// server (cluster/refused_ops.h).

#include "ops/flow/python_function.h"
#include "graph/kernel/blocking_call.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/flow/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace flowray::ops {
namespace {

/// What the program said that the function gives.
void check_outputs(const std::vector<Array>& outputs, const std::vector<DType>& dtypes) {
  if (outputs.size() != dtypes.size()) {
    throw errors::InvalidArgumentError(fmt::format(
        "Unexpected number of outputs: a Python function gave {} values, and its node has {} outputs",
        outputs.size(), dtypes.size()));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].dtype() == dtypes[i]) continue;
    throw errors::InvalidArgumentError(
        fmt::format("{}-th value returned by a Python function is {}, but expects {}", i,
                    dtype_kernel_name(outputs[i].dtype()), dtype_kernel_name(dtypes[i])));
  }
}

std::atomic<PythonFunctionCaller> the_caller{nullptr};

std::function<void()> start_python_function(graph::BlockingCall& call) {
  if (const PythonFunctionCaller caller = the_caller.load(std::memory_order_acquire); caller != nullptr) {
    std::vector<Array> inputs;
    for (int i = 0; i < call.num_inputs(); ++i) inputs.push_back(call.in(i));
    std::vector<Array> outputs = caller(call.attrs().get<std::string>("token"), inputs);
    check_outputs(outputs, call.attrs().get<std::vector<DType>>("Tout"));
    call.done(std::move(outputs));
    return {};
  }
  throw errors::InvalidArgumentError(
      fmt::format("ValueError: callback {} is not found", call.attrs().get<std::string>("token")));
}

constexpr graph::OpRow kPythonFunctionOps[] = {
    {.name = "PyFunc",
     .inputs = "input:[Tin]",
     .outputs = "output:[Tout]",
     .attrs = "token:string; Tin:list(type); Tout:list(type)",
     .stateful = true,
     .shape = graph::unknown_shape,
     .not_differentiable = true,
     .start = start_python_function},
    {.name = "EagerPyFunc",
     .inputs = "input:[Tin]",
     .outputs = "output:[Tout]",
     .attrs = "token:string; is_async:bool=false; Tin:list(type); Tout:list(type)",
     .stateful = true,
     .shape = graph::unknown_shape,
     .start = start_python_function},
};

}  // namespace

bool calls_python(std::string_view op) {
  return std::ranges::find(kPythonFunctionOps, op, &graph::OpRow::name) != std::end(kPythonFunctionOps);
}

void set_python_function_caller(PythonFunctionCaller caller) {
  the_caller.store(caller, std::memory_order_release);
}

void register_python_function_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kPythonFunctionOps) table.add(row);
}

}  // namespace flowray::ops
