#pragma once
/// What tasks, actors and objects throw. The class names are those of Ray's C++ API; programs that name them
/// ray::internal::RayTaskException and so on find them there too.

#include <flowray/errors.h>

#include <cstdint>
#include <string>

#pragma GCC visibility push(default)

namespace flowray::ray {

/// The root of all errors of the actor runtime.
class RayException : public Error {
 public:
  using Error::Error;
  /// msg_ as a C string, which ends at a NUL byte.
  const char* what() const noexcept override { return msg_.c_str(); }

  /// The text by Ray's name, which programs of Ray's add to where they throw an error on; message() stays.
  std::string msg_ = message();
};

/// The actor is dead: its process ended, its constructor threw, or it was killed.
class RayActorException : public RayException {
 public:
  using RayException::RayException;
};
/// The process that ran a task ended before the task did.
class RayWorkerException : public RayException {
 public:
  using RayException::RayException;
};
/// An object is lost and cannot be made again.
class UnreconstructableException : public RayException {
 public:
  using RayException::RayException;
};
/// A function that was not registered with RAY_REMOTE, here or in the worker.
class RayFunctionNotFound : public RayException {
 public:
  using RayException::RayException;
};
class RayRuntimeEnvException : public RayException {
 public:
  using RayException::RayException;
};
/// A value was not there before the time given was over. The value may still come.
class RayTimeoutException : public RayException {
 public:
  using RayException::RayException;
};
/// The object store is full, and what is in it cannot make room.
class ObjectStoreFullException : public RayException {
 public:
  using RayException::RayException;
};

/// Cancel() was called for the call. Thrown by Get for its reference, and in the call itself.
class TaskCancelledException : public RayException {
 public:
  using RayException::RayException;
};

/// What is known of an exception that was thrown in another process.
struct RemoteFailure {
  std::string
      class_name;       ///< the C++ class as a person writes it: "flowray::ValueError", "std::runtime_error"
  std::string message;  ///< its text: a number's digits; of a std::exception what(), which ends at a NUL byte
                        ///< (a flowray::Error's and a std::string's goes on); of anything else empty
  std::string function;   ///< as registered: "Network::Step"
  int64_t pid = 0;        ///< of the process that ran it
  std::string stack;      ///< the remote functions it went through, one a line
  Code code = Code::kOk;  ///< of an errors::OpError, as the next
  /// The node that failed.
  std::string node_name;
  /// For an exception of an interpreter (Python): what it takes to raise it again there.
  std::string pickled;
};

/// A function threw. The first line of what() says which, where, and what: the class of anything that was
/// thrown, and its text if it has one. A NUL byte in that text, at which what() would end, is written \0;
/// failure().message has it as it is.
class RayTaskException : public RayException {
 public:
  /// One of which nothing but the text is known.
  explicit RayTaskException(const std::string& message) : RayException(message) {}
  /// One that was thrown in another process.
  explicit RayTaskException(RemoteFailure failure);

  /// What is known of the exception and of where it was thrown.
  const RemoteFailure& failure() const noexcept { return failure_; }
  /// Throws what the function threw if its class is one of flowray's (ValueError,
  /// errors::InvalidArgumentError with its code and node, ...) or of the standard library's; else this, of an
  /// int or a class of the program's, whose name is failure().class_name. A std::string counts.
  [[noreturn]] void rethrow_cause() const;

 private:
  RemoteFailure failure_;
};

/// What an error that travels stands for. The numbers are part of the format.
enum class ErrorKind : uint8_t {
  kTask = 0,
  kActor = 1,
  kWorker = 2,
  kUnreconstructable = 3,
  kFunctionNotFound = 4,
  kRuntimeEnv = 5,
  kTimeout = 6,
  kObjectStoreFull = 7,
  kOther = 8,  ///< a plain RayException
  kTaskCancelled = 9,
};

/// Throws the class that belongs to `kind`; all but kTask carry the failure's message alone.
[[noreturn]] void throw_failure(ErrorKind kind, RemoteFailure failure);

namespace internal {
using ray::ObjectStoreFullException;
using ray::RayActorException;
using ray::RayException;
using ray::RayFunctionNotFound;
using ray::RayRuntimeEnvException;
using ray::RayTaskException;
using ray::RayTimeoutException;
using ray::RayWorkerException;
using ray::TaskCancelledException;
using ray::UnreconstructableException;
}  // namespace internal

}  // namespace flowray::ray

#pragma GCC visibility pop
