#pragma once
/// The functions that came with imported GraphDefs: kept with the graph, to be called and to be exported with
/// it.

#include "wire/graph_def.h"

#include <deque>
#include <mutex>
#include <string>
#include <string_view>

namespace flowray::graph {

class Graph;

/// Safe from many threads.
class FunctionLibrary {
 public:
  /// That of a graph, empty at first.
  static FunctionLibrary& of(Graph& graph);

  /// Copies what is new. Functions that are there already, by name, stay as they are.
  void add(const wire::FunctionDefLibrary& library);
  /// What was added. Texts are borrowed from this library, which only grows.
  wire::FunctionDefLibrary message() const;

 private:
  mutable std::mutex mutex_;
  std::deque<std::string> sources_;  // what library_ borrows from
  wire::FunctionDefLibrary library_;
};

}  // namespace flowray::graph
