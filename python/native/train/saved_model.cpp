/// tf.saved_model: graphs, their variables and their signatures in folders.

#include "native/convert/bind.h"
#include "native/convert/released_lock.h"
#include "native/graph/python_graph.h"
#include "native/train/collection_lists.h"
#include "native/train/training_arguments.h"

#include <flowray/tf/saved_model.h>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

namespace flowray::python {

tf::Session* session_of_object(nb::handle object);

namespace {

namespace saved_model = tf::saved_model;

std::string bytes_of_message(nb::handle message) {
  const auto bytes = nb::borrow<nb::bytes>(nb::object(message.attr("SerializeToString")()));
  return {bytes.c_str(), bytes.size()};
}

saved_model::MetaGraphOptions options_of(nb::handle signatures, nb::handle assets, bool clear_devices,
                                         nb::handle main_op, nb::handle saver) {
  saved_model::MetaGraphOptions options{.clear_devices = clear_devices};
  for (auto [name, message] : nb::borrow<nb::dict>(signatures)) {
    options.signature_def_map[as_text(name)] =
        saved_model::SignatureDef::from_string(bytes_of_message(message));
  }
  for (nb::handle asset : assets) {
    if (!nb::isinstance<tf::Tensor>(asset))
      throw TypeError(fmt::format("Asset path tensor {} must be a Tensor.", nb::str(asset).c_str()));
    options.assets.push_back(nb::cast<const tf::Tensor&>(asset));
  }
  if (!main_op.is_none()) options.main_op = nb::cast<const tf::Operation&>(main_op);
  if (!saver.is_none()) options.saver = &nb::cast<tf::train::Saver&>(saver);
  const nb::object graph = give(tf::get_default_graph());
  options.node_lists = node_lists_of(graph);
  options.bytes_lists = bytes_lists_of(graph);
  return options;
}

void bind_builder(nb::module_& m) {
  using saved_model::Builder;
  nb::class_<Builder> builder(m, "_Builder");
  builder.def("__init__",
              [](Builder* self, nb::handle export_dir) { new (self) Builder(as_path(export_dir)); });
  builder.def(
      "add",
      [](Builder& self, nb::handle session, const std::vector<std::string>& tags, nb::handle signatures,
         nb::handle assets, bool clear_devices, nb::handle main_op, nb::handle saver) {
        const saved_model::MetaGraphOptions options =
            options_of(signatures, assets, clear_devices, main_op, saver);
        if (session.is_none()) return self.add_meta_graph(tags, options);
        tf::Session& with_variables = *session_of_object(session);
        without_lock([&] { self.add_meta_graph_and_variables(with_variables, tags, options); });
      },
      "session"_a.none(), "tags"_a, "signatures"_a, "assets"_a, "clear_devices"_a, "main_op"_a.none(),
      "saver"_a.none());
  builder.def("save", [](Builder& self) { return self.save(); });
}

}  // namespace

void bind_saved_model(nb::module_& m) {
  nb::module_ submodule = m.def_submodule("saved_model");
  bind_builder(submodule);
  submodule.def("_load", [](nb::handle session, const std::vector<std::string>& tags, nb::handle export_dir,
                            const std::string& import_scope, bool clear_devices) {
    tf::Session& into = *session_of_object(session);
    const std::string folder = as_path(export_dir);
    saved_model::LoadedMetaGraph loaded;
    without_lock([&] {
      loaded = saved_model::load(into, tags, folder,
                                 {.import_scope = import_scope, .clear_devices = clear_devices});
    });
    return nb::make_tuple(dict_of(loaded.node_lists),
                          nb::bytes(loaded.meta_graph_def.data(), loaded.meta_graph_def.size()));
  });
  submodule.def("_contains_saved_model",
                [](nb::handle export_dir) { return saved_model::contains_saved_model(as_path(export_dir)); });
}

}  // namespace flowray::python
