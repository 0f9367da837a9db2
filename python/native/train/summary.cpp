/// tf.summary.

#include "native/convert/released_lock.h"
#include "native/graph/python_graph.h"
#include "native/train/training_arguments.h"

#include <flowray/tf/summary.h>

#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

namespace flowray::python {

namespace {

constexpr auto kNone = [](const char* name) { return nb::arg(name).none(); };

tf::summary::SummaryOptions summary_options(nb::handle collections, nb::handle family) {
  return {.collections = as_texts(collections), .family = as_text(family)};
}

void bind_summary_ops(nb::module_& m) {
  m.def(
      "scalar",
      [](Text name, nb::handle tensor, nb::handle collections, nb::handle family) {
        return give(
            tf::summary::scalar(std::string(name), as_input(tensor), summary_options(collections, family)));
      },
      "name"_a, "tensor"_a, kNone("collections") = nb::none(), kNone("family") = nb::none());
  m.def(
      "histogram",
      [](Text name, nb::handle values, nb::handle collections, nb::handle family) {
        return give(tf::summary::histogram(std::string(name), as_input(values),
                                           summary_options(collections, family)));
      },
      "name"_a, "values"_a, kNone("collections") = nb::none(), kNone("family") = nb::none());
  m.def(
      "text",
      [](Text name, nb::handle tensor, nb::handle collections) {
        return give(tf::summary::text(std::string(name), as_input(tensor), {as_texts(collections)}));
      },
      "name"_a, "tensor"_a, kNone("collections") = nb::none());
  m.def(
      "tensor_summary",
      [](Text name, nb::handle tensor, nb::handle description, nb::handle collections, nb::handle metadata,
         nb::handle family, nb::handle display_name) {
        tf::summary::TensorSummaryOptions options{.summary_description = as_text(description),
                                                  .collections = as_texts(collections),
                                                  .family = as_text(family),
                                                  .display_name = as_text(display_name)};
        if (!metadata.is_none())
          options.summary_metadata = bytes_of(nb::object(metadata.attr("SerializeToString")()));
        return give(tf::summary::tensor_summary(std::string(name), as_input(tensor), options));
      },
      "name"_a, "tensor"_a, kNone("summary_description") = nb::none(), kNone("collections") = nb::none(),
      kNone("summary_metadata") = nb::none(), kNone("family") = nb::none(),
      kNone("display_name") = nb::none());
  m.def(
      "image",
      [](Text name, nb::handle tensor, Integer max_outputs, nb::handle collections, nb::handle family) {
        return give(tf::summary::image(std::string(name), as_input(tensor), max_outputs,
                                       summary_options(collections, family)));
      },
      "name"_a, "tensor"_a, "max_outputs"_a = 3, kNone("collections") = nb::none(),
      kNone("family") = nb::none());
  m.def(
      "audio",
      [](Text name, nb::handle tensor, nb::handle rate, Integer max_outputs, nb::handle collections,
         nb::handle family) {
        return give(tf::summary::audio(std::string(name), as_input(tensor), as_input(rate), max_outputs,
                                       summary_options(collections, family)));
      },
      "name"_a, "tensor"_a, "sample_rate"_a, "max_outputs"_a = 3, kNone("collections") = nb::none(),
      kNone("family") = nb::none());
  m.def(
      "merge",
      [](nb::handle inputs, nb::handle, nb::handle name) {
        return give(tf::summary::merge(as_inputs(inputs), {as_text(name)}));
      },
      "inputs"_a, kNone("collections") = nb::none(), kNone("name") = nb::none());
  m.def(
      "merge_all",
      [](nb::handle key, nb::handle, nb::handle name) {
        return give(tf::summary::merge_all(as_text(key), {as_text(name)}));
      },
      "key"_a = "summaries", kNone("scope") = nb::none(), kNone("name") = nb::none());
}

void bind_file_writer(nb::module_& m) {
  using tf::summary::FileWriter;
  nb::class_<FileWriter>(m, "FileWriter", "Writes an event file for TensorBoard: tf.summary.FileWriter.")
      .def(
          "__init__",
          [](FileWriter* self, nb::handle logdir, nb::handle graph, nb::handle, nb::handle flush_secs,
             nb::handle, nb::handle filename_suffix, nb::handle) {
            tf::summary::FileWriterOptions options;
            if (!flush_secs.is_none()) options.flush_secs = as_float(flush_secs);
            options.filename_suffix = as_text(filename_suffix);
            new (self) FileWriter(as_path(logdir), options);
            if (!graph.is_none()) {
              nb::object get = graph.attr("get_operations")();
              const nb::list operations(get);
              if (nb::len(operations) > 0)
                self->add_graph(nb::cast<tf::Operation>(nb::object(operations[0])).graph());
            }
          },
          "logdir"_a, kNone("graph") = nb::none(), kNone("max_queue") = 10, kNone("flush_secs") = 120,
          kNone("graph_def") = nb::none(), kNone("filename_suffix") = nb::none(),
          kNone("session") = nb::none())
      .def(
          "add_summary",
          [](FileWriter& self, nb::handle summary, nb::handle global_step) {
            const nb::object text = PyBytes_Check(summary.ptr()) != 0
                                        ? nb::borrow(summary)
                                        : nb::object(summary.attr("SerializeToString")());
            const auto bytes = nb::cast<nb::bytes>(text);
            self.add_serialized_summary({bytes.c_str(), bytes.size()},
                                        global_step.is_none() ? 0 : as_int(global_step));
          },
          "summary"_a, kNone("global_step") = nb::none())
      .def(
          "add_graph",
          [](FileWriter& self, nb::handle graph, nb::handle global_step, nb::handle) {
            const nb::list operations(nb::object(graph.attr("get_operations")()));
            if (nb::len(operations) == 0) return;
            self.add_graph(nb::cast<tf::Operation>(nb::object(operations[0])).graph(),
                           global_step.is_none() ? 0 : as_int(global_step));
          },
          "graph"_a, kNone("global_step") = nb::none(), kNone("graph_def") = nb::none())
      .def(
          "add_event",
          [](FileWriter& self, nb::handle event) {
            const auto bytes = nb::cast<nb::bytes>(nb::object(event.attr("SerializeToString")()));
            self.add_event({bytes.c_str(), bytes.size()});
          },
          "event"_a)
      .def("flush", &FileWriter::flush)
      .def("close", &FileWriter::close)
      .def("reopen", &FileWriter::reopen)
      .def("get_logdir", [](const FileWriter& self) { return self.get_logdir().string(); })
      .def("__enter__", [](nb::object self) { return self; })
      .def("__exit__", [](FileWriter& self, nb::args) { self.close(); });
}

}  // namespace

void bind_summary(nb::module_& m) {
  bind_summary_ops(m);
  bind_file_writer(m);
}

}  // namespace flowray::python
