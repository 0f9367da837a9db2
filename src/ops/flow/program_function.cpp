// Functions of the program. They run in the process that registered them, and not for the clients of a server
// (cluster/refused_ops.h).

#include "ops/flow/program_function.h"
#include "core/mutex.h"
#include "graph/kernel/blocking_call.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/flow/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <unordered_map>
#include <utility>

namespace flowray::ops {
namespace {

/// The C++ functions, by token.
struct Registry {
  Mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<const ProgramFunction::Function>> functions
      FLOWRAY_GUARDED_BY(mutex);
  uint64_t num_made FLOWRAY_GUARDED_BY(mutex) = 0;
};

Registry& registry() {
  static auto* const the_registry = new Registry;  // graphs may end after the program's statics
  return *the_registry;
}

std::shared_ptr<const ProgramFunction::Function> find_function(const std::string& token) {
  Registry& all = registry();
  const MutexLock lock(all.mutex);
  const auto found = all.functions.find(token);
  return found == all.functions.end() ? nullptr : found->second;
}

/// What the program said that the function gives.
void check_outputs(const std::string& token, const std::vector<Array>& outputs,
                   const std::vector<DType>& dtypes) {
  if (outputs.size() != dtypes.size()) {
    throw errors::InvalidArgumentError(fmt::format("{} returns {} values, but expects to see {} values.",
                                                   token, outputs.size(), dtypes.size()));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].dtype() == dtypes[i]) continue;
    throw errors::InvalidArgumentError(fmt::format("{}-th value returned by {} is {}, but expects {}", i,
                                                   token, dtype_kernel_name(outputs[i].dtype()),
                                                   dtype_kernel_name(dtypes[i])));
  }
}

/// What it throws becomes the step's error.
std::vector<Array> call_function(const ProgramFunction::Function& function,
                                 const std::vector<Array>& inputs) {
  try {
    return function(inputs);
  } catch (const errors::OpError&) {
    throw;
  } catch (const ValueError& error) {
    throw errors::InvalidArgumentError(fmt::format("ValueError: {}", error.what()));
  } catch (const TypeError& error) {
    throw errors::InvalidArgumentError(fmt::format("TypeError: {}", error.what()));
  } catch (const std::bad_alloc&) {
    throw errors::ResourceExhaustedError("The program's function found no memory (std::bad_alloc)");
  } catch (const std::exception& error) {
    throw errors::UnknownError(error.what());
  } catch (...) {
    throw errors::UnknownError("The program's function threw something that is not a std::exception");
  }
}

std::atomic<PythonFunctionCaller> the_caller{nullptr};

std::vector<Array> outputs_of(const std::string& token, const std::vector<Array>& inputs) {
  if (const auto function = find_function(token)) return call_function(*function, inputs);
  if (const PythonFunctionCaller caller = the_caller.load(std::memory_order_acquire); caller != nullptr)
    return caller(token, inputs);
  throw errors::InvalidArgumentError(fmt::format("ValueError: callback {} is not found", token));
}

std::function<void()> start_program_function(graph::BlockingCall& call) {
  std::vector<Array> inputs;
  for (int i = 0; i < call.num_inputs(); ++i) inputs.push_back(call.in(i));
  const auto& token = call.attrs().get<std::string>("token");
  std::vector<Array> outputs = outputs_of(token, inputs);
  check_outputs(token, outputs, call.attrs().get<std::vector<DType>>("Tout"));
  call.done(std::move(outputs));
  return {};
}

constexpr graph::OpRow kProgramFunctionOps[] = {
    {.name = "PyFunc",
     .inputs = "input:[Tin]",
     .outputs = "output:[Tout]",
     .attrs = "token:string; Tin:list(type); Tout:list(type)",
     .stateful = true,
     .shape = graph::unknown_shape,
     .not_differentiable = true,
     .start = start_program_function},
    {.name = "EagerPyFunc",
     .inputs = "input:[Tin]",
     .outputs = "output:[Tout]",
     .attrs = "token:string; is_async:bool=false; Tin:list(type); Tout:list(type)",
     .stateful = true,
     .shape = graph::unknown_shape,
     .start = start_program_function},
};

}  // namespace

ProgramFunction::ProgramFunction(Function function)
    : token_([&] {
        auto kept = std::make_shared<const Function>(std::move(function));
        Registry& all = registry();
        const MutexLock lock(all.mutex);
        std::string token = fmt::format("program_function_{}", all.num_made++);
        all.functions.emplace(token, std::move(kept));
        return token;
      }()) {}

ProgramFunction::~ProgramFunction() {
  std::shared_ptr<const Function> gone;  // may hold a graph, which ends without the lock
  Registry& all = registry();
  const MutexLock lock(all.mutex);
  const auto found = all.functions.find(token_);
  gone = std::move(found->second);
  all.functions.erase(found);
}

bool calls_program(std::string_view op) {
  return std::ranges::find(kProgramFunctionOps, op, &graph::OpRow::name) != std::end(kProgramFunctionOps);
}

void set_python_function_caller(PythonFunctionCaller caller) {
  the_caller.store(caller, std::memory_order_release);
}

void register_program_function_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kProgramFunctionOps) table.add(row);
}

}  // namespace flowray::ops
