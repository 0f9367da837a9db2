#pragma once
/// Functions of a graph's library run outside of any step: what datasets call for each of their elements.

#include <flowray/array.h>

#include "core/mutex.h"

#include <memory>
#include <string>
#include <vector>

namespace flowray::graph {

struct CallLimits;
class FunctionLibrary;
class NodeStates;

/// A function made ready, with its last arguments given for good. Called from one thread at a time.
class CallableFunction {
 public:
  virtual ~CallableFunction() = default;
  /// Runs it on its first arguments, in the calling thread, which blocks where the function waits, but no
  /// longer than `limits` allow. Throws errors::OpError.
  virtual std::vector<Array> call(std::vector<Array> args, const CallLimits& limits) = 0;
};

/// Which function, and what it was given where it was made: the arguments behind those of a call. A handle is
/// an Array of dtype resource (graph/resource/resource_value.h) whose resource lives as long as the session.
struct FunctionRequest {
  std::string attr;  // the AttrValue message that names it
  std::vector<Array> captured;
};

/// Something that calls functions and that others may keep for longer than the session is there that runs
/// them: an iterator.
class FunctionUser {
 public:
  virtual ~FunctionUser() = default;
  /// No function runs any more after this.
  virtual void functions_end() = 0;
};

/// A session's.
class FunctionRunner {
 public:
  virtual ~FunctionRunner() = default;
  /// States of its nodes (random generators) are its own, so each one begins anew. Throws
  /// errors::NotFoundError where the library has no such function.
  virtual std::unique_ptr<CallableFunction> make_function(const FunctionRequest& request,
                                                          const FunctionLibrary& library) = 0;
  /// One that may stay when this one is gone, with the same threads and rules for files. It finds resources
  /// by handles only.
  virtual std::unique_ptr<FunctionRunner> make_independent() = 0;
  /// `user` is told when the runner ends, if it still lives then. Thread-safe.
  void tell_end_to(std::weak_ptr<FunctionUser> user);

 protected:
  /// Called by the session that ends, while functions can still run.
  void tell_end();

 private:
  Mutex users_mutex_;
  std::vector<std::weak_ptr<FunctionUser>> users_ FLOWRAY_GUARDED_BY(users_mutex_);
};

/// The runner of the session that `states` are of. Throws errors::UnimplementedError where there is none.
FunctionRunner& function_runner(NodeStates& states);

}  // namespace flowray::graph
