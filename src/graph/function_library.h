#pragma once
/// The functions that came with imported GraphDefs: kept with the graph, to be called and to be exported with
/// it.

#include "graph/op_schema.h"
#include "wire/graph_def.h"

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace flowray::graph {

class Graph;

/// A function, and what a node that calls it by its name looks like.
struct LibraryFunction {
  wire::FunctionDef definition;  // borrows from whoever keeps this
  OpSchema schema;
};

/// Whether it is that of a call of a function by its name.
bool is_function_call(const OpSchema& schema);

/// Safe from many threads. Only grows: what it gives stays good as long as it.
class FunctionLibrary {
 public:
  /// That of a graph, empty at first.
  static FunctionLibrary& of(Graph& graph);

  /// A message's functions, made ready to be added, and to be used before that.
  class Addition {
   public:
    Addition() = default;
    /// Copies. Throws errors::InvalidArgumentError for a signature that is none.
    explicit Addition(const wire::FunctionDefLibrary& library);
    /// Null if there is none of that name.
    const LibraryFunction* find(std::string_view name) const;

   private:
    friend class FunctionLibrary;
    struct Content {
      std::string source;  // what the others borrow from
      wire::FunctionDefLibrary library;
      std::unordered_map<std::string_view, LibraryFunction> functions;
    };
    std::shared_ptr<Content> content_;
  };

  /// Takes what is new. Functions that are there already, by name, stay as they are.
  void add(const Addition& addition);
  void add(const wire::FunctionDefLibrary& library) { add(Addition(library)); }
  /// Null if there is none of that name.
  const LibraryFunction* find(std::string_view name) const;
  /// What was added. Texts are borrowed from this library.
  wire::FunctionDefLibrary message() const;

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::vector<Addition> kept_;
  wire::FunctionDefLibrary library_;
  std::unordered_map<std::string_view, const LibraryFunction*> functions_;
};

}  // namespace flowray::graph
