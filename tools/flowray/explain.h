#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "graph_arguments.h"

namespace flowray::tools {

/// `flowray explain GRAPH.pb`: shows what a step of a graph from a file does, and how long each part of
/// it takes.
class ExplainCommand {
 public:
  /// Adds the subcommand to `app`.
  explicit ExplainCommand(CLI::App& app);

  bool is_chosen() const { return command_->parsed(); }
  /// The exit status; 1 after a line on stderr that says what went wrong.
  int run() const;

 private:
  void explain_graph() const;

  CLI::App* command_;
  GraphArguments arguments_;
  std::string trace_;
  int runs_ = 0;
};

}  // namespace flowray::tools
