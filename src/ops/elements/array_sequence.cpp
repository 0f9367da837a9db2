#include "ops/elements/array_sequence.h"

#include <array>
#include <atomic>

namespace flowray::ops {
namespace {

constexpr int kBits = 5;
constexpr int64_t kWidth = int64_t{1} << kBits;

size_t digit(int64_t i, int level) { return static_cast<size_t>((i >> (level * kBits)) & (kWidth - 1)); }

}  // namespace

struct ArraySequence::Piece {
  virtual ~Piece() = default;

  struct Branch;
  struct Leaf;
  /// `piece` with a reference count of one, to be written to: itself, a copy, or a new one.
  template <class P>
  static P& own(std::shared_ptr<const Piece>& piece) {
    if (piece == nullptr) {
      piece = std::make_shared<P>();
    } else if (piece.use_count() != 1) {
      piece = std::make_shared<P>(static_cast<const P&>(*piece));
    } else {
      // Pairs with the release of the reference given up last: its reads have ended.
      std::atomic_thread_fence(std::memory_order_acquire);
    }
    return const_cast<P&>(static_cast<const P&>(*piece));
  }
};

struct ArraySequence::Piece::Branch : Piece {
  std::array<std::shared_ptr<const Piece>, kWidth> pieces;
};

struct ArraySequence::Piece::Leaf : Piece {
  std::array<Array, kWidth> values;
};

const Array& ArraySequence::operator[](int64_t i) const {
  static const Array kNone;
  const Piece* piece = root_.get();
  for (int level = levels_; level > 0 && piece != nullptr; --level) {
    piece = static_cast<const Piece::Branch*>(piece)->pieces[digit(i, level)].get();
  }
  return piece == nullptr ? kNone : static_cast<const Piece::Leaf*>(piece)->values[digit(i, 0)];
}

void ArraySequence::set(int64_t i, Array value) {
  std::shared_ptr<const Piece>* piece = &root_;
  for (int level = levels_; level > 0; --level) {
    piece = &Piece::own<Piece::Branch>(*piece).pieces[digit(i, level)];
  }
  Piece::own<Piece::Leaf>(*piece).values[digit(i, 0)] = std::move(value);
}

void ArraySequence::push_back(Array value) {
  resize(size_ + 1);
  set(size_ - 1, std::move(value));
}

void ArraySequence::pop_back() { resize(size_ - 1); }

int64_t ArraySequence::next_set(int64_t i) const {
  while (i < size_) {
    const Piece* piece = root_.get();
    int level = levels_;
    for (; level > 0 && piece != nullptr; --level) {
      piece = static_cast<const Piece::Branch*>(piece)->pieces[digit(i, level)].get();
    }
    if (piece == nullptr) {
      const int64_t missing = int64_t{1} << ((level + 1) * kBits);
      i = (i / missing + 1) * missing;
    } else if (static_cast<const Piece::Leaf*>(piece)->values[digit(i, 0)].has_value()) {
      return i;
    } else {
      ++i;
    }
  }
  return size_;
}

void ArraySequence::resize(int64_t size) {
  for (int64_t i = next_set(size); i < size_; i = next_set(i + 1)) set(i, Array());
  size_ = size;
  while (size > int64_t{1} << ((levels_ + 1) * kBits)) {
    if (root_ != nullptr) {
      auto above = std::make_shared<Piece::Branch>();
      above->pieces[0] = std::move(root_);
      root_ = std::move(above);
    }
    ++levels_;
  }
}

}  // namespace flowray::ops
