#include <flowray/ray/backend.h>
#include <flowray/ray/containers.h>
#include <flowray/ray/errors.h>

#include <cxxabi.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <typeinfo>
#include <utility>

#include "ray/values/value.h"

namespace flowray::ray {

namespace {

/// A C string, as what() gives one, would end at a NUL byte.
std::string without_nul_bytes(const std::string& text) {
  std::string whole;
  for (const char c : text) {
    if (c == '\0') {
      whole += "\\0";
    } else {
      whole += c;
    }
  }
  return whole;
}

/// Whether the message names the node itself, as that of a step does.
bool names_node(const RemoteFailure& failure) {
  return failure.message.find("{{node " + failure.node_name + "}}") != std::string::npos;
}

std::string describe(const RemoteFailure& failure) {
  // The first line must tell all; the rest of the message and the stack follow it.
  std::string text = failure.function.empty() ? "A remote function" : "'" + failure.function + "'";
  text += " failed";
  if (failure.pid != 0) text += " in process " + std::to_string(failure.pid);
  text += " with " + failure.class_name;
  if (!failure.message.empty()) {
    text += ": " + without_nul_bytes(failure.message);
  } else if (failure.pickled.empty()) {
    text += "\nWhat was thrown has no text: throw a std::exception that has one, or a std::string.";
  }
  if (!failure.node_name.empty() && !names_node(failure))
    text += "\nThe node was '" + failure.node_name + "'.";
  if (!failure.stack.empty())
    text += "\nRemote functions, the first is where it was thrown:\n" + failure.stack;
  return text;
}

template <typename E>
[[noreturn]] void throw_as(const std::string& message) {
  throw E(message);
}

struct NamedClass {
  std::string_view name;
  void (*raise)(const std::string& message);
};

/// The classes that a message alone makes again. OpErrors have a code instead.
constexpr NamedClass kRethrown[] = {
    {"std::string", throw_as<std::string>},
    {"flowray::Error", throw_as<Error>},
    {"flowray::ValueError", throw_as<ValueError>},
    {"flowray::TypeError", throw_as<TypeError>},
    {"flowray::KeyError", throw_as<KeyError>},
    {"flowray::RuntimeError", throw_as<RuntimeError>},
    {"flowray::IndexError", throw_as<IndexError>},
    {"ValueError", throw_as<ValueError>},  // Python's
    {"TypeError", throw_as<TypeError>},
    {"KeyError", throw_as<KeyError>},
    {"RuntimeError", throw_as<RuntimeError>},
    {"IndexError", throw_as<IndexError>},
    {"std::runtime_error", throw_as<std::runtime_error>},
    {"std::range_error", throw_as<std::range_error>},
    {"std::overflow_error", throw_as<std::overflow_error>},
    {"std::underflow_error", throw_as<std::underflow_error>},
    {"std::logic_error", throw_as<std::logic_error>},
    {"std::invalid_argument", throw_as<std::invalid_argument>},
    {"std::domain_error", throw_as<std::domain_error>},
    {"std::length_error", throw_as<std::length_error>},
    {"std::out_of_range", throw_as<std::out_of_range>},
};

std::string current_class_name() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (type == nullptr) return "an unknown exception";
  if (*type == typeid(std::string)) return "std::string";
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), std::free);
  return status == 0 ? name.get() : type->name();
}

std::string stack_line(std::string_view function) {
  return "  " + std::string(function) + " (process " + std::to_string(getpid()) + ")";
}

/// Whether a Number is being handled, and its digits.
template <class Number>
bool takes_number(std::string& text) {
  try {
    throw;
  } catch (Number number) {
    text = fmt::format("{}", number);
    return true;
  } catch (...) {
    return false;
  }
}

template <class... Numbers>
std::string digits_of_thrown_value() {
  std::string text;
  static_cast<void>((takes_number<Numbers>(text) || ...));
  return text;
}

/// The text of an exception that is not the standard library's; called where it is handled. Empty for what is
/// neither text nor a number.
std::string text_of_thrown_value() {
  try {
    throw;
  } catch (const std::string& text) {
    return text;
  } catch (std::string_view text) {
    return std::string(text);
  } catch (const char* text) {
    return text == nullptr ? "" : text;
  } catch (...) {
    return digits_of_thrown_value<int, unsigned, long, unsigned long, long long, unsigned long long, short,
                                  unsigned short, char, bool, float, double>();
  }
}

RemoteFailure failure_here(std::string_view function, const std::string& message) {
  RemoteFailure failure;
  failure.class_name = current_class_name();
  failure.message = message;
  failure.function = function;
  failure.pid = getpid();
  failure.stack = stack_line(function);
  return failure;
}

}  // namespace

RayTaskException::RayTaskException(RemoteFailure failure)
    : RayException(describe(failure)), failure_(std::move(failure)) {}

void RayTaskException::rethrow_cause() const {
  if (failure_.code != Code::kOk) errors::throw_error(failure_.code, failure_.message, failure_.node_name);
  for (const NamedClass& known : kRethrown) {
    if (known.name == failure_.class_name) known.raise(failure_.message);
  }
  throw *this;
}

void throw_failure(ErrorKind kind, RemoteFailure failure) {
  switch (kind) {
    case ErrorKind::kTask:
      throw RayTaskException(std::move(failure));
    case ErrorKind::kActor:
      throw RayActorException(failure.message);
    case ErrorKind::kWorker:
      throw RayWorkerException(failure.message);
    case ErrorKind::kUnreconstructable:
      throw UnreconstructableException(failure.message);
    case ErrorKind::kFunctionNotFound:
      throw RayFunctionNotFound(failure.message);
    case ErrorKind::kRuntimeEnv:
      throw RayRuntimeEnvException(failure.message);
    case ErrorKind::kTimeout:
      throw RayTimeoutException(failure.message);
    case ErrorKind::kObjectStoreFull:
      throw ObjectStoreFullException(failure.message);
    case ErrorKind::kTaskCancelled:
      throw TaskCancelledException(failure.message);
    case ErrorKind::kOther:
      break;
  }
  throw RayException(failure.message);
}

void internal::throw_wrong_length(size_t expected, size_t found) {
  throw TypeError("A value cannot be read: " + std::to_string(expected) + " items were expected and " +
                  std::to_string(found) + " were sent. Are both sides the same program?");
}

void encode_error(Encoder& out, ErrorKind kind, const RemoteFailure& failure) {
  out.clear();
  out.mark_error();
  out.begin_list(9);
  out.write_unsigned(static_cast<uint8_t>(kind));
  out.write_string(failure.class_name);
  out.write_string(failure.message);
  out.write_string(failure.function);
  out.write_signed(failure.pid);
  out.write_string(failure.stack);
  out.write_signed(static_cast<int32_t>(failure.code));
  out.write_string(failure.node_name);
  out.write_binary(std::as_bytes(std::span(failure.pickled)));
}

DecodedError decode_error(const internal::ValueView& value) {
  Decoder in(value);
  in.read_list_of(9, "an error");
  DecodedError error{};
  error.kind = static_cast<ErrorKind>(in.read_unsigned(static_cast<uint8_t>(ErrorKind::kTaskCancelled)));
  error.failure.class_name = in.read_string();
  error.failure.message = in.read_string();
  error.failure.function = in.read_string();
  error.failure.pid = in.read_signed();
  error.failure.stack = in.read_string();
  error.failure.code = static_cast<Code>(in.read_signed(0, static_cast<int32_t>(Code::kUnauthenticated)));
  error.failure.node_name = in.read_string();
  const std::span<const std::byte> pickled = in.read_binary();
  error.failure.pickled.assign(reinterpret_cast<const char*>(pickled.data()), pickled.size());
  in.finish();
  return error;
}

std::string text_of(const DecodedError& error) {
  return error.kind == ErrorKind::kTask ? describe(error.failure) : error.failure.message;
}

void throw_error(const internal::ValueView& value) {
  DecodedError error = decode_error(value);
  throw_failure(error.kind, std::move(error.failure));
}

void encode_current_exception(Encoder& out, std::string_view function) {
  RemoteFailure failure;
  ErrorKind kind = ErrorKind::kTask;
  try {
    throw;
  } catch (const RayTaskException& error) {
    // A function that this one called failed: its cause is what the caller wants to know.
    failure = error.failure();
    if (failure.class_name.empty())
      failure = failure_here(function, error.msg_);
    else
      failure.stack += "\n" + stack_line(function);
  } catch (const TaskCancelledException& error) {
    // Of this call, or of another one that it has called.
    failure = failure_here(function, error.msg_);
    internal::Backend* const backend = internal::backend_or_null();
    if (backend != nullptr && backend->is_cancelled()) kind = ErrorKind::kTaskCancelled;
  } catch (const errors::OpError& error) {
    failure = failure_here(function, error.message());
    failure.code = error.code();
    failure.node_name = error.node_name();
  } catch (const RayException& error) {
    failure = failure_here(function, error.msg_);
  } catch (const Error& error) {
    failure = failure_here(function, error.message());
  } catch (const std::exception& error) {
    failure = failure_here(function, error.what());
  } catch (...) {
    failure = failure_here(function, text_of_thrown_value());
  }
  encode_error(out, kind, failure);
}

}  // namespace flowray::ray
