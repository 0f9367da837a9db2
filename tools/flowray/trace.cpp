#include "trace.h"

#include <flowray/errors.h>
#include <flowray/tf/graph.h>
#include <flowray/tf/session.h>
#include <flowray/tf/timeline.h>

#include <fmt/format.h>

#include <vector>

#include "files/file_contents.h"

namespace flowray::tools {

TraceCommand::TraceCommand(CLI::App& app)
    : command_(
          app.add_subcommand("trace",
                             "Writes what a step of a graph from a file does, on all tasks of a cluster, "
                             "as one trace for ui.perfetto.dev")),
      arguments_(*command_) {
  command_->add_option("--server", server_,
                       "grpc://HOST:PORT of the task whose session it is; left out: this process");
  command_->add_option("--out", out_, "the file of the trace")->capture_default_str();
  command_->add_option("--steps", steps_, "how many steps are run without a trace before")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
}

int TraceCommand::run() const {
  return exit_status_of("trace", [this] { trace_step(); });
}

void TraceCommand::trace_step() const {
  const tf::Graph graph;
  arguments_.read_graph_into(graph);
  const std::vector<tf::Fetch> fetches = arguments_.fetches(graph);
  if (fetches.empty())
    throw ValueError("nothing to trace: name tensors by --fetch or operations by --target");
  const tf::FeedDict feeds = arguments_.feeds(graph);

  tf::Session session(server_, graph);
  arguments_.run_inits(session, feeds);
  for (int step = 0; step < steps_; ++step) session.run(fetches, feeds);
  tf::RunMetadata metadata;
  session.run(fetches, feeds, {.trace_level = tf::RunOptions::FULL_TRACE}, &metadata);
  files::write_file(out_, tf::Timeline(metadata.step_stats).generate_chrome_trace_format(),
                    files::FileAccess::all());
  size_t num_nodes = 0;
  for (const auto& device : metadata.step_stats.dev_stats) num_nodes += device.node_stats.size();
  fmt::print("{}: {} spans of {} devices; ui.perfetto.dev shows it\n", out_, num_nodes,
             metadata.step_stats.dev_stats.size());
  flush_output();
}

}  // namespace flowray::tools
