/// tf.Operation and tf.Tensor, and the operators of Tensor and Variable.

#include "native/convert/convert.h"
#include "native/graph/python_graph.h"

#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include "graph/exchange/attr_message.h"
#include "graph/exchange/graph_export.h"
#include "tf/build/apply_op.h"
#include "tf/build/tensor_text.h"
#include "tf/functions/sliced.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

namespace flowray::python {
namespace {

/// Raises TensorFlow's class, a TypeError, for what only a value can be asked.
[[noreturn]] void refuse_python_use(const char* words) {
  PyErr_SetString(python_object("flowray.tf.errors", "OperatorNotAllowedInGraphError").ptr(), words);
  nb::raise_python_error();
}

std::string node_text(const graph::Node& node) { return wire::to_text_format(graph::to_node_def(node)); }

/// tf.NodeDef, to be read.
struct NodeDef {
  std::string name;
  std::string op;
  std::string device;
  std::vector<std::string> input;
  std::string text;
  /// A GraphDef of this node alone, encoded.
  std::string message;
};

/// Operation._set_attr: of a node that no step has run yet. Nothing else changes a node's attributes, which
/// is why there is no other way to.
void set_attribute(const graph::Node& node, const std::string& name, const nb::bytes& message) {
  const auto value = wire::decode<wire::AttrValue>({message.c_str(), message.size()});
  const graph::AttrSchema* const schema = node.schema().find_attr(name);
  auto& attrs = const_cast<graph::Attrs&>(node.attrs());  // NOLINT
  attrs.set(name,
            schema == nullptr ? graph::attr_from_message(value) : graph::attr_from_message(value, *schema));
}

tf::Index as_index(nb::handle item) {
  const tf::Index::Where nowhere{};
  if (item.is_none()) return {tf::NewAxis{}, nowhere};
  if (item.ptr() == Py_Ellipsis) return {tf::Ellipsis{}, nowhere};
  if (PySlice_Check(item.ptr())) {
    return {tf::Slice{as_optional_input(item.attr("start")), as_optional_input(item.attr("stop")),
                      as_optional_input(item.attr("step"))},
            nowhere};
  }
  const tf::Input input = as_input(item);
  if (input.tensor() != nullptr) return {*input.tensor(), nowhere};
  if (input.literal() != nullptr) return {*input.literal(), nowhere};
  if (input.array() != nullptr) return {*input.array(), nowhere};
  throw TypeError(
      "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 "
      "tensors are "
      "valid indices, got a list");
}

tf::Tensor item_of(const tf::Tensor& tensor, nb::handle key) {
  std::vector<tf::Index> indices;
  if (PyTuple_Check(key.ptr()) || PyList_Check(key.ptr())) {
    for (nb::handle item : key) indices.push_back(as_index(item));
  } else {
    indices.push_back(as_index(key));
  }
  return tf::sliced(tensor, indices);
}

using Binary = tf::Tensor (*)(const tf::Input&, const tf::Input&);

tf::Tensor floordiv(const tf::Input& x, const tf::Input& y) { return tf::floordiv(x, y); }
tf::Tensor power(const tf::Input& x, const tf::Input& y) { return tf::pow(x, y, {.name = "pow"}); }
tf::Tensor matrix_product(const tf::Input& x, const tf::Input& y) {
  return tf::matmul(x, y, {.name = "matmul"});
}

/// The side whose method it is. A variable reads its value first, before the operator opens a scope.
tf::Input own_side(nb::handle object) {
  tf::Input own = as_input(object);
  (void)own.tensor();
  return own;
}

/// The left side of `2 // x`: of the right side's dtype, as Python's reflected operators have it.
tf::Input of_dtype_of(const tf::Input& x, nb::handle left) {
  const DType dtype = x.tensor() == nullptr ? DType::kInvalid : base_dtype(x.tensor()->dtype());
  const tf::Input y = as_input(left);
  if (y.literal() != nullptr) return tf::Input(y.literal()->to_array(dtype), tf::Input::Where());
  if (y.array() != nullptr) return tf::Input(y.array()->astype(dtype), tf::Input::Where());
  return y;
}

/// What Python sees of the value of a tensor that has one: an array or a scalar of NumPy's.
nb::object value_object(const tf::Tensor& tensor) { return give_array(tensor.value()); }

tf::Tensor tensor_of_object(nb::handle object) {
  if (nb::isinstance<tf::Variable>(object)) return nb::cast<const tf::Variable&>(object).value();
  return nb::cast<const tf::Tensor&>(object);
}

bool is_eager(nb::handle object) {
  if (nb::isinstance<tf::Variable>(object)) return nb::cast<const tf::Variable&>(object).ref().is_eager();
  return nb::cast<const tf::Tensor&>(object).is_eager();
}

/// As TensorFlow shows a value in a repr and in a str.
std::string value_text(const tf::Tensor& tensor, bool is_repr) {
  const nb::object value = value_object(tensor);
  const bool is_scalar =
      tensor.shape().rank() == 0 && !PyBytes_Check(value.ptr());  // which NumPy's repr wraps
  const std::string text = is_repr && !is_scalar ? nb::repr(value).c_str() : nb::str(value).c_str();
  return text.find('\n') == std::string::npos ? text : "\n" + text;
}

nb::object rows_of(nb::handle object) {
  const tf::Tensor tensor = tensor_of_object(object);
  if (tensor.shape().rank() == 0) throw TypeError("Cannot iterate over a scalar tensor.");
  nb::list rows;
  for (int64_t i = 0; i < tensor.shape().dim(0); ++i)
    rows.append(give(tensor[tf::Index(tf::Literal(static_cast<int32_t>(i)), {})]));
  return rows.attr("__iter__")();
}

/// What Python says of an object that has no such method.
[[noreturn]] void throw_no_number(nb::handle x, const char* words) {
  throw TypeError(fmt::format(fmt::runtime(words), type_word(x)));
}

/// Conversions of values to Python's numbers and NumPy's arrays.
template <class Class>
void bind_values(Class& c) {
  c.def("numpy", [](nb::handle x) {
    if (!is_eager(x)) {
      const bool is_variable = nb::isinstance<tf::Variable>(x);
      const std::string words = is_variable ? "numpy() is only available when eager execution is enabled."
                                            : "'SymbolicTensor' object has no attribute 'numpy'";
      PyErr_SetString(is_variable ? PyExc_NotImplementedError : PyExc_AttributeError, words.c_str());
      nb::raise_python_error();
    }
    return value_object(tensor_of_object(x));
  });
  const auto number = [&](const char* name, PyObject* (*convert)(PyObject*), const char* words) {
    c.def(name, [convert, words](nb::handle x) {
      if (!is_eager(x)) throw_no_number(x, words);
      const nb::object value = value_object(tensor_of_object(x));
      nb::object made = nb::steal(convert(value.ptr()));
      if (!made.is_valid()) nb::raise_python_error();
      return made;
    });
  };
  number("__int__", &PyNumber_Long,
         "int() argument must be a string, a bytes-like object or a real number, not '{}'");
  number("__float__", &PyNumber_Float, "float() argument must be a string or a real number, not '{}'");
  number("__index__", &PyNumber_Index, "'{}' object cannot be interpreted as an integer");
  c.def("__format__", [](nb::handle x, nb::handle spec) -> nb::object {
    if (is_eager(x) && nb::len(spec) > 0) return value_object(tensor_of_object(x)).attr("__format__")(spec);
    if (nb::len(spec) > 0)
      throw TypeError(fmt::format("unsupported format string passed to {}.__format__", type_word(x)));
    return nb::str(x);
  });
}

/// Python's operators of Tensor and Variable, both sides.
template <class Class>
void bind_operators(Class& c) {
  const auto both = [&](const char* left, const char* right, Binary f) {
    c.def(
        left, [f](nb::handle x, nb::handle y) { return give(f(own_side(x), as_input(y))); },
        nb::is_operator(), "y"_a);
    c.def(
        right,
        [f](nb::handle x, nb::handle y) {
          const tf::Input own = own_side(x);
          return give(f(of_dtype_of(own, y), own));
        },
        nb::is_operator(), "y"_a);
  };
  both("__add__", "__radd__", &tf::operator+);
  both("__sub__", "__rsub__", static_cast<Binary>(&tf::operator-));
  both("__mul__", "__rmul__", &tf::operator*);
  both("__truediv__", "__rtruediv__", &tf::operator/);
  both("__div__", "__rdiv__", &tf::operator/);
  both("__mod__", "__rmod__", &tf::operator%);
  both("__floordiv__", "__rfloordiv__", &floordiv);
  both("__matmul__", "__rmatmul__", &matrix_product);
  both("__and__", "__rand__", static_cast<Binary>(&tf::operator&));
  both("__or__", "__ror__", &tf::operator|);
  both("__xor__", "__rxor__", &tf::operator^);
  c.def(
      "__pow__", [](nb::handle x, nb::handle y) { return give(power(own_side(x), as_input(y))); },
      nb::is_operator(), "y"_a);
  c.def(
      "__rpow__",
      [](nb::handle x, nb::handle y) {
        const tf::Input own = own_side(x);
        return give(power(of_dtype_of(own, y), own));
      },
      nb::is_operator(), "y"_a);
  const auto one = [&](const char* name, Binary f) {
    c.def(
        name, [f](nb::handle x, nb::handle y) { return give(f(own_side(x), as_input(y))); },
        nb::is_operator(), "y"_a);
  };
  one("__lt__", &tf::operator<);
  one("__le__", &tf::operator<=);
  one("__gt__", &tf::operator>);
  one("__ge__", &tf::operator>=);
  c.def("__neg__", [](nb::handle x) { return give(tf::negative(own_side(x))); });
  c.def("__abs__", [](nb::handle x) { return give(tf::abs(own_side(x))); });
  c.def("__invert__", [](nb::handle x) { return give(~own_side(x)); });
  c.def("__iter__", [](nb::handle x) -> nb::object {
    if (is_eager(x)) return rows_of(x);
    if (!nb::isinstance<tf::Tensor>(x))
      throw TypeError(fmt::format("'{}' object is not iterable.", type_word(x)));
    refuse_python_use(
        "Iterating over a symbolic `tf.Tensor` is not allowed. Use tf.map_fn to do something with each row.");
  });
  c.attr("__array_priority__") = 100;
}

/// What a Tensor refuses and a Variable does not have.
void bind_refusals(nb::class_<tf::Tensor>& c) {
  c.def("__len__", [](const tf::Tensor& self) -> size_t {
    const nb::object x = nb::cast(self);
    if (self.is_eager()) {
      if (self.shape().rank() == 0) throw TypeError("Scalar tensor has no `len()`");
      return static_cast<size_t>(self.shape().dim(0));
    }
    throw TypeError(
        fmt::format("len is not well defined for a symbolic Tensor ({}). Please call `x.shape` rather than "
                    "`len(x)` for shape information.",
                    as_text(x.attr("name"))));
  });
  c.def("__array__", [](nb::handle x, nb::args args, nb::kwargs options) -> nb::object {
    if (is_eager(x)) {
      nb::object dtype = args.size() > 0 ? nb::object(args[0]) : nb::none();
      if (options.contains("dtype")) dtype = nb::object(options["dtype"]);
      nb::object value = value_object(tensor_of_object(x));  // a new one, so only copy=False has to be told
      if (options.contains("copy") && nb::object(options["copy"]).is(nb::bool_(false)))
        return python_object("numpy", "array")(value, dtype, nb::arg("copy") = false);
      return python_object("numpy", "asarray")(value, dtype);
    }
    const std::string words = fmt::format(
        "Cannot convert a symbolic tf.Tensor ({}) to a numpy array. This error may indicate that you're "
        "trying to "
        "pass a Tensor to a NumPy call, which is not supported.",
        as_text(x.attr("name")));
    PyErr_SetString(PyExc_NotImplementedError, words.c_str());
    throw nb::python_error();
  });
}

nb::object run_in(nb::handle session, nb::handle what, nb::handle feed_dict, const char* missing) {
  const nb::object chosen = session.is_none() ? default_session() : nb::borrow(session);
  if (!chosen.is_valid()) throw ValueError(missing);
  if (!nb::object(chosen.attr("graph")).is(nb::object(what.attr("graph")))) {
    const bool is_tensor = nb::isinstance<tf::Tensor>(what);
    throw ValueError(fmt::format(
        "Cannot use the {} session to {}: the {} graph is different from the session's graph. Pass a session "
        "of that "
        "graph to `{}`.",
        session.is_none() ? "default" : "given", is_tensor ? "evaluate tensor" : "execute operation",
        is_tensor ? "tensor's" : "operation's", is_tensor ? "eval(session=sess)" : "run(session=sess)"));
  }
  return chosen.attr("run")(what, feed_dict);
}

constexpr const char* kNoSessionToEvaluate =
    "Cannot evaluate tensor using `eval()`: No default session is registered. Use `with sess.as_default()` "
    "or pass an explicit "
    "session to `eval(session=sess)`";
constexpr const char* kNoSessionToRun =
    "Cannot execute operation using `run()`: No default session is registered. Use `with sess.as_default():` "
    "or pass an "
    "explicit session to `run(session=sess)`";

/// A tensor of a graph; of values TensorFlow's properties say that they have none.
const tf::Tensor& symbolic(const tf::Tensor& tensor, const char* property) {
  if (!tensor.is_eager()) return tensor;
  const std::string words = fmt::format("Tensor.{} is undefined when eager execution is enabled.", property);
  PyErr_SetString(PyExc_AttributeError, words.c_str());
  nb::raise_python_error();
}

void bind_tensor_class(nb::module_& m) {
  auto c = nb::class_<tf::Tensor>(m, "Tensor", nb::dynamic_attr(), nb::is_weak_referenceable(),
                                  "The symbolic result of an operation: tf.Tensor.");
  c.def("__bool__", [](const tf::Tensor& self) -> bool {
    if (self.is_eager()) return as_bool(value_object(self));
    refuse_python_use(
        "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed. Use `if t is not None:` instead of "
        "`if t:` to "
        "test if a tensor is defined, and tf.cond to execute subgraphs conditioned on the value of a "
        "tensor.");
  });
  c.def_prop_ro("name", [](const tf::Tensor& self) { return symbolic(self, "name").name(); })
      .def_prop_ro("dtype",
                   [](const tf::Tensor& self) {
                     return dtype_object(self.is_eager() ? base_dtype(self.dtype()) : self.dtype());
                   })
      .def_prop_ro("shape", [](const tf::Tensor& self) { return shape_object(self.shape()); })
      .def("get_shape", [](const tf::Tensor& self) { return shape_object(self.shape()); })
      .def(
          "set_shape", [](tf::Tensor& self, nb::handle shape) { self.set_shape(as_shape(shape)); },
          nb::arg("shape").none())
      .def_prop_ro("ndim", [](const tf::Tensor& self) { return self.shape().rank(); })
      .def_prop_ro("op", [](const tf::Tensor& self) { return give(symbolic(self, "op").op()); })
      .def_prop_ro("graph", [](const tf::Tensor& self) { return give(symbolic(self, "graph").graph()); })
      .def_prop_ro("device",
                   [](const tf::Tensor& self) {
                     return self.is_eager() ? "/job:localhost/replica:0/task:0/device:CPU:0"
                                            : self.op().device();
                   })
      .def_prop_ro("value_index", [](const tf::Tensor& self) { return self.value_index(); })
      .def("consumers",
           [](const tf::Tensor& self) {
             nb::list list;
             for (const tf::Operation& operation : self.consumers()) list.append(give(operation));
             return list;
           })
      .def(
          "eval",
          [](nb::handle self, nb::handle feeds, nb::handle session) {
            if (is_eager(self)) {
              PyErr_SetString(
                  PyExc_NotImplementedError,
                  "eval is not supported when eager execution is enabled, is .numpy() what you're "
                  "looking for?");
              nb::raise_python_error();
            }
            return run_in(session, self, feeds, kNoSessionToEvaluate);
          },
          nb::arg("feed_dict").none() = nb::none(), nb::arg("session").none() = nb::none())
      .def(
          "__getitem__", [](const tf::Tensor& self, nb::handle key) { return item_of(self, key); },
          nb::arg().none())
      .def(
          "__eq__",
          [](const tf::Tensor& self, nb::handle other) {
            return nb::isinstance<tf::Tensor>(other) && nb::cast<const tf::Tensor&>(other).is(self);
          },
          nb::arg().none())
      .def(
          "__ne__",
          [](const tf::Tensor& self, nb::handle other) {
            return !(nb::isinstance<tf::Tensor>(other) && nb::cast<const tf::Tensor&>(other).is(self));
          },
          nb::arg().none())
      .def("__hash__",
           [](const tf::Tensor& self) {
             return static_cast<Py_ssize_t>(std::hash<const void*>()(self.node()) / 16 * 31 +
                                            static_cast<size_t>(self.value_index()));
           })
      .def("__repr__",
           [](const tf::Tensor& self) {
             if (self.is_eager()) {
               return fmt::format("<tf.Tensor: shape={}, dtype={}, numpy={}>",
                                  nb::str(shape_object(self.shape())).c_str(),
                                  dtype_name(base_dtype(self.dtype())), value_text(self, true));
             }
             return fmt::format(
                 "<tf.Tensor '{}' shape={} dtype={}>", self.name(),
                 self.shape().has_rank() ? nb::str(shape_object(self.shape())).c_str() : "<unknown>",
                 dtype_name(self.dtype()));
           })
      .def("__str__", [](const tf::Tensor& self) {
        if (self.is_eager()) {
          return fmt::format("tf.Tensor({}, shape={}, dtype={})", value_text(self, false),
                             nb::str(shape_object(self.shape())).c_str(),
                             dtype_name(base_dtype(self.dtype())));
        }
        return tf::tensor_text(tf::endpoint_of(self));
      });
  bind_operators(c);
  bind_values(c);
  bind_refusals(c);
}

void bind_operation_class(nb::module_& m) {
  nb::class_<NodeDef>(m, "NodeDef")
      .def_ro("name", &NodeDef::name)
      .def_ro("op", &NodeDef::op)
      .def_ro("device", &NodeDef::device)
      .def_ro("input", &NodeDef::input)
      .def_prop_ro("_graph_def",
                   [](const NodeDef& self) { return nb::bytes(self.message.data(), self.message.size()); })
      .def("__str__", [](const NodeDef& self) { return self.text; });
  nb::class_<tf::Operation>(m, "Operation", nb::dynamic_attr(), nb::is_weak_referenceable(),
                            "A node of a graph: tf.Operation.")
      .def_prop_ro("name", [](const tf::Operation& self) { return self.name(); })
      .def_prop_ro("type", [](const tf::Operation& self) { return self.type(); })
      .def_prop_ro("device", [](const tf::Operation& self) { return self.device(); })
      .def_prop_ro("graph", [](const tf::Operation& self) { return give(self.graph()); })
      .def_prop_ro("inputs", [](const tf::Operation& self) { return nb::tuple(give(self.inputs())); })
      .def_prop_ro("outputs", [](const tf::Operation& self) { return give(self.outputs()); })
      .def_prop_ro("control_inputs",
                   [](const tf::Operation& self) {
                     nb::list list;
                     for (const tf::Operation& input : self.control_inputs()) list.append(give(input));
                     return list;
                   })
      .def_prop_ro("node_def",
                   [](const tf::Operation& self) {
                     NodeDef def{self.name(), self.type(), self.device(), {}, node_text(*self.node()), {}};
                     wire::GraphDef one;
                     one.node.push_back(graph::to_node_def(*self.node()));
                     for (const wire::Text& input : one.node.front().input) def.input.push_back(input.str());
                     def.message = wire::encode(one);
                     return def;
                   })
      .def("_set_attr_message", [](const tf::Operation& self, const std::string& name,
                                   const nb::bytes& message) { set_attribute(*self.node(), name, message); })
      .def(
          "run",
          [](nb::handle self, nb::handle feeds, nb::handle session) {
            return run_in(session, self, feeds, kNoSessionToRun);
          },
          nb::arg("feed_dict").none() = nb::none(), nb::arg("session").none() = nb::none())
      .def(
          "__eq__",
          [](const tf::Operation& self, nb::handle other) {
            return nb::isinstance<tf::Operation>(other) && nb::cast<const tf::Operation&>(other) == self;
          },
          nb::arg().none())
      .def("__hash__",
           [](const tf::Operation& self) {
             return static_cast<Py_ssize_t>(std::hash<const void*>()(self.node()) / 16);
           })
      .def("__repr__",
           [](const tf::Operation& self) {
             return fmt::format("<tf.Operation '{}' type={}>", self.name(), self.type());
           })
      .def("__str__", [](const tf::Operation& self) { return node_text(*self.node()); });
}

}  // namespace

void bind_variable_operators(nb::class_<tf::Variable>& c) {
  bind_operators(c);
  bind_values(c);
  c.def("__bool__", [](const tf::Variable& self) {
    return !self.ref().is_eager() || as_bool(value_object(self.value()));  // else as any object of Python's
  });
  c.def(
      "__getitem__", [](const tf::Variable& self, nb::handle key) { return item_of(self.value(), key); },
      nb::arg().none());
}

void bind_tensors(nb::module_& m) {
  bind_tensor_class(m);
  bind_operation_class(m);
}

}  // namespace flowray::python
