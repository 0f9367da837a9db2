#include "native/convert/convert.h"

#include "native/convert/kept_object.h"
#include "native/convert/own_conversions.h"
#include "native/graph/indexed_slices.h"
#include "native/graph/partitioned_variables.h"
#include "native/graph/python_graph.h"
#include "native/keras/layers_behind.h"

#include <fmt/format.h>

#include <complex>
#include <limits>
#include <map>

namespace flowray::python {
namespace {

bool is_type(nb::handle object, const char* module, const char* name) {
  return PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(python_object(module, name).ptr()));
}

bool is_sequence(nb::handle object) { return PyList_Check(object.ptr()) || PyTuple_Check(object.ptr()); }

/// Whether NumPy made it: an array or one of its scalars. Costs no import where NumPy is not there yet.
bool is_numpy(nb::handle object) { return nb::hasattr(object.type(), "__array__"); }

[[noreturn]] void throw_no_value(nb::handle object) {
  throw TypeError("Failed to convert " + std::string(nb::repr(object).c_str()) + " of type " +
                  std::string(nb::repr(object.type()).c_str()) + " to Tensor.");
}

/// A Python int as a Literal: weak where 32 bits hold it, as TensorFlow's int32.
Literal literal_of_int(nb::handle object) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  if (overflow > 0) {
    const unsigned long long large = PyLong_AsUnsignedLongLong(object.ptr());
    if (PyErr_Occurred() != nullptr) nb::raise_python_error();
    return Literal(uint64_t{large});
  }
  if (overflow < 0) throw ValueError("Python int too large to convert to C long");
  constexpr int kMin = std::numeric_limits<int>::min();
  constexpr int kMax = std::numeric_limits<int>::max();
  if (value >= kMin && value <= kMax) return Literal(static_cast<int>(value));
  return Literal(int64_t{value});
}

/// A Python number or string; none for other things.
std::optional<Literal> literal_of(nb::handle object) {
  PyObject* const p = object.ptr();
  if (PyBool_Check(p)) return Literal(p == Py_True);
  if (PyLong_Check(p)) return literal_of_int(object);
  if (PyFloat_CheckExact(p)) return Literal(PyFloat_AsDouble(p));
  if (PyUnicode_Check(p) || PyBytes_Check(p)) return Literal(bytes_of(object));
  if (PyComplex_CheckExact(p)) {
    return Literal(std::complex<double>(PyComplex_RealAsDouble(p), PyComplex_ImagAsDouble(p)));
  }
  return std::nullopt;
}

/// Whether a graph's tensor is in a list, at whatever depth, or an array.
struct Contents {
  bool tensor = false;
  bool array = false;

  void look_at(nb::handle object) {
    if (is_sequence(object)) {
      const RecursionLevel level(" in a list of values");
      for (nb::handle item : object) look_at(item);
    } else if (nb::isinstance<tf::Tensor>(object) || nb::isinstance<tf::Variable>(object)) {
      tensor = true;
    } else if (is_numpy(object)) {
      array = true;
    }
  }
};

Literal literal_list(nb::handle list) {
  const RecursionLevel level(" in a list of values");
  std::vector<Literal> items;
  for (nb::handle item : list) {
    if (is_sequence(item)) {
      items.push_back(literal_list(item));
    } else if (std::optional<Literal> literal = literal_of(item)) {
      items.push_back(std::move(*literal));
    } else if (is_type(item, "flowray.tf._shape", "Dimension") && !item.attr("value").is_none()) {
      items.push_back(literal_of_int(item.attr("value")));
    } else if (item.is_none()) {
      throw ValueError("None values not supported.");
    } else {
      throw_no_value(item);
    }
  }
  return Literal::list(std::move(items));
}

/// A list with arrays in it: doubles and longs count as Python's own numbers.
Array array_of_list(nb::handle list) {
  Array array = as_array(list);
  if (array.dtype() == DType::kFloat64) return array.astype(DType::kFloat32);
  if (array.dtype() != DType::kInt64) return array;
  Array narrow = array.astype(DType::kInt32);
  return narrow.astype(DType::kInt64) == array ? narrow : array;
}

tf::Input input_of_list(nb::handle object) {
  Contents contents;
  contents.look_at(object);
  if (contents.tensor) {
    std::vector<tf::Input> items;
    for (nb::handle item : object) items.push_back(as_input(item));
    return tf::Input::list(items, {});
  }
  if (contents.array) return tf::Input(array_of_list(object), tf::Input::Where());
  return tf::Input(literal_list(object), tf::Input::Where());
}

}  // namespace

Flag::operator bool() const { return as_bool(object); }
Integer::operator int64_t() const { return as_int(object); }
Real::operator double() const { return as_float(object); }
Text::operator std::string() const { return as_text(object); }

nb::object python_object(const char* module, const char* name) {
  static auto* known = new std::map<std::pair<const char*, const char*>, PyObject*>();
  PyObject*& object = (*known)[{module, name}];
  if (object == nullptr) {
    nb::object found = nb::module_::import_(module).attr(name);
    object = found.release().ptr();
  }
  return nb::borrow(object);
}

tf::Input as_input(nb::handle object) {
  const tf::Input::Where nowhere{};
  if (nb::isinstance<tf::Tensor>(object)) return tf::Input(nb::cast<const tf::Tensor&>(object), nowhere);
  if (nb::isinstance<tf::Variable>(object)) return tf::Input(nb::cast<const tf::Variable&>(object), nowhere);
  if (std::optional<Literal> literal = literal_of(object)) return tf::Input(std::move(*literal), nowhere);
  if (nb::isinstance<PythonParts>(object))
    return tf::Input(nb::cast<const PythonParts&>(object).whole, nowhere);
  if (const nb::object own = own_conversion_of(object); own.is_valid()) return as_input(own);
  if (is_sequence(object)) return input_of_list(object);
  if (object.is_none()) throw ValueError("None values not supported.");
  if (nb::isinstance<PythonSlices>(object))
    return tf::Input(dense_of(nb::cast<const PythonSlices&>(object)), nowhere);
  if (is_numpy(object)) return tf::Input(as_array(object), nowhere);
  if (is_type(object, "flowray.tf._shape", "TensorShape")) return tf::Input(as_shape(object), nowhere);
  if (is_type(object, "flowray.tf._shape", "Dimension")) return as_input(object.attr("value"));
  if (PyRange_Check(object.ptr())) return input_of_list(nb::list(object));
  if (nb::hasattr(object, "_as_graph_element")) return as_input(object.attr("_as_graph_element")());
  if (nb::hasattr(object, "__array__") || nb::hasattr(object, "__dlpack__"))
    return tf::Input(as_array(object), nowhere);
  throw_no_value(object);
}

tf::OptionalInput as_optional_input(nb::handle object) {
  if (object.is_none()) return {};
  return as_input(object);
}

std::vector<tf::Input> as_inputs(nb::handle list) {
  std::vector<tf::Input> inputs;
  if (nb::isinstance<tf::Tensor>(list) || nb::isinstance<tf::Variable>(list)) return {as_input(list)};
  for (nb::handle item : list) inputs.push_back(as_input(item));
  return inputs;
}

std::vector<tf::Tensor> as_tensors(nb::handle list) {
  std::vector<tf::Tensor> tensors;
  if (list.is_none()) return tensors;
  if (!is_sequence(list)) {
    const tf::Input input = as_input(list);
    if (input.tensor() == nullptr) throw_no_value(list);
    return {*input.tensor()};
  }
  for (nb::handle item : list) {
    if (item.is_none()) {
      tensors.emplace_back();
      continue;
    }
    tensors.push_back(tf::convert_to_tensor(as_input(item)));
  }
  return tensors;
}

tf::Initializer as_initializer(nb::handle object) {
  if (object.is_none()) return {};
  if (nb::isinstance<tf::Initializer>(object)) return nb::cast<tf::Initializer>(object);
  if (PyCallable_Check(object.ptr()) == 0) return {as_input(object)};
  // A function of this module that makes initializers stands for what it
  // makes: initializer=tf.zeros_initializer.
  if (!nb::hasattr(object, "__code__") && nb::hasattr(object, "__nb_signature__")) {
    return as_initializer(object());
  }
  if (PyType_Check(object.ptr())) return as_initializer(object());
  const KeptObject function(object);
  const bool takes_part =
      nb::cast<bool>(python_object("flowray.tf._variable_scopes", "takes_partition_info")(*function));
  return {[function, takes_part](const tf::TensorShape& shape, DType dtype) {
    nb::list dims;
    for (const int64_t dim : shape) dims.append(dim);
    nb::dict named;
    named["dtype"] = dtype_object(dtype);
    if (takes_part) named["partition_info"] = partition_info();
    const nb::object made = function(dims, **named);
    return tf::convert_to_tensor(as_input(made), {.dtype = dtype});
  }};
}

std::string type_word(nb::handle object) { return as_text(nb::object(object.type().attr("__name__"))); }

std::string bytes_of(nb::handle item) {
  if (PyBytes_Check(item.ptr())) {
    char* bytes = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(item.ptr(), &bytes, &size) != 0) nb::raise_python_error();
    return {bytes, static_cast<size_t>(size)};
  }
  if (PyUnicode_Check(item.ptr())) {
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(item.ptr(), &size);
    if (text == nullptr) nb::raise_python_error();  // half of a surrogate pair
    return {text, static_cast<size_t>(size)};
  }
  throw TypeError(fmt::format("Expected binary or unicode string, got {}", nb::repr(item).c_str()));
}

nb::object str_of(std::string_view text) {
  PyObject* const decoded =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (decoded == nullptr) nb::raise_python_error();
  return nb::steal(decoded);
}

std::string as_text(nb::handle object) {
  if (object.is_none()) return {};
  if (!PyBytes_Check(object.ptr()) && !PyUnicode_Check(object.ptr())) {
    throw TypeError("Expected a string, but got " + std::string(nb::repr(object).c_str()));
  }
  return bytes_of(object);
}

std::vector<std::string> as_texts(nb::handle object) {
  std::vector<std::string> texts;
  if (object.is_none()) return texts;
  const bool is_text = PyUnicode_Check(object.ptr()) != 0 || PyBytes_Check(object.ptr()) != 0;
  if (is_text || !nb::hasattr(object, "__iter__")) return {as_text(object)};
  for (nb::handle item : object) texts.push_back(as_text(item));  // of a list, a set, the keys of a dict
  return texts;
}

int64_t as_int(nb::handle object) {
  const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  if (!index.is_valid()) nb::raise_python_error();
  const long long value = PyLong_AsLongLong(index.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) nb::raise_python_error();
  return value;
}

bool is_one_integer(nb::handle object) {
  if (nb::isinstance<tf::Tensor>(object)) {
    const auto& tensor = nb::cast<const tf::Tensor&>(object);
    return tensor.is_eager() && tensor.shape().rank() == 0 && is_integer(base_dtype(tensor.dtype()));
  }
  if (nb::isinstance<tf::Variable>(object)) return false;
  if (!PyIndex_Check(object.ptr())) return false;
  if (!PySequence_Check(object.ptr())) return true;
  if (PyObject_Size(object.ptr()) >= 0) return false;
  PyErr_Clear();  // an array of no dimensions has no length
  return true;
}

double as_float(nb::handle object) {
  const double value = PyFloat_AsDouble(object.ptr());
  if (value == -1.0 && PyErr_Occurred() != nullptr) nb::raise_python_error();
  return value;
}

std::optional<int64_t> as_optional_int(nb::handle object) {
  if (object.is_none()) return std::nullopt;
  return as_int(object);
}

std::vector<int64_t> as_ints(nb::handle object) {
  if (object.is_none()) return {};
  if (is_one_integer(object)) return {as_int(object)};
  std::vector<int64_t> ints;
  for (nb::handle item : object) ints.push_back(as_int(item));
  return ints;
}

bool as_bool(nb::handle object) {
  const int truth = PyObject_IsTrue(object.ptr());
  if (truth < 0) nb::raise_python_error();
  return truth == 1;
}

void refuse(nb::handle value, const char* function, const char* argument) {
  if (value.is_none() || value.ptr() == Py_False) return;
  throw errors::UnimplementedError(
      fmt::format("{} does not support `{}` today, but got {}", function, argument, nb::repr(value).c_str()));
}

nb::object give(const tf::Tensor& tensor) {
  if (!tensor.has_value()) return nb::none();
  return layers_are_known.load(std::memory_order_relaxed) ? give_with_layers_behind(tensor)
                                                          : nb::cast(tensor);
}
nb::object give(const tf::Operation& operation) {
  return operation.has_value() ? nb::cast(operation) : nb::none();
}

nb::list give(const std::vector<tf::Tensor>& tensors) {
  nb::list list;
  for (const tf::Tensor& tensor : tensors) list.append(give(tensor));
  return list;
}

}  // namespace flowray::python
