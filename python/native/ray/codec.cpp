#include "native/ray/codec.h"

#include <flowray/ray/encoding.h>

#include <cmath>
#include <optional>
#include <string_view>

namespace flowray::python {
namespace {

using ray::Decoder;
using ray::Encoder;
using ray::internal::Extension;
using ray::internal::Item;

/// Lists in lists deeper than this, which may contain themselves, are pickled.
constexpr int kMostDepth = 16;

/// A type of NumPy's; null while NumPy is not imported. Looked up once, and kept.
PyObject* numpy_type(const char* name) {
  if (PyDict_GetItemString(PyImport_GetModuleDict(), "numpy") == nullptr) return nullptr;
  return python_object("numpy", name).release().ptr();
}

bool is_numpy_array(PyObject* object) {
  static PyObject* ndarray = nullptr;
  if (ndarray == nullptr) ndarray = numpy_type("ndarray");
  return reinterpret_cast<PyObject*>(Py_TYPE(object)) == ndarray;
}

/// A NumPy scalar of a dtype that an Array can have.
bool is_numpy_number(PyObject* object) {
  static PyObject* types[12] = {};
  if (types[0] == nullptr) {
    constexpr const char* names[] = {"float32", "float64", "int32",  "int64",  "bool_",   "int8",
                                     "int16",   "uint8",   "uint16", "uint32", "float16", "uint64"};
    for (int i = 0; i < 12; ++i) types[i] = numpy_type(names[i]);
  }
  PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  for (PyObject* const known : types) {
    if (type == known) return true;
  }
  return false;
}

bool is_plain(PyObject* value, int depth);

bool is_plain_integer(PyObject* value) {
  int overflow = 0;
  PyLong_AsLongLongAndOverflow(value, &overflow);
  return overflow == 0;
}

bool is_plain_dict(PyObject* value, int depth) {
  PyObject* key = nullptr;
  PyObject* item = nullptr;
  Py_ssize_t at = 0;
  while (PyDict_Next(value, &at, &key, &item) != 0) {
    if (!is_plain(key, depth) || !is_plain(item, depth)) return false;
  }
  return true;
}

/// Whether it is sent as what it is.
bool is_plain(PyObject* value, int depth) {
  if (value == Py_None || PyBool_Check(value) || PyFloat_CheckExact(value) || PyBytes_CheckExact(value))
    return true;
  if (PyLong_CheckExact(value)) return is_plain_integer(value);
  if (PyUnicode_CheckExact(value)) {
    if (PyUnicode_AsUTF8AndSize(value, nullptr) != nullptr) return true;
    PyErr_Clear();  // a lone surrogate
    return false;
  }
  if (PyList_CheckExact(value)) {
    if (depth == 0) return false;
    for (Py_ssize_t i = 0; i < PyList_Size(value); ++i) {
      if (!is_plain(PyList_GetItem(value, i), depth - 1)) return false;
    }
    return true;
  }
  if (PyTuple_CheckExact(value)) {
    if (depth == 0) return false;
    for (Py_ssize_t i = 0; i < PyTuple_Size(value); ++i) {
      if (!is_plain(PyTuple_GetItem(value, i), depth - 1)) return false;
    }
    return true;
  }
  if (PyDict_CheckExact(value)) return depth > 0 && is_plain_dict(value, depth - 1);
  if (is_numpy_array(value)) {
    const std::optional<Array> array = shared_array(value);
    return array.has_value() && array->rank() > 0;
  }
  return as_ref(value) != nullptr || is_numpy_number(value);
}

void write_plain(Encoder& out, PyObject* value);

void write_integer(Encoder& out, PyObject* value) { out.write_signed(PyLong_AsLongLong(value)); }

void write_text(Encoder& out, PyObject* value) {
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(value, &size);
  out.write_string({text, static_cast<size_t>(size)});
}

void write_bytes(Encoder& out, PyObject* value) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  PyBytes_AsStringAndSize(value, &data, &size);
  out.write_binary(std::as_bytes(std::span(data, static_cast<size_t>(size))));
}

void write_dict(Encoder& out, PyObject* value) {
  out.begin_map(static_cast<size_t>(PyDict_Size(value)));
  PyObject* key = nullptr;
  PyObject* item = nullptr;
  Py_ssize_t at = 0;
  while (PyDict_Next(value, &at, &key, &item) != 0) {
    write_plain(out, key);
    write_plain(out, item);
  }
}

void write_plain(Encoder& out, PyObject* value) {
  if (value == Py_None) return out.write_nil();
  if (PyBool_Check(value)) return out.write_bool(value == Py_True);
  if (PyLong_CheckExact(value)) return write_integer(out, value);
  if (PyFloat_CheckExact(value)) return out.write_double(PyFloat_AsDouble(value));
  if (PyUnicode_CheckExact(value)) return write_text(out, value);
  if (PyBytes_CheckExact(value)) return write_bytes(out, value);
  if (PyList_CheckExact(value)) {
    const Py_ssize_t count = PyList_Size(value);
    out.begin_list(static_cast<size_t>(count));
    for (Py_ssize_t i = 0; i < count; ++i) write_plain(out, PyList_GetItem(value, i));
    return;
  }
  if (PyTuple_CheckExact(value)) {
    const Py_ssize_t count = PyTuple_Size(value);
    out.write_mark(Extension::kTuple, static_cast<uint32_t>(count));
    for (Py_ssize_t i = 0; i < count; ++i) write_plain(out, PyTuple_GetItem(value, i));
    return;
  }
  if (PyDict_CheckExact(value)) return write_dict(out, value);
  if (const Ref* const ref = as_ref(value)) return out.write_ref(ref->handle());
  out.write_array(is_numpy_array(value) ? *shared_array(value) : as_array(value));
}

/// Bytes of a pickle that are many lie beside the rest, and are copied once.
constexpr Py_ssize_t kMostInStream = 4096;

void write_pickled(Encoder& out, nb::handle value) {
  const nb::object made = python_object("flowray.ray._pickling", "dumps")(value);
  const nb::object pickle = made[0];
  const nb::object buffers = made[1];
  const nb::object refs = made[2];
  out.write_mark(Extension::kPickled, static_cast<uint32_t>(nb::len(buffers)));
  if (PyBytes_Size(pickle.ptr()) > kMostInStream) {
    out.write_array(shared_bytes(pickle));
  } else {
    write_bytes(out, pickle.ptr());
  }
  for (nb::handle buffer : buffers) out.write_array(shared_bytes(nb::object(buffer.attr("raw")())));
  out.begin_list(nb::len(refs));
  for (nb::handle ref : refs) out.write_ref(nb::cast<const Ref&>(ref).handle());
}

// ---- reading

nb::object read_integer(Decoder& in) {
  // What C++ sent may be above int64; what Python sends is not.
  return nb::steal(PyLong_FromLongLong(in.read_signed()));
}

nb::object read_list(Decoder& in) {
  const size_t count = in.read_list();
  in.enter();
  nb::list list;
  for (size_t i = 0; i < count; ++i) list.append(decode_value(in));
  in.leave();
  return list;
}

nb::object read_tuple(Decoder& in) {
  const uint32_t count = in.read_mark(Extension::kTuple);
  in.enter();
  nb::object tuple = nb::steal(PyTuple_New(count));
  for (uint32_t i = 0; i < count; ++i) PyTuple_SetItem(tuple.ptr(), i, decode_value(in).release().ptr());
  in.leave();
  return tuple;
}

nb::object read_dict(Decoder& in) {
  const size_t count = in.read_map();
  in.enter();
  nb::dict dict;
  for (size_t i = 0; i < count; ++i) {
    const nb::object key = decode_value(in);
    dict[key] = decode_value(in);
  }
  in.leave();
  return dict;
}

nb::object read_pickled(Decoder& in) {
  const uint32_t num_buffers = in.read_mark(Extension::kPickled);
  const nb::object pickle =
      in.next_is_binary() ? decode_value(in) : read_only_bytes(in.read_array(Decoder::Reading::kInPlace));
  nb::list buffers;
  for (uint32_t i = 0; i < num_buffers; ++i)
    buffers.append(read_only_bytes(in.read_array(Decoder::Reading::kInPlace)));
  nb::list refs;
  for (size_t left = in.read_list(); left > 0; --left) refs.append(nb::cast(Ref(in.read_ref())));
  return python_object("flowray.ray._pickling", "loads")(pickle, buffers, refs);
}

}  // namespace

const Ref* as_ref(nb::handle object) {
  return nb::isinstance<Ref>(object) ? nb::inst_ptr<Ref>(object) : nullptr;
}

void encode_value(Encoder& out, nb::handle value) {
  if (is_plain(value.ptr(), kMostDepth)) {
    write_plain(out, value.ptr());
  } else {
    write_pickled(out, value);
  }
}

nb::object decode_value(Decoder& in) {
  switch (in.next_item()) {
    case Item::kBool:
      return nb::bool_(in.read_bool());
    case Item::kInteger:
      return read_integer(in);
    case Item::kFloat:
      return nb::float_(in.read_double());
    case Item::kString: {
      const std::string_view text = in.read_string();
      return nb::str(text.data(), text.size());
    }
    case Item::kBinary: {
      const auto bytes = in.read_binary();
      return nb::bytes(bytes.data(), bytes.size());
    }
    case Item::kList:
      return read_list(in);
    case Item::kTuple:
      return read_tuple(in);
    case Item::kMap:
      return read_dict(in);
    case Item::kArray:
      return read_only_array(in.read_array(Decoder::Reading::kInPlace));
    case Item::kObjectRef:
      return nb::cast(Ref(in.read_ref()));
    case Item::kActor: {
      const auto [id, share] = in.read_actor_share();
      return python_object("flowray.ray._actor", "handle_of")(
          id.value, share == nullptr ? nb::none() : nb::cast(Ref(share)));
    }
    case Item::kPickled:
      return read_pickled(in);
    default:
      in.read_nil();  // or says what is there instead
      return nb::none();
  }
}

nb::object decode_view(const ray::internal::ValueView& view) {
  Decoder in(view);
  nb::object value = decode_value(in);
  in.finish();
  return value;
}

}  // namespace flowray::python
