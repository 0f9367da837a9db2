#pragma once
/// The lists of values that loops write and read, element by element.

#include "core/mutex.h"
#include "graph/resource/resource.h"

#include <flowray/array.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::ops {

/// Values by index, each written once and, if it is cleared after that, read once; TensorFlow's TensorArray,
/// with its errors. Elements are shared, not copied. The list of a gradient sums what is written to one
/// index, and what was not written to it is zero. Thread-safe.
class TensorArray final : public graph::Resource {
 public:
  static constexpr std::string_view kKind = "tensorflow::TensorArray";

  struct Options {
    DType dtype = DType::kInvalid;
    Shape element_shape = Shape::unknown_rank();
    bool dynamic_size = false;
    bool clear_after_read = true;
    bool identical_element_shapes = false;
    bool sums_writes = false;
  };
  TensorArray(std::string name, int64_t size, Options options);
  std::string_view kind() const override { return kKind; }

  DType dtype() const { return options_.dtype; }
  int64_t size() const;
  /// As far as it is known.
  Shape element_shape() const;

  void write(int64_t index, Array value);
  Array read(int64_t index);
  /// All of `indices` as one array with one dimension more.
  Array gather(std::span<const int32_t> indices, const Shape& element_shape);
  /// All of them in a row along their first dimension.
  Array concat(std::vector<int64_t>& lengths);
  void close();
  /// The list for the gradient with respect to this one that `source` names.
  std::shared_ptr<TensorArray> gradient(const std::string& source);

 private:
  struct Element {
    Array value;
    Shape shape =
        Shape::unknown_rank();  // of what was written, or of the zeros that stand for it in a gradient
    bool is_written = false;
    bool is_read = false;
    bool is_cleared = false;
  };

  /// Allocated when they are first written or read: the size is an untrusted number.
  using Chunk = std::unique_ptr<Element[]>;
  static constexpr int64_t kChunk = 32;

  /// As many chunks as `size` elements take. Throws errors::ResourceExhaustedError.
  static size_t num_chunks(int64_t size);
  Element& element(int64_t index) FLOWRAY_REQUIRES(mutex_);
  [[noreturn]] void fail(const std::string& reason) const;
  void check_open() const FLOWRAY_REQUIRES(mutex_);
  Array read_locked(int64_t index) FLOWRAY_REQUIRES(mutex_);
  void add(Element& element, Array value) const;
  Array zeros(const Element& element, int64_t index) const FLOWRAY_REQUIRES(mutex_);

  const Options options_;
  mutable Mutex mutex_;
  int64_t size_ FLOWRAY_GUARDED_BY(mutex_);
  std::vector<Chunk> chunks_ FLOWRAY_GUARDED_BY(mutex_);
  Shape element_shape_ FLOWRAY_GUARDED_BY(mutex_);
  bool may_grow_ FLOWRAY_GUARDED_BY(mutex_);
  bool is_closed_ FLOWRAY_GUARDED_BY(mutex_) = false;
  std::map<std::string, std::shared_ptr<TensorArray>> gradients_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::ops
