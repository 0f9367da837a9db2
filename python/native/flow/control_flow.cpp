/// Operations that only order others; conditionals and loops.

#include "native/flow/called_back.h"
#include "native/graph/python_graph.h"

#include <flowray/tf/debugging.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace flowray::python {

FLOWRAY_FIELDS(tf::CaseOptions, default_fn, exclusive, name)
FLOWRAY_FIELDS(tf::WhileLoopOptions, shape_invariants, parallel_iterations, back_prop, swap_memory, name,
               maximum_iterations)

namespace {

/// tf.tuple, with more that its tensors wait for.
nb::list tuple(const std::vector<tf::Tensor>& tensors, const std::string& name, nb::handle control_inputs) {
  std::vector<tf::Dependency> waits_for;
  if (!control_inputs.is_none()) {
    for (nb::handle input : control_inputs) waits_for.push_back(as_dependency(input));
  }
  const auto first =
      std::find_if(tensors.begin(), tensors.end(), [](const tf::Tensor& t) { return t.has_value(); });
  if (waits_for.empty() || first == tensors.end()) return give(tf::tuple(tensors, name, {}));
  const auto in_graph = make_default(first->graph());
  const tf::NameScopeGuard scope = tf::name_scope(name);
  for (const tf::Tensor& tensor : tensors) {
    if (tensor.has_value()) waits_for.emplace_back(tensor);
  }
  const tf::Operation gate = tf::group(waits_for, "group_deps", {});
  std::vector<tf::Tensor> gated;
  for (const tf::Tensor& tensor : tensors) {
    if (!tensor.has_value()) {
      gated.emplace_back();
      continue;
    }
    const tf::ColocationGuard with = tf::colocate_with(tensor.op());
    const tf::ControlDependenciesGuard after = tf::control_dependencies({gate});
    gated.push_back(tf::identity(tensor, {"control_dependency"}));
  }
  return give(gated);
}

/// Functions and values are flat lists here; flowray/tf/_flow.py gives them their structure.
void bind_branches_and_loops(nb::module_& m) {
  using Cond = std::vector<tf::Tensor> (*)(const tf::Input&, const tf::Branch&, const tf::Branch&,
                                           const tf::NameOption&);
  bind<Cond>(m, "_cond", &tf::cond, {"pred", "true_fn", "false_fn"});
  bind(m, "_case", &tf::case_, {"pred_fn_pairs"});
  bind(m, "_while_loop", &tf::internal::while_loop_of_list, {"cond", "body", "loop_vars"});
  bind(m, "Assert",
       [](const tf::Input& condition, const std::vector<tf::Input>& data, std::optional<int64_t> summarize,
          const tf::NameOption& options) {
         return tf::Assert(condition, data, summarize.value_or(3), options);
       },
       {"condition", "data", {"summarize", nb::none()}});
}

void bind_ordering(nb::module_& m) {
  const auto name_or = [](const char* otherwise) {
    return converted({"name", nb::none()}, [otherwise](nb::handle name) {
      return name.is_none() ? std::string(otherwise) : as_text(name);
    });
  };
  bind(m, "no_op", &tf::no_op, {name_or("NoOp")});
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
      docstring_of("group"));
  bind(m, "tuple", &tuple, {"tensors", name_or("tuple"), {"control_inputs", nb::none()}});
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
