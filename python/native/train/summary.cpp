/// tf.summary.

#include "native/convert/bind.h"
#include "native/train/training_arguments.h"

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
  bind(m, "merge", &summary::merge, {"inputs", ignored("collections"), "name"});
  bind(m, "merge_all", &summary::merge_all, {{"key", "summaries"}, ignored("scope"), "name"});
}

/// Writes a graph; nothing where it has no nodes.
void add_graph(summary::FileWriter& writer, nb::handle graph, std::optional<int64_t> step) {
  const nb::list operations(nb::object(graph.attr("get_operations")()));
  if (nb::len(operations) == 0) return;
  writer.add_graph(nb::cast<tf::Operation>(nb::object(operations[0])).graph(), step.value_or(0));
}

summary::FileWriter make_writer(const std::string& logdir, nb::handle graph,
                                const summary::FileWriterOptions& options) {
  summary::FileWriter writer(logdir, options);
  if (!graph.is_none()) add_graph(writer, graph, std::nullopt);
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
                    ignored("max_queue", 10),
                    or_none({"flush_secs", 120}),
                    ignored("graph_def"),
                    "filename_suffix",
                    ignored("session")});
  bind_method(writer, "add_summary",
              [](FileWriter& self, nb::handle message, std::optional<int64_t> at) {
                self.add_serialized_summary(
                    PyBytes_Check(message.ptr()) != 0 ? bytes_of(message) : serialized(message),
                    at.value_or(0));
              },
              {"summary", step});
  bind_method(writer, "add_graph", &add_graph, {"graph", step, ignored("graph_def")});
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
