#include <flowray/errors.h>

#include "core/source_line.h"

#include <fmt/format.h>

#include <utility>

namespace flowray {
namespace {

/// `message` with the line of the call at its end, once: it may be made of an error's that has it, or name a
/// node that the same line made.
std::string with_line_of_call(std::string message) {
  const SourceLine at = line_of_call();
  if (at.line == 0) return message;
  const std::string place = fmt::format(" made at {}:{}.", at.file, at.line);
  const std::string sentence = "\nThe call was" + place;
  for (size_t found = message.find(sentence); found != std::string::npos; found = message.find(sentence))
    message.erase(found, sentence.size());
  if (message.find(place) == std::string::npos) message += sentence;
  return message;
}

}  // namespace

SourceLine& line_of_call() noexcept {
  static thread_local SourceLine line;
  return line;
}

Error::Error(std::string message) : message_(with_line_of_call(std::move(message))) {}

std::string_view code_name(Code code) {
  switch (code) {
    case Code::kOk:
      return "OK";
    case Code::kCancelled:
      return "CANCELLED";
    case Code::kUnknown:
      return "UNKNOWN";
    case Code::kInvalidArgument:
      return "INVALID_ARGUMENT";
    case Code::kDeadlineExceeded:
      return "DEADLINE_EXCEEDED";
    case Code::kNotFound:
      return "NOT_FOUND";
    case Code::kAlreadyExists:
      return "ALREADY_EXISTS";
    case Code::kPermissionDenied:
      return "PERMISSION_DENIED";
    case Code::kResourceExhausted:
      return "RESOURCE_EXHAUSTED";
    case Code::kFailedPrecondition:
      return "FAILED_PRECONDITION";
    case Code::kAborted:
      return "ABORTED";
    case Code::kOutOfRange:
      return "OUT_OF_RANGE";
    case Code::kUnimplemented:
      return "UNIMPLEMENTED";
    case Code::kInternal:
      return "INTERNAL";
    case Code::kUnavailable:
      return "UNAVAILABLE";
    case Code::kDataLoss:
      return "DATA_LOSS";
    case Code::kUnauthenticated:
      return "UNAUTHENTICATED";
  }
  return "UNKNOWN";
}

namespace errors {

void throw_error(Code code, std::string message, std::string node_name) {
  auto text = std::move(message);
  auto node = std::move(node_name);
  switch (code) {
    case Code::kCancelled:
      throw CancelledError(text, node);
    case Code::kUnknown:
      throw UnknownError(text, node);
    case Code::kInvalidArgument:
      throw InvalidArgumentError(text, node);
    case Code::kDeadlineExceeded:
      throw DeadlineExceededError(text, node);
    case Code::kNotFound:
      throw NotFoundError(text, node);
    case Code::kAlreadyExists:
      throw AlreadyExistsError(text, node);
    case Code::kPermissionDenied:
      throw PermissionDeniedError(text, node);
    case Code::kResourceExhausted:
      throw ResourceExhaustedError(text, node);
    case Code::kFailedPrecondition:
      throw FailedPreconditionError(text, node);
    case Code::kAborted:
      throw AbortedError(text, node);
    case Code::kOutOfRange:
      throw OutOfRangeError(text, node);
    case Code::kUnimplemented:
      throw UnimplementedError(text, node);
    case Code::kUnavailable:
      throw UnavailableError(text, node);
    case Code::kDataLoss:
      throw DataLossError(text, node);
    case Code::kUnauthenticated:
      throw UnauthenticatedError(text, node);
    case Code::kOk:
    case Code::kInternal:
      break;
  }
  throw InternalError(text, node);
}

}  // namespace errors
}  // namespace flowray
