#pragma once
/// Every error that Flowray raises. The codes, their numbers and the class names are TensorFlow's
/// (tensorflow/python/framework/errors): programs that catch by class or compare codes keep working.

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)

namespace flowray {

/// TensorFlow's (and gRPC's) canonical status codes.
enum class Code : int32_t {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

/// "INVALID_ARGUMENT", "NOT_FOUND", ...
std::string_view code_name(Code code);

/// The root of all errors. `what()` and `message()` are the same text: the first line is what TensorFlow
/// says, advice follows on the next ones. Of a text with a NUL character in it message() has all, and what(),
/// being a C string, what stands before.
///
/// An error that is made while a function of flowray::tf works for the program ends with the line of that
/// call: "The call was made at train.cpp:37."
class Error : public std::exception {
 public:
  /// An error with this text.
  explicit Error(std::string message);
  /// message() as a C string, which ends at a NUL byte.
  const char* what() const noexcept override { return message_.c_str(); }
  /// The whole text.
  const std::string& message() const noexcept { return message_; }

 private:
  std::string message_;
};

// What Python raises as a builtin exception.

/// A value of the right type that cannot be used: incompatible shapes while a graph is built, bad names.
class ValueError : public Error {
 public:
  using Error::Error;
};
/// A dtype or C++ type that does not fit.
class TypeError : public Error {
 public:
  using Error::Error;
};
/// A name that is not there ("The name 'x:0' refers to a Tensor which does not exist").
class KeyError : public Error {
 public:
  using Error::Error;
};
/// An operation on an object whose state forbids it (closed session, finalized graph).
class RuntimeError : public Error {
 public:
  using Error::Error;
};
/// What Python code checks by `assert`: a TensorFlowVariables without session.
class AssertionError : public Error {
 public:
  using Error::Error;
};
/// An index outside of a list.
class IndexError : public Error {
 public:
  using Error::Error;
};

namespace errors {

/// An error with one of TensorFlow's codes, raised by a step or by an operation in it.
class OpError : public Error {
 public:
  /// An error of this code; `node_name` is the node that failed.
  OpError(Code code, std::string message, std::string node_name = {})
      : Error(std::move(message)), code_(code), node_name_(std::move(node_name)) {}
  /// TensorFlow's code of the error.
  Code code() const noexcept { return code_; }
  /// Name of the node that failed; empty where no single node did.
  const std::string& node_name() const noexcept { return node_name_; }

 private:
  Code code_;
  std::string node_name_;
};

/// One class for each code, as in tf.errors.
template <Code kCode>
class CodedError : public OpError {
 public:
  /// An error with this text; `node_name` is the node that failed.
  explicit CodedError(std::string message, std::string node_name = {})
      : OpError(kCode, std::move(message), std::move(node_name)) {}
};

// Classes rather than aliases, so that messages of compilers and debuggers show the familiar names.
#define FLOWRAY_DEFINE_OP_ERROR(Name, kCode)    \
  class Name : public CodedError<Code::kCode> { \
   public:                                      \
    using CodedError<Code::kCode>::CodedError;  \
  }
/// The step, or what it waited for, was ended: its session or queue was closed.
FLOWRAY_DEFINE_OP_ERROR(CancelledError, kCancelled);
/// What the others do not say: an error from elsewhere whose code is not known.
FLOWRAY_DEFINE_OP_ERROR(UnknownError, kUnknown);
/// An argument that is wrong whatever the state: a shape or a value that an operation cannot take.
FLOWRAY_DEFINE_OP_ERROR(InvalidArgumentError, kInvalidArgument);
/// It took longer than it may.
FLOWRAY_DEFINE_OP_ERROR(DeadlineExceededError, kDeadlineExceeded);
/// A file, a variable in a checkpoint or another thing that is asked for is not there.
FLOWRAY_DEFINE_OP_ERROR(NotFoundError, kNotFound);
/// What was to be made is there already.
FLOWRAY_DEFINE_OP_ERROR(AlreadyExistsError, kAlreadyExists);
/// The system, or a server's rules, do not allow it.
FLOWRAY_DEFINE_OP_ERROR(PermissionDeniedError, kPermissionDenied);
/// Memory, disk or another limit is used up.
FLOWRAY_DEFINE_OP_ERROR(ResourceExhaustedError, kResourceExhausted);
/// The state does not allow it: a variable without a value is read.
FLOWRAY_DEFINE_OP_ERROR(FailedPreconditionError, kFailedPrecondition);
/// Ended because of what others do at the same time; it may succeed when it is tried again.
FLOWRAY_DEFINE_OP_ERROR(AbortedError, kAborted);
/// Beyond the end: of a file, of a dataset, of a queue that is closed and empty.
FLOWRAY_DEFINE_OP_ERROR(OutOfRangeError, kOutOfRange);
/// Not possible here, or not yet.
FLOWRAY_DEFINE_OP_ERROR(UnimplementedError, kUnimplemented);
/// Something inside is broken: a bug.
FLOWRAY_DEFINE_OP_ERROR(InternalError, kInternal);
/// A server cannot be reached now; it may be later.
FLOWRAY_DEFINE_OP_ERROR(UnavailableError, kUnavailable);
/// Data that is damaged beyond repair.
FLOWRAY_DEFINE_OP_ERROR(DataLossError, kDataLoss);
/// The caller has sent no credentials, or wrong ones.
FLOWRAY_DEFINE_OP_ERROR(UnauthenticatedError, kUnauthenticated);
#undef FLOWRAY_DEFINE_OP_ERROR

/// Throws the class that belongs to `code`; kOk is a bug of the caller and throws InternalError.
[[noreturn]] void throw_error(Code code, std::string message, std::string node_name = {});

}  // namespace errors
}  // namespace flowray

#pragma GCC visibility pop
