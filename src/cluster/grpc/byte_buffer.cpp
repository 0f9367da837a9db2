#include <cstring>
#include <vector>

#include "cluster/grpc/server.h"
#include "cluster/payload.h"

namespace flowray::cluster {

grpc::ByteBuffer to_byte_buffer(const Message& message) {
  // Below it, a copy costs less than a slice that counts its owners.
  constexpr size_t kCopiedBytes = 4096;
  std::vector<grpc::Slice> slices;
  for (const Message::Piece& piece : message.pieces()) {
    if (piece.bytes.size() < kCopiedBytes) {
      slices.emplace_back(piece.bytes.data(), piece.bytes.size());
      continue;
    }
    auto* owner = new std::shared_ptr<const void>(piece.owner);
    slices.emplace_back(
        const_cast<std::byte*>(piece.bytes.data()), piece.bytes.size(),
        [](void* data) { delete static_cast<std::shared_ptr<const void>*>(data); }, owner);
  }
  return {slices.data(), slices.size()};
}

OneRow::OneRow(const grpc::ByteBuffer& buffer, const Allocate& allocate) {
  constexpr size_t kAlignment = 64;
  std::vector<grpc::Slice> slices;
  if (!buffer.Dump(&slices).ok()) return;
  if (slices.size() <= 1) {
    auto slice = std::make_shared<grpc::Slice>(slices.empty() ? grpc::Slice() : std::move(slices[0]));
    bytes = {reinterpret_cast<const std::byte*>(slice->begin()), slice->size()};
    owner = std::move(slice);
    return;
  }
  size_t size_bytes = 0;
  for (const grpc::Slice& slice : slices) size_bytes += slice.size();
  Memory memory = allocate(size_bytes + kAlignment);
  if (memory.data == nullptr) return;
  const size_t payload =
      payload_offset({reinterpret_cast<const std::byte*>(slices[0].begin()), slices[0].size()}, size_bytes);
  std::byte* const begin = memory.data + (-(reinterpret_cast<uintptr_t>(memory.data) + payload)) % kAlignment;
  std::byte* next = begin;
  for (grpc::Slice& slice : slices) {
    std::memcpy(next, slice.begin(), slice.size());
    next += slice.size();
    slice = grpc::Slice();  // its memory is free for what comes next
  }
  bytes = {begin, size_bytes};
  owner = std::move(memory.owner);
}

}  // namespace flowray::cluster
