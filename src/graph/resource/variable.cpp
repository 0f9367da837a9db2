#include "graph/resource/variable.h"

#include "core/buffer.h"

#include <cstring>

namespace flowray::graph {

bool Variable::initialized() const {
  const MutexLock lock(mutex_);
  return value_.has_value();
}

Array Variable::read() const {
  const MutexLock lock(mutex_);
  if (!value_.has_value()) throw_uninitialized();
  return value_;
}

void Variable::assign(Array value) {
  const MutexLock lock(mutex_);
  value_ = std::move(value);
}

Variable::Update Variable::update() {
  std::unique_lock lock(mutex_);  // the Update's from here on
  mutex_.assert_held();
  if (!value_.has_value()) throw_uninitialized();
  return Update(std::move(lock), value_);
}

void Variable::assign_copy(DType dtype, const Shape& shape, const void* data) {
  const MutexLock lock(mutex_);
  const bool fits = value_.has_value() && value_.dtype() == dtype && is_trivial(dtype) &&
                    value_.shape() == shape && value_.buffer()->writable_in_place();
  if (!fits) value_ = Array::uninitialized(dtype, shape);
  if (is_trivial(dtype)) {
    const size_t bytes = value_.size_bytes();
    if (bytes > 0) std::memmove(value_.mutable_raw_data(), data, bytes);
  } else {
    const auto* strings = static_cast<const std::string*>(data);
    std::copy_n(strings, value_.size(), value_.mutable_data<std::string>());
  }
}

void Variable::throw_uninitialized() const {
  throw errors::FailedPreconditionError("Attempting to use uninitialized value " + name());
}

}  // namespace flowray::graph
