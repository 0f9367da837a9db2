#include "wire/tensor_value.h"

#include "core/buffer.h"
#include "wire/string_content.h"

#include <fmt/format.h>

#include <cstring>

namespace flowray::wire {
namespace {

constexpr int64_t kCompressFrom =
    64;  // elements; TensorFlow's own compression of constants begins there as well

[[noreturn]] void fail(const TensorProto& proto, std::string_view reason) {
  std::string dims;
  if (proto.tensor_shape.has_value()) {
    for (const auto& dim : proto.tensor_shape->dim)
      dims += (dims.empty() ? "" : ",") + std::to_string(dim.size);
  }
  throw errors::InvalidArgumentError(fmt::format("Cannot parse tensor from proto: dtype: {}, shape: [{}]\n{}",
                                                 dtype_name(proto.dtype), dims, reason));
}

/// Calls f with the typed list that holds elements of `dtype`; the first of its arguments is how many numbers
/// make one element.
template <class F>
void with_typed_list(DType dtype, auto& proto, F&& f) {
  switch (dtype) {
    case DType::kFloat32:
      return f.template operator()<float>(proto.float_val);
    case DType::kFloat64:
      return f.template operator()<double>(proto.double_val);
    case DType::kInt32:
    case DType::kQint32:
      return f.template operator()<int32_t>(proto.int_val);
    case DType::kUint8:
    case DType::kQuint8:
      return f.template operator()<uint8_t>(proto.int_val);
    case DType::kInt16:
    case DType::kQint16:
      return f.template operator()<int16_t>(proto.int_val);
    case DType::kInt8:
    case DType::kQint8:
      return f.template operator()<int8_t>(proto.int_val);
    case DType::kUint16:
    case DType::kQuint16:
      return f.template operator()<uint16_t>(proto.int_val);
    case DType::kString:
      return f.template operator()<std::string>(proto.string_val);
    case DType::kComplex64:
      return f.template operator()<std::complex<float>>(proto.scomplex_val);
    case DType::kInt64:
      return f.template operator()<int64_t>(proto.int64_val);
    case DType::kBool:
      return f.template operator()<bool>(proto.bool_val);
    case DType::kComplex128:
      return f.template operator()<std::complex<double>>(proto.dcomplex_val);
    case DType::kFloat16:
    case DType::kBfloat16:
      return f.template operator()<uint16_t>(proto.half_val);
    case DType::kUint32:
      return f.template operator()<uint32_t>(proto.uint32_val);
    case DType::kUint64:
      return f.template operator()<uint64_t>(proto.uint64_val);
    default:
      throw errors::UnimplementedError(fmt::format(
          "A tensor of type {} has no elements that can be read or written here", dtype_name(dtype)));
  }
}

template <class T>
constexpr bool kIsComplex = false;
template <class T>
constexpr bool kIsComplex<std::complex<T>> = true;

/// The numbers of a list as elements; repeats the last one.
template <class T>
void fill_from_list(const auto& list, T* out, size_t count) {
  constexpr size_t kNumbers = kIsComplex<T> ? 2 : 1;
  const size_t have = std::min(list.size() / kNumbers, count);
  for (size_t i = 0; i < have; ++i) {
    if constexpr (kIsComplex<T>)
      out[i] = T(list[2 * i], list[2 * i + 1]);
    else if constexpr (std::is_same_v<T, std::string>)
      out[i] = list[i].view();
    else
      out[i] = static_cast<T>(list[i]);
  }
  std::fill(out + have, out + count, have == 0 ? T{} : T(out[have - 1]));
}

void read_content(const TensorProto& proto, Array& array) {
  const std::string_view content = proto.tensor_content;
  const auto count = static_cast<size_t>(array.size());
  if (proto.dtype == DType::kString) {
    const std::string wrong = read_string_content(content, {array.mutable_data<std::string>(), count});
    if (!wrong.empty()) fail(proto, wrong);
    return;
  }
  if (proto.dtype == DType::kBool) {
    bool* out = array.mutable_data<bool>();
    for (size_t i = 0; i < count; ++i) out[i] = content[i] != 0;
    return;
  }
  std::memcpy(array.mutable_raw_data(), content.data(), content.size());
}

/// Before anything is allocated for it.
void check_content_size(const TensorProto& proto, const Shape& shape) {
  const auto count = static_cast<size_t>(shape.num_elements());
  const size_t have = proto.tensor_content.size();
  if (proto.dtype == DType::kString) {  // the length of each takes a byte at least
    if (count > have) fail(proto, fmt::format("{} strings do not fit into {} bytes.", count, have));
    return;
  }
  const size_t size = dtype_size(proto.dtype);
  if (size != 0 && (have % size != 0 || have / size != count)) {
    fail(proto, fmt::format("tensor_content has {} bytes for {} elements of {} bytes.", have, count, size));
  }
}

Shape checked_shape(const TensorProto& proto) {
  if (!proto.tensor_shape.has_value()) return {};
  Shape shape;
  try {
    TensorShapeProto dims = *proto.tensor_shape;
    dims.unknown_rank = false;  // TensorFlow looks at the dimensions only
    shape = to_shape(dims);
  } catch (const errors::InvalidArgumentError& error) {
    fail(proto, error.message());
  }
  if (!shape.is_fully_defined()) fail(proto, "The shape of a value must be fully defined.");
  return shape;
}

bool all_equal(const Array& array) {
  if (!is_trivial(array.dtype())) {
    const auto values = array.span<std::string>();
    return std::all_of(values.begin(), values.end(),
                       [&](const std::string& value) { return value == values[0]; });
  }
  const auto* bytes = static_cast<const char*>(array.raw_data());
  const size_t size = dtype_size(array.dtype());
  return std::memcmp(bytes, bytes + size, array.size_bytes() - size) == 0;
}

/// The types that TensorFlow's Python puts into tensor_content.
bool is_content_dtype(DType dtype) {
  switch (dtype) {
    case DType::kUint16:
    case DType::kBool:
    case DType::kString:
      return false;
    default:
      return !is_complex(dtype);
  }
}

/// Whether bytes may be used as they are: those of a bool may have any value, while an Array's are 0 or 1.
bool may_be_borrowed(DType dtype) { return is_floating(dtype) || is_integer(dtype) || is_complex(dtype); }

std::string_view raw_bytes(const Array& array) {
  return {static_cast<const char*>(array.raw_data()), array.size_bytes()};
}

void fill_list(const Array& array, int64_t count, TensorProto& proto) {
  with_typed_list(array.dtype(), proto, [&]<class T>(auto& list) {
    const auto* values = static_cast<const T*>(array.raw_data());
    using Item = typename std::remove_reference_t<decltype(list)>::value_type;
    for (int64_t i = 0; i < count; ++i) {
      if constexpr (kIsComplex<T>) {
        list.push_back(values[i].real());
        list.push_back(values[i].imag());
      } else if constexpr (std::is_same_v<T, std::string>) {
        list.push_back(Bytes::borrow(values[i]));
      } else {
        list.push_back(static_cast<Item>(values[i]));
      }
    }
  });
}

}  // namespace

Shape to_shape(const TensorShapeProto& proto) {
  if (proto.unknown_rank) return Shape::unknown_rank();
  if (proto.dim.size() > static_cast<size_t>(Shape::kMaxRank)) {
    throw errors::InvalidArgumentError(
        fmt::format("Shape has {} dimensions; at most {} are possible.", proto.dim.size(), Shape::kMaxRank));
  }
  Shape shape;
  int64_t elements = 1;
  for (const TensorShapeProto::Dim& dim : proto.dim) {
    if (dim.size < -1) {
      throw errors::InvalidArgumentError(
          fmt::format("Shape has a dimension of {}; it must be >= -1.", dim.size));
    }
    if (dim.size > 0 && __builtin_mul_overflow(elements, dim.size, &elements)) {
      throw errors::InvalidArgumentError("Shape has more elements than an int64 can count.");
    }
    shape.push_back(dim.size);
  }
  return shape;
}

TensorShapeProto to_shape_proto(const Shape& shape) {
  TensorShapeProto proto;
  proto.unknown_rank = !shape.has_rank();
  for (const int64_t size : shape.dims()) proto.dim.push_back({.size = size});
  return proto;
}

Array to_array(const TensorProto& proto) {
  const DType dtype = proto.dtype;
  if (dtype == DType::kInvalid) fail(proto, "It has no dtype.");
  if (is_ref(dtype)) fail(proto, "A reference is not a value.");
  const Shape shape = checked_shape(proto);
  const bool has_content = !proto.tensor_content.empty() && shape.num_elements() != 0;
  if (has_content) check_content_size(proto, shape);
  Array array;
  with_typed_list(dtype, proto, [&]<class T>(const auto& list) {
    array = Array::uninitialized(dtype, shape);
    if (array.size() == 0) return;
    if (has_content) return read_content(proto, array);
    fill_from_list(list, static_cast<T*>(array.mutable_raw_data()), static_cast<size_t>(array.size()));
  });
  return array;
}

Array to_array(const TensorProto& proto, const std::shared_ptr<const void>& owner) {
  constexpr size_t kCopiedBytes = 4096;  // below it, a copy costs less than to count owners
  const std::string_view content = proto.tensor_content;
  if (content.size() < kCopiedBytes || !may_be_borrowed(proto.dtype)) return to_array(proto);
  const size_t size = dtype_size(proto.dtype);
  const size_t alignment = is_complex(proto.dtype) ? size / 2 : size;
  const Shape shape = checked_shape(proto);
  if (shape.num_elements() == 0 || reinterpret_cast<uintptr_t>(content.data()) % alignment != 0)
    return to_array(proto);
  check_content_size(proto, shape);
  auto held = std::make_unique<std::shared_ptr<const void>>(owner);
  const auto release = [](void* shared) { delete static_cast<std::shared_ptr<const void>*>(shared); };
  auto* const data = const_cast<char*>(content.data());  // never written: the buffer is not writable
  BufferRef buffer = Buffer::adopt(data, content.size(), release, held.get(), /*writable=*/false);
  held.release();
  return Array::wrap(buffer.leave(), data, proto.dtype, shape);
}

TensorProto to_tensor_proto(const Array& array, TensorForm form) {
  TensorProto proto;
  proto.dtype = array.dtype();
  proto.tensor_shape = to_shape_proto(array.shape());
  if (array.size() == 0) return proto;
  const bool one_stands_for_all = form == TensorForm::kConstant &&
                                  (array.size() == 1 || (array.size() >= kCompressFrom && all_equal(array)));
  const bool as_content =
      form == TensorForm::kBorrowed ? is_trivial(array.dtype()) : is_content_dtype(array.dtype());
  if (one_stands_for_all || !as_content) {
    fill_list(array, one_stands_for_all ? 1 : array.size(), proto);
  } else {
    proto.tensor_content = Bytes::borrow(raw_bytes(array));
  }
  return proto;
}

}  // namespace flowray::wire
