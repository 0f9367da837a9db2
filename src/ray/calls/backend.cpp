#include <flowray/ray/backend.h>
#include <flowray/ray/errors.h>

#include <pthread.h>

#include <utility>

#include "core/buffer.h"
#include "ray/calls/no_runtime.h"
#include "ray/functions/libraries.h"
#include "ray/values/value.h"

namespace flowray::ray {

NoRuntimeException::NoRuntimeException(bool is_of_parent)
    : RayException(
          is_of_parent
              ? "The actor runtime runs in the process that this one was forked from, which alone can "
                "use it; call flowray::ray::Init() here for one of its own."
              : "The actor runtime is not running; call flowray::ray::Init() first (and Shutdown() "
                "last)."),
      is_of_parent_(is_of_parent) {}

namespace internal {

namespace {
/// The one runtime of this process. Init and Shutdown set it; everything else only reads it.
std::atomic<Backend*> process_backend{nullptr};
std::atomic<bool> is_of_parent{false};

/// Read in each call: not by a function call, as in libraries the default is.
[[gnu::tls_model("initial-exec")]] thread_local Backend* thread_backend = nullptr;

/// In a process that the program forked: what lies in shared memory is its parent's to use.
void leave_backend_to_parent() {
  thread_backend = nullptr;
  if (process_backend.exchange(nullptr, std::memory_order_relaxed) != nullptr) is_of_parent = true;
}
}  // namespace

Backend& backend() {
  if (thread_backend != nullptr) return *thread_backend;
  // Pairs with the release in set_backend(): what Init built is seen.
  Backend* backend = process_backend.load(std::memory_order_acquire);
  if (backend == nullptr) throw NoRuntimeException(is_of_parent);
  return *backend;
}

Backend* backend_or_null() noexcept {
  return thread_backend != nullptr ? thread_backend : process_backend.load(std::memory_order_acquire);
}

Backend* backend_of_process() noexcept { return process_backend.load(std::memory_order_acquire); }

void set_backend_of_thread(Backend* backend) noexcept { thread_backend = backend; }

bool is_thread_of_actor() noexcept { return thread_backend != nullptr; }

void set_backend(Backend* backend) noexcept {
  [[maybe_unused]] static const int forked = pthread_atfork(nullptr, nullptr, leave_backend_to_parent);
  process_backend.store(backend, std::memory_order_release);
  is_of_parent = false;
  tell_libraries(backend);
}

void ObjectHandle::release() noexcept {
  // The last holder sees all that the others did, as with any count.
  if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  // Of the process: an actor's thread may let go of what the program's had.
  Backend* const backend = process_backend.load(std::memory_order_acquire);
  if (keeper_ != nullptr) {
    if (backend != nullptr) keeper_->release(id_);
    keeper_->let_go();
  } else if (backend != nullptr) {
    backend->release(id_);
  }
  delete this;
}

ValueView::ValueView(ValueView&& other) noexcept
    : bytes(std::exchange(other.bytes, {})),
      buffer(std::exchange(other.buffer, nullptr)),
      in_place(other.in_place),
      is_error(other.is_error) {}

ValueView& ValueView::operator=(ValueView&& other) noexcept {
  std::swap(bytes, other.bytes);
  std::swap(buffer, other.buffer);
  std::swap(in_place, other.in_place);
  std::swap(is_error, other.is_error);
  return *this;
}

ValueView::~ValueView() { flowray::release(buffer); }

void throw_error_value(const ValueView& value) { throw_error(value); }

}  // namespace internal

}  // namespace flowray::ray
