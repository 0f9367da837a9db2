// Coroutines that run in the thread that waits for them.

#include <flowray/ray/async.h>
#include <flowray/ray/errors.h>

#include <utility>

namespace flowray::ray::internal {
namespace {

thread_local AsyncLoop* loop_here = nullptr;

}  // namespace

void require_unbegun(bool can_begin) {
  if (can_begin) return;
  throw RayException(
      "An Async was awaited, or its Get was called, a second time, or after it was moved from. A coroutine "
      "runs "
      "once: call its function again.");
}

AsyncLoop::AsyncLoop() noexcept : outer_(std::exchange(loop_here, this)) {}

AsyncLoop::~AsyncLoop() { loop_here = outer_; }

AsyncLoop* AsyncLoop::here() noexcept { return loop_here; }

void AsyncLoop::run(std::coroutine_handle<> coroutine) {
  while (!coroutine.done()) {
    if (awaited_.empty()) {
      throw RayException(
          "A coroutine waits for what is neither an ObjectRef nor an Async of this thread; nothing would "
          "ever "
          "go on with it.");
    }
    go_on_with_ready();
  }
}

/// Waits until one is there at least. What goes on may await further ones.
void AsyncLoop::go_on_with_ready() {
  std::vector<ObjectId> objects;
  objects.reserve(awaited_.size());
  for (const Awaited& awaited : awaited_) objects.push_back(require_handle(awaited.ref)->id());
  const std::vector<bool> is_ready = backend().wait(objects, 1, std::nullopt);
  std::vector<Awaited> ready;
  std::vector<Awaited> others;
  for (size_t i = 0; i < is_ready.size(); ++i)
    (is_ready[i] ? ready : others).push_back(std::move(awaited_[i]));
  awaited_ = std::move(others);
  for (const Awaited& awaited : ready) {
    awaited.awaiting->go_on(std::move(backend().get(awaited.ref.object(), std::nullopt).value()));
  }
}

std::optional<ValueView> await_value(const AnyRef& ref, Awaiting& awaiting) {
  const ObjectId object = require_handle(ref)->id();
  if (AsyncLoop* const loop = AsyncLoop::here()) {
    loop->await(ref, awaiting);
    return std::nullopt;
  }
  return backend().await(object, awaiting);
}

}  // namespace flowray::ray::internal
