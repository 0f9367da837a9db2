#include <vector>

#include "cluster/grpc/server.h"

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
    slices.emplace_back(const_cast<std::byte*>(piece.bytes.data()), piece.bytes.size(),
                        [](void* data) { delete static_cast<std::shared_ptr<const void>*>(data); }, owner);
  }
  return {slices.data(), slices.size()};
}

OneRow::OneRow(const grpc::ByteBuffer& buffer) {
  auto slice = std::make_shared<grpc::Slice>();
  if (!buffer.TrySingleSlice(slice.get()).ok() && !buffer.DumpToSingleSlice(slice.get()).ok()) return;
  bytes = {reinterpret_cast<const std::byte*>(slice->begin()), slice->size()};
  owner = std::move(slice);
}

}  // namespace flowray::cluster
