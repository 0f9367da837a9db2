#include "ray/owner/error_value.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include <string>
#include <utility>

#include "ray/transport/call_spec.h"
#include "ray/values/value.h"

namespace flowray::ray {
namespace {

// Together they ride in a message, with room for what is around them.
constexpr size_t kMostTextBytes = 20'000;
constexpr size_t kMostStackBytes = 4'000;
constexpr size_t kMostWordBytes = 1'000;
constexpr size_t kMostPickledBytes = 4'000;
static_assert(kMostTextBytes + kMostStackBytes + 3 * kMostWordBytes + kMostPickledBytes + 500 < kInlineBytes);

/// Its beginning, if it is too long.
void shorten(std::string& text, size_t most) {
  if (text.size() <= most) return;
  size_t kept = most - 50;
  while (kept > 0 && (static_cast<unsigned char>(text[kept]) & 0xC0) == 0x80)
    --kept;  // whole letters of UTF-8
  text = fmt::format("{} ... ({} more bytes)", std::string_view(text).substr(0, kept), text.size() - kept);
}

StoredValue stored_error(ErrorKind kind, RemoteFailure failure) {
  shorten(failure.message, kMostTextBytes);
  shorten(failure.stack, kMostStackBytes);
  for (std::string* name : {&failure.class_name, &failure.function, &failure.node_name}) {
    shorten(*name, kMostWordBytes);
  }
  // What Python sends begins with a short form of what follows: flowray/ray/_worker.py.
  if (failure.pickled.size() > kMostPickledBytes) failure.pickled.resize(kMostPickledBytes);
  internal::EncoderLease encoder;
  encode_error(*encoder, kind, failure);
  StoredValue value;
  value.bytes = value_bytes(*encoder);
  value.is_error = true;
  return value;
}

std::string pid_text(uint32_t pid) { return pid == 0 ? std::string() : fmt::format(" (pid {})", pid); }

}  // namespace

StoredValue short_error(std::span<const std::byte> error) {
  internal::ValueView view;
  view.bytes = error;
  try {
    DecodedError decoded = decode_error(view);
    return stored_error(decoded.kind, std::move(decoded.failure));
  } catch (const errors::DataLossError& unreadable) {
    RemoteFailure failure;
    failure.message =
        fmt::format("An error of {} bytes cannot be read: {}", error.size(), unreadable.message());
    return stored_error(ErrorKind::kOther, std::move(failure));
  }
}

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
      failure.message += "\n" + text_of(decode_error(view));
    } catch (const Error&) {  // a broken worker's; it is dead, and why it said so cannot be read
    }
  }
  return stored_error(ErrorKind::kActor, std::move(failure));
}

StoredValue worker_died_error(std::string_view function_name, uint32_t pid, std::string_view reason) {
  RemoteFailure failure;
  failure.function = function_name;
  failure.pid = pid;
  failure.message =
      fmt::format("The process{} that ran the task {} is dead: it {}.", pid_text(pid), function_name, reason);
  return stored_error(ErrorKind::kWorker, std::move(failure));
}

StoredValue worker_not_started_error(std::string_view function_name, std::string_view reason) {
  RemoteFailure failure;
  failure.function = function_name;
  failure.message = fmt::format("No process could be started for the task {}: {}", function_name, reason);
  return stored_error(ErrorKind::kWorker, std::move(failure));
}

StoredValue cancelled_error(std::string_view function_name, std::string_view what) {
  RemoteFailure failure;
  failure.function = function_name;
  failure.message = fmt::format("Task: {} was cancelled. {}", function_name, what);
  return stored_error(ErrorKind::kTaskCancelled, std::move(failure));
}

std::string deadline_text(uint32_t deadline_ms, std::string_view state) {
  return fmt::format("Its deadline of {} ms has passed: {}.", deadline_ms, state);
}

StoredValue lost_value_error(std::string_view why) {
  return stored_error(ErrorKind::kUnreconstructable, {.message = fmt::format("An object is lost: {}.", why)});
}

StoredValue no_room_to_read_error() {
  return stored_error(
      ErrorKind::kObjectStoreFull,
      {.message = "The object store is full: a value that was spilled to disk has no room in it.\n"
                  "Let go of arrays that are no longer needed, or ask for more with Init's "
                  "object_store_memory."});
}

StoredValue too_few_resources_error(std::string_view function_name, std::string_view asked,
                                    std::string_view all) {
  RemoteFailure failure;
  failure.function = function_name;
  failure.message = fmt::format(
      "{} asks for {} of the runtime's resources, and there are {} in all: it would wait for ever.\n"
      "Ask for less, or give Init more num_cpus, num_gpus or resources.",
      function_name, asked, all);
  return stored_error(ErrorKind::kOther, std::move(failure));
}

StoredValue no_concurrency_group_error(std::string_view function_name, std::string_view group_name) {
  RemoteFailure failure;
  failure.function = function_name;
  failure.message = no_concurrency_group_text(function_name, group_name);
  return stored_error(ErrorKind::kOther, std::move(failure));
}

namespace {
std::string name_text(std::string_view name) { return name.empty() ? "" : fmt::format(" '{}'", name); }
}  // namespace

StoredValue group_removed_error(std::string_view group_name) {
  return stored_error(ErrorKind::kOther,
                      {.message = fmt::format("The placement group{} was removed.", name_text(group_name))});
}

StoredValue group_too_small_error(std::string_view function_name, std::string_view asked,
                                  std::string_view group_name) {
  return stored_error(
      ErrorKind::kOther,
      {.message =
           fmt::format("Cannot schedule {} with the placement group{} because the resource request {} cannot "
                       "fit into the bundle, or any of them.\nAsk for less, or give a bundle more.",
                       function_name, name_text(group_name), asked)});
}

}  // namespace flowray::ray
