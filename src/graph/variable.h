#pragma once
/// Storage of variables. One kind serves TensorFlow's reference variables and its resource variables.

#include <flowray/array.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace flowray::graph {

/// A value that steps read and update, with a lock for read-modify-write. Reading shares the buffer; updating writes it
/// in place when nobody else holds it and else replaces it by a copy, so that a reader never sees half an update.
class Variable {
 public:
  explicit Variable(std::string name) : name_(std::move(name)) {}
  const std::string& name() const { return name_; }

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
    Update(std::unique_lock<std::mutex> lock, Array& value) : lock_(std::move(lock)), value_(value) {}
    std::unique_lock<std::mutex> lock_;
    Array& value_;
  };
  Update update();

  /// Writes `bytes` from `data` as the new value of that dtype and shape, into the old buffer if it is free to be written.
  void assign_copy(DType dtype, const Shape& shape, const void* data);

 private:
  [[noreturn]] void throw_uninitialized() const;
  const std::string name_;
  mutable std::mutex mutex_;  // guards value_
  Array value_;
};

/// Variables by container and name; outlives single steps. Safe from many threads.
class VariableContainers {
 public:
  /// The variable of that name, made (uninitialised) when there is none.
  std::shared_ptr<Variable> find_or_make(const std::string& container, const std::string& name);
  /// Drops the variables of `container` ("" is the default one).
  void clear(const std::string& container);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::unordered_map<std::string, std::shared_ptr<Variable>>> containers_;
};

}  // namespace flowray::graph
