/// tf.summary.

#include "native/convert/bind.h"
#include "native/train/training_arguments.h"

#include "files/event_file.h"
#include "wire/event.h"

#include <flowray/tf/summary.h>

#include <nanobind/stl/string.h>

namespace flowray::python {

namespace summary = tf::summary;

FLOWRAY_FIELDS(summary::SummaryOptions, collections, family)
FLOWRAY_FIELDS(summary::TextOptions, collections)
FLOWRAY_FIELDS(summary::TensorSummaryOptions, summary_description, collections, summary_metadata, family,
               display_name)
FLOWRAY_FIELDS(summary::FileWriterOptions, flush_secs, filename_suffix)

namespace {

/// The bytes of a protobuf message of Python's.
std::string serialized(nb::handle message) {
  return bytes_of(nb::object(message.attr("SerializeToString")()));
}

tf::Tensor merge(const tf::List<tf::Input>& inputs, nb::handle collections, const tf::NameOption& options) {
  const tf::Tensor merged = summary::merge(inputs, options);
  if (collections.is_none()) return merged;
  const nb::object add = python_object("flowray.tf._language", "add_to_collection");
  for (nb::handle collection : collections) add(collection, give(merged));
  return merged;
}

/// `scope`: only those whose names begin with a match of it. Collections of the program's own are Python's.
tf::Tensor merge_all(const std::string& key, nb::handle scope, const tf::NameOption& options,
                     tf::Input::Where where) {
  if (scope.is_none() && key == "summaries") return summary::merge_all(key, options, where);
  const nb::object found = python_object("flowray.tf._language", "get_collection")(key, scope);
  const std::vector<tf::Input> inputs = as_inputs(found);
  return inputs.empty() ? tf::Tensor() : summary::merge({inputs, where}, options);
}

void bind_summary_ops(nb::module_& m) {
  bind(m, "scalar", &summary::scalar, {"name", "tensor"});
  bind(m, "histogram", &summary::histogram, {"name", "values"});
  bind(m, "text", &summary::text, {"name", "tensor"});
  bind(m, "tensor_summary", &summary::tensor_summary,
       {"name", "tensor", "summary_description", "collections", converted("summary_metadata", &serialized),
        "family", "display_name"});
  using Image = tf::Tensor (*)(std::string_view, const tf::Input&, int64_t, const summary::SummaryOptions&);
  using Audio = tf::Tensor (*)(std::string_view, const tf::Input&, const tf::Input&, int64_t,
                               const summary::SummaryOptions&);
  bind<Image>(m, "image", &summary::image, {"name", "tensor", {"max_outputs", 3}, "collections", "family"});
  bind<Audio>(m, "audio", &summary::audio,
              {"name", "tensor", "sample_rate", {"max_outputs", 3}, "collections", "family"});
  bind(m, "merge", &merge, {"inputs", {"collections", nb::none()}, "name"});
  bind(m, "merge_all", &merge_all, {{"key", "summaries"}, {"scope", nb::none()}, "name"});
}

/// Writes a graph, or one that is a message already; nothing where it has no nodes.
void add_graph(summary::FileWriter& writer, nb::handle graph, std::optional<int64_t> step,
               nb::handle graph_def) {
  if (!graph.is_none() && !graph_def.is_none())
    throw ValueError("Please pass only graph, or graph_def (deprecated), but not both.");
  const nb::handle message =
      graph_def.is_none() && nb::hasattr(graph, "SerializeToString") ? graph : graph_def;
  if (!message.is_none()) {
    writer.add_event(wire::encode_graph_event(files::wall_time(), step.value_or(0), serialized(message)));
    return;
  }
  const nb::list operations(nb::object(graph.attr("get_operations")()));
  if (nb::len(operations) == 0) return;
  writer.add_graph(nb::cast<tf::Operation>(nb::object(operations[0])).graph(), step.value_or(0));
}

summary::FileWriter make_writer(const std::string& logdir, nb::handle graph, nb::handle graph_def,
                                const summary::FileWriterOptions& options) {
  summary::FileWriter writer(logdir, options);
  if (!graph.is_none() || !graph_def.is_none()) add_graph(writer, graph, std::nullopt, graph_def);
  return writer;
}

/// What Python's int() makes of a step, which may be a NumPy number of any kind.
std::optional<int64_t> step_number(nb::handle step) {
  if (step.is_none()) return std::nullopt;
  const nb::object number = nb::steal(PyNumber_Long(step.ptr()));
  if (!number.is_valid()) nb::raise_python_error();
  return as_int(number);
}

void bind_file_writer(nb::module_& m) {
  using summary::FileWriter;
  nb::class_<FileWriter> writer(m, "FileWriter", docstring_of("summary.FileWriter"));
  const Argument step = none_too(converted({"global_step", nb::none()}, &step_number));
  bind_constructor(writer, &make_writer,
                   {converted("logdir", &as_path),
                    {"graph", nb::none()},
                    ignored("max_queue", 10),  // each event is written when it is added
                    or_none({"flush_secs", 120}),
                    {"graph_def", nb::none()},
                    "filename_suffix",
                    ignored("session")});  // events that a session's operations would write are the same
  bind_method(writer, "add_summary",
              [](FileWriter& self, nb::handle message, std::optional<int64_t> at) {
                self.add_serialized_summary(
                    PyBytes_Check(message.ptr()) != 0 ? bytes_of(message) : serialized(message),
                    at.value_or(0));
              },
              {"summary", step});
  bind_method(writer, "add_graph", &add_graph, {{"graph", nb::none()}, step, {"graph_def", nb::none()}});
  bind_method(writer, "add_event", &FileWriter::add_event, {converted("event", &serialized)});
  bind_method(writer, "flush", &FileWriter::flush);
  bind_method(writer, "close", &FileWriter::close);
  bind_method(writer, "reopen", &FileWriter::reopen);
  writer.def("get_logdir", [](const FileWriter& self) { return self.get_logdir().string(); })
      .def("__enter__", [](nb::object self) { return self; })
      .def("__exit__", [](FileWriter& self, nb::args) { self.close(); });
}

}  // namespace

void bind_summary(nb::module_& m) {
  bind_summary_ops(m);
  bind_file_writer(m);
}

}  // namespace flowray::python
