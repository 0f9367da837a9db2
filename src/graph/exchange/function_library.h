#pragma once
/// The functions that came with imported GraphDefs and those that gradients have made: kept with the graph,
/// to be called and to be exported with it.

#include "core/mutex.h"
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
  wire::FunctionDef definition;  // borrows from the owner of this struct
  OpSchema schema;
};

/// Whether it is that of a call of a function by its name.
bool is_function_call(const OpSchema& schema);

/// The definition as bytes, the same for functions that TensorFlow takes for one: the order in which nodes,
/// attributes and control inputs are written does not count, nor do descriptions of arguments and what is
/// there for debugging.
std::string content_of(wire::FunctionDef function);

/// Safe from many threads but for share(). Only grows: what it gives stays good as long as it.
class FunctionLibrary {
  struct Functions;

 public:
  /// The library of a graph, empty at first.
  static FunctionLibrary& of(Graph& graph);

  /// A message's functions, made ready to be added, and to be used before that.
  class Addition {
   public:
    Addition() = default;
    /// Copies. Throws errors::InvalidArgumentError for an invalid signature, and for different functions
    /// of one name.
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

  /// Takes what is new. Throws errors::InvalidArgumentError, and takes nothing, where a function of the same
  /// name is another one, or a function has another gradient. Waits while a Joining lives.
  void add(const wire::FunctionDefLibrary& library);

  /// Functions on their way into a library, which join it together with something else, or not at all: while
  /// there is one, no others are added, so that what was found to fit still does at the end. Nothing where
  /// there are none.
  class Joining {
   public:
    /// Throws what add() would throw. `addition` outlives this.
    Joining(FunctionLibrary& library, const Addition& addition);
    Joining(const Joining&) = delete;
    Joining& operator=(const Joining&) = delete;
    /// They have joined.
    void finish();

   private:
    const std::shared_ptr<Functions> functions_;
    const Addition& addition_;
    std::unique_lock<Mutex> alone_;
  };
  /// From now on this is the library that `other` is: what is added to one is in both. For the graph of a
  /// part or a body, whose library is empty and known to one thread.
  void share(const FunctionLibrary& other) { functions_ = other.functions_; }

  /// Null if there is none of that name.
  const LibraryFunction* find(std::string_view name) const;
  /// The function that is the gradient of another one; empty if none was given.
  std::string gradient_of(std::string_view name) const;
  /// What was added. Texts are borrowed from this library.
  wire::FunctionDefLibrary message() const;

 private:
  struct Functions {
    void check(const Addition& addition) const FLOWRAY_REQUIRES(mutex);
    void take(const Addition& addition) FLOWRAY_REQUIRES(mutex);

    Mutex joining;  // held while functions are added; before the other one
    mutable Mutex mutex;
    std::vector<Addition> kept FLOWRAY_GUARDED_BY(mutex);
    wire::FunctionDefLibrary library FLOWRAY_GUARDED_BY(mutex);
    std::unordered_map<std::string_view, const LibraryFunction*> by_name FLOWRAY_GUARDED_BY(mutex);
    std::unordered_map<std::string_view, std::string_view> gradients FLOWRAY_GUARDED_BY(mutex);
  };
  std::shared_ptr<Functions> functions_ = std::make_shared<Functions>();
};

}  // namespace flowray::graph
