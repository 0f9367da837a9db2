#pragma once

#include <flowray/array.h>

#include <cstdint>
#include <memory>

namespace flowray::ops {

/// A row of Arrays that is cheap to copy: copies share what they have in common, and a change copies only
/// the way to what is changed. So a loop may keep each state of a list, and 100,000 changes of one cost
/// 100,000 times the same. Where nothing was set there is an Array without value, and no memory.
///
/// A tree of pieces of 32 with the elements in its leaves (Bagwell, "Ideal Hash Trees", 2001, in the form
/// for vectors). Different objects may be used by different threads, whatever they share.
class ArraySequence {
 public:
  ArraySequence() = default;
  explicit ArraySequence(int64_t size) { resize(size); }

  int64_t size() const { return size_; }
  const Array& operator[](int64_t i) const;
  void set(int64_t i, Array value);
  void push_back(Array value);
  void pop_back();
  /// Changes the length; new elements have no value.
  void resize(int64_t size);
  /// The first element from `i` on that has a value; size() if there is none.
  /// What was never set costs nothing.
  int64_t next_set(int64_t i) const;

 private:
  struct Piece;

  int64_t size_ = 0;
  int levels_ = 0;  // of pieces above the leaves
  std::shared_ptr<const Piece> root_;
};

}  // namespace flowray::ops
