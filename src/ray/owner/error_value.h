#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "ray/store/stored_value.h"

namespace flowray::ray {

// Errors that the owner makes ride in messages: where a text is too long for that, its beginning is there,
// and how much more there was.

/// The encoded error `error`, as short as that.
StoredValue short_error(std::span<const std::byte> error);

/// The value of every return of a call that cannot be made because its actor is dead. `cause`: the encoded
/// error that its constructor failed with; null: none.
StoredValue actor_died_error(std::string_view class_name, std::string_view actor_name, uint32_t pid,
                             std::string_view reason, const Buffer* cause);

/// The value of every return of a task whose process died.
StoredValue worker_died_error(std::string_view function_name, uint32_t pid, std::string_view reason);

/// The value of every return of a task that no process could be started for.
StoredValue worker_not_started_error(std::string_view function_name, std::string_view reason);

/// The value of every return of a call that was cancelled; `what`: what became of it.
StoredValue cancelled_error(std::string_view function_name, std::string_view what);

/// What became of a call that was cancelled as its deadline has passed.
std::string deadline_text(uint32_t deadline_ms, std::string_view state);

/// The value of an object that was spilled and cannot be read back.
StoredValue lost_value_error(std::string_view why);
/// The value of every return of a call whose arguments were spilled, and of a spilled value that is asked
/// for, where there is no room for them.
StoredValue no_room_to_read_error();

/// The value of every return of a task, or of an actor's making, that asks for more than there is: both as
/// "{CPU: 2, GPU: 1}".
StoredValue too_few_resources_error(std::string_view function_name, std::string_view asked,
                                    std::string_view all);

/// The value of every return of a call in a concurrency group that its actor does not have.
StoredValue no_concurrency_group_error(std::string_view function_name, std::string_view group_name);

/// The value of a placement group that was removed before it was there, and of calls that were to run in it.
StoredValue group_removed_error(std::string_view group_name);
/// The value of every return of a call that none of the group's bundles is large enough for.
StoredValue group_too_small_error(std::string_view function_name, std::string_view asked,
                                  std::string_view group_name);

}  // namespace flowray::ray
