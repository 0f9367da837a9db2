/// Arrays and NumPy. What comes from Python is copied, because Python goes on holding it; what goes to Python
/// takes its buffer along where it is not shared, and is a copy where a variable or another result does.

#include "native/convert/convert.h"

#include "core/buffer.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>

namespace flowray::python {
namespace {

/// A fetched array's elements, which a NumPy array points into: Python's buffer protocol over an Array.
struct FetchedBuffer {
  Array array;
  Py_ssize_t size_bytes;
};

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  auto* fetched = nb::inst_ptr<FetchedBuffer>(self);
  return PyBuffer_FillInfo(view, self, fetched->array.mutable_raw_data(), fetched->size_bytes, /*readonly=*/0,
                           flags);
}

/// The elements of an Array that others hold, too: in the object store, as a rule.
struct ReadOnlyBuffer {
  Array array;
  Py_ssize_t size_bytes;
};

int get_read_only_buffer(PyObject* self, Py_buffer* view, int flags) {
  auto* held = nb::inst_ptr<ReadOnlyBuffer>(self);
  void* const data = const_cast<void*>(held->array.raw_data());
  return PyBuffer_FillInfo(view, self, data, held->size_bytes, /*readonly=*/1, flags);
}

PyType_Slot read_only_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_read_only_buffer)},
                                 {0, nullptr}};

PyType_Slot buffer_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)}, {0, nullptr}};

/// A Py_buffer that is given back.
class BufferView {
 public:
  explicit BufferView(nb::handle object) {
    valid_ = PyObject_GetBuffer(object.ptr(), &view_, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) == 0;
    if (!valid_) PyErr_Clear();
  }
  BufferView(const BufferView&) = delete;
  BufferView& operator=(const BufferView&) = delete;
  ~BufferView() {
    if (valid_) PyBuffer_Release(&view_);
  }
  bool valid() const { return valid_; }
  const Py_buffer& operator*() const { return view_; }

  /// kInvalid: nothing that an Array can hold as it stands.
  DType dtype() const {
    const char* format = view_.format == nullptr ? "B" : view_.format;
    if (*format == '@' || *format == '=' || *format == '<') ++format;
    if (format[0] == 'Z')
      return format[1] == 'f' ? DType::kComplex64 : format[1] == 'd' ? DType::kComplex128 : DType::kInvalid;
    if (format[0] == '\0' || format[1] != '\0') return DType::kInvalid;
    switch (format[0]) {
      case '?':
        return DType::kBool;
      case 'e':
        return DType::kFloat16;
      case 'f':
        return DType::kFloat32;
      case 'd':
        return DType::kFloat64;
      case 'b':
        return DType::kInt8;
      case 'B':
        return DType::kUint8;
      case 'h':
      case 'i':
      case 'l':
      case 'q':
        return of_size(DType::kInt16, DType::kInt32, DType::kInt64);
      case 'H':
      case 'I':
      case 'L':
      case 'Q':
        return of_size(DType::kUint16, DType::kUint32, DType::kUint64);
      default:
        return DType::kInvalid;
    }
  }

  Shape shape() const {
    std::vector<int64_t> dims(view_.shape, view_.shape + view_.ndim);
    return Shape(std::span<const int64_t>(dims));
  }

 private:
  DType of_size(DType two, DType four, DType eight) const {
    return view_.itemsize == 2 ? two : view_.itemsize == 4 ? four : eight;
  }
  Py_buffer view_;
  bool valid_;
};

/// Keeps a Py_buffer for an Array that shares its bytes; let go of in any thread.
void release_shared(void* view) {
  const nb::gil_scoped_acquire lock;
  PyBuffer_Release(static_cast<Py_buffer*>(view));
  delete static_cast<Py_buffer*>(view);
}

/// An ndarray of strings, bytes or objects.
Array array_of_strings(nb::handle ndarray) {
  std::vector<int64_t> dims;
  for (nb::handle dim : ndarray.attr("shape")) dims.push_back(nb::cast<int64_t>(dim));
  Array array(DType::kString, Shape(std::span<const int64_t>(dims)));
  auto* elements = array.mutable_data<std::string>();
  for (nb::handle item : ndarray.attr("ravel")().attr("tolist")()) *elements++ = bytes_of(item);
  return array;
}

/// A number that Python holds as such; Arrays of one element are made without NumPy.
std::optional<Array> array_of_number(nb::handle object, DType dtype) {
  PyObject* const p = object.ptr();
  Array number;
  if (PyFloat_CheckExact(p)) {
    const double value = PyFloat_AsDouble(p);
    if (dtype == DType::kFloat32) return Array(static_cast<float>(value));
    number = Array(value);
  } else if (PyBool_Check(p)) {
    number = Array(p == Py_True);
  } else if (PyLong_CheckExact(p)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(p, &overflow);
    if (overflow != 0) return std::nullopt;
    if (dtype == DType::kInt32 && value != static_cast<int32_t>(value)) return std::nullopt;
    number = Array(int64_t{value});
  } else {
    return std::nullopt;
  }
  if (dtype == DType::kString || dtype == DType::kResource) return std::nullopt;
  if (is_integer(dtype) && number.dtype() == DType::kFloat64) return std::nullopt;
  if (dtype == DType::kInvalid) return number;
  Array narrow = number.astype(dtype);
  if (!is_integer(dtype) || number.dtype() != DType::kInt64) return narrow;
  const int64_t value = number.item<int64_t>();
  // What does not fit is NumPy's to refuse.
  if (narrow.astype(DType::kInt64) != number || (value < 0 && dtype == DType::kUint64)) return std::nullopt;
  return narrow;
}

Array copy_of(const BufferView& view) {
  const DType dtype = view.dtype();
  Array array = Array::uninitialized(dtype, view.shape());
  if (array.size_bytes() > 0) std::memcpy(array.mutable_raw_data(), (*view).buf, array.size_bytes());
  return array;
}

nb::object string_array(const Array& array) {
  const auto strings = array.span<std::string>();
  if (array.rank() == 0) return nb::bytes(strings[0].data(), strings[0].size());
  nb::list items;
  for (const std::string& item : strings) items.append(nb::bytes(item.data(), item.size()));
  nb::list dims;
  for (const int64_t dim : array.shape()) dims.append(dim);
  const nb::object made = python_object("numpy", "empty")(strings.size(), python_object("numpy", "object_"));
  if (!strings.empty()) made[nb::slice(nb::none(), nb::none(), nb::none())] = items;
  return made.attr("reshape")(dims);
}

}  // namespace

Array as_array(nb::handle object, DType dtype) {
  if (std::optional<Array> number = array_of_number(object, dtype)) return *number;
  nb::object held;
  if (PyObject_CheckBuffer(object.ptr()) && !PyBytes_Check(object.ptr())) {
    const BufferView view(object);
    if (view.valid() && view.dtype() != DType::kInvalid &&
        (dtype == DType::kInvalid || dtype == view.dtype())) {
      return copy_of(view);
    }
  }
  if (!nb::hasattr(object, "__array__") && nb::hasattr(object, "__dlpack__")) {
    held = python_object("numpy", "from_dlpack")(object);
  } else {
    held = nb::borrow(object);
  }
  // NumPy's own arrays of strings drop NULs at the end, and make strings of numbers: objects stay as
  // they are.
  const nb::object asarray = python_object("numpy", "asarray");
  const auto objects = [&] { return asarray(held, python_object("numpy", "object_"), "order"_a = "C"); };
  if (dtype == DType::kString) return array_of_strings(objects());
  const nb::object ndarray = dtype == DType::kInvalid ? asarray(held, "order"_a = "C")
                                                      : asarray(held, numpy_dtype(dtype), "order"_a = "C");
  const char kind = as_text(ndarray.attr("dtype").attr("kind"))[0];
  if (kind == 'S' || kind == 'U' || kind == 'O') return array_of_strings(objects());
  const BufferView view(ndarray);
  if (!view.valid() || view.dtype() == DType::kInvalid) {
    throw TypeError(
        fmt::format("An array of {} cannot be a tensor", nb::repr(ndarray.attr("dtype")).c_str()));
  }
  return copy_of(view);
}

nb::object give_array(Array array) {
  if (!array.has_value()) return nb::none();
  if (array.dtype() == DType::kString) return string_array(array);
  if (array.dtype() == DType::kBfloat16) array = array.astype(DType::kFloat32);
  const nb::object dtype = numpy_dtype(array.dtype());
  if (array.rank() == 0 && array.dtype() == DType::kFloat32) {
    return python_object("numpy", "float32")(static_cast<double>(array.item<float>()));
  }
  const Shape shape = array.shape();
  const nb::object dims = nb::steal(PyTuple_New(shape.rank()));
  for (int i = 0; i < shape.rank(); ++i) PyTuple_SetItem(dims.ptr(), i, PyLong_FromLongLong(shape.dim(i)));
  const auto bytes = static_cast<Py_ssize_t>(array.size_bytes());
  const nb::object type = python_object("numpy", "ndarray");
  if (bytes == 0) return type(dims, dtype);
  array.mutable_raw_data();  // private from here on: a copy where a variable or another result has it, too
  const nb::object made = type(dims, dtype, nb::cast(FetchedBuffer{std::move(array), bytes}));
  return shape.rank() == 0 ? nb::object(made[nb::tuple()]) : made;
}

Array shared_bytes(nb::handle object) {
  auto view = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(object.ptr(), view.get(), PyBUF_SIMPLE) != 0) nb::raise_python_error();
  void* const data = view->buf;
  const auto size = static_cast<size_t>(view->len);
  BufferRef buffer = Buffer::adopt(data, size, release_shared, view.get(), false);
  static_cast<void>(view.release());
  return Array::wrap(buffer.leave(), data, DType::kUint8, Shape{static_cast<int64_t>(size)});
}

std::optional<Array> shared_array(nb::handle object) {
  DType dtype = DType::kInvalid;
  Shape shape;
  {
    const BufferView view(object);
    if (view.valid()) {
      dtype = view.dtype();
      if ((*view).ndim > Shape::kMaxRank) dtype = DType::kInvalid;
      if (dtype != DType::kInvalid) shape = view.shape();
    }
  }
  if (dtype == DType::kInvalid) return std::nullopt;
  auto view = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(object.ptr(), view.get(), PyBUF_C_CONTIGUOUS) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  void* const data = view->buf;
  BufferRef buffer = Buffer::adopt(data, static_cast<size_t>(view->len), release_shared, view.get(), false);
  static_cast<void>(view.release());
  return Array::wrap(buffer.leave(), data, dtype, shape);
}

nb::object read_only_bytes(Array array) {
  const auto bytes = static_cast<Py_ssize_t>(array.size_bytes());
  return nb::cast(ReadOnlyBuffer{std::move(array), bytes});
}

nb::object read_only_array(Array array) {
  if (array.rank() == 0 || array.dtype() == DType::kString || array.dtype() == DType::kBfloat16)
    return give_array(std::move(array));
  const nb::object dtype = numpy_dtype(array.dtype());
  const Shape shape = array.shape();
  const nb::object dims = nb::steal(PyTuple_New(shape.rank()));
  for (int i = 0; i < shape.rank(); ++i) PyTuple_SetItem(dims.ptr(), i, PyLong_FromLongLong(shape.dim(i)));
  const nb::object type = python_object("numpy", "ndarray");
  if (array.size_bytes() == 0) return type(dims, dtype);
  return type(dims, dtype, read_only_bytes(std::move(array)));
}

void bind_arrays(nb::module_& m) {
  nb::class_<FetchedBuffer>(m, "_FetchedBuffer", nb::type_slots(buffer_slots));
  nb::class_<ReadOnlyBuffer>(m, "_ReadOnlyBuffer", nb::type_slots(read_only_slots));
}

}  // namespace flowray::python
