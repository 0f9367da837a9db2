#include <flowray/tf/py_func.h>

#include "core/mutex.h"
#include "ops/flow/program_function.h"
#include "tf/build/composite.h"
#include "tf/build/function_graph.h"

#include <memory>
#include <string>
#include <utility>

namespace flowray::tf {
namespace {

/// What the nodes of a graph call, of its functions, too, for as long as the graph is there.
struct KeptFunctions {
  Mutex mutex;
  std::vector<std::shared_ptr<ops::ProgramFunction>> all FLOWRAY_GUARDED_BY(mutex);
};

void keep(graph::Graph& graph, std::shared_ptr<ops::ProgramFunction> function) {
  auto& kept = graph.attachment<KeptFunctions>("program_functions");
  const MutexLock lock(kept.mutex);
  kept.all.push_back(std::move(function));
}

}  // namespace

std::vector<Tensor> py_func(const ProgramFunction& func, const List<Input>& inp,
                            const std::vector<DType>& Tout, const NameOption& options) {
  const ErrorLine errors(place_in_program(inp));
  if (!func) throw ValueError("Expected func to be callable. Received func=None of type <class 'NoneType'>.");
  auto function = std::make_shared<ops::ProgramFunction>(func);
  Composite scope({{"inp", inp}}, options.name, "PyFunc", place_in_program(inp));
  std::vector<graph::Endpoint> inputs;
  for (size_t i = 0; i < inp.size(); ++i) {
    inputs.push_back(scope.convert(inp[i], "input_" + std::to_string(i)));
  }
  const Operation made(scope.builder().node(
      "PyFunc", std::move(inputs), {{"token", function->token()}, {"Tout", Tout}}, scope.result_name()));
  if (FunctionGraph::current() != nullptr) {
    keep(FunctionGraph::program_graph(), std::move(function));
  } else if (!scope.graph().is_eager()) {  // else it has run
    keep(scope.graph(), std::move(function));
  }
  return made.outputs();
}

}  // namespace flowray::tf
