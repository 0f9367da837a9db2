#pragma once
/// The bodies of the functions that a graph's nodes call, made at the first step that needs them and kept
/// with the graph.

#include "core/mutex.h"
#include "graph/exchange/function_body.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowray::engine {

/// Which functions a node runs.
enum class CallRole : uint8_t {
  kNone,
  kFunction,  // the one that has the op's name
  kCall,      // that of attribute f
  kIf,        // then_branch or else_branch, by input 0
  kWhile,     // cond and body by turns
  kCase,      // one of branches, by input 0
};

/// By the attributes that name functions: an op that has some and no kernel is run by the engine.
CallRole call_role(const graph::OpSchema& schema);

/// Safe from many threads. What it gives is good as long as the graph.
class FunctionBodies {
 public:
  /// The bodies of the calls in `graph`, and of the calls in those bodies.
  static FunctionBodies& of(graph::Graph& graph);

  /// What `caller` runs as its function number `number`, which nodes' names show as `role`; `first_arg`: the
  /// caller's input that is the function's first argument. Throws errors::NotFoundError where the library has
  /// no such function, and what graph::make_function_body throws.
  const graph::FunctionBody& body(graph::Node& caller, size_t number, std::string_view role, int first_arg);

  /// The same in a copy of its own, with names that begin with `prefix`.
  static graph::FunctionBody new_body(const graph::Node& caller, size_t number, const std::string& prefix,
                                      int first_arg, const graph::FunctionLibrary& library);

  /// The names of all functions that `caller` runs.
  static std::vector<std::string> function_names(const graph::Node& caller);
  /// The name of that function.
  static std::string function_name(const graph::Node& caller, size_t number);
  /// How many functions `caller` names: branches of a Case.
  static size_t count(const graph::Node& caller);

  /// Whether the value of `predicate` is true, as a node to be put behind it; see ToBool.
  graph::Node* truth_of(const graph::Endpoint& predicate);
  /// Whether an int32 is `number`: a constant and a comparison with it.
  std::pair<graph::Node*, graph::Node*> is_number(graph::Node& caller, int32_t number);

 private:
  graph::Graph& helpers(const graph::Graph& like) FLOWRAY_REQUIRES(mutex_);

  Mutex mutex_;
  graph::Graph* graph_ FLOWRAY_GUARDED_BY(mutex_) = nullptr;
  std::map<std::pair<const graph::Node*, size_t>, graph::FunctionBody> bodies_ FLOWRAY_GUARDED_BY(mutex_);
  std::unique_ptr<graph::Graph, graph::FunctionBody::Release> helpers_ FLOWRAY_GUARDED_BY(mutex_);
  std::map<std::pair<const graph::Node*, int>, graph::Node*> truths_ FLOWRAY_GUARDED_BY(mutex_);
  std::map<std::pair<const graph::Node*, int32_t>, std::pair<graph::Node*, graph::Node*>> numbers_
      FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::engine
