/// The gradient of a function that is only named: what a SymbolicGradient of another program's graph runs.
#include "tf/gradients/defined_function.h"

#include "core/mutex.h"
#include "engine/step/function_bodies.h"
#include "graph/exchange/function_library.h"
#include "tf/gradients/body_gradient.h"
#include "tf/gradients/call_gradients.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace flowray::tf {

using engine::FunctionBodies;
using graph::Endpoint;
using graph::Node;

namespace {

/// The functions that have been made for a graph's nodes.
class NamedGradients {
 public:
  static NamedGradients& of(graph::Graph& graph) {
    return graph.attachment<NamedGradients>("gradients_of_named_functions");
  }
  std::string find(const Node& caller) const {
    const MutexLock lock(mutex_);
    const auto found = made_.find(&caller);
    return found == made_.end() ? std::string() : found->second;
  }
  void set(const Node& caller, const std::string& name) {
    const MutexLock lock(mutex_);
    made_.emplace(&caller, name);
  }

 private:
  mutable Mutex mutex_;
  std::map<const Node*, std::string> made_ FLOWRAY_GUARDED_BY(mutex_);
};

/// The functions whose gradients this thread is taking: one that asks for its own has none.
class OpenGradient {
 public:
  explicit OpenGradient(const std::string& function) {
    if (std::ranges::find(open(), function) != open().end()) {
      throw errors::UnimplementedError(
          fmt::format("Function {} calls itself, which this engine does not do", function));
    }
    open().push_back(function);
  }
  OpenGradient(const OpenGradient&) = delete;
  OpenGradient& operator=(const OpenGradient&) = delete;
  ~OpenGradient() { open().pop_back(); }

 private:
  static std::vector<std::string>& open() {
    thread_local std::vector<std::string> functions;
    return functions;
  }
};

/// The op that an error of tf::gradients is about, which says "(op type: Name)".
std::string op_without_gradient(std::string_view message) {
  constexpr std::string_view kBefore = "(op type: ";
  const size_t at = message.find(kBefore);
  if (at == std::string_view::npos) return std::string(message);
  message.remove_prefix(at + kBefore.size());
  return std::string(message.substr(0, message.find(')')));
}

void check_count(const Node& caller, size_t expected) {
  const auto given = static_cast<size_t>(caller.num_inputs());
  if (given == expected) return;
  throw errors::InvalidArgumentError(
      fmt::format("Expects {} arguments, but {} is provided\nA SymbolicGradient takes the arguments of its "
                  "function and a gradient for each result.",
                  expected, given));
}

std::string made_gradient(const Node& caller, const wire::NameAttrList& function) {
  const graph::FunctionLibrary& library = graph::FunctionLibrary::of(caller.graph());
  const std::string name = function.name.str();
  const graph::LibraryFunction* const found = library.find(name);
  if (found == nullptr) {
    throw errors::NotFoundError(
        fmt::format("No gradient defined for op: {}\nA SymbolicGradient names a function of the graph's "
                    "library, which has none of that name.",
                    name));
  }
  std::string given = library.gradient_of(name);
  if (!given.empty()) return given;
  const OpenGradient open(name);
  graph::FunctionCall call{.function = found, .attrs = function.attr};
  const int num_args = std::min(caller.num_outputs(), caller.num_inputs());
  BodyGradient body(graph::make_function_body(call, library, caller.graph().ops(), BodyGradient::kPrefix,
                                              FunctionBodies::facts_of_args(caller, 0, num_args)),
                    library);
  check_count(caller, body.args().size() + body.results().size());
  std::vector<DType> dtypes;
  for (const Endpoint& result : body.results()) dtypes.push_back(base_dtype(result.dtype()));
  try {
    return add_gradient(body, name, caller, dtypes);
  } catch (const KeyError& error) {
    throw errors::NotFoundError(
        fmt::format("No gradient defined for op: {}\n{}", op_without_gradient(error.what()), error.what()));
  }
}

std::string gradient_of_named_function(const Node& caller, const wire::NameAttrList& function) {
  NamedGradients& made = NamedGradients::of(caller.graph());
  std::string name = made.find(caller);
  if (!name.empty()) return name;
  const RecursiveLock lock(ExtendedCalls::of(caller.graph()).mutex());
  name = made_gradient(caller, function);
  made.set(caller, name);
  return name;
}

}  // namespace

void take_gradients_of_functions() { FunctionBodies::make_gradients_by(&gradient_of_named_function); }

}  // namespace flowray::tf
