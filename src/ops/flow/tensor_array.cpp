#include "ops/flow/tensor_array.h"

#include "core/checked_size.h"
#include "core/dtype_dispatch.h"
#include "core/wrapping.h"
#include "ops/elements/copy_elements.h"
#include "ops/elements/variant_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace flowray::ops {
TensorArray::TensorArray(std::string name, int64_t size, Options options)
    : Resource(std::move(name)),
      options_(std::move(options)),
      size_(size),
      chunks_(num_chunks(size)),
      element_shape_(options_.element_shape),
      may_grow_(options_.dynamic_size) {}

size_t TensorArray::num_chunks(int64_t size) {
  return static_cast<size_t>((checked_count("elements of a TensorArray", size) + kChunk - 1) / kChunk);
}

TensorArray::Element& TensorArray::element(int64_t index) {
  Chunk& chunk = chunks_[static_cast<size_t>(index / kChunk)];
  if (chunk == nullptr) chunk = std::make_unique<Element[]>(kChunk);
  return chunk[static_cast<size_t>(index % kChunk)];
}

void TensorArray::fail(const std::string& reason) const {
  throw errors::InvalidArgumentError(fmt::format("TensorArray {}: {}", name(), reason));
}

void TensorArray::check_open() const {
  if (is_closed_) {
    throw errors::InvalidArgumentError(fmt::format("TensorArray {} has already been closed.", name()));
  }
}

int64_t TensorArray::size() const {
  const MutexLock lock(mutex_);
  return size_;
}

Shape TensorArray::element_shape() const {
  const MutexLock lock(mutex_);
  return element_shape_;
}

void TensorArray::write(int64_t index, Array value) {
  const MutexLock lock(mutex_);
  check_open();
  if (index < 0 || (index >= size_ && !may_grow_)) {
    fail(fmt::format("Tried to write to index {} but array is not resizeable and size is: {}", index, size_));
  }
  if (value.dtype() != options_.dtype) {
    fail(fmt::format(
        "Could not write to TensorArray index {} because the value dtype is {} but TensorArray dtype is {}.",
        index, dtype_kernel_name(value.dtype()), dtype_kernel_name(options_.dtype)));
  }
  if (!element_shape_.is_compatible_with(value.shape())) {
    fail(fmt::format(
        "Could not write to TensorArray index {} because the value shape is {} which is incompatible with "
        "the TensorArray's inferred element shape: {} (consider setting infer_shape=False).",
        index, value.shape().to_string(), element_shape_.to_string()));
  }
  if (index >= size_) {
    chunks_.resize(num_chunks(index + 1));
    size_ = index + 1;
  }
  Element& element = this->element(index);
  if (element.is_read) {
    fail(fmt::format("Could not write to TensorArray index {} because it has already been read.", index));
  }
  if (element.is_written) {
    if (!options_.sums_writes) {
      fail(fmt::format("Could not write to TensorArray index {} because it has already been written to.",
                       index));
    }
    return add(element, std::move(value));
  }
  if (options_.identical_element_shapes) element_shape_ = element_shape_.merge_with(value.shape());
  element.shape = value.shape();
  element.value = std::move(value);
  element.is_written = true;
}

void TensorArray::add(Element& element, Array value) const {
  if (!(element.value.shape() == value.shape())) {
    fail(
        fmt::format("Could not aggregate to TensorArray index because the existing shape is {} but the new "
                    "input shape is "
                    "{}.",
                    element.value.shape().to_string(), value.shape().to_string()));
  }
  const bool known = dispatch<NumberTypes>(options_.dtype, [&]<class T>() {
    T* sum = element.value.mutable_data<T>();
    const T* more = value.data<T>();
    for (int64_t i = 0; i < value.size(); ++i) sum[i] = wrapping_add(sum[i], more[i]);
  });
  if (!known) {
    throw errors::UnimplementedError(
        fmt::format("A TensorArray cannot sum values of dtype {}", dtype_name(options_.dtype)));
  }
}

Array TensorArray::read(int64_t index) {
  const MutexLock lock(mutex_);
  check_open();
  return read_locked(index);
}

Array TensorArray::read_locked(int64_t index) {
  if (index < 0 || index >= size_) {
    // TensorFlow does not name the array here.
    throw errors::InvalidArgumentError(
        fmt::format("Tried to read from index {} but array size is: {}", index, size_));
  }
  Element& element = this->element(index);
  if (element.is_cleared) {
    fail(fmt::format(
        "Could not read index {} twice because it was cleared after a previous read (perhaps try setting "
        "clear_after_read = false?).",
        index));
  }
  if (!element.is_written) {
    element.value = zeros(element, index);
    element.is_written = true;
  }
  element.is_read = true;
  if (!options_.clear_after_read) return element.value;
  element.is_cleared = true;
  return std::move(element.value);
}

Array TensorArray::zeros(const Element& element, int64_t index) const {
  const Shape shape = element_shape_.merge_with(element.shape);
  if (shape.is_fully_defined()) return {options_.dtype, shape};
  fail(fmt::format(
      "Could not read from TensorArray index {}.  Furthermore, the element shape is not fully defined: {}.  "
      "It "
      "is possible you are working with a resizeable TensorArray and stop_gradients is not allowing the "
      "gradients to be written.\nGive the forward TensorArray its full element_shape.",
      index, shape.to_string()));
}

Array TensorArray::gather(std::span<const int32_t> indices, const Shape& element_shape) {
  const MutexLock lock(mutex_);
  check_open();
  if (!element_shape_.is_compatible_with(element_shape)) {
    fail(fmt::format("The element shape {} was asked for, but it is {}", element_shape.to_string(),
                     element_shape_.to_string()));
  }
  if (indices.empty()) {
    const Shape shape = element_shape_.merge_with(element_shape);
    if (!shape.is_fully_defined()) {
      throw errors::UnimplementedError(
          fmt::format("TensorArray has size zero, but element shape {} is not fully defined. "
                      "Currently only static shapes are supported when packing zero-size "
                      "TensorArrays.",
                      shape.to_string()));
    }
    return {options_.dtype, Shape{0}.concatenate(shape)};
  }
  Array all;
  Shape first;
  std::vector<Array> variants;
  for (size_t i = 0; i < indices.size(); ++i) {
    const Array value = read_locked(indices[i]);
    if (i == 0) {
      first = value.shape();
    } else if (!(value.shape() == first)) {
      throw errors::InvalidArgumentError(fmt::format(
          "TensorArray has inconsistent shapes.  Index 0 has shape: {} but index {} has shape: {}",
          first.to_string(), i, value.shape().to_string()));
    }
    if (options_.dtype == DType::kVariant) {
      variants.push_back(value);
      continue;
    }
    if (i == 0) all = Array::uninitialized(options_.dtype, Shape{std::ssize(indices)}.concatenate(first));
    copy_elements(value, 0, all, static_cast<int64_t>(i) * value.size(), value.size());
  }
  return variants.empty() ? all : stacked_variants(variants);
}

Array TensorArray::concat(std::vector<int64_t>& lengths) {
  const MutexLock lock(mutex_);
  check_open();
  std::vector<Array> values;
  CheckedSize rows(0);
  for (int64_t i = 0; i < size_; ++i) {
    Array& value = values.emplace_back(read_locked(i));
    if (value.rank() == 0) {
      throw errors::InvalidArgumentError(
          fmt::format("Concat saw a scalar shape at index {} but requires at least vectors.  "
                      "Did you mean to call pack?",
                      i));
    }
    const auto tail = [](const Shape& shape) { return shape.dims().subspan(1); };
    if (!std::ranges::equal(tail(value.shape()), tail(values[0].shape()))) {
      throw errors::InvalidArgumentError(
          fmt::format("TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: {} "
                      "but index {} has "
                      "(excepting dimension 0) shape: {}",
                      Shape(tail(values[0].shape())).to_string(), i, Shape(tail(value.shape())).to_string()));
    }
    lengths.push_back(value.dim(0));
    rows += value.dim(0);
  }
  Shape shape = values.empty() ? Shape{0}.concatenate(element_shape_.has_rank() ? element_shape_ : Shape())
                               : values[0].shape();
  shape.set_dim(0, rows);
  Array all = Array::uninitialized(options_.dtype, shape);
  int64_t at = 0;
  for (const Array& value : values) {
    copy_elements(value, 0, all, at, value.size());
    at += value.size();
  }
  return all;
}

void TensorArray::close() {
  const MutexLock lock(mutex_);
  is_closed_ = true;
  size_ = 0;
  chunks_.clear();
}

std::shared_ptr<TensorArray> TensorArray::gradient(const std::string& source) {
  const MutexLock lock(mutex_);
  check_open();
  std::shared_ptr<TensorArray>& found = gradients_[source];
  if (found != nullptr) return found;
  may_grow_ = false;  // the gradient's indices are those of now
  Options options = options_;
  options.element_shape = element_shape_;
  options.dynamic_size = false;
  options.clear_after_read = false;
  options.sums_writes = true;
  found = std::make_shared<TensorArray>(fmt::format("{}@{}", name(), source), size_, options);
  const MutexLock lock_of_made(found->mutex_);  // not shared yet
  for (int64_t i = 0; i < size_; ++i) {
    if (chunks_[static_cast<size_t>(i / kChunk)] != nullptr) found->element(i).shape = element(i).shape;
  }
  return found;
}

}  // namespace flowray::ops
