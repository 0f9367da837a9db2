/// tf.Graph and tf.GraphDef.

#include "native/convert/convert.h"
#include "native/convert/released_lock.h"
#include "native/graph/python_graph.h"

#include <flowray/tf/gradients.h>
#include <flowray/tf/graph_def.h>

#include "tf/build/apply_op.h"
#include "tf/build/resource_variable.h"

#include <nanobind/stl/string.h>

#include <fmt/format.h>

#include <map>
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

// ---- graphs

/// The name that one is looked up by.
std::string name_of(const char* what, nb::handle name) {
  if (PyUnicode_Check(name.ptr()) != 0) return as_text(name);
  throw TypeError(
      fmt::format("{} names are strings (or similar), not {}.", what, nb::type_name(name.type()).c_str()));
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
    found = give(tf::graph_element(nb::cast<const tf::Variable&>(object)));
  const char* const wanted = allow_tensor && allow_operation ? "Tensor or Operation"
                             : allow_tensor                  ? "Tensor"
                                                             : "Operation";
  if (!found.is_valid()) {
    throw TypeError(fmt::format("Can not convert a {} into a {}.", type_word(object), wanted));
  }
  if (!found.attr("graph").is(give(graph))) {
    throw ValueError(fmt::format("{} is not an element of this graph.", nb::str(found).c_str()));
  }
  return found;
}

std::map<std::string, std::string> as_overrides(nb::handle map) {
  constexpr const char* kNoMap = "op_type_map must be a dictionary mapping strings to strings";
  if (PyDict_Check(map.ptr()) == 0) throw TypeError(kNoMap);
  std::map<std::string, std::string> overrides;
  for (const auto& [op, other] : nb::borrow<nb::dict>(map)) {
    if (PyUnicode_Check(op.ptr()) == 0 || PyUnicode_Check(other.ptr()) == 0) throw TypeError(kNoMap);
    overrides[as_text(op)] = as_text(other);
  }
  return overrides;
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
             return Scope([graph = self.graph] { return std::pair(make_default(graph), give(graph)); },
                          Scope::Kind::kGraph, self.graph.get());
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
            return give(self.graph.get_operation_by_name(name_of("Operation", name)));
          },
          "name"_a)
      .def(
          "get_tensor_by_name",
          [](PythonGraph& self, nb::handle name) {
            return give(self.graph.get_tensor_by_name(name_of("Tensor", name)));
          },
          "name"_a)
      .def(
          "as_graph_element",
          [](PythonGraph& self, nb::handle obj, Flag allow_tensor, Flag allow_operation) {
            return element_of(self.graph, obj, allow_tensor, allow_operation);
          },
          "obj"_a, "allow_tensor"_a = true, "allow_operation"_a = true)
      .def(
          "unique_name",
          [](PythonGraph& self, Text name, Flag mark) {
            return self.graph.unique_name(std::string(name), {.mark_as_used = mark});
          },
          "name"_a, "mark_as_used"_a = true)
      .def_prop_ro("_collections",
                   [](PythonGraph& self) {
                     return self.graph.get()->attachment<PythonCollections>("python_collections").lists;
                   })
      .def_prop_ro("_layer_names",  // how many layers of a kind have been given a name
                   [](PythonGraph& self) {
                     return self.graph.get()->attachment<PythonCollections>("python_layer_names").lists;
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
          [](PythonGraph& self, nb::handle, Flag add_shapes) {
            return self.graph.as_graph_def({.add_shapes = add_shapes});
          },
          nb::arg("from_version").none() = nb::none(), "add_shapes"_a = false)
      .def("_repr_svg_",
           [](nb::object self) { return python_object("flowray._graph_drawing", "drawn")(self); })
      .def(
          "to_string", [](PythonGraph& self) { return self.graph.to_string(); },
          "A line for each node: NAME = Op(inputs) attr=value -> dtype[shape].")
      .def(
          "colocate_with", [m](PythonGraph&, nb::handle op) { return m.attr("colocate_with")(op); }, "op"_a)
      .def(
          "gradient_override_map",
          [](PythonGraph& self, nb::handle map) {
            return scope_of([graph = self.graph, overrides = as_overrides(map)] {
              return tf::GradientOverrideGuard(graph.get(), overrides);
            });
          },
          nb::arg("op_type_map").none(),
          "Operations made meanwhile have the gradients that are registered by other names.")
      .def("is_feedable", [](PythonGraph&, nb::handle) { return true; })
      .def("is_fetchable", [](PythonGraph&, nb::handle) { return true; })
      .def("_default_graph_scope_open",
           [](PythonGraph& self) { return &tf::default_graph() == self.graph.get(); });
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
  if (object.is_none()) return tf::get_default_graph();
  if (nb::isinstance<PythonGraph>(object)) return nb::cast<PythonGraph&>(object).graph;
  throw TypeError(fmt::format("A tf.Graph is wanted, but got {}", nb::str(object).c_str()));
}

void bind_graph(nb::module_& m) { bind_graph_class(m); }

}  // namespace flowray::python
