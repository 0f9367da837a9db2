/// tf.Variable, get_variable, assignments, collections of variables and initializers.

#include "native/convert/released_lock.h"
#include "native/convert/verified_shape.h"
#include "native/graph/custom_getters.h"
#include "native/graph/partitioned_variables.h"
#include "native/graph/python_graph.h"
#include "native/graph/variable_arguments.h"

#include <flowray/tf/initializers.h>
#include <flowray/tf/saveable.h>
#include <flowray/tf/train.h>
#include <flowray/tf/variable.h>
#include <flowray/tf/variable_scope.h>

#include "tf/build/apply_op.h"
#include "tf/build/collections.h"
#include "tf/build/resource_variable.h"
#include "tf/variables/initialized_value.h"

#include <nanobind/stl/string.h>

#include <fmt/format.h>

namespace flowray::python {

void bind_variable_operators(nb::class_<tf::Variable>& c);
tf::Session* session_of_object(nb::handle object);
tf::Graph graph_of_object(nb::handle object);

FLOWRAY_FIELDS(tf::VariableOptions, trainable, collections, validate_shape, caching_device, name, dtype,
               expected_shape, constraint, use_resource, synchronization, aggregation)
FLOWRAY_FIELDS(tf::GetVariableOptions, dtype, initializer, regularizer, trainable, collections,
               caching_device, partitioner, validate_shape, use_resource, constraint, synchronization,
               aggregation)
FLOWRAY_FIELDS(tf::AssignOptions, validate_shape, use_locking, name)
FLOWRAY_FIELDS(tf::AssignUpdateOptions, use_locking, name)
FLOWRAY_FIELDS(tf::RandomUniformInitializerOptions, minval, maxval, seed)
FLOWRAY_FIELDS(tf::NormalInitializerOptions, mean, stddev, seed)
FLOWRAY_FIELDS(tf::VarianceScalingOptions, scale, mode, distribution, seed)
FLOWRAY_FIELDS(tf::SeedOption, seed)
FLOWRAY_FIELDS(tf::GainOptions, gain, seed)
FLOWRAY_FIELDS(tf::UniformUnitScalingOptions, factor, seed)

namespace {

/// A number or a list, also as an array: its elements as written in a program.
Literal as_literal(nb::handle value) {
  const tf::Input input = as_input(value);
  if (input.literal() != nullptr) return *input.literal();
  return *as_input(value.attr("tolist")()).literal();
}

}  // namespace

template <>
inline constexpr auto kFrom<Literal> = &as_literal;

namespace {

tf::Variable make_variable(nb::handle initial_value, const tf::VariableOptions& options) {
  if (initial_value.is_none()) {
    throw ValueError(
        "initial_value must be specified. Currently, the variable creation requires an initial value or a "
        "callable.");
  }
  if (PyCallable_Check(initial_value.ptr()) != 0) {
    return {[&] {
              return tf::convert_to_tensor(as_input(initial_value()),
                                           {.dtype = options.dtype, .name = "initial_value"});
            },
            options,
            {}};
  }
  return tf::Variable(as_input(initial_value), options);
}

nb::object get_variable(const std::string& name, const std::optional<Shape>& shape,
                        const tf::GetVariableOptions& options) {
  try {
    if (!shape) return give_variable(tf::get_variable_of_value(name, options, {}));
    return give_variable(tf::get_variable(name, *shape, options, {}));
  } catch (const NoVariable& other) {
    return other.given;
  }
}

/// What an assignment to a resource variable gives: the variable after it, or the operation alone.
nb::object updated_resource(const tf::Variable& variable, const char* op, const tf::Input& by,
                            const std::string& node, bool read_value) {
  graph::Node* const assignment = tf::assign_resource(*variable.state(), op, by, node);
  if (!read_value) return give(tf::Operation(assignment));
  return nb::cast(tf::Variable(tf::variable_after(*variable.state(), *assignment)));
}

/// assign and its siblings: the tensor, or the operation alone.
void bind_update(nb::class_<tf::Variable>& c, const char* name, const char* op, const char* value,
                 tf::Tensor (tf::Variable::*update)(const tf::Input&, const tf::AssignUpdateOptions&) const) {
  bind_method(c, name,
              [update, op](const tf::Variable& self, const tf::Input& by, bool use_locking,
                           const std::string& node, bool read_value) -> nb::object {
                if (self.state()->is_resource) return updated_resource(self, op, by, node, read_value);
                const tf::Tensor updated = (self.*update)(by, {.use_locking = use_locking, .name = node});
                if (updated.is_eager()) return nb::cast(self);
                return read_value ? give(updated) : give(updated.op());
              },
              {value, {"use_locking", false}, {"name", nb::none()}, {"read_value", true}});
}

nb::object handle_of(const tf::Variable& variable) {
  if (variable.is_resource()) return give(variable.ref());
  PyErr_SetString(PyExc_AttributeError, "'RefVariable' object has no attribute 'handle'");
  nb::raise_python_error();
}

void bind_variable_class(nb::module_& m) {
  auto c = nb::class_<tf::Variable>(m, "Variable", nb::dynamic_attr(), nb::is_weak_referenceable(),
                                    "A tensor whose value stays from step to step: tf.Variable.");
  bind_constructor(c, &make_variable,
                   {{"initial_value", nb::none()},
                    {"trainable", nb::none()},
                    "collections",
                    "validate_shape",
                    "caching_device",
                    "name",
                    refused("variable_def"),
                    "dtype",
                    {"expected_shape", nb::none()},
                    refused("import_scope"),
                    converted("constraint", &as_constraint),
                    "use_resource",
                    {"synchronization", nb::none()},
                    {"aggregation", nb::none()}});
  c.def_prop_ro("name", [](const tf::Variable& self) { return self.name(); })
      .def_prop_ro("dtype", [](const tf::Variable& self) { return dtype_object(self.dtype()); })
      .def_prop_ro("shape", [](const tf::Variable& self) { return shape_object(self.shape()); })
      .def("get_shape", [](const tf::Variable& self) { return shape_object(self.shape()); })
      .def_prop_ro("op", [](const tf::Variable& self) { return give(self.op()); })
      .def_prop_ro("graph", [](const tf::Variable& self) { return give(self.graph()); })
      .def_prop_ro("device", [](const tf::Variable& self) { return self.op().device(); })
      .def_prop_ro("trainable", [](const tf::Variable& self) { return self.trainable(); })
      .def_prop_ro("initializer", [](const tf::Variable& self) { return give(self.initializer()); })
      .def_prop_ro("initial_value", [](const tf::Variable& self) { return give(self.initial_value()); })
      .def("value", [](const tf::Variable& self) { return give(self.value()); })
      .def("read_value", [](const tf::Variable& self) { return give(self.read_value()); })
      .def("initialized_value", [](const tf::Variable& self) { return give(tf::initialized_value(self)); })
      .def_prop_ro("constraint",
                   [](const tf::Variable& self) { return constraint_object(self.constraint()); })
      .def_prop_ro("_is_resource", [](const tf::Variable& self) { return self.state()->is_resource; })
      .def_prop_ro("handle", &handle_of)
      .def(
          "count_up_to",
          [](const tf::Variable& self, int64_t limit) { return give(self.count_up_to(limit)); }, "limit"_a,
          "The value before one is added to it; an OutOfRangeError once it has reached `limit`.")
      .def_prop_ro("synchronization",
                   [](const tf::Variable& self) { return synchronization_object(self.synchronization()); })
      .def_prop_ro("aggregation",
                   [](const tf::Variable& self) { return aggregation_object(self.aggregation()); })
      .def_prop_ro("_save_slice_info", &slice_info_of)
      .def("_get_save_slice_info", &slice_info_of)
      .def("_set_save_slice_info", &set_slice_info, nb::arg("save_slice_info").none())
      .def_prop_ro("create", [](const tf::Variable& self) { return give(self.initializer()); })
      .def(
          "is_initialized",
          [](const tf::Variable& self, nb::handle name) {
            return give(tf::is_variable_initialized(self, {as_text(name)}));
          },
          nb::arg("name").none() = nb::none())
      .def("_ref", [](const tf::Variable& self) { return give(self.ref()); })
      .def("_as_graph_element", [](const tf::Variable& self) { return give(tf::graph_element(self)); })
      .def(
          "eval",
          [](nb::object self, nb::handle session) {
            const nb::object chosen = session.is_none() ? default_session() : nb::borrow(session);
            if (!chosen.is_valid()) {
              throw ValueError(
                  "Cannot evaluate tensor using `eval()`: No default session is registered. Use `with "
                  "sess.as_default()` or pass "
                  "an explicit session to `eval(session=sess)`");
            }
            return chosen.attr("run")(self);
          },
          nb::arg("session").none() = nb::none())
      .def(
          "load",
          [](const tf::Variable& self, nb::handle value, nb::handle session) {
            const Array array = as_array(value, base_dtype(self.dtype()));
            const nb::object chosen = session.is_none() ? default_session() : nb::borrow(session);
            tf::Session* const language = chosen.is_valid() ? session_of_object(chosen) : nullptr;
            without_lock([&] { self.load(array, language); });
          },
          "value"_a, nb::arg("session").none() = nb::none(), "Sets the value without adding a node.")
      .def(
          "__eq__",
          [](const tf::Variable& self, nb::handle other) {
            return nb::isinstance<tf::Variable>(other) && nb::cast<const tf::Variable&>(other) == self;
          },
          nb::arg().none())
      .def("__hash__",
           [](const tf::Variable& self) {
             return static_cast<Py_ssize_t>(std::hash<const void*>()(self.state().get()) / 16);
           })
      .def("__repr__", [](const tf::Variable& self) {
        if (self.ref().is_eager()) {
          const std::string value = nb::repr(give(self.value())).c_str();
          return fmt::format("<tf.Variable '{}' shape={} dtype={}, {}", self.name(),
                             nb::str(shape_object(self.shape())).c_str(), dtype_name(self.dtype()),
                             value.substr(value.find("numpy=")));
        }
        return fmt::format("<tf.Variable '{}' shape={} dtype={}>", self.name(),
                           self.shape().to_tuple_string(), dtype_name(self.dtype()));
      });
  bind_update(c, "assign", "AssignVariableOp", "value", &tf::Variable::assign);
  bind_update(c, "assign_add", "AssignAddVariableOp", "delta", &tf::Variable::assign_add);
  bind_update(c, "assign_sub", "AssignSubVariableOp", "delta", &tf::Variable::assign_sub);
  bind_variable_operators(c);
}

tf::Initializer constant_initializer(const tf::Literal& value, bool verify_shape) {
  const tf::Initializer made = tf::constant_initializer(value);
  if (!verify_shape) return made;
  return tf::Initializer::Function([made, given = value.to_array().shape()](const Shape& shape, DType dtype) {
    check_verified_shape(given, shape);
    return made(shape, dtype);
  });
}

/// The dtype of an initializer is the variable's; Python's class passes its own on where it is called.
void bind_initializers(nb::module_& m) {
  nb::class_<tf::Initializer> initializer(m, "Initializer", nb::dynamic_attr(),
                                          "Makes the first value of a variable from its shape and dtype.");
  const Argument dtype = ignored("dtype");
  initializer.def(nb::init<const tf::Initializer&>(), "initializer"_a);  // for Python's classes
  bind_method(initializer, "__call__",
              [](const tf::Initializer& self, const Shape& shape, DType wanted, nb::handle partition_info) {
                const PartBeingMade part(shape, partition_info);
                return self(shape, wanted == DType::kInvalid ? DType::kFloat32 : wanted);
              },
              {"shape", {"dtype", nb::none()}, {"partition_info", nb::none()}});
  bind(m, "zeros_initializer", &tf::zeros_initializer, {dtype});
  bind(m, "ones_initializer", &tf::ones_initializer, {dtype});
  bind(m, "constant_initializer", &constant_initializer, {{"value", 0}, dtype, {"verify_shape", false}});
  const auto maxval_of = [](nb::handle maxval) {
    return maxval.is_none() ? tf::Input(1.0, {}) : as_input(maxval);
  };
  bind(m, "random_uniform_initializer", &tf::random_uniform_initializer,
       {{"minval", 0.0}, none_too(converted({"maxval", nb::none()}, maxval_of)), "seed", dtype});
  bind(m, "orthogonal_initializer", &tf::orthogonal_initializer, {"gain", "seed", dtype});
  bind(m, "uniform_unit_scaling_initializer", &tf::uniform_unit_scaling_initializer,
       {"factor", "seed", dtype});
  bind(m, "identity_initializer", &tf::initializers::identity, {{"gain", 1.0}, dtype},
       docstring_of("initializers.identity"));
  bind(m, "random_normal_initializer", &tf::random_normal_initializer, {"mean", "stddev", "seed", dtype});
  bind(m, "truncated_normal_initializer", &tf::truncated_normal_initializer,
       {"mean", "stddev", "seed", dtype});
  bind(m, "variance_scaling_initializer", &tf::variance_scaling_initializer,
       {"scale", "mode", "distribution", "seed", dtype});
  bind(m, "glorot_uniform_initializer", &tf::glorot_uniform_initializer, {"seed", dtype});
  bind(m, "glorot_normal_initializer", &tf::glorot_normal_initializer, {"seed", dtype});
  const auto seeded = [&](const char* name, tf::Initializer (*make)(const tf::SeedOption&)) {
    bind(m, name, make, {"seed", dtype}, docstring_of(std::string("initializers.") + name));
  };
  seeded("he_normal", &tf::initializers::he_normal);
  seeded("he_uniform", &tf::initializers::he_uniform);
  seeded("lecun_normal", &tf::initializers::lecun_normal);
  seeded("lecun_uniform", &tf::initializers::lecun_uniform);
}

/// Whether the language reads the collection, so that what is added must be where it looks.
bool is_of_language(const tf::internal::Collections& collections, const std::string& key) {
  for (const char* const name :
       {tf::internal::kGlobalVariables, tf::internal::kTrainableVariables, tf::internal::kLocalVariables,
        tf::internal::kTrainOp, tf::internal::kSummaries, tf::internal::kLosses,
        tf::internal::kRegularizationLosses, tf::internal::kUpdateOps,
        tf::train::SaveableObject::kCollection}) {
    if (key == name) return true;
  }
  return collections.contains(key);
}

/// Whether its nodes are summaries, and not operations that train.
bool holds_tensors(const std::string& key) { return !tf::internal::holds_operations(key); }

/// Adds to a collection of the language; false where it holds no such things, and Python has to keep it.
bool collect(graph::Graph& graph, const std::string& key, nb::handle value) {
  auto& collections = tf::internal::collections_of(graph);
  if (graph.is_eager() || !is_of_language(collections, key)) return false;
  if (nb::isinstance<tf::Variable>(value)) {
    const auto& variable = nb::cast<const tf::Variable&>(value);
    if (variable.graph().get() != &graph) return false;
    collections.add(key, variable.state());
    return true;
  }
  if (key == tf::train::SaveableObject::kCollection && !nb::isinstance<tf::train::SaveableObject>(value)) {
    throw TypeError(
        fmt::format("{} is nothing that a Saver keeps: variables and what make_saveable_from_iterator "
                    "gives are",
                    nb::str(value).c_str()));
  }
  graph::Node* node = nullptr;
  if (nb::isinstance<tf::train::SaveableObject>(value)) {
    node = nb::cast<const tf::train::SaveableObject&>(value).value().node();
  } else if (holds_tensors(key) && nb::isinstance<tf::Tensor>(value)) {
    const auto& tensor = nb::cast<const tf::Tensor&>(value);
    if (tensor.value_index() == 0) node = tensor.node();
  } else if (!holds_tensors(key) && nb::isinstance<tf::Operation>(value)) {
    node = nb::cast<const tf::Operation&>(value).node();
  }
  if (node == nullptr || &node->graph() != &graph) return false;
  collections.add(key, node);
  return true;
}

void bind_collections(nb::module_& m) {
  m.def(
      "_collected",
      [](nb::handle graph, const std::string& key) {
        const auto& collections = tf::internal::collections_of(*graph_of_object(graph).get());
        nb::list list;
        for (const auto& state : collections.variables(key)) list.append(tf::Variable(state));
        for (graph::Node* node : collections.operations(key)) {
          if (key == tf::train::SaveableObject::kCollection) {
            list.append(nb::cast(tf::train::SaveableObject(tf::Tensor(node, 0))));
            continue;
          }
          list.append(holds_tensors(key) ? give(tf::Tensor(node, 0)) : give(tf::Operation(node)));
        }
        return list;
      },
      nb::arg("graph").none(), "key"_a, "What the language has collected under a name.");
  m.def(
      "_collect",
      [](nb::handle graph, const std::string& key, nb::handle value) {
        return collect(*graph_of_object(graph).get(), key, value);
      },
      nb::arg("graph").none(), "key"_a, nb::arg("value").none());
  m.def(
      "_is_of_language",
      [](nb::handle graph, const std::string& key) {
        return is_of_language(tf::internal::collections_of(*graph_of_object(graph).get()), key);
      },
      nb::arg("graph").none(), "key"_a);
  m.def(
      "_clear_collected",
      [](nb::handle graph, const std::string& key) {
        tf::internal::collections_of(*graph_of_object(graph).get()).clear(key);
      },
      nb::arg("graph").none(), "key"_a);
}

const tf::Variable& variable_of(nb::handle object, const char* function) {
  if (nb::isinstance<PythonParts>(object)) return nb::cast<const PythonParts&>(object).whole;
  if (nb::isinstance<tf::Variable>(object)) return nb::cast<const tf::Variable&>(object);
  throw TypeError(fmt::format("{} wants a Variable, but got {}", function, nb::str(object).c_str()));
}

void bind_functions_of_variables(nb::module_& m) {
  using Variables = std::optional<std::vector<tf::Variable>>;
  const Argument list = {"var_list", nb::none()};
  bind(m, "global_variables", &tf::global_variables, {{"scope", nb::none()}});
  bind(m, "trainable_variables", &tf::trainable_variables, {{"scope", nb::none()}});
  bind(m, "local_variables", &tf::local_variables, {{"scope", nb::none()}});
  bind(m, "count_up_to", &tf::count_up_to,
       {converted("ref", [](nb::handle object) { return variable_of(object, "tf.count_up_to"); }), "limit"});
  bind(m, "global_variables_initializer", &tf::global_variables_initializer);
  bind(m, "local_variables_initializer", &tf::local_variables_initializer);
  bind(m, "assert_variables_initialized",
       [](const Variables& variables, tf::Input::Where where) {
         return variables ? tf::assert_variables_initialized(*variables, where)
                          : tf::assert_variables_initialized(where);
       },
       {list});
  bind(m, "report_uninitialized_variables",
       [](const Variables& variables, const tf::NameOption& options, tf::Input::Where where) {
         return variables ? tf::report_uninitialized_variables(*variables, options, where)
                          : tf::report_uninitialized_variables(options, where);
       },
       {list, {"name", "report_uninitialized_variables"}});
  bind(m, "tables_initializer", &tf::tables_initializer, {{"name", "init_all_tables"}});
  bind(m, "variables_initializer", &tf::variables_initializer, {"var_list", {"name", "init"}});
  const auto ref = [](const char* function) {
    return converted("ref", [function](nb::handle object) { return variable_of(object, function); });
  };
  const Argument use_locking = {"use_locking", nb::none()};
  bind(
      m, "assign",
      [](const tf::Variable& variable, const tf::Input& value, const tf::AssignOptions& options) {
        if (variable.state()->is_resource)
          return updated_resource(variable, "AssignVariableOp", value, options.name, /*read_value=*/true);
        return give(tf::assign(variable, value, options));
      },
      {ref("tf.assign"), "value", {"validate_shape", nb::none()}, use_locking, "name"},
      docstring_of("assign"));
  const auto update = [&](const char* name, const char* op, auto function) {
    bind(
        m, name,
        [function, op](const tf::Variable& variable, const tf::Input& value,
                       const tf::AssignUpdateOptions& options) {
          if (variable.state()->is_resource)
            return updated_resource(variable, op, value, /*node=*/"", /*read_value=*/true);
          return give(function(variable, value, options));
        },
        {ref(name), "value", use_locking, "name"}, docstring_of(name));
  };
  update("assign_add", "AssignAddVariableOp", &tf::assign_add);
  update("assign_sub", "AssignSubVariableOp", &tf::assign_sub);
  m.def(
      "_variable_after",
      [](const tf::Variable& variable, const tf::Operation& assignment) {
        return tf::Variable(tf::variable_after(*variable.state(), *assignment.node()));
      },
      "variable"_a, "assignment"_a, "A resource variable as an operation leaves it.");
  m.def("enable_resource_variables", &tf::enable_resource_variables,
        docstring_of("enable_resource_variables"));
  m.def("disable_resource_variables", &tf::disable_resource_variables,
        docstring_of("disable_resource_variables"));
  m.def("resource_variables_enabled", &tf::resource_variables_enabled,
        docstring_of("resource_variables_enabled"));
  bind(
      m, "is_variable_initialized",
      [](const tf::Variable& variable) { return tf::is_variable_initialized(variable); },
      {converted("variable",
                 [](nb::handle object) { return variable_of(object, "tf.is_variable_initialized"); })},
      docstring_of("is_variable_initialized"));
}

}  // namespace

tf::Variable as_variable(nb::handle object) { return variable_of(object, "This function"); }

std::vector<tf::Variable> as_variables(nb::handle list) {
  std::vector<tf::Variable> variables;
  if (list.is_none()) return variables;
  if (nb::isinstance<tf::Variable>(list)) return {nb::cast<tf::Variable>(list)};
  if (nb::isinstance<PythonParts>(list)) return {as_variable(list)};
  for (nb::handle item : list) variables.push_back(as_variable(item));
  return variables;
}

void bind_variables(nb::module_& m) {
  bind_variable_class(m);
  bind_initializers(m);
  bind(m, "get_variable", &get_variable,
       {"name",
        {"shape", nb::none()},
        "dtype",
        "initializer",
        "regularizer",
        {"trainable", nb::none()},
        "collections",
        "caching_device",
        "partitioner",
        "validate_shape",
        "use_resource",
        ignored("custom_getter"),
        converted("constraint", &as_constraint),
        {"synchronization", nb::none()},
        {"aggregation", nb::none()}});
  bind_partitioned_variables(m);
  bind_custom_getters(m);
  bind_collections(m);
  bind_functions_of_variables(m);
}

}  // namespace flowray::python
