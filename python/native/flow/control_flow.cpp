/// Operations that only order others; conditionals and loops.

#include "native/convert/convert.h"
#include "native/graph/python_graph.h"

#include <flowray/tf/control_flow.h>
#include <flowray/tf/debugging.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace flowray::python {
namespace {

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

/// What a function of the program gives, called back while C++ builds: lists of values that Python has
/// made flat.
template <class Value>
std::vector<Value> values_of(const nb::object& results) {
  std::vector<Value> values;
  for (nb::handle item : results) {
    if constexpr (std::is_same_v<Value, tf::BranchValue>) {
      if (nb::isinstance<tf::Operation>(item)) {
        values.emplace_back(nb::cast<const tf::Operation&>(item));
        continue;
      }
    }
    values.emplace_back(as_input(item));
  }
  return values;
}

tf::Branch branch_of(nb::handle function) {
  return [function = nb::borrow(function)] { return values_of<tf::BranchValue>(function()); };
}

nb::list case_of(nb::handle pairs, nb::handle default_fn, Flag exclusive, nb::handle name) {
  std::vector<std::pair<tf::Tensor, tf::Branch>> cases;
  for (nb::handle pair : pairs) {
    cases.emplace_back(nb::cast<const tf::Tensor&>(pair[0]), branch_of(pair[1]));
  }
  tf::CaseOptions options{.exclusive = exclusive, .name = as_text(name)};
  if (!default_fn.is_none()) options.default_fn = branch_of(default_fn);
  return give(tf::case_(cases, options, {}));
}

nb::list while_of(nb::handle cond, nb::handle body, nb::handle loop_vars, nb::handle shape_invariants,
                  nb::handle parallel_iterations, Flag back_prop, Flag swap_memory, nb::handle name,
                  nb::handle maximum_iterations) {
  tf::WhileLoopOptions options{.parallel_iterations = as_int(parallel_iterations),
                               .back_prop = back_prop,
                               .swap_memory = swap_memory,
                               .name = as_text(name),
                               .maximum_iterations = as_optional_input(maximum_iterations)};
  if (!shape_invariants.is_none()) options.shape_invariants = as_shapes(shape_invariants);
  const tf::LoopCondition goes_on = [&](const std::vector<tf::Tensor>& values) {
    return tf::convert_to_tensor(as_input(nb::object(cond(give(values)))));
  };
  const tf::LoopBody next = [&](const std::vector<tf::Tensor>& values) {
    return values_of<tf::Input>(nb::object(body(give(values))));
  };
  return give(tf::while_loop(goes_on, next, as_inputs(loop_vars), options, {}));
}

/// Functions and values are flat lists here; flowray/tf/_flow.py gives them their structure.
void bind_branches_and_loops(nb::module_& m) {
  const auto none = [](const char* name) { return nb::arg(name).none(); };
  m.def(
      "_cond",
      [](nb::handle pred, nb::handle true_fn, nb::handle false_fn, nb::handle name) {
        return give(tf::cond(as_input(pred), branch_of(true_fn), branch_of(false_fn), {as_text(name)}));
      },
      "pred"_a, "true_fn"_a, "false_fn"_a, none("name"));
  m.def("_case", &case_of, "pred_fn_pairs"_a, none("default"), "exclusive"_a, none("name"));
  m.def("_while_loop", &while_of, "cond"_a, "body"_a, "loop_vars"_a, none("shape_invariants"),
        "parallel_iterations"_a, "back_prop"_a, "swap_memory"_a, none("name"), none("maximum_iterations"));
  m.def(
      "Assert",
      [](nb::handle condition, nb::handle data, nb::handle summarize, nb::handle name) {
        return tf::Assert(as_input(condition), as_inputs(data), summarize.is_none() ? 3 : as_int(summarize),
                          {as_text(name)});
      },
      "condition"_a, "data"_a, none("summarize") = nb::none(), none("name") = nb::none(),
      "An error of the step if `condition` is false.");
}

void bind_ordering(nb::module_& m) {
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

tf::Dependency as_dependency(nb::handle object) {
  if (nb::isinstance<tf::Operation>(object)) return nb::cast<const tf::Operation&>(object);
  if (nb::isinstance<tf::Variable>(object)) return nb::cast<const tf::Variable&>(object).op();
  if (nb::isinstance<tf::Tensor>(object)) return nb::cast<const tf::Tensor&>(object);
  if (nb::hasattr(object, "op")) return as_dependency(object.attr("op"));
  throw TypeError(fmt::format("Can not convert a {} into a Tensor or Operation.", type_word(object)));
}

void bind_control_flow(nb::module_& m) {
  bind_ordering(m);
  bind_branches_and_loops(m);
}

}  // namespace flowray::python
