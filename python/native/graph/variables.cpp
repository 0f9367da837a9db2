/// tf.Variable, get_variable, assignments, collections of variables and initializers.

#include "native/convert/convert.h"
#include "native/convert/released_lock.h"
#include "native/graph/python_graph.h"
#include "native/layers/layer_arguments.h"

#include <flowray/tf/initializers.h>
#include <flowray/tf/train.h>
#include <flowray/tf/variable.h>
#include <flowray/tf/variable_scope.h>

#include "tf/build/apply_op.h"
#include "tf/build/collections.h"
#include "tf/variables/initialized_value.h"

#include <nanobind/stl/string.h>

#include <fmt/format.h>

namespace flowray::python {

void bind_variable_operators(nb::class_<tf::Variable>& c);
tf::Session* session_of_object(nb::handle object);
tf::Graph graph_of_object(nb::handle object);

namespace {

nb::list give_variables(const std::vector<tf::Variable>& variables) {
  nb::list list;
  for (const tf::Variable& variable : variables) list.append(variable);
  return list;
}

tf::Variable make_variable(nb::handle initial_value, nb::handle trainable, nb::handle collections,
                           bool validate_shape, nb::handle name, nb::handle dtype) {
  tf::VariableOptions options{.trainable = trainable.is_none() || as_bool(trainable),
                              .collections = as_texts(collections),
                              .validate_shape = validate_shape,
                              .name = as_text(name),
                              .dtype = as_dtype(dtype)};
  if (initial_value.is_none()) {
    throw ValueError(
        "initial_value must be specified. Currently, the variable creation requires an initial value or a "
        "callable.");
  }
  if (PyCallable_Check(initial_value.ptr()) != 0) {
    const DType wanted = options.dtype;
    return {[&] {
              return tf::convert_to_tensor(as_input(initial_value()),
                                           {.dtype = wanted, .name = "initial_value"});
            },
            options,
            {}};
  }
  return tf::Variable(as_input(initial_value), options);
}

tf::Variable get_variable(const std::string& name, nb::handle shape, nb::handle dtype, nb::handle initializer,
                          nb::handle regularizer, nb::handle trainable, nb::handle collections) {
  tf::GetVariableOptions options;
  options.regularizer = as_regularizer(regularizer);
  options.dtype = as_dtype(dtype);
  options.initializer = as_initializer(initializer);
  options.trainable = trainable.is_none() || as_bool(trainable);
  options.collections = as_texts(collections);
  if (shape.is_none()) return tf::get_variable_of_value(name, options, {});
  return tf::get_variable(name, as_shape(shape), options, {});
}

nb::object give_result(nb::handle variable, const tf::Tensor& updated, bool read_value) {
  static_cast<void>(variable);
  return read_value ? give(updated) : give(updated.op());
}

void bind_variable_class(nb::module_& m) {
  auto c = nb::class_<tf::Variable>(m, "Variable", nb::dynamic_attr(), nb::is_weak_referenceable(),
                                    "A tensor whose value stays from step to step: tf.Variable.");
  c.def(
      "__init__",
      [](tf::Variable* self, nb::handle initial_value, nb::handle trainable, nb::handle collections,
         Flag validate_shape, nb::handle, nb::handle name, nb::handle variable_def, nb::handle dtype,
         nb::handle, nb::handle, nb::handle constraint, nb::handle, nb::handle, nb::handle) {
        refuse(variable_def, "tf.Variable", "variable_def");
        refuse(constraint, "tf.Variable", "constraint");
        new (self)
            tf::Variable(make_variable(initial_value, trainable, collections, validate_shape, name, dtype));
      },
      nb::arg("initial_value").none() = nb::none(), nb::arg("trainable").none() = nb::none(),
      nb::arg("collections").none() = nb::none(), "validate_shape"_a = true,
      nb::arg("caching_device").none() = nb::none(), nb::arg("name").none() = nb::none(),
      nb::arg("variable_def").none() = nb::none(), nb::arg("dtype").none() = nb::none(),
      nb::arg("expected_shape").none() = nb::none(), nb::arg("import_scope").none() = nb::none(),
      nb::arg("constraint").none() = nb::none(), nb::arg("use_resource").none() = nb::none(),
      nb::arg("synchronization").none() = nb::none(), nb::arg("aggregation").none() = nb::none());
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
      .def("_ref", [](const tf::Variable& self) { return give(self.ref()); })
      .def("_as_graph_element", [](const tf::Variable& self) { return give(self.ref()); })
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
          "assign",
          [](nb::handle self, nb::handle value, Flag use_locking, nb::handle name, Flag read_value) {
            const auto& variable = nb::cast<const tf::Variable&>(self);
            return give_result(self, variable.assign(as_input(value), use_locking, as_text(name)),
                               read_value);
          },
          "value"_a, "use_locking"_a = false, nb::arg("name").none() = nb::none(), "read_value"_a = true)
      .def(
          "assign_add",
          [](nb::handle self, nb::handle value, Flag use_locking, nb::handle name, Flag read_value) {
            const auto& variable = nb::cast<const tf::Variable&>(self);
            return give_result(self, variable.assign_add(as_input(value), use_locking, as_text(name)),
                               read_value);
          },
          "delta"_a, "use_locking"_a = false, nb::arg("name").none() = nb::none(), "read_value"_a = true)
      .def(
          "assign_sub",
          [](nb::handle self, nb::handle value, Flag use_locking, nb::handle name, Flag read_value) {
            const auto& variable = nb::cast<const tf::Variable&>(self);
            return give_result(self, variable.assign_sub(as_input(value), use_locking, as_text(name)),
                               read_value);
          },
          "delta"_a, "use_locking"_a = false, nb::arg("name").none() = nb::none(), "read_value"_a = true)
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
        return fmt::format("<tf.Variable '{}' shape={} dtype={}>", self.name(),
                           self.shape().to_tuple_string(), dtype_name(self.dtype()));
      });
  bind_variable_operators(c);
}

void bind_initializers(nb::module_& m) {
  nb::class_<tf::Initializer>(m, "Initializer", nb::dynamic_attr(),
                              "Makes the first value of a variable from its shape and dtype.")
      .def(
          "__call__",
          [](const tf::Initializer& self, nb::handle shape, nb::handle dtype, nb::handle, nb::handle) {
            const DType wanted = as_dtype(dtype);
            return give(self(as_shape(shape), wanted == DType::kInvalid ? DType::kFloat32 : wanted));
          },
          "shape"_a, nb::arg("dtype").none() = nb::none(), nb::arg("partition_info").none() = nb::none(),
          nb::arg("verify_shape").none() = nb::none());
  // The dtype of an initializer is the variable's.
  m.def(
      "zeros_initializer", [](nb::handle) { return tf::zeros_initializer(); },
      nb::arg("dtype").none() = nb::none());
  m.def(
      "ones_initializer", [](nb::handle) { return tf::ones_initializer(); },
      nb::arg("dtype").none() = nb::none());
  m.def(
      "constant_initializer",
      [](nb::handle value, nb::handle, Flag) {
        const tf::Input input = as_input(value);
        if (input.literal() != nullptr) return tf::constant_initializer(*input.literal());
        // An array's elements as written in a program.
        return tf::constant_initializer(*as_input(value.attr("tolist")()).literal());
      },
      nb::arg("value").none() = 0, nb::arg("dtype").none() = nb::none(), "verify_shape"_a = false);
  m.def(
      "random_uniform_initializer",
      [](nb::handle minval, nb::handle maxval, nb::handle seed, nb::handle) {
        return tf::random_uniform_initializer(
            {.minval = as_input(minval),
             .maxval = maxval.is_none() ? tf::Input(1.0, {}) : as_input(maxval),
             .seed = as_optional_int(seed)});
      },
      "minval"_a = 0.0, nb::arg("maxval").none() = nb::none(), nb::arg("seed").none() = nb::none(),
      nb::arg("dtype").none() = nb::none());
  m.def(
      "orthogonal_initializer",
      [](Real gain, nb::handle seed, nb::handle) {
        return tf::orthogonal_initializer({.gain = gain, .seed = as_optional_int(seed)});
      },
      "gain"_a = 1.0, nb::arg("seed").none() = nb::none(), nb::arg("dtype").none() = nb::none());
  m.def(
      "uniform_unit_scaling_initializer",
      [](Real factor, nb::handle seed, nb::handle) {
        return tf::uniform_unit_scaling_initializer({.factor = factor, .seed = as_optional_int(seed)});
      },
      "factor"_a = 1.0, nb::arg("seed").none() = nb::none(), nb::arg("dtype").none() = nb::none());
  m.def(
      "identity_initializer", [](Real gain, nb::handle) { return tf::initializers::identity(gain); },
      "gain"_a = 1.0, nb::arg("dtype").none() = nb::none());
  const auto normal = [&](const char* name, tf::Initializer (*make)(const tf::NormalInitializerOptions&)) {
    m.def(
        name,
        [make](Real mean, Real stddev, nb::handle seed, nb::handle) {
          return make({.mean = mean, .stddev = stddev, .seed = as_optional_int(seed)});
        },
        "mean"_a = 0.0, "stddev"_a = 1.0, nb::arg("seed").none() = nb::none(),
        nb::arg("dtype").none() = nb::none());
  };
  normal("random_normal_initializer", &tf::random_normal_initializer);
  normal("truncated_normal_initializer", &tf::truncated_normal_initializer);
  m.def(
      "variance_scaling_initializer",
      [](Real scale, Text mode, Text distribution, nb::handle seed, nb::handle) {
        return tf::variance_scaling_initializer(
            {.scale = scale, .mode = mode, .distribution = distribution, .seed = as_optional_int(seed)});
      },
      "scale"_a = 1.0, "mode"_a = "fan_in", "distribution"_a = "truncated_normal",
      nb::arg("seed").none() = nb::none(), nb::arg("dtype").none() = nb::none());
  const auto seeded = [&](const char* name, tf::Initializer (*make)(const tf::SeedOption&)) {
    m.def(
        name, [make](nb::handle seed, nb::handle) { return make({.seed = as_optional_int(seed)}); },
        nb::arg("seed").none() = nb::none(), nb::arg("dtype").none() = nb::none());
  };
  seeded("glorot_uniform_initializer", &tf::glorot_uniform_initializer);
  seeded("glorot_normal_initializer", &tf::glorot_normal_initializer);
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
        tf::internal::kRegularizationLosses, tf::internal::kUpdateOps}) {
    if (key == name) return true;
  }
  return collections.contains(key);
}

/// Whether its nodes are summaries, and not operations that train.
bool holds_tensors(const std::string& key) { return !tf::internal::holds_operations(key); }

/// Adds to a collection of the language; false where it holds no such things, and Python has to keep it.
bool collect(graph::Graph& graph, const std::string& key, nb::handle value) {
  auto& collections = tf::internal::collections_of(graph);
  if (!is_of_language(collections, key)) return false;
  if (nb::isinstance<tf::Variable>(value)) {
    const auto& variable = nb::cast<const tf::Variable&>(value);
    if (variable.graph().get() != &graph) return false;
    collections.add(key, variable.state());
    return true;
  }
  graph::Node* node = nullptr;
  if (holds_tensors(key) && nb::isinstance<tf::Tensor>(value)) {
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

/// The variable that a reference belongs to, or an error that says what is wanted.
const tf::Variable& as_variable(nb::handle object, const char* function) {
  if (nb::isinstance<tf::Variable>(object)) return nb::cast<const tf::Variable&>(object);
  throw TypeError(fmt::format("{} wants a Variable, but got {}", function, nb::str(object).c_str()));
}

}  // namespace

std::vector<tf::Variable> as_variables(nb::handle list) {
  std::vector<tf::Variable> variables;
  if (list.is_none()) return variables;
  if (nb::isinstance<tf::Variable>(list)) return {nb::cast<tf::Variable>(list)};
  for (nb::handle item : list) variables.push_back(as_variable(item, "This function"));
  return variables;
}

void bind_variables(nb::module_& m) {
  bind_variable_class(m);
  bind_initializers(m);
  m.def(
      "get_variable",
      [](nb::handle name, nb::handle shape, nb::handle dtype, nb::handle initializer, nb::handle regularizer,
         nb::handle trainable, nb::handle collections, nb::handle, nb::handle partitioner, nb::handle,
         nb::handle, nb::handle custom_getter, nb::handle constraint, nb::handle, nb::handle) {
        refuse(partitioner, "tf.get_variable", "partitioner");
        refuse(custom_getter, "tf.get_variable", "custom_getter");
        refuse(constraint, "tf.get_variable", "constraint");
        return get_variable(as_text(name), shape, dtype, initializer, regularizer, trainable, collections);
      },
      "name"_a, nb::arg("shape").none() = nb::none(), nb::arg("dtype").none() = nb::none(),
      nb::arg("initializer").none() = nb::none(), nb::arg("regularizer").none() = nb::none(),
      nb::arg("trainable").none() = nb::none(), nb::arg("collections").none() = nb::none(),
      nb::arg("caching_device").none() = nb::none(), nb::arg("partitioner").none() = nb::none(),
      nb::arg("validate_shape").none() = true, nb::arg("use_resource").none() = nb::none(),
      nb::arg("custom_getter").none() = nb::none(), nb::arg("constraint").none() = nb::none(),
      nb::arg("synchronization").none() = nb::none(), nb::arg("aggregation").none() = nb::none(),
      "The variable SCOPE/name: made, or found where the scope reuses.");
  m.def(
      "global_variables", [](nb::handle) { return give_variables(tf::global_variables()); },
      nb::arg("scope").none() = nb::none());
  m.def(
      "trainable_variables", [](nb::handle) { return give_variables(tf::trainable_variables()); },
      nb::arg("scope").none() = nb::none());
  m.def(
      "local_variables", [](nb::handle) { return give_variables(tf::local_variables()); },
      nb::arg("scope").none() = nb::none());
  bind_collections(m);
  m.def("global_variables_initializer", [] { return tf::global_variables_initializer({}); });
  m.def("local_variables_initializer", [] { return tf::local_variables_initializer({}); });
  m.def(
      "assert_variables_initialized",
      [](nb::handle list) {
        return give(list.is_none() ? tf::assert_variables_initialized(tf::Input::Where{})
                                   : tf::assert_variables_initialized(as_variables(list), {}));
      },
      nb::arg("var_list").none() = nb::none());
  m.def(
      "report_uninitialized_variables",
      [](nb::handle list, nb::handle name) {
        return give(list.is_none()
                        ? tf::report_uninitialized_variables({as_text(name)}, tf::Input::Where{})
                        : tf::report_uninitialized_variables(as_variables(list), {as_text(name)}, {}));
      },
      nb::arg("var_list").none() = nb::none(), nb::arg("name").none() = "report_uninitialized_variables");
  m.def(
      "tables_initializer", [](nb::handle name) { return tf::tables_initializer(as_text(name), {}); },
      "name"_a = "init_all_tables");
  m.def(
      "variables_initializer",
      [](nb::handle list, nb::handle name) {
        return tf::variables_initializer(as_variables(list), as_text(name), {});
      },
      "var_list"_a, "name"_a = "init");
  m.def(
      "_assign",
      [](nb::handle ref, nb::handle value, nb::handle validate_shape, nb::handle use_locking,
         nb::handle name) {
        return tf::assign(as_variable(ref, "tf.assign"), as_input(value),
                          {.validate_shape = validate_shape.is_none() || as_bool(validate_shape),
                           .use_locking = use_locking.is_none() || as_bool(use_locking),
                           .name = as_text(name)});
      },
      "ref"_a, "value"_a, nb::arg("validate_shape").none(), nb::arg("use_locking").none(),
      nb::arg("name").none());
  m.def(
      "_assign_add",
      [](nb::handle ref, nb::handle value, nb::handle use_locking, nb::handle name) {
        return tf::assign_add(
            as_variable(ref, "tf.assign_add"), as_input(value),
            {.use_locking = !use_locking.is_none() && as_bool(use_locking), .name = as_text(name)});
      },
      "ref"_a, "value"_a, nb::arg("use_locking").none(), nb::arg("name").none());
  m.def(
      "_assign_sub",
      [](nb::handle ref, nb::handle value, nb::handle use_locking, nb::handle name) {
        return tf::assign_sub(
            as_variable(ref, "tf.assign_sub"), as_input(value),
            {.use_locking = !use_locking.is_none() && as_bool(use_locking), .name = as_text(name)});
      },
      "ref"_a, "value"_a, nb::arg("use_locking").none(), nb::arg("name").none());
}

}  // namespace flowray::python
