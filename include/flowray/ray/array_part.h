#pragma once
/// ArrayPart: rows of an array that lies in the object store. What is sent is the reference and which rows.
///
///     const ray::ObjectRef<Array> images = ray::Put(all_images);
///     for (int i = 0; i < 4; ++i)
///       sums.push_back(ray::Task(Sum).Remote(ray::ArrayPart::Shard(images, i, 4)));
///
///     double Sum(const ray::ArrayPart& part) { const Array rows = part.Get(); ... }

#include <flowray/array.h>
#include <flowray/ray/containers.h>
#include <flowray/ray/object_ref.h>

#include <cstdint>
#include <utility>

#pragma GCC visibility push(default)

namespace flowray::ray {

/// A reference to some rows of an array. It keeps the whole array in the store, as an ObjectRef does.
/// Default-made it refers to nothing. As an argument or inside of a value it stays what it is: a call with
/// one may begin before the array is there, and waits for it in Get.
class ArrayPart {
 public:
  ArrayPart() = default;
  /// Rows [begin, end) of the array's first dimension. Get throws IndexError where there are no such rows.
  ArrayPart(ObjectRef<Array> whole, int64_t begin, int64_t end)
      : whole_(std::move(whole)), begin_(begin), end_(end) {}
  /// Part `index` of `count` parts that differ by at most one row, of an array with any number of rows.
  /// Throws ValueError unless 0 <= index < count.
  static ArrayPart Shard(ObjectRef<Array> whole, int64_t index, int64_t count);

  /// Waits until the array is there and reads the rows where they lie, without a copy; they begin at a
  /// multiple of 64 bytes only where a row's size is one. Throws what ObjectRef::Get throws, and IndexError.
  Array Get() const { return Get(-1); }
  /// As ObjectRef::Get with `timeout_ms`.
  Array Get(int timeout_ms) const;

  /// The reference to the whole array.
  const ObjectRef<Array>& Whole() const noexcept { return whole_; }

  FLOWRAY_FIELDS(whole_, begin_, end_, num_shards_);

 private:
  ObjectRef<Array> whole_;
  int64_t begin_ = 0;  // of a shard its number
  int64_t end_ = 0;
  int64_t num_shards_ = 0;  // 0: it is rows [begin, end)
};

}  // namespace flowray::ray

#pragma GCC visibility pop
