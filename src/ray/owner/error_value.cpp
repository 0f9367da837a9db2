#include "ray/owner/error_value.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include "ray/values/value.h"

namespace flowray::ray {
namespace {

StoredValue stored_error(ErrorKind kind, const RemoteFailure& failure) {
  internal::EncoderLease encoder;
  encode_error(*encoder, kind, failure);
  StoredValue value;
  value.bytes = Buffer::allocate(encoded_size_bytes(*encoder));
  write_value(*encoder, value.bytes->data());
  value.is_error = true;
  return value;
}

std::string pid_text(uint32_t pid) { return pid == 0 ? std::string() : fmt::format(" (pid {})", pid); }

}  // namespace

StoredValue actor_died_error(std::string_view class_name, std::string_view actor_name, uint32_t pid,
                             std::string_view reason, const Buffer* cause) {
  RemoteFailure failure;
  failure.class_name = class_name;
  failure.pid = pid;
  failure.message = fmt::format("The actor {}{}{} is dead: {}.", class_name,
                                actor_name.empty() ? std::string() : fmt::format(" '{}'", actor_name),
                                pid_text(pid), reason);
  if (cause != nullptr) {
    internal::ValueView view;
    view.bytes = {cause->data(), cause->size_bytes()};
    try {
      failure.message += "\n" + decode_error(view).failure.message;
    } catch (const Error&) {  // a broken worker's; it is dead, and why it said so cannot be read
    }
  }
  return stored_error(ErrorKind::kActor, failure);
}

StoredValue worker_died_error(std::string_view function_name, uint32_t pid, std::string_view reason) {
  RemoteFailure failure;
  failure.function = function_name;
  failure.pid = pid;
  failure.message =
      fmt::format("The process{} that ran the task {} is dead: it {}.", pid_text(pid), function_name, reason);
  return stored_error(ErrorKind::kWorker, failure);
}

StoredValue worker_not_started_error(std::string_view function_name, std::string_view reason) {
  RemoteFailure failure;
  failure.function = function_name;
  failure.message = fmt::format("No process could be started for the task {}: {}", function_name, reason);
  return stored_error(ErrorKind::kWorker, failure);
}

StoredValue too_few_cpus_error(std::string_view function_name, double asked, uint32_t num_cpus) {
  RemoteFailure failure;
  failure.function = function_name;
  failure.message = fmt::format(
      "{} asks for {} of the resource CPU, and the runtime has {} in all: it would wait for ever. Ask for "
      "less, or give Init "
      "more num_cpus.",
      function_name, asked, num_cpus);
  return stored_error(ErrorKind::kOther, failure);
}

}  // namespace flowray::ray
