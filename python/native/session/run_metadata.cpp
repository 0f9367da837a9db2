/// tf.RunMetadata and the timelines that are made of it.

#include "native/convert/convert.h"

#include <flowray/tf/session.h>
#include <flowray/tf/timeline.h>

#include "wire/run_metadata.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace flowray::python {
namespace {

/// TensorFlow's message of what a step told.
/// `graphs` get the bytes that the message borrows from.
wire::RunMetadata message_of(const tf::RunMetadata& metadata, std::vector<std::string>& graphs) {
  wire::RunMetadata message;
  wire::StepStats& stats = message.step_stats.emplace();
  for (const auto& device : metadata.step_stats.dev_stats) {
    wire::DeviceStepStats& own = stats.dev_stats.emplace_back();
    own.device = device.device;
    for (const auto& node : device.node_stats) {
      wire::NodeExecStats& to = own.node_stats.emplace_back();
      to.node_name = node.node_name;
      to.all_start_micros = node.all_start_micros;
      to.op_start_rel_micros = node.op_start_rel_micros;
      to.op_end_rel_micros = node.op_end_rel_micros;
      to.all_end_rel_micros = node.all_end_rel_micros;
      to.timeline_label = node.timeline_label;
      to.thread_id = node.thread_id;
      to.all_start_nanos = node.all_start_nanos;
      to.op_start_rel_nanos = node.op_start_rel_nanos;
      to.op_end_rel_nanos = node.op_end_rel_nanos;
      to.all_end_rel_nanos = node.all_end_rel_nanos;
    }
  }
  graphs.reserve(metadata.partition_graphs.size());
  for (const tf::GraphDef& graph : metadata.partition_graphs) {
    graphs.push_back(graph.serialize_to_string());
    message.partition_graphs.push_back(wire::decode<wire::GraphDef>(graphs.back()));
  }
  return message;
}

}  // namespace

void bind_run_metadata(nb::module_& m) {
  using Metadata = tf::RunMetadata;
  nb::class_<Metadata::NodeExecStats>(m, "NodeExecStats")
      .def_prop_ro("node_name", [](const Metadata::NodeExecStats& self) { return self.node_name; })
      .def_ro("all_start_micros", &Metadata::NodeExecStats::all_start_micros)
      .def_ro("op_start_rel_micros", &Metadata::NodeExecStats::op_start_rel_micros)
      .def_ro("op_end_rel_micros", &Metadata::NodeExecStats::op_end_rel_micros)
      .def_ro("all_end_rel_micros", &Metadata::NodeExecStats::all_end_rel_micros)
      .def_prop_ro("timeline_label", [](const Metadata::NodeExecStats& self) { return self.timeline_label; });
  nb::class_<Metadata::DeviceStepStats>(m, "DeviceStepStats")
      .def_prop_ro("device", [](const Metadata::DeviceStepStats& self) { return self.device; })
      .def_prop_ro("node_stats", [](const Metadata::DeviceStepStats& self) {
        nb::list list;
        for (const auto& node : self.node_stats) list.append(node);
        return list;
      });
  nb::class_<Metadata::StepStats>(m, "StepStats")
      .def_prop_ro("dev_stats", [](const Metadata::StepStats& self) {
        nb::list list;
        for (const auto& device : self.dev_stats) list.append(device);
        return list;
      });
  nb::class_<Metadata>(m, "RunMetadata", "What a step tells about itself: tf.RunMetadata.")
      .def(nb::init<>())
      .def_prop_ro("step_stats", [](const Metadata& self) { return self.step_stats; })
      .def_prop_ro("partition_graphs",
                   [](const Metadata& self) {
                     nb::list list;
                     for (const tf::GraphDef& graph : self.partition_graphs) list.append(graph);
                     return list;
                   })
      .def("SerializeToString", [](const Metadata& self) {
        std::vector<std::string> graphs;
        const std::string bytes = wire::encode(message_of(self, graphs));
        return nb::bytes(bytes.data(), bytes.size());
      });
  nb::class_<tf::Timeline>(m, "Timeline", "What a step did, as a trace that people look at.")
      .def(
          "__init__",
          [](tf::Timeline* self, const Metadata::StepStats& stats) { new (self) tf::Timeline(stats); },
          "step_stats"_a)
      .def("generate_chrome_trace_format", [](const tf::Timeline& self, nb::args, nb::kwargs) {
        return self.generate_chrome_trace_format();
      });
}

}  // namespace flowray::python
