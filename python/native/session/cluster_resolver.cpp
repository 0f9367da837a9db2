/// tf.distribute.cluster_resolver: what Python's classes of these names ask.

#include "native/convert/convert.h"
#include "native/convert/kept_object.h"

#include <flowray/tf/cluster_resolver.h>

#include <nanobind/stl/string.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace flowray::python {
namespace {

using namespace tf::distribute::cluster_resolver;  // NOLINT(google-build-using-namespace)

std::optional<std::string> text_or_none(nb::handle object) {
  return object.is_none() ? std::nullopt : std::optional(as_text(object));
}
std::optional<int> number_or_none(nb::handle object) {
  return object.is_none() ? std::nullopt : std::optional(static_cast<int>(as_int(object)));
}
template <class T>
nb::object value_or_none(const std::optional<T>& value) {
  return value.has_value() ? nb::cast(*value) : nb::none();
}

/// One of Python's, which a program may have written itself; it is asked with the interpreter's lock.
class PythonResolver final : public ClusterResolver {
 public:
  explicit PythonResolver(nb::handle object) : object_(object) {}

  tf::train::ClusterSpec cluster_spec() const override {
    return nb::cast<tf::train::ClusterSpec>((*object_).attr("cluster_spec")());
  }
  std::string master(const MasterOptions& options) const override {
    const nb::object layer = options.rpc_layer.empty() ? nb::none() : nb::cast(options.rpc_layer);
    return as_text(nb::object((*object_).attr("master")("rpc_layer"_a = layer)));
  }
  std::optional<std::string> task_type() const override { return text("task_type"); }
  std::optional<int> task_id() const override {
    return number_or_none(nb::object((*object_).attr("task_id")));
  }
  std::optional<std::string> rpc_layer() const override { return text("rpc_layer"); }
  std::optional<std::string> environment() const override { return text("environment"); }

 private:
  std::optional<std::string> text(const char* name) const {
    return text_or_none(nb::object((*object_).attr(name)));
  }
  KeptObject object_;
};

template <class Resolver>
nb::class_<Resolver> bind_resolver(nb::module_& m, const char* name) {
  return nb::class_<Resolver>(m, name)
      .def("cluster_spec", [](const Resolver& self) { return self.cluster_spec(); })
      .def(
          "master",
          [](const Resolver& self, nb::handle task_type, nb::handle task_id, nb::handle rpc_layer) {
            return self.master({.task_type = text_or_none(task_type),
                                .task_id = number_or_none(task_id),
                                .rpc_layer = text_or_none(rpc_layer).value_or("")});
          },
          nb::arg().none(), nb::arg().none(), nb::arg().none())
      .def_prop_rw(
          "task_type", [](const Resolver& self) { return value_or_none(self.task_type()); },
          [](Resolver& self, nb::handle value) { self.set_task_type(text_or_none(value)); }, nb::arg().none())
      .def_prop_rw(
          "task_id", [](const Resolver& self) { return value_or_none(self.task_id()); },
          [](Resolver& self, nb::handle value) { self.set_task_id(number_or_none(value)); }, nb::arg().none())
      .def_prop_rw(
          "rpc_layer", [](const Resolver& self) { return value_or_none(self.rpc_layer()); },
          [](Resolver& self, nb::handle value) { self.set_rpc_layer(text_or_none(value)); }, nb::arg().none())
      .def_prop_ro("environment", [](const Resolver& self) { return value_or_none(self.environment()); });
}

}  // namespace

void bind_cluster_resolvers(nb::module_& m) {
  bind_resolver<SimpleClusterResolver>(m, "_SimpleClusterResolver")
      .def(
          "__init__",
          [](SimpleClusterResolver* self, const tf::train::ClusterSpec& cluster_spec, nb::handle master,
             nb::handle task_type, nb::handle task_id, nb::handle environment, nb::handle rpc_layer) {
            new (self)
                SimpleClusterResolver(cluster_spec, {.master = as_text(master),
                                                     .task_type = text_or_none(task_type),
                                                     .task_id = number_or_none(task_id),
                                                     .environment = text_or_none(environment).value_or(""),
                                                     .rpc_layer = text_or_none(rpc_layer)});
          },
          nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg().none());
  bind_resolver<TFConfigClusterResolver>(m, "_TFConfigClusterResolver")
      .def(
          "__init__",
          [](TFConfigClusterResolver* self, nb::handle task_type, nb::handle task_id, nb::handle rpc_layer,
             nb::handle environment) {
            new (self) TFConfigClusterResolver({.task_type = text_or_none(task_type),
                                                .task_id = number_or_none(task_id),
                                                .rpc_layer = text_or_none(rpc_layer),
                                                .environment = text_or_none(environment)});
          },
          nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg().none());
  bind_resolver<UnionResolver>(m, "_UnionResolver")
      .def(
          "__init__",
          [](UnionResolver* self, const nb::tuple& resolvers, nb::handle rpc_layer, nb::handle task_type,
             nb::handle task_id) {
            std::vector<std::shared_ptr<ClusterResolver>> all;
            for (nb::handle resolver : resolvers) all.push_back(std::make_shared<PythonResolver>(resolver));
            new (self) UnionResolver(std::move(all), {.rpc_layer = text_or_none(rpc_layer),
                                                      .task_type = text_or_none(task_type),
                                                      .task_id = number_or_none(task_id)});
          },
          nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg().none());
}

}  // namespace flowray::python
