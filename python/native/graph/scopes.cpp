/// The scopes in which nodes are made.

#include "native/convert/bind.h"
#include "native/convert/kept_object.h"
#include "native/graph/partitioned_variables.h"
#include "native/graph/python_graph.h"
#include "native/graph/variable_arguments.h"

#include <flowray/tf/device_functions.h>
#include <flowray/tf/variable_scope.h>

#include "graph/container_scope.h"
#include "tf/build/function_graph.h"

#include <nanobind/stl/string.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>

namespace flowray::python {

tf::Graph graph_of_object(nb::handle object);

FLOWRAY_FIELDS(tf::VariableScopeOptions, default_name, initializer, regularizer, caching_device, partitioner,
               reuse, dtype, use_resource, constraint, auxiliary_name_scope)

std::vector<uintptr_t>& Scope::open_now(Kind kind) {
  thread_local std::array<std::vector<uintptr_t>, 6> open;
  return open[static_cast<size_t>(kind)];
}

nb::object Scope::enter() {
  static std::atomic<uintptr_t> last{0};
  auto [guard, value] = open_();
  const uintptr_t number = same_ == nullptr ? ++last : reinterpret_cast<uintptr_t>(same_);
  entered_.push_back({std::move(guard), number});
  open_now(kind_).push_back(number);
  return value;
}

namespace {

[[noreturn]] void throw_out_of_order(Scope::Kind kind) {
  const char* const what = kind == Scope::Kind::kGraph ? "framework.ops.Graph" : "client.session.Session";
  switch (kind) {
    case Scope::Kind::kDependencies:
      throw AssertionError("A scope of control dependencies ends before one that was opened in it.");
    case Scope::Kind::kDevice:
      throw RuntimeError("Exiting device scope without proper scope nesting.");
    case Scope::Kind::kVariables:
      throw RuntimeError("Improper nesting of variable_scope.");
    default:
      throw AssertionError(
          fmt::format("Nesting violated for default stack of <class 'tensorflow.python.{}'> objects", what));
  }
}

}  // namespace

void Scope::exit() {
  if (entered_.empty()) return;
  std::vector<uintptr_t>& open = open_now(kind_);
  const auto own = std::find(open.rbegin(), open.rend(), entered_.back().number);
  const bool is_of_another_thread = own == open.rend();
  if (is_of_another_thread && kind_ == Kind::kVariables) throw_out_of_order(kind_);  // it stays open there
  if (!is_of_another_thread) {
    if (kind_ != Kind::kAny && enforce_nesting && own != open.rbegin()) throw_out_of_order(kind_);
    open.erase(std::next(own).base());
  }
  entered_.pop_back();
}

Scope::~Scope() {
  // One that was never closed, while others are open in it, stays open.
  while (!entered_.empty()) {
    std::vector<uintptr_t>& open = open_now(kind_);
    const auto own = std::find(open.rbegin(), open.rend(), entered_.back().number);
    const bool is_last = own != open.rend() && own == open.rbegin();
    if (own != open.rend()) open.erase(std::next(own).base());
    if (kind_ == Kind::kVariables && !is_last) new std::shared_ptr<void>(std::move(entered_.back().guard));
    entered_.pop_back();
  }
}

namespace {

/// A device function of the language's as Python holds it.
struct PythonDeviceFunction {
  tf::DeviceFunction function;
};

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
    // A function that is being built takes tensors of any graph.
    if (!tensors.empty() && tf::FunctionGraph::current() == nullptr) graph = tensors.front().graph();
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
  if (inputs.is_none())
    return scope_of([] { return tf::no_control_dependencies(); }, Scope::Kind::kDependencies);
  std::vector<tf::Dependency> dependencies;
  for (nb::handle input : inputs) dependencies.push_back(as_dependency(input));
  return scope_of([dependencies] { return tf::control_dependencies(dependencies); },
                  Scope::Kind::kDependencies);
}

tf::DeviceFunction device_function(nb::handle object) {
  if (nb::isinstance<PythonDeviceFunction>(object))
    return nb::cast<const PythonDeviceFunction&>(object).function;
  return [object = KeptObject(object)](const tf::Operation& operation) {
    const nb::object device = object(give(operation));
    if (PyUnicode_Check(device.ptr()) == 0 && PyBytes_Check(device.ptr()) == 0)
      throw TypeError(fmt::format("Expected binary or unicode string, got {}", nb::str(device).c_str()));
    return as_text(device);
  };
}

nb::object replica_device_setter(nb::handle ps_tasks, nb::handle ps_device, nb::handle worker_device,
                                 Flag merge_devices, nb::handle cluster, nb::handle ps_ops,
                                 nb::handle ps_strategy) {
  if (!ps_strategy.is_none() && PyCallable_Check(ps_strategy.ptr()) == 0)
    throw TypeError("ps_strategy must be callable");
  const int num_tasks = ps_tasks.is_none() ? 0 : static_cast<int>(as_int(ps_tasks));
  tf::train::ReplicaDeviceOptions options{.ps_tasks = num_tasks,
                                          .ps_device = as_text(ps_device),
                                          .worker_device = as_text(worker_device),
                                          .merge_devices = merge_devices};
  if (!cluster.is_none()) {
    const nb::object spec = nb::type<tf::train::ClusterSpec>()(cluster);
    options.cluster = nb::cast<const tf::train::ClusterSpec&>(spec);
  }
  if (!ps_ops.is_none()) {
    const std::vector<std::string> ops = as_texts(ps_ops);
    options.ps_ops.emplace(ops.begin(), ops.end());
  }
  if (!ps_strategy.is_none()) {
    options.ps_strategy = [strategy = KeptObject(ps_strategy)](const tf::Operation& operation) {
      return static_cast<int>(as_int(nb::object(strategy(give(operation)))));
    };
  }
  tf::DeviceFunction function = tf::train::replica_device_setter(options);
  return function ? nb::cast(PythonDeviceFunction{std::move(function)}) : nb::none();
}

/// Takes an operation, or what has one.
Scope colocate_with(nb::handle op) {
  if (op.is_none())
    throw ValueError("Trying to reset colocation (op is None) but ignore_existing is not True");
  const nb::object of = nb::hasattr(op, "op") ? nb::object(op.attr("op")) : nb::borrow(op);
  if (!nb::isinstance<tf::Operation>(of))
    throw TypeError(fmt::format("An operation, a Tensor or a Variable is wanted to stand with, but got {}",
                                nb::str(op).c_str()));
  const auto operation = nb::cast<tf::Operation>(of);
  return scope_of([operation] { return tf::colocate_with(operation); });
}

tf::Reuse as_scope_reuse(nb::handle reuse) {
  const bool is_auto = PyUnicode_Check(reuse.ptr()) != 0 && as_text(reuse) == "auto_reuse";
  if (is_auto) return tf::AUTO_REUSE;
  if (PyBool_Check(reuse.ptr()) == 0) throw ValueError("The reuse parameter must be True or False or None.");
  return as_bool(reuse) ? tf::Reuse(true) : tf::Reuse(tf::Reuse::Mode::kInherit);
}

Scope variable_scope(nb::handle name_or_scope, const tf::VariableScopeOptions& options) {
  const bool existing = nb::isinstance<tf::VariableScope>(name_or_scope);
  const tf::VariableScope scope = existing ? nb::cast<tf::VariableScope>(name_or_scope) : tf::VariableScope();
  const std::string name = existing ? std::string() : as_text(name_or_scope);
  const bool unnamed = name_or_scope.is_none();
  return Scope(
      [=] {
        auto guard = guard_of([&] {
          return tf::VariableScopeGuard(unnamed ? std::string_view() : name, existing ? &scope : nullptr,
                                        options);
        });
        return std::pair<std::shared_ptr<void>, nb::object>(guard, nb::cast(guard->guard.scope()));
      },
      Scope::Kind::kVariables);
}

}  // namespace

tf::CachingDevice as_caching_device(nb::handle object) {
  if (object.is_none()) return {};
  if (PyUnicode_Check(object.ptr()) != 0) return {as_text(object)};
  if (nb::isinstance<PythonDeviceFunction>(object))
    return nb::cast<const PythonDeviceFunction&>(object).function;
  if (PyCallable_Check(object.ptr()) == 0)
    throw TypeError(
        fmt::format("A caching device is a string or a function, not {}", nb::str(object).c_str()));
  return [function = KeptObject(object)](const tf::Operation& operation) {
    return device_function(*function)(operation);
  };
}

nb::object caching_device_object(const tf::CachingDevice& device) {
  return device.has_value() ? nb::cast(PythonDeviceFunction{device.function()}) : nb::none();
}

tf::Constraint as_constraint(nb::handle object) {
  if (object.is_none()) return {};
  if (PyCallable_Check(object.ptr()) == 0) throw ValueError("The `constraint` argument must be a callable.");
  return [function = KeptObject(object)](const tf::Variable& variable) {
    return tf::convert_to_tensor(as_input(nb::object(function(nb::cast(variable)))));
  };
}

nb::object constraint_object(const tf::Constraint& constraint) {
  if (!constraint.has_value()) return nb::none();
  return nb::cpp_function([constraint](nb::handle variable) {
    return give(constraint(nb::cast<const tf::Variable&>(variable)));
  });
}

void bind_device_functions(nb::module_& train) {
  nb::class_<PythonDeviceFunction>(train, "DeviceFunction", "Chooses the device of an operation.")
      .def("__call__",
           [](const PythonDeviceFunction& self, const tf::Operation& op) { return self.function(op); });
  train.def("replica_device_setter", &replica_device_setter, "ps_tasks"_a = 0,
            nb::arg("ps_device").none() = "/job:ps", nb::arg("worker_device").none() = "/job:worker",
            "merge_devices"_a = true, nb::arg("cluster").none() = nb::none(),
            nb::arg("ps_ops").none() = nb::none(), nb::arg("ps_strategy").none() = nb::none(),
            "Variables on the tasks of ps in turn, the rest on the worker.");
}

void bind_scopes(nb::module_& m) {
  nb::class_<Scope>(m, "Scope", "What `with` opens and closes.")
      .def_rw("enforce_nesting", &Scope::enforce_nesting)
      .def("__enter__", &Scope::enter)
      .def("__exit__", [](Scope& self, nb::args) { self.exit(); });
  nb::class_<tf::VariableScope>(m, "VariableScope", nb::dynamic_attr(),
                                "A variable scope, which may be entered again.")
      .def_prop_ro("name", &tf::VariableScope::name)
      .def_prop_ro("original_name_scope", &tf::VariableScope::original_name_scope)
      .def_prop_ro("reuse", &tf::VariableScope::reuse)
      .def_prop_ro("dtype", [](const tf::VariableScope& self) { return dtype_object(self.dtype()); })
      .def_prop_ro("use_resource",
                   [](const tf::VariableScope& self) {
                     return self.use_resource() ? nb::object(nb::bool_(*self.use_resource())) : nb::none();
                   })
      .def_prop_ro("caching_device",
                   [](const tf::VariableScope& self) { return caching_device_object(self.caching_device()); })
      .def_prop_ro("constraint",
                   [](const tf::VariableScope& self) { return constraint_object(self.constraint()); })
      .def_prop_ro("partitioner",
                   [](const tf::VariableScope& self) { return partitioner_object(self.partitioner()); })
      .def_prop_ro("initializer",
                   [](const tf::VariableScope& self) {
                     return self.initializer().has_value() ? nb::cast(self.initializer()) : nb::none();
                   })
      .def("reuse_variables", &tf::VariableScope::reuse_variables)
      .def(
          "set_initializer",
          [](tf::VariableScope& self, nb::handle initializer) {
            self.set_initializer(as_initializer(initializer));
          },
          nb::arg("initializer").none())
      .def(
          "set_regularizer",
          [](tf::VariableScope& self, nb::handle regularizer) {
            self.set_regularizer(as_regularizer(regularizer));
          },
          nb::arg("regularizer").none())
      .def(
          "set_dtype", [](tf::VariableScope& self, nb::handle dtype) { self.set_dtype(as_dtype(dtype)); },
          "dtype"_a)
      .def(
          "set_caching_device",
          [](tf::VariableScope& self, nb::handle caching_device) {
            self.set_caching_device(as_caching_device(caching_device));
          },
          nb::arg("caching_device").none())
      .def(
          "set_use_resource",
          [](tf::VariableScope& self, nb::handle use_resource) {
            self.set_use_resource(use_resource.is_none() ? std::optional<bool>() : as_bool(use_resource));
          },
          nb::arg("use_resource").none())
      .def(
          "set_partitioner",
          [](tf::VariableScope& self, nb::handle partitioner) {
            self.set_partitioner(as_partitioner(partitioner));
          },
          nb::arg("partitioner").none());
  m.def("name_scope", &name_scope, nb::arg("name").none() = nb::none(),
        nb::arg("default_name").none() = nb::none(), nb::arg("values").none() = nb::none(),
        "Names made meanwhile start with the scope's.");
  m.def("control_dependencies", &control_dependencies, nb::arg("control_inputs").none(),
        "Operations made meanwhile run after these.");
  m.def(
      "_device",
      [](nb::handle name) {
        const auto kind = Scope::Kind::kDevice;
        if (name.is_none()) return scope_of([] { return tf::device(tf::DeviceFunction()); }, kind);
        if (PyCallable_Check(name.ptr()) != 0) {
          return scope_of([function = device_function(name)] { return tf::device(function); }, kind);
        }
        return scope_of([device = as_text(name)] { return tf::device(device); }, kind);
      },
      nb::arg("name").none());
  m.def(
      "_container",
      [](nb::handle graph, nb::handle name) {
        const tf::Graph of = graph_of_object(graph);
        return scope_of([of, container = as_text(name)] {
          return std::make_unique<graph::ContainerScope>(*of.get(), container);
        });
      },
      nb::arg("graph").none(), nb::arg("name").none());
  m.def("colocate_with", &colocate_with, "op"_a, "Operations made meanwhile are placed with `op`.");
  bind(m, "variable_scope", &variable_scope,
       {"name_or_scope", "default_name", ignored("values"), "initializer", "regularizer", "caching_device",
        "partitioner", ignored("custom_getter"), converted("reuse", &as_scope_reuse), "dtype", "use_resource",
        converted("constraint", &as_constraint), "auxiliary_name_scope"},
       "Variables of get_variable made meanwhile are named, and shared, by the scope.");
  bind(m, "get_variable_scope", &tf::get_variable_scope);
  m.def("get_default_graph", [] { return give(tf::get_default_graph()); }, docstring_of("get_default_graph"));
  m.def(
      "reset_default_graph",
      [] {
        try {
          tf::reset_default_graph();
        } catch (const RuntimeError& error) {
          throw AssertionError(error.message());
        }
      },
      docstring_of("reset_default_graph"));
  bind(m, "set_random_seed", &tf::set_random_seed, {"seed"});
}

}  // namespace flowray::python
