#pragma once
/// Storage of variables. One kind serves TensorFlow's reference variables and its resource variables.

#include <flowray/array.h>

#include "core/mutex.h"
#include "graph/resource/resource.h"

#include <mutex>
#include <string_view>

namespace flowray::graph {

/// A value that steps read and update, with a lock for read-modify-write. Reading shares the buffer; updating
/// writes it in place when it is not shared and else replaces it by a copy, so that a reader never sees
/// half an update.
class Variable final : public Resource {
 public:
  static constexpr std::string_view kKind = "tensorflow::Var";
  using Resource::Resource;
  std::string_view kind() const override { return kKind; }

  bool initialized() const;
  /// Throws FailedPreconditionError "Attempting to use uninitialized value NAME".
  Array read() const;
  /// Takes over the value, of whatever shape and dtype.
  void assign(Array value);

  /// Exclusive access for read-modify-write. The elements are private while the Update lives.
  class Update {
   public:
    /// The value's shape; throws FailedPreconditionError if there is none yet.
    const Shape& shape() const { return value_.shape(); }
    DType dtype() const { return value_.dtype(); }
    template <Element T>
    T* data() {
      return value_.mutable_data<T>();
    }
    void* raw_data() { return value_.mutable_raw_data(); }

   private:
    friend class Variable;
    Update(std::unique_lock<Mutex> lock, Array& value) : lock_(std::move(lock)), value_(value) {}
    std::unique_lock<Mutex> lock_;
    Array& value_;
  };
  Update update();

  /// Writes `bytes` from `data` as the new value of that dtype and shape, into the old buffer if it is free
  /// to be written.
  void assign_copy(DType dtype, const Shape& shape, const void* data);

 private:
  [[noreturn]] void throw_uninitialized() const;
  mutable Mutex mutex_;
  Array value_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::graph
