#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "graph_arguments.h"

namespace flowray::tools {

/// `flowray trace GRAPH.pb`: what a step does on all tasks of a cluster, as a trace for ui.perfetto.dev.
class TraceCommand {
 public:
  /// Adds the subcommand to `app`.
  explicit TraceCommand(CLI::App& app);

  bool is_chosen() const { return command_->parsed(); }
  /// The exit status; 1 after a line on stderr that says what went wrong.
  int run() const;

 private:
  void trace_step() const;

  CLI::App* command_;
  GraphArguments arguments_;
  std::string server_;
  std::string out_ = "trace.json";
  int steps_ = 2;
};

}  // namespace flowray::tools
