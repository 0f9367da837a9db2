#pragma once
/// From Python's objects to the language's values and back. Arguments of bound functions are plain handles,
/// converted here, so that what does not fit is told in TensorFlow's words.

#include <flowray/tf/array.h>
#include <flowray/tf/graph.h>
#include <flowray/tf/initializers.h>
#include <flowray/tf/input.h>
#include <flowray/tf/session.h>
#include <flowray/tf/variable.h>

#include "graph/graph.h"

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace flowray::python {

/// An argument by its name, which may be None: what the conversion says to that is TensorFlow's.
inline auto operator""_a(const char* name, size_t) { return nb::arg(name).none(); }

// Arguments that are plain values, as handles until the function reads them, for the same reason.
struct Flag {
  nb::handle object;
  operator bool() const;  // NOLINT: implicit, all of these
};
struct Integer {
  nb::handle object;
  operator int64_t() const;
};
struct Real {
  nb::handle object;
  operator double() const;
};
struct Text {
  nb::handle object;
  operator std::string() const;
};

/// The attribute `name` of the module `module`, looked up once; the process keeps it.
nb::object python_object(const char* module, const char* name);

/// One level of a structure that may contain itself: raises Python's RecursionError where there are too many.
class RecursionLevel {
 public:
  explicit RecursionLevel(const char* where) {
    if (Py_EnterRecursiveCall(where) != 0) nb::raise_python_error();
  }
  RecursionLevel(const RecursionLevel&) = delete;
  RecursionLevel& operator=(const RecursionLevel&) = delete;
  ~RecursionLevel() { Py_LeaveRecursiveCall(); }
};

// ---- dtypes and shapes

/// tf.float32 and its siblings, one object for each number.
nb::object dtype_object(DType dtype);
/// A DType, a name, a NumPy dtype or type, Python's float, int, bool, str, or None (kInvalid).
DType as_dtype(nb::handle object);
std::vector<DType> as_dtypes(nb::handle object);
/// numpy.dtype of an Array's elements.
nb::object numpy_dtype(DType dtype);

/// A flowray.tf.TensorShape.
nb::object shape_object(const Shape& shape);
/// A TensorShape, a list of sizes (None: unknown), a number, or None (unknown rank).
Shape as_shape(nb::handle object);
std::vector<Shape> as_shapes(nb::handle object);

// ---- values

/// What np.asarray(object, dtype) holds, copied. kInvalid: its own dtype.
Array as_array(nb::handle object, DType dtype = DType::kInvalid);
/// The value as a session hands it out: a NumPy array that owns its elements, a NumPy scalar, bytes, or None.
nb::object give_array(Array array);

/// The elements of a contiguous ndarray where they lie, as long as the Array or a copy of it lives; none for
/// what no Array can hold as it stands.
std::optional<Array> shared_array(nb::handle object);
/// The bytes of an object with the buffer protocol where they lie.
Array shared_bytes(nb::handle object);
/// A NumPy array that cannot be written, over the Array's own elements; a scalar for one of rank 0.
nb::object read_only_array(Array array);
/// An object with the buffer protocol over the Array's own elements.
nb::object read_only_bytes(Array array);

/// "A Tensor or what converts to one". None is a ValueError.
tf::Input as_input(nb::handle object);
/// None: left out.
tf::OptionalInput as_optional_input(nb::handle object);
std::vector<tf::Input> as_inputs(nb::handle list);
std::vector<tf::Tensor> as_tensors(nb::handle list);
tf::Initializer as_initializer(nb::handle object);

// ---- plain arguments

/// What an object is, in one word without its module: "int", "Operation".
std::string type_word(nb::handle object);

/// What a str (in UTF-8) or bytes holds, NULs and all. Other things are a TypeError.
std::string bytes_of(nb::handle item);
/// A str of UTF-8, NULs and all; invalid bytes become U+FFFD.
nb::object str_of(std::string_view text);
/// None: "".
std::string as_text(nb::handle object);
std::vector<std::string> as_texts(nb::handle object);
int64_t as_int(nb::handle object);
/// Whether it stands for one integer. Arrays of any length have __index__, too.
bool is_one_integer(nb::handle object);
double as_float(nb::handle object);
std::optional<int64_t> as_optional_int(nb::handle object);
std::vector<int64_t> as_ints(nb::handle object);
bool as_bool(nb::handle object);

/// Throws UnimplementedError for an argument of TensorFlow's that the language lacks; None and False ask
/// for nothing.
void refuse(nb::handle value, const char* function, const char* argument);

// ---- handles

/// None for a handle that stands for none.
nb::object give(const tf::Tensor& tensor);
nb::object give(const tf::Operation& operation);
nb::list give(const std::vector<tf::Tensor>& tensors);
/// The one Python object of a graph.
nb::object give(const tf::Graph& graph);

/// The Python file and line that the thread runs, outside of this package; {"", 0} if there is none.
graph::SourceLine python_line();

}  // namespace flowray::python

namespace nanobind::detail {

template <class Plain>
struct PlainCaster {
  NB_TYPE_CASTER(Plain, const_name("object"))
  bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
    value.object = source;
    return true;
  }
};
template <>
struct type_caster<flowray::python::Flag> : PlainCaster<flowray::python::Flag> {};
template <>
struct type_caster<flowray::python::Integer> : PlainCaster<flowray::python::Integer> {};
template <>
struct type_caster<flowray::python::Real> : PlainCaster<flowray::python::Real> {};
template <>
struct type_caster<flowray::python::Text> : PlainCaster<flowray::python::Text> {};

}  // namespace nanobind::detail
