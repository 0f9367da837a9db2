#pragma once
/// A part of a graph as a function of a library.

#include "graph/graph.h"
#include "wire/graph_def.h"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace flowray::graph {

class FunctionLibrary;

struct FunctionPart {
  struct Arg {
    DType dtype = DType::kInvalid;
    /// What reads this reads the argument; null: nothing does.
    Endpoint value = {};
  };

  std::string name;
  std::vector<Arg> args;
  std::vector<Endpoint> results;
  /// Run where the function runs, whether results depend on them or not.
  std::vector<Node*> effects = {};
  /// Nodes that a control edge from a call of the function stands for.
  std::vector<Node*> control_outputs = {};
  /// Where a value comes from if not from its own node.
  std::function<Endpoint(Endpoint)> source = nullptr;
  /// Which node is waited for in place of a control input; null: none.
  std::function<Node*(Node*)> control = nullptr;
  /// What the function calls its arguments and results; empty: arg0, result0 and so on.
  std::vector<std::string> arg_names = {};
  std::vector<std::string> result_names = {};
  /// Left out where names of nodes begin with it.
  std::string prefix = {};
};

/// What the results, effects and control outputs need of their graph, as far back as the arguments. Borrows
/// names and tensors from the graph.
wire::FunctionDef to_function_def(const FunctionPart& part);

/// Adds it to a library and gives its name: that of the part and a fingerprint of the content, so that one
/// function that is made twice is one, and a graph that is imported into another one brings no other function
/// of a name that is taken. `taken` says of a name that this function is to have another one: it gets a
/// number at its end.
std::string add_function(FunctionLibrary& library, const FunctionPart& part,
                         const std::function<bool(const std::string&)>& taken = nullptr);
/// The same by just the name of the part. Throws errors::InvalidArgumentError where the library has another
/// function of that name.
void add_named_function(FunctionLibrary& library, const FunctionPart& part);

}  // namespace flowray::graph
