#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "graph_arguments.h"

namespace flowray::tools {

/// `flowray run GRAPH.pb`: runs a graph from a file once or more, and prints or saves what comes of it.
class RunCommand {
 public:
  /// Adds the subcommand to `app`.
  explicit RunCommand(CLI::App& app);

  bool is_chosen() const { return command_->parsed(); }
  /// The exit status; 1 after a line on stderr that says what went wrong.
  int run() const;

 private:
  void run_graph() const;

  CLI::App* command_;
  GraphArguments arguments_;
  std::string out_;
  int steps_ = 1;
};

}  // namespace flowray::tools
