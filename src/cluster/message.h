#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace flowray::cluster {

/// The bytes of a request or a response: pieces, one after another, that are sent without being copied. Each
/// keeps what it lies in alive.
class Message {
 public:
  struct Piece {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
  };

  Message() = default;
  explicit Message(std::string bytes) { add(std::move(bytes)); }

  void add(std::string bytes) {
    if (bytes.empty()) return;
    auto owner = std::make_shared<const std::string>(std::move(bytes));
    const auto view = std::as_bytes(std::span(*owner));
    pieces_.push_back({view, std::move(owner)});
  }
  void add(Piece piece) {
    if (!piece.bytes.empty()) pieces_.push_back(std::move(piece));
  }

  std::span<const Piece> pieces() const { return pieces_; }
  size_t size_bytes() const {
    size_t sum = 0;
    for (const Piece& piece : pieces_) sum += piece.bytes.size();
    return sum;
  }

 private:
  std::vector<Piece> pieces_;
};

}  // namespace flowray::cluster
