#include "explain.h"

#include <flowray/tf/graph.h>
#include <flowray/tf/session.h>
#include <flowray/tf/timeline.h>

#include <fmt/format.h>

#include <vector>

#include "files/file_contents.h"

namespace flowray::tools {

ExplainCommand::ExplainCommand(CLI::App& app)
    : command_(app.add_subcommand(
          "explain", "Shows what a step of a graph from a file does, instruction by instruction")),
      arguments_(*command_) {
  command_->add_option("--run", runs_, "measure each instruction in so many runs")
      ->check(CLI::PositiveNumber);
  command_->add_option("--trace", trace_, "a file for the trace of one run, for ui.perfetto.dev");
}

int ExplainCommand::run() const {
  return exit_status_of("explain", [this] { explain_graph(); });
}

void ExplainCommand::explain_graph() const {
  const tf::Graph graph;
  arguments_.read_graph_into(graph);
  const std::vector<tf::Fetch> fetches = arguments_.fetches(graph);
  if (fetches.empty())
    throw ValueError("nothing to explain: name tensors by --fetch or operations by --target");
  const tf::FeedDict feeds = arguments_.feeds(graph);

  tf::Session session(graph);
  arguments_.run_inits(session, feeds);
  fmt::print("{}", session.explain(fetches, feeds, runs_));
  flush_output();
  if (trace_.empty()) return;
  tf::RunMetadata metadata;
  session.run(fetches, feeds, {.trace_level = tf::RunOptions::FULL_TRACE}, &metadata);
  files::write_file(trace_, tf::Timeline(metadata.step_stats).generate_chrome_trace_format(),
                    files::FileAccess::all());
}

}  // namespace flowray::tools
