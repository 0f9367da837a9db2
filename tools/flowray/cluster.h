#pragma once
/// `flowray cluster`: all tasks of a cluster on this machine.

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace flowray::tools {

/// `flowray cluster --tasks ps=1 worker=2 -- PROGRAM ...`: runs a process for each task, with the task's name
/// before each of its lines, and ends them together.
class ClusterCommand {
 public:
  /// Adds the subcommand to `app`.
  explicit ClusterCommand(CLI::App& app);

  bool is_chosen() const { return command_->parsed(); }
  /// Until the workers have ended, one has failed, or SIGINT or SIGTERM comes. 0, or the status of the first
  /// that has failed. Throws ValueError for invalid tasks, errors:: for a program that cannot be run.
  int run() const;

 private:
  CLI::App* command_;
  std::vector<std::string> tasks_;
};

}  // namespace flowray::tools
