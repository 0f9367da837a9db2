#include "graph/resource/kept_value.h"

#include "core/buffer.h"

#include <utility>

namespace flowray::graph {
namespace {

struct Kept {
  std::shared_ptr<const void> object;
  Kept* next = nullptr;
};

constexpr int kMostWithinEachOther = 16;
thread_local int ending = 0;  // within each other
thread_local Kept* to_be_ended = nullptr;

void end(void* held) {
  auto* kept = static_cast<Kept*>(held);
  if (ending == kMostWithinEachOther) {
    kept->next = std::exchange(to_be_ended, kept);
    return;
  }
  ++ending;
  delete kept;
  while (ending == 1 && to_be_ended != nullptr) {
    Kept* const first = to_be_ended;
    to_be_ended = first->next;
    delete first;
  }
  --ending;
}

}  // namespace

Array keeping_array(std::shared_ptr<const void> object, DType dtype, const Shape& shape) {
  void* const address = const_cast<void*>(object.get());
  auto kept = std::make_unique<Kept>(Kept{std::move(object), nullptr});
  BufferRef buffer = Buffer::adopt(nullptr, 0, end, kept.get(), false);
  (void)kept.release();
  return Array::wrap(buffer.leave(), address, dtype, shape);
}

}  // namespace flowray::graph
