#include <flowray/array.h>

#include "core/buffer.h"
#include "core/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

namespace flowray {
namespace {

/// Bytes of an array; throws where they do not fit a size.
size_t bytes_for(DType dtype, const Shape& shape) {
  const size_t element = dtype_size(dtype);
  if (element == 0)
    throw TypeError(fmt::format("An Array cannot hold elements of type {}", dtype_name(dtype)));
  if (!shape.is_fully_defined()) {
    throw ValueError(
        fmt::format("An Array needs a fully defined shape, but got {}", shape.to_tuple_string()));
  }
  size_t bytes = element;
  for (int64_t dim : shape.dims()) {
    if (__builtin_mul_overflow(bytes, static_cast<size_t>(dim), &bytes) ||
        bytes > static_cast<size_t>(std::numeric_limits<int64_t>::max())) {
      if (shape.num_elements() == std::numeric_limits<int64_t>::max()) {
        throw errors::InvalidArgumentError(
            fmt::format("Shape {} would have more than 2**63 - 1 elements", shape.to_string()));
      }
      throw errors::ResourceExhaustedError(fmt::format("OOM when allocating tensor with shape{} and type {}",
                                                       shape.to_string(), dtype_kernel_name(dtype)));
    }
  }
  return bytes;
}

/// Strings own memory, so they are made and destroyed as objects; what they lie in is a block like others,
/// and counts as others do.
struct Strings {
  explicit Strings(size_t n) : block(Buffer::allocate(n * sizeof(std::string))), count(n) {}
  std::string* begin() const { return reinterpret_cast<std::string*>(block->data()); }

  BufferRef block;
  size_t count;
};

BufferRef allocate_strings(size_t count, const std::string* values) {
  auto strings = std::make_unique<Strings>(count);
  if (values == nullptr) {
    std::uninitialized_value_construct_n(strings->begin(), count);
  } else {
    std::uninitialized_copy_n(values, count, strings->begin());
  }
  const auto release = [](void* owner) {
    const std::unique_ptr<Strings> mine(static_cast<Strings*>(owner));
    std::destroy_n(mine->begin(), mine->count);
  };
  BufferRef buffer;
  try {
    buffer = Buffer::adopt(strings->begin(), count * sizeof(std::string), release, strings.get(), true);
  } catch (...) {
    std::destroy_n(strings->begin(), count);
    throw;
  }
  (void)strings.release();
  return buffer;
}

BufferRef allocate_elements(DType dtype, const Shape& shape) {
  const size_t bytes = bytes_for(dtype, shape);
  return is_trivial(dtype) ? Buffer::allocate(bytes) : allocate_strings(bytes / sizeof(std::string), nullptr);
}

}  // namespace

Array Array::wrap(Buffer* buffer, void* data, DType dtype, Shape shape) noexcept {
  Array array;
  array.buffer_ = buffer;
  array.data_ = data;
  array.dtype_ = dtype;
  array.shape_ = std::move(shape);
  return array;
}

Array Array::uninitialized(DType dtype, const Shape& shape) {
  BufferRef buffer = allocate_elements(dtype, shape);
  void* data = buffer->data();
  return wrap(buffer.leave(), data, dtype, shape);
}

Array::Array(DType dtype, const Shape& shape) : Array(uninitialized(dtype, shape)) {
  if (is_trivial(dtype)) std::memset(data_, 0, size_bytes());
}

Array::Array(std::initializer_list<Literal> items) : Array(Literal(items).to_array()) {}

Array::Array(const Array& other) noexcept
    : buffer_(other.buffer_), data_(other.data_), shape_(other.shape_), dtype_(other.dtype_) {
  retain(buffer_);
}

Array::Array(Array&& other) noexcept
    : buffer_(std::exchange(other.buffer_, nullptr)),
      data_(std::exchange(other.data_, nullptr)),
      shape_(std::move(other.shape_)),
      dtype_(std::exchange(other.dtype_, DType::kInvalid)) {}

Array& Array::operator=(const Array& other) noexcept {
  if (this != &other) *this = Array(other);
  return *this;
}

Array& Array::operator=(Array&& other) noexcept {
  if (this == &other) return *this;
  release(buffer_);
  buffer_ = std::exchange(other.buffer_, nullptr);
  data_ = std::exchange(other.data_, nullptr);
  shape_ = std::move(other.shape_);
  dtype_ = std::exchange(other.dtype_, DType::kInvalid);
  return *this;
}

Array::~Array() { release(buffer_); }

Array Array::copy_of(DType dtype, const Shape& shape, const void* values, int64_t count) {
  if (shape.num_elements() != count) {
    throw ValueError(
        fmt::format("cannot reshape array of size {} into shape {}", count, shape.to_tuple_string()));
  }
  if (!is_trivial(dtype)) {
    BufferRef buffer = allocate_strings(static_cast<size_t>(count), static_cast<const std::string*>(values));
    void* data = buffer->data();
    return wrap(buffer.leave(), data, dtype, shape);
  }
  Array array = uninitialized(dtype, shape);
  if (count > 0) std::memcpy(array.data_, values, array.size_bytes());
  return array;
}

Array Array::full(DType dtype, const Shape& shape, const Literal& value) {
  const Array scalar = value.to_array(dtype);
  if (scalar.size() != 1)
    throw ValueError(fmt::format("Array::full takes one value, but got {}", scalar.size()));
  Array array = uninitialized(dtype, shape);
  const int64_t count = array.size();
  if (!is_trivial(dtype)) {
    std::fill_n(array.mutable_data<std::string>(), count, scalar.item<std::string>());
    return array;
  }
  const size_t element = dtype_size(dtype);
  auto* out = static_cast<std::byte*>(array.data_);
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(out + static_cast<size_t>(i) * element, scalar.data_, element);
  return array;
}

void* Array::mutable_raw_data() {
  if (buffer_ != nullptr && !buffer_->writable_in_place()) *this = copy_of(dtype_, shape_, data_, size());
  return data_;
}

Array Array::astype(DType dtype) const {
  if (dtype == dtype_) return *this;
  if (!can_convert(dtype_, dtype)) {
    throw TypeError(
        fmt::format("Cannot convert an Array of {} to {}", dtype_name(dtype_), dtype_name(dtype)));
  }
  Array result = uninitialized(dtype, shape_);
  convert_elements(dtype_, data_, dtype, result.data_, size());
  return result;
}

Array Array::reshape(const Shape& shape) const {
  Shape full = shape;
  int64_t known = 1;
  int unknown = -1;
  for (int i = 0; i < full.rank(); ++i) {
    if (full.dim(i) >= 0) {
      known *= full.dim(i);
    } else if (unknown < 0) {
      unknown = i;
    } else {
      throw ValueError("can only specify one unknown dimension");
    }
  }
  if (unknown >= 0 && known > 0 && size() % known == 0) full.set_dim(unknown, size() / known);
  if (!has_value() || full.num_elements() != size()) {
    throw ValueError(
        fmt::format("cannot reshape array of size {} into shape {}", size(), shape.to_tuple_string()));
  }
  Array result = *this;
  result.shape_ = std::move(full);
  return result;
}

Array Array::rows(int64_t begin, int64_t end) const {
  if (rank() < 1 || begin < 0 || end < begin || end > dim(0)) {
    throw IndexError(fmt::format("rows {} to {} are outside of an Array of shape {}", begin, end,
                                 shape_.to_tuple_string()));
  }
  Array result = *this;
  const size_t row_bytes = dim(0) == 0 ? 0 : size_bytes() / static_cast<size_t>(dim(0));
  result.shape_.set_dim(0, end - begin);
  result.data_ = static_cast<std::byte*>(data_) + static_cast<size_t>(begin) * row_bytes;
  return result;
}

void Array::check_single() const {
  if (!has_value()) throw ValueError("item() of an Array without a value: was an Operation fetched?");
  if (size() != 1) {
    throw ValueError(fmt::format("can only convert an array of size 1 to a scalar, but its shape is {}",
                                 shape_.to_tuple_string()));
  }
}

void Array::throw_wrong_dtype(DType asked) const {
  if (!has_value()) throw TypeError("This Array has no value: was an Operation fetched?");
  throw TypeError(fmt::format("Array of {} was read as {}\nUse astype() to convert it.", dtype_name(dtype_),
                              dtype_name(asked)));
}

bool Array::operator==(const Array& other) const {
  if (dtype_ != other.dtype_ || !(shape_ == other.shape_)) return false;
  const auto equal = [&]<class T>() {
    return std::equal(static_cast<const T*>(data_), static_cast<const T*>(data_) + size(),
                      static_cast<const T*>(other.data_));
  };
  switch (dtype_) {
    case DType::kString:
      return equal.operator()<std::string>();
    case DType::kFloat32:
      return equal.operator()<float>();
    case DType::kFloat64:
      return equal.operator()<double>();
    case DType::kFloat16:
      return equal.operator()<float16>();
    case DType::kBfloat16:
      return equal.operator()<bfloat16>();
    case DType::kComplex64:
      return equal.operator()<std::complex<float>>();
    case DType::kComplex128:
      return equal.operator()<std::complex<double>>();
    default:
      return size() == 0 || std::memcmp(data_, other.data_, size_bytes()) == 0;
  }
}

}  // namespace flowray
