#include "core/buffer.h"

#include <new>

#include "core/block_pool.h"
#include "core/buffer_watch.h"

namespace flowray {

static_assert(sizeof(Buffer) == kBlockHeadBytes,
              "the header is the head of its block, and the data follows it aligned");

BufferRef Buffer::allocate(size_t bytes) {
  const Block block = allocate_block(bytes);
  BufferWatch::tell(static_cast<int64_t>(bytes));
  auto* const data = static_cast<std::byte*>(block.memory) + sizeof(Buffer);
  return BufferRef::take(::new (block.memory) Buffer(data, bytes, block.size_class, true, nullptr, nullptr));
}

BufferRef Buffer::adopt(void* data, size_t bytes, void (*release)(void* owner), void* owner, bool writable) {
  const Block block = allocate_block(0);
  auto* bytes_begin = static_cast<std::byte*>(data);
  if (bytes_begin == nullptr) bytes_begin = static_cast<std::byte*>(block.memory) + sizeof(Buffer);
  return BufferRef::take(::new (block.memory)
                             Buffer(bytes_begin, bytes, block.size_class, writable, release, owner));
}

void Buffer::destroy() noexcept {
  if (release_ != nullptr) release_(owner_);
  const bool is_heap = data_ == reinterpret_cast<std::byte*>(this) + sizeof(Buffer);
  if (is_heap) BufferWatch::tell(-static_cast<int64_t>(size_bytes_));
  const Block block{this, size_class_};
  this->~Buffer();
  free_block(block);
}

}  // namespace flowray
