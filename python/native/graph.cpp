/// tf.Graph, tf.Operation, tf.Tensor and the scopes.

#include "convert.h"
#include "python_graph.h"
#include "released_lock.h"

#include <flowray/tf/control_flow.h>
#include <flowray/tf/gradients.h>
#include <flowray/tf/graph_def.h>
#include <flowray/tf/math_ops.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/variable_scope.h>

#include "graph/graph_export.h"
#include "tf/apply_op.h"
#include "tf/sliced.h"
#include "tf/tensor_text.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace flowray::python {
namespace {

/// The Python object of each graph that has one. Held by the GIL.
std::unordered_map<graph::Graph*, PyObject*>& graph_objects() {
  static auto* objects = new std::unordered_map<graph::Graph*, PyObject*>();
  return *objects;
}

struct PythonGraph {
  explicit PythonGraph(tf::Graph of) : graph(std::move(of)) {}
  PythonGraph(const PythonGraph&) = delete;
  PythonGraph& operator=(const PythonGraph&) = delete;
  ~PythonGraph() { graph_objects().erase(graph.get()); }
  tf::Graph graph;
};

/// What Python adds to a graph's collections lives as long as the graph, which the Python object does not.
struct PythonCollections {
  nb::dict lists;
  ~PythonCollections() {
    if (Py_IsInitialized() == 0 || interpreter_ends_without_us()) {
      lists.release();  // NOLINT: the interpreter is gone, and with it the objects
      return;
    }
    const nb::gil_scoped_acquire held;
    nb::dict gone = std::move(lists);
  }
};

/// Python's scopes may end in any order: an InteractiveSession is closed whenever the program likes.
struct DefaultGraph {
  explicit DefaultGraph(tf::Graph of) : graph(std::move(of)) { tf::enter_default_graph(*graph.get()); }
  DefaultGraph(const DefaultGraph&) = delete;
  DefaultGraph& operator=(const DefaultGraph&) = delete;
  ~DefaultGraph() { tf::leave_default_graph(*graph.get()); }
  tf::Graph graph;
};

tf::Dependency as_dependency(nb::handle object) {
  if (nb::isinstance<tf::Operation>(object)) return nb::cast<const tf::Operation&>(object);
  if (nb::isinstance<tf::Variable>(object)) return nb::cast<const tf::Variable&>(object).op();
  if (nb::isinstance<tf::Tensor>(object)) return nb::cast<const tf::Tensor&>(object);
  if (nb::hasattr(object, "op")) return as_dependency(object.attr("op"));
  throw TypeError(
      fmt::format("Can not convert a {} into an Operation or Tensor.", nb::type_name(object.type()).c_str()));
}

// ---- graphs

/// A guard that cannot be moved, made where it is asked for.
template <class Make>
auto guard_of(Make make) {
  struct Holder {
    explicit Holder(Make& from) : guard(from()) {}
    decltype(make()) guard;
  };
  return std::make_shared<Holder>(make);
}

nb::object element_of(const tf::Graph& graph, nb::handle object, bool allow_tensor, bool allow_operation) {
  if (PyUnicode_Check(object.ptr())) {
    const std::string name = as_text(object);
    if (name.find(':') != std::string::npos && allow_tensor) return give(graph.get_tensor_by_name(name));
    if (allow_operation) return give(graph.get_operation_by_name(name));
    return give(graph.get_tensor_by_name(name));
  }
  nb::object found;
  if (nb::isinstance<tf::Tensor>(object) && allow_tensor) found = nb::borrow(object);
  if (nb::isinstance<tf::Operation>(object) && allow_operation) found = nb::borrow(object);
  if (nb::isinstance<tf::Variable>(object) && allow_tensor)
    found = give(nb::cast<const tf::Variable&>(object).ref());
  const char* const wanted = allow_tensor && allow_operation ? "Tensor or Operation"
                             : allow_tensor                  ? "Tensor"
                                                             : "Operation";
  if (!found.is_valid()) {
    throw TypeError(
        fmt::format("Can not convert a {} into a {}.", nb::type_name(object.type()).c_str(), wanted));
  }
  if (!found.attr("graph").is(give(graph))) {
    throw ValueError(fmt::format("{} is not an element of this graph.", nb::str(found).c_str()));
  }
  return found;
}

void bind_graph_class(nb::module_& m) {
  nb::class_<PythonGraph>(m, "Graph", nb::dynamic_attr(), nb::is_weak_referenceable(),
                          "A dataflow graph: tf.Graph.")
      .def("__init__",
           [](nb::handle self) {
             auto* made = new (nb::inst_ptr<PythonGraph>(self)) PythonGraph(tf::Graph());
             nb::inst_mark_ready(self);
             graph_objects()[made->graph.get()] = self.ptr();
           })
      .def("as_default",
           [](PythonGraph& self) {
             return Scope([graph = self.graph] { return std::pair(make_default(graph), give(graph)); });
           })
      .def("get_operations",
           [](PythonGraph& self) {
             nb::list list;
             for (const tf::Operation& operation : self.graph.get_operations()) list.append(give(operation));
             return list;
           })
      .def(
          "get_operation_by_name",
          [](PythonGraph& self, nb::handle name) {
            if (PyUnicode_Check(name.ptr()) == 0) {
              throw TypeError(fmt::format("Operation names are strings (or similar), not {}.",
                                          nb::type_name(name.type()).c_str()));
            }
            return give(self.graph.get_operation_by_name(as_text(name)));
          },
          "name"_a)
      .def(
          "get_tensor_by_name",
          [](PythonGraph& self, nb::handle name) {
            if (PyUnicode_Check(name.ptr()) == 0) {
              throw TypeError(fmt::format("Tensor names are strings (or similar), not {}.",
                                          nb::type_name(name.type()).c_str()));
            }
            return give(self.graph.get_tensor_by_name(as_text(name)));
          },
          "name"_a)
      .def(
          "as_graph_element",
          [](PythonGraph& self, nb::handle obj, bool allow_tensor, bool allow_operation) {
            return element_of(self.graph, obj, allow_tensor, allow_operation);
          },
          "obj"_a, "allow_tensor"_a = true, "allow_operation"_a = true)
      .def(
          "unique_name",
          [](PythonGraph& self, const std::string& name, bool mark) {
            return self.graph.unique_name(name, mark);
          },
          "name"_a, "mark_as_used"_a = true)
      .def_prop_ro("_collections",
                   [](PythonGraph& self) {
                     return self.graph.get()->attachment<PythonCollections>("python_collections").lists;
                   })
      .def("__repr__",
           [](PythonGraph& self) {
             return fmt::format("<flowray.tf.Graph object at {}>",
                                static_cast<const void*>(self.graph.get()));
           })
      .def("__hash__",
           [](PythonGraph& self) {
             return static_cast<Py_ssize_t>(std::hash<const void*>()(self.graph.get()) / 16);
           })
      .def(
          "__eq__",
          [](PythonGraph& self, nb::handle other) {
            return nb::isinstance<PythonGraph>(other) && nb::cast<PythonGraph&>(other).graph == self.graph;
          },
          nb::arg().none())
      .def("finalize", [](PythonGraph& self) { self.graph.finalize(); })
      .def_prop_ro("finalized", [](PythonGraph& self) { return self.graph.finalized(); })
      .def_prop_ro("version", [](PythonGraph& self) { return self.graph.get()->num_nodes(); })
      .def_prop_rw(
          "seed",
          [](PythonGraph& self) -> nb::object {
            const int64_t seed = self.graph.get()->seed();
            return seed < 0 ? nb::none() : nb::object(nb::int_(seed));
          },
          [](PythonGraph& self, int64_t seed) { self.graph.set_random_seed(seed); })
      .def(
          "as_graph_def",
          [](PythonGraph& self, nb::handle, bool add_shapes) { return self.graph.as_graph_def(add_shapes); },
          nb::arg("from_version").none() = nb::none(), "add_shapes"_a = false)
      .def(
          "to_string", [](PythonGraph& self) { return self.graph.to_string(); },
          "A line for each node: NAME = Op(inputs) attr=value -> dtype[shape].")
      .def(
          "colocate_with",
          [](PythonGraph&, nb::handle op) {
            const tf::Operation operation = nb::isinstance<tf::Operation>(op)
                                                ? nb::cast<tf::Operation>(op)
                                                : nb::cast<tf::Operation>(op.attr("op"));
            return Scope([operation] {
              return std::pair<std::shared_ptr<void>, nb::object>(
                  guard_of([&] { return tf::colocate_with(operation); }), nb::none());
            });
          },
          "op"_a)
      .def("is_feedable", [](PythonGraph&, nb::handle) { return true; })
      .def("is_fetchable", [](PythonGraph&, nb::handle) { return true; })
      .def("_default_graph_scope_open",
           [](PythonGraph& self) { return &tf::default_graph() == self.graph.get(); });
  nb::class_<tf::GraphDef>(m, "GraphDef", "A graph as a message: tf.GraphDef.")
      .def(nb::init<>())
      .def("SerializeToString",
           [](const tf::GraphDef& self) {
             const std::string& bytes = self.serialize_to_string();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("ParseFromString",
           [](tf::GraphDef& self, const nb::bytes& bytes) {
             self = tf::GraphDef::from_string({bytes.c_str(), bytes.size()});
             return bytes.size();
           })
      .def_static(
          "FromString",
          [](const nb::bytes& bytes) { return tf::GraphDef::from_string({bytes.c_str(), bytes.size()}); })
      .def("ByteSize", [](const tf::GraphDef& self) { return self.serialize_to_string().size(); })
      .def("__str__", [](const tf::GraphDef& self) { return self.to_string(); })
      .def("__eq__", [](const tf::GraphDef& self, const tf::GraphDef& other) {
        return self.serialize_to_string() == other.serialize_to_string();
      });
}

// ---- tensors

std::string node_text(const graph::Node& node) {
  wire::GraphDef message;
  message.node.push_back(graph::to_node_def(node));
  // As the node alone prints: without `node { }` around it.
  const std::string text = wire::to_text_format(message);
  std::string bare;
  for (size_t at = text.find('\n') + 1; at < text.size();) {
    const size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    if (line == "}") break;
    bare += line.substr(std::min<size_t>(2, line.size())) + "\n";
    at = end + 1;
  }
  return bare;
}

/// tf.NodeDef, to be read.
struct NodeDef {
  std::string name;
  std::string op;
  std::string device;
  std::vector<std::string> input;
  std::string text;
};

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

/// The left side of `2 // x`: of the right side's dtype, as Python's reflected operators have it.
tf::Input of_dtype_of(nb::handle right, nb::handle left) {
  const tf::Input x = as_input(right);
  const DType dtype = x.tensor() == nullptr ? DType::kInvalid : base_dtype(x.tensor()->dtype());
  const tf::Input y = as_input(left);
  if (y.literal() != nullptr) return tf::Input(y.literal()->to_array(dtype), tf::Input::Where());
  if (y.array() != nullptr) return tf::Input(y.array()->astype(dtype), tf::Input::Where());
  return y;
}

/// Python's operators of Tensor and Variable, both sides.
template <class Class>
void bind_operators(Class& c) {
  const auto both = [&](const char* left, const char* right, Binary f) {
    c.def(left, [f](nb::handle x, nb::handle y) { return f(as_input(x), as_input(y)); }, nb::is_operator());
    c.def(
        right, [f](nb::handle x, nb::handle y) { return f(of_dtype_of(x, y), as_input(x)); },
        nb::is_operator());
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
      "__pow__", [](nb::handle x, nb::handle y) { return power(as_input(x), as_input(y)); },
      nb::is_operator());
  c.def(
      "__rpow__", [](nb::handle x, nb::handle y) { return power(of_dtype_of(x, y), as_input(x)); },
      nb::is_operator());
  const auto one = [&](const char* name, Binary f) {
    c.def(name, [f](nb::handle x, nb::handle y) { return f(as_input(x), as_input(y)); }, nb::is_operator());
  };
  one("__lt__", &tf::operator<);
  one("__le__", &tf::operator<=);
  one("__gt__", &tf::operator>);
  one("__ge__", &tf::operator>=);
  c.def("__neg__", [](nb::handle x) { return tf::negative(as_input(x)); });
  c.def("__abs__", [](nb::handle x) { return tf::abs(as_input(x)); });
  c.def("__invert__", [](nb::handle x) { return ~as_input(x); });
  c.def("__bool__", [](nb::handle) -> bool {
    throw TypeError(
        "Using a `tf.Tensor` as a Python `bool` is not allowed. Use `if t is not None:` instead of `if t:` "
        "to test if a "
        "tensor is defined, and use TensorFlow ops such as tf.cond to execute subgraphs conditioned on the "
        "value of a tensor.");
  });
  c.def("__len__", [](nb::handle x) -> size_t {
    throw TypeError(
        fmt::format("len is not well defined for a symbolic Tensor ({}). Please call `x.shape` rather than "
                    "`len(x)` for shape information.",
                    as_text(x.attr("name"))));
  });
  c.def("__iter__", [](nb::handle) -> nb::object {
    throw TypeError(
        "Tensor objects are only iterable when eager execution is enabled. To iterate over this tensor use "
        "tf.map_fn.");
  });
  c.def("__array__", [](nb::handle x, nb::args, nb::kwargs) -> nb::object {
    throw errors::UnimplementedError(
        fmt::format("Cannot convert a symbolic tf.Tensor ({}) to a numpy array. This error may indicate that "
                    "you're trying to "
                    "pass a Tensor to a NumPy call, which is not supported.",
                    as_text(x.attr("name"))));
  });
  c.attr("__array_priority__") = 100;
}

nb::object run_in(nb::handle session, nb::handle what, nb::handle feed_dict, const char* missing) {
  const nb::object chosen = session.is_none() ? default_session() : nb::borrow(session);
  if (!chosen.is_valid()) throw ValueError(missing);
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

void bind_tensor_class(nb::module_& m) {
  auto c = nb::class_<tf::Tensor>(m, "Tensor", nb::dynamic_attr(), nb::is_weak_referenceable(),
                                  "The symbolic result of an operation: tf.Tensor.");
  c.def_prop_ro("name", [](const tf::Tensor& self) { return self.name(); })
      .def_prop_ro("dtype", [](const tf::Tensor& self) { return dtype_object(self.dtype()); })
      .def_prop_ro("shape", [](const tf::Tensor& self) { return shape_object(self.shape()); })
      .def("get_shape", [](const tf::Tensor& self) { return shape_object(self.shape()); })
      .def(
          "set_shape", [](tf::Tensor& self, nb::handle shape) { self.set_shape(as_shape(shape)); },
          nb::arg("shape").none())
      .def_prop_ro("op", [](const tf::Tensor& self) { return give(self.op()); })
      .def_prop_ro("graph", [](const tf::Tensor& self) { return give(self.graph()); })
      .def_prop_ro("device", [](const tf::Tensor& self) { return self.op().device(); })
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
             return fmt::format(
                 "<tf.Tensor '{}' shape={} dtype={}>", self.name(),
                 self.shape().has_rank() ? nb::str(shape_object(self.shape())).c_str() : "<unknown>",
                 dtype_name(self.dtype()));
           })
      .def("__str__", [](const tf::Tensor& self) { return tf::tensor_text(tf::endpoint_of(self)); });
  bind_operators(c);

  nb::class_<NodeDef>(m, "NodeDef")
      .def_ro("name", &NodeDef::name)
      .def_ro("op", &NodeDef::op)
      .def_ro("device", &NodeDef::device)
      .def_ro("input", &NodeDef::input)
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
                     NodeDef def{self.name(), self.type(), self.device(), {}, node_text(*self.node())};
                     const wire::NodeDef message = graph::to_node_def(*self.node());
                     for (const wire::Text& input : message.input) def.input.push_back(input.str());
                     return def;
                   })
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

// ---- scopes

/// Opens tf.name_scope(name, default_name): None and "" are the root.
Scope name_scope(nb::handle name, nb::handle default_name, nb::handle values) {
  std::string wanted = name.is_none() ? as_text(default_name) : as_text(name);
  tf::Graph graph = tf::get_default_graph();
  if (!values.is_none()) {
    const std::vector<tf::Tensor> tensors = [&] {
      std::vector<tf::Tensor> found;
      for (nb::handle value : values) {
        if (nb::isinstance<tf::Tensor>(value)) found.push_back(nb::cast<tf::Tensor>(value));
      }
      return found;
    }();
    if (!tensors.empty()) graph = tensors.front().graph();
  }
  return Scope([wanted, graph] {
    const auto default_here = make_default(graph);
    auto guard = guard_of([&] { return tf::NameScopeGuard(graph.get(), wanted); });
    nb::object path = nb::str(guard->guard.path().c_str());
    struct Both {
      std::shared_ptr<void> outer;
      std::shared_ptr<void> inner;
      ~Both() { inner.reset(); }
    };
    auto both = std::make_shared<Both>();
    both->outer = default_here;
    both->inner = guard;
    return std::pair<std::shared_ptr<void>, nb::object>(both, path);
  });
}

Scope control_dependencies(nb::handle inputs) {
  if (inputs.is_none()) {
    return Scope([] {
      return std::pair<std::shared_ptr<void>, nb::object>(
          guard_of([] { return tf::no_control_dependencies(); }), nb::none());
    });
  }
  std::vector<tf::Dependency> dependencies;
  for (nb::handle input : inputs) dependencies.push_back(as_dependency(input));
  return Scope([dependencies] {
    return std::pair<std::shared_ptr<void>, nb::object>(
        guard_of([&] { return tf::control_dependencies(dependencies); }), nb::none());
  });
}

tf::VariableScopeOptions scope_options(nb::handle default_name, nb::handle initializer, nb::handle reuse,
                                       nb::handle dtype, bool auxiliary) {
  tf::VariableScopeOptions options{.default_name = as_text(default_name),
                                   .initializer = as_initializer(initializer),
                                   .dtype = as_dtype(dtype),
                                   .auxiliary_name_scope = auxiliary};
  if (PyUnicode_Check(reuse.ptr())) {
    options.reuse = tf::AUTO_REUSE;
  } else if (!reuse.is_none()) {
    options.reuse = as_bool(reuse) ? tf::Reuse(true) : tf::Reuse(tf::Reuse::Mode::kInherit);
  }
  return options;
}

Scope variable_scope(nb::handle name_or_scope, const tf::VariableScopeOptions& options) {
  const bool existing = nb::isinstance<tf::VariableScope>(name_or_scope);
  const tf::VariableScope scope = existing ? nb::cast<tf::VariableScope>(name_or_scope) : tf::VariableScope();
  const std::string name = existing ? std::string() : as_text(name_or_scope);
  const bool unnamed = name_or_scope.is_none();
  return Scope([=] {
    auto guard = guard_of([&] {
      return tf::VariableScopeGuard(unnamed ? std::string_view() : name, existing ? &scope : nullptr,
                                    options);
    });
    return std::pair<std::shared_ptr<void>, nb::object>(guard, nb::cast(guard->guard.scope()));
  });
}

/// tf.tuple, with more that its tensors wait for.
nb::list tuple(const std::vector<tf::Tensor>& tensors, const std::string& name, nb::handle control_inputs) {
  std::vector<tf::Dependency> waits_for;
  if (!control_inputs.is_none()) {
    for (nb::handle input : control_inputs) waits_for.push_back(as_dependency(input));
  }
  const auto first =
      std::find_if(tensors.begin(), tensors.end(), [](const tf::Tensor& t) { return bool(t); });
  if (waits_for.empty() || first == tensors.end()) return give(tf::tuple(tensors, name, {}));
  const auto in_graph = make_default(first->graph());
  const tf::NameScopeGuard scope = tf::name_scope(name);
  for (const tf::Tensor& tensor : tensors) {
    if (tensor) waits_for.emplace_back(tensor);
  }
  const tf::Operation gate = tf::group(waits_for, "group_deps", {});
  std::vector<tf::Tensor> gated;
  for (const tf::Tensor& tensor : tensors) {
    if (!tensor) {
      gated.emplace_back();
      continue;
    }
    const tf::ColocationGuard with = tf::colocate_with(tensor.op());
    const tf::ControlDependenciesGuard after = tf::control_dependencies({gate});
    gated.push_back(tf::identity(tensor, {"control_dependency"}));
  }
  return give(gated);
}

void bind_scopes(nb::module_& m) {
  nb::class_<Scope>(m, "Scope", "What `with` opens and closes.")
      .def("__enter__", &Scope::enter)
      .def("__exit__", [](Scope& self, nb::args) { self.exit(); });
  nb::class_<tf::VariableScope>(m, "VariableScope", nb::dynamic_attr(),
                                "A variable scope, which may be entered again.")
      .def_prop_ro("name", &tf::VariableScope::name)
      .def_prop_ro("original_name_scope", &tf::VariableScope::original_name_scope)
      .def_prop_ro("reuse", &tf::VariableScope::reuse)
      .def_prop_ro("dtype", [](const tf::VariableScope& self) { return dtype_object(self.dtype()); })
      .def("reuse_variables", [](tf::VariableScope& self) {
        self.reuse_variables();
        if (tf::get_variable_scope().name() == self.name()) tf::reuse_variables();
      });
  m.def("name_scope", &name_scope, nb::arg("name").none() = nb::none(),
        nb::arg("default_name").none() = nb::none(), nb::arg("values").none() = nb::none(),
        "Names made meanwhile start with the scope's.");
  m.def("control_dependencies", &control_dependencies, nb::arg("control_inputs").none(),
        "Operations made meanwhile run after these.");
  m.def(
      "_device",
      [](nb::handle name) {
        return Scope([device = as_text(name)] {
          return std::pair<std::shared_ptr<void>, nb::object>(guard_of([&] { return tf::device(device); }),
                                                              nb::none());
        });
      },
      nb::arg("name").none());
  m.def(
      "colocate_with",
      [](nb::handle op) {
        const tf::Operation operation = nb::isinstance<tf::Operation>(op)
                                            ? nb::cast<tf::Operation>(op)
                                            : nb::cast<tf::Operation>(op.attr("op"));
        return Scope([operation] {
          return std::pair<std::shared_ptr<void>, nb::object>(
              guard_of([&] { return tf::colocate_with(operation); }), nb::none());
        });
      },
      "op"_a, "Operations made meanwhile are placed with `op`.");
  m.def(
      "variable_scope",
      [](nb::handle name_or_scope, nb::handle default_name, nb::handle, nb::handle initializer,
         nb::handle regularizer, nb::handle, nb::handle partitioner, nb::handle custom_getter,
         nb::handle reuse, nb::handle dtype, nb::handle, nb::handle constraint, bool auxiliary_name_scope) {
        refuse(regularizer, "tf.variable_scope", "regularizer");
        refuse(partitioner, "tf.variable_scope", "partitioner");
        refuse(custom_getter, "tf.variable_scope", "custom_getter");
        refuse(constraint, "tf.variable_scope", "constraint");
        return variable_scope(name_or_scope,
                              scope_options(default_name, initializer, reuse, dtype, auxiliary_name_scope));
      },
      nb::arg("name_or_scope").none(), nb::arg("default_name").none() = nb::none(),
      nb::arg("values").none() = nb::none(), nb::arg("initializer").none() = nb::none(),
      nb::arg("regularizer").none() = nb::none(), nb::arg("caching_device").none() = nb::none(),
      nb::arg("partitioner").none() = nb::none(), nb::arg("custom_getter").none() = nb::none(),
      nb::arg("reuse").none() = nb::none(), nb::arg("dtype").none() = nb::none(),
      nb::arg("use_resource").none() = nb::none(), nb::arg("constraint").none() = nb::none(),
      "auxiliary_name_scope"_a = true,
      "Variables of get_variable made meanwhile are named, and shared, by the scope.");
  m.def("get_variable_scope", [] { return tf::get_variable_scope(); });
  m.def("get_default_graph", [] { return give(tf::get_default_graph()); });
  m.def("reset_default_graph", [] {
    try {
      tf::reset_default_graph();
    } catch (const RuntimeError& error) {
      throw AssertionError(error.message());
    }
  });
  m.def("set_random_seed", [](int64_t seed) { tf::set_random_seed(seed); }, "seed"_a);
  m.def(
      "no_op", [](nb::handle name) { return tf::no_op(name.is_none() ? "NoOp" : as_text(name), {}); },
      nb::arg("name").none() = nb::none(), "Does nothing; something to fetch or to wait for.");
  m.def(
      "group",
      [](nb::args inputs, nb::kwargs named) {
        std::vector<tf::Dependency> dependencies;
        const std::function<void(nb::handle)> add = [&](nb::handle item) {
          if (PyList_Check(item.ptr()) || PyTuple_Check(item.ptr())) {
            const RecursionLevel level(" in the inputs of tf.group");
            for (nb::handle inner : item) add(inner);
          } else if (!item.is_none()) {
            dependencies.push_back(as_dependency(item));
          }
        };
        for (nb::handle input : inputs) add(input);
        const bool has_name = named.contains("name") && !nb::object(named["name"]).is_none();
        return tf::group(dependencies, has_name ? as_text(named["name"]) : "group_deps", {});
      },
      "An operation that runs after all of `inputs`.");
  m.def(
      "tuple",
      [](nb::handle tensors, nb::handle name, nb::handle control_inputs) {
        return tuple(as_tensors(tensors), name.is_none() ? "tuple" : as_text(name), control_inputs);
      },
      "tensors"_a, nb::arg("name").none() = nb::none(), nb::arg("control_inputs").none() = nb::none());
}

}  // namespace

nb::object give(const tf::Graph& graph) {
  auto& objects = graph_objects();
  if (const auto known = objects.find(graph.get()); known != objects.end()) return nb::borrow(known->second);
  nb::object made = nb::inst_alloc(nb::type<PythonGraph>());
  new (nb::inst_ptr<PythonGraph>(made)) PythonGraph(graph);
  nb::inst_mark_ready(made);
  objects[graph.get()] = made.ptr();
  return made;
}

std::shared_ptr<void> make_default(const tf::Graph& graph) { return std::make_shared<DefaultGraph>(graph); }

/// Sets a Graph argument to its language handle; None: an invalid one is the default graph.
tf::Graph graph_of_object(nb::handle object) {
  return object.is_none() ? tf::get_default_graph() : nb::cast<PythonGraph&>(object).graph;
}

void bind_variable_operators(nb::class_<tf::Variable>& c) {
  bind_operators(c);
  c.def(
      "__getitem__", [](const tf::Variable& self, nb::handle key) { return item_of(self.value(), key); },
      nb::arg().none());
}

void bind_graph(nb::module_& m) {
  bind_graph_class(m);
  bind_tensor_class(m);
  bind_scopes(m);
}

}  // namespace flowray::python
