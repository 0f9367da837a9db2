#include "native/convert/convert.h"

#include <nanobind/stl/string.h>

#include <fmt/format.h>

#include <array>
#include <utility>

namespace flowray::python {
namespace {

/// What Python holds: nanobind takes an enum for one of Python's own kind.
struct DTypeObject {
  DType value;
};

constexpr size_t kNumDTypes = 130;  // references are 100 up

/// NumPy's names of the element types; TensorFlow's own where NumPy has none.
const char* numpy_name(DType dtype) {
  switch (base_dtype(dtype)) {
    case DType::kFloat32:
      return "float32";
    case DType::kFloat64:
      return "float64";
    case DType::kFloat16:
      return "float16";
    case DType::kBfloat16:
      return "float32";  // NumPy has none: its values as floats
    case DType::kInt8:
      return "int8";
    case DType::kInt16:
      return "int16";
    case DType::kInt32:
      return "int32";
    case DType::kInt64:
      return "int64";
    case DType::kUint8:
      return "uint8";
    case DType::kUint16:
      return "uint16";
    case DType::kUint32:
      return "uint32";
    case DType::kUint64:
      return "uint64";
    case DType::kBool:
      return "bool";
    case DType::kComplex64:
      return "complex64";
    case DType::kComplex128:
      return "complex128";
    default:
      return "object";
  }
}

[[noreturn]] void throw_no_dtype(nb::handle object) {
  throw TypeError(fmt::format("Cannot convert the argument `type_value`: {} to a TensorFlow DType.",
                              nb::repr(object).c_str()));
}

DType dtype_of_name(nb::handle object, std::string_view name) {
  if (name == "float") return DType::kFloat32;
  if (name == "double") return DType::kFloat64;
  if (name == "half") return DType::kFloat16;
  if (name == "bool_") return DType::kBool;
  if (name == "str" || name == "bytes" || name == "object" || name.starts_with("bytes") ||
      name.starts_with("str")) {
    return DType::kString;
  }
  const DType dtype = dtype_from_name(name);
  if (dtype == DType::kInvalid) throw_no_dtype(object);
  return dtype;
}

}  // namespace

nb::object dtype_object(DType dtype) {
  static auto* objects = new std::array<PyObject*, kNumDTypes>();
  const auto number = static_cast<size_t>(dtype);
  if (number >= kNumDTypes) throw TypeError(fmt::format("There is no dtype of number {}", number));
  PyObject*& object = (*objects)[number];
  if (object == nullptr) object = nb::cast(DTypeObject{dtype}).release().ptr();
  return nb::borrow(object);
}

DType as_dtype(nb::handle object) {
  if (object.is_none()) return DType::kInvalid;
  if (nb::isinstance<DTypeObject>(object)) return nb::cast<DTypeObject>(object).value;
  PyObject* const p = object.ptr();
  if (PyUnicode_Check(p)) {
    Py_ssize_t size = 0;
    const char* const name = PyUnicode_AsUTF8AndSize(p, &size);
    if (name == nullptr) {
      PyErr_Clear();
      throw_no_dtype(object);
    }
    return dtype_of_name(object, {name, static_cast<size_t>(size)});
  }
  if (p == reinterpret_cast<PyObject*>(&PyFloat_Type)) return DType::kFloat32;
  if (p == reinterpret_cast<PyObject*>(&PyLong_Type)) return DType::kInt32;
  if (p == reinterpret_cast<PyObject*>(&PyBool_Type)) return DType::kBool;
  if (p == reinterpret_cast<PyObject*>(&PyUnicode_Type)) return DType::kString;
  if (PyLong_Check(p)) {
    const int64_t number = as_int(object);
    if (dtype_name(static_cast<DType>(number)).starts_with('<')) throw_no_dtype(object);
    return static_cast<DType>(number);
  }
  if (nb::hasattr(object, "as_numpy_dtype")) return dtype_of_name(object, as_text(object.attr("name")));
  nb::object dtype;
  try {
    dtype = python_object("numpy", "dtype")(object);
  } catch (const nb::python_error&) {
    throw_no_dtype(object);
  }
  return dtype_of_name(object, as_text(dtype.attr("name")));
}

std::vector<DType> as_dtypes(nb::handle object) {
  std::vector<DType> dtypes;
  if (!PyList_Check(object.ptr()) && !PyTuple_Check(object.ptr())) return {as_dtype(object)};
  for (nb::handle item : object) dtypes.push_back(as_dtype(item));
  return dtypes;
}

nb::object numpy_dtype(DType dtype) {
  static auto* objects = new std::array<PyObject*, kNumDTypes>();
  PyObject*& object = (*objects)[static_cast<size_t>(dtype)];
  if (object == nullptr)
    object = nb::object(python_object("numpy", "dtype")(numpy_name(dtype))).release().ptr();
  return nb::borrow(object);
}

nb::object shape_object(const Shape& shape) {
  const nb::object type = python_object("flowray.tf._shape", "TensorShape");
  if (!shape.has_rank()) return type(nb::none());
  nb::list dims;
  for (const int64_t dim : shape) {
    dims.append(dim == Shape::kUnknownDim ? nb::none() : nb::object(nb::int_(dim)));
  }
  return type(dims);
}

Shape as_shape(nb::handle object) {
  if (object.is_none()) return Shape::unknown_rank();
  if (is_one_integer(object)) return Shape{as_int(object)};
  nb::object dims = nb::borrow(object);
  if (nb::hasattr(object, "_dims")) {  // a TensorShape
    dims = object.attr("_dims");
    if (dims.is_none()) return Shape::unknown_rank();
  }
  std::vector<int64_t> sizes;
  for (nb::handle item : nb::list(dims)) {
    nb::object size = nb::borrow(item);
    if (nb::hasattr(item, "_is_dimension")) size = item.attr("value");
    sizes.push_back(size.is_none() ? Shape::kUnknownDim : as_int(size));
  }
  return Shape(std::span<const int64_t>(sizes));
}

std::vector<Shape> as_shapes(nb::handle object) {
  std::vector<Shape> shapes;
  if (object.is_none()) return shapes;
  for (nb::handle item : object) shapes.push_back(as_shape(item));
  return shapes;
}

/// The dtype of a complex one's parts; another one itself.
nb::object real_dtype(DTypeObject self) {
  if (self.value == DType::kComplex64) return dtype_object(DType::kFloat32);
  if (self.value == DType::kComplex128) return dtype_object(DType::kFloat64);
  return dtype_object(self.value);
}

bool is_unsigned(DTypeObject self) { return dtype_name(base_dtype(self.value)).starts_with("uint"); }

/// The class tf.DType. Dtypes equal what stands for them ("float32", np.float32), as in TensorFlow.
void bind_dtypes(nb::module_& m) {
  nb::class_<DTypeObject>(m, "DType")
      .def(
          "__init__", [](DTypeObject* self, nb::handle of) { new (self) DTypeObject{as_dtype(of)}; },
          "type_enum"_a)
      .def_prop_ro("name", [](DTypeObject self) { return nb::str(dtype_name(self.value).c_str()); })
      .def_prop_ro("as_datatype_enum", [](DTypeObject self) { return static_cast<int>(self.value); })
      .def_prop_ro("as_numpy_dtype",
                   [](DTypeObject self) -> nb::object {
                     return self.value == DType::kString ? nb::object(python_object("numpy", "object_"))
                                                         : nb::object(numpy_dtype(self.value).attr("type"));
                   })
      .def_prop_ro("base_dtype", [](DTypeObject self) { return dtype_object(base_dtype(self.value)); })
      .def_prop_ro("real_dtype", &real_dtype)
      .def_prop_ro("is_floating", [](DTypeObject self) { return is_floating(base_dtype(self.value)); })
      .def_prop_ro("is_integer", [](DTypeObject self) { return is_integer(base_dtype(self.value)); })
      .def_prop_ro("is_complex", [](DTypeObject self) { return is_complex(base_dtype(self.value)); })
      .def_prop_ro("is_bool", [](DTypeObject self) { return base_dtype(self.value) == DType::kBool; })
      .def_prop_ro("is_unsigned", &is_unsigned)
      .def_prop_ro("_is_ref_dtype", [](DTypeObject self) { return is_ref(self.value); })
      .def_prop_ro("_as_ref", [](DTypeObject self) { return dtype_object(ref_dtype(self.value)); })
      .def_prop_ro("size", [](DTypeObject self) { return dtype_size(base_dtype(self.value)); })
      .def_prop_ro("min",
                   [](DTypeObject self) {
                     const nb::object limits =
                         python_object("flowray.tf._dtypes", "limits")(dtype_object(self.value));
                     return nb::object(limits[0]);
                   })
      .def_prop_ro("max",
                   [](DTypeObject self) {
                     const nb::object limits =
                         python_object("flowray.tf._dtypes", "limits")(dtype_object(self.value));
                     return nb::object(limits[1]);
                   })
      .def("is_compatible_with",
           [](DTypeObject self, nb::handle other) {
             return base_dtype(self.value) == base_dtype(as_dtype(other));
           })
      .def(
          "__eq__",
          [](DTypeObject self, nb::handle other) {
            if (nb::isinstance<DTypeObject>(other)) return nb::cast<DTypeObject>(other).value == self.value;
            try {
              return !other.is_none() && as_dtype(other) == self.value;
            } catch (const TypeError&) {
              return false;
            }
          },
          nb::arg().none())
      .def(
          "__ne__",
          [](nb::handle self, nb::handle other) { return !nb::cast<bool>(self.attr("__eq__")(other)); },
          nb::arg().none())
      .def("__hash__", [](DTypeObject self) { return static_cast<int>(self.value); })
      .def("__int__", [](DTypeObject self) { return static_cast<int>(self.value); })
      .def("__repr__", [](DTypeObject self) { return fmt::format("tf.{}", dtype_name(self.value)); })
      .def("__str__", [](DTypeObject self) { return fmt::format("<dtype: '{}'>", dtype_name(self.value)); })
      .def("__reduce__", [](DTypeObject self) {
        return nb::make_tuple(python_object("flowray.tf", "as_dtype"),
                              nb::make_tuple(dtype_name(self.value)));
      });
  m.def(
      "as_dtype",
      [](nb::handle object) {
        if (object.is_none()) throw_no_dtype(object);
        return dtype_object(as_dtype(object));
      },
      nb::arg("type_value").none(), "The DType that a name, a NumPy type or a number stands for.");
  m.def("dtype_names", [] {
    nb::list names;
    for (int i = 1; i < 24; ++i) names.append(dtype_name(static_cast<DType>(i)));
    return names;
  });
}

}  // namespace flowray::python
