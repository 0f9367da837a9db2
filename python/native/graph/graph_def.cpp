/// tf.GraphDef, import_graph_def, write_graph.

#include "native/convert/convert.h"
#include "native/convert/docstrings.h"

#include <flowray/tf/graph_def.h>
#include <flowray/tf/graph_util.h>

#include "wire/graph_def.h"

#include <nanobind/stl/string.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace flowray::python {

tf::Session* session_of_object(nb::handle object);

namespace {

void bind_graph_def_class(nb::module_& m) {
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

/// The nodes of these names, without what they wait for; whoever imports them gives what else they take.
tf::GraphDef nodes_alone(const tf::GraphDef& graph_def, const std::vector<std::string>& names) {
  auto message = wire::decode<wire::GraphDef>(graph_def.serialize_to_string());
  const std::set<std::string, std::less<>> wanted(names.begin(), names.end());
  std::erase_if(message.node, [&](const wire::NodeDef& node) { return !wanted.contains(node.name.view()); });
  for (wire::NodeDef& node : message.node)
    std::erase_if(node.input, [](const auto& input) { return input.view().starts_with('^'); });
  return tf::GraphDef::from_string(wire::encode(message));
}

}  // namespace

void bind_graph_def(nb::module_& m) {
  bind_graph_def_class(m);
  m.def(
      "import_graph_def",
      [](nb::handle graph_def, nb::handle input_map, nb::handle return_elements,
         nb::handle name) -> nb::object {
        if (!nb::isinstance<tf::GraphDef>(graph_def))
          throw TypeError("Argument `graph_def` must be a GraphDef proto.");
        tf::ImportGraphDefOptions options;
        if (!input_map.is_none()) {
          for (auto [key, value] : nb::borrow<nb::dict>(input_map)) {
            options.input_map.emplace(as_text(key), tf::convert_to_tensor(as_input(value)));
          }
        }
        options.return_elements = as_texts(return_elements);
        if (!name.is_none()) options.name = as_text(name);
        const std::vector<tf::GraphElement> elements =
            tf::import_graph_def(nb::cast<const tf::GraphDef&>(graph_def), options, {});
        if (return_elements.is_none()) return nb::none();
        nb::list list;
        for (const tf::GraphElement& element : elements) {
          list.append(element.value_index < 0 ? give(element.operation) : give(element.tensor()));
        }
        return list;
      },
      "graph_def"_a, nb::arg("input_map").none() = nb::none(), nb::arg("return_elements").none() = nb::none(),
      nb::arg("name").none() = nb::none(), docstring_of("import_graph_def"));
  m.def(
      "_extract_sub_graph",
      [](const tf::GraphDef& graph_def, nb::handle names) {
        return tf::graph_util::extract_sub_graph(graph_def, as_texts(names));
      },
      "graph_def"_a, "dest_nodes"_a);
  m.def(
      "_nodes_alone",
      [](const tf::GraphDef& graph_def, nb::handle names) { return nodes_alone(graph_def, as_texts(names)); },
      "graph_def"_a, "names"_a);
  m.def(
      "_with_constants",
      [](nb::handle session, const tf::GraphDef& graph_def, nb::handle names) {
        return tf::graph_util::convert_variables_to_constants(*session_of_object(session), graph_def,
                                                              as_texts(names));
      },
      "sess"_a, "graph_def"_a, "names"_a);
  m.def(
      "write_graph",
      [](nb::handle graph_or_def, const std::string& logdir, const std::string& name, bool as_text_form) {
        const tf::GraphDef graph_def = nb::isinstance<tf::GraphDef>(graph_or_def)
                                           ? nb::cast<tf::GraphDef>(graph_or_def)
                                           : nb::cast<tf::GraphDef>(graph_or_def.attr("as_graph_def")());
        return tf::train::write_graph(graph_def, logdir, name, {.as_text = as_text_form}).string();
      },
      "graph_or_graph_def"_a, "logdir"_a, "name"_a, "as_text"_a = true, docstring_of("train.write_graph"));
}

}  // namespace flowray::python
