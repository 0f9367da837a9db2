#pragma once

#include <flowray/tf/graph.h>
#include <flowray/tf/session.h>

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace flowray::tools {

/// What the commands that run a graph from a file have in common: the file, what is fed and what is wanted.
class GraphArguments {
 public:
  /// Adds the options to `command`.
  explicit GraphArguments(CLI::App& command);

  bool names_nothing_to_run() const { return fetches_.empty() && targets_.empty() && inits_.empty(); }
  /// Full names of tensors, in the order of the command line.
  std::vector<std::string> fetch_names() const;

  /// Adds the nodes of the file to `graph`.
  void read_graph_into(const tf::Graph& graph) const;
  tf::FeedDict feeds(const tf::Graph& graph) const;
  /// The fetches, then the targets.
  std::vector<tf::Fetch> fetches(const tf::Graph& graph) const;
  void run_inits(tf::Session& session, const tf::FeedDict& feeds) const;

 private:
  std::string graph_;
  std::vector<std::string> feeds_;
  std::vector<std::string> inits_;
  std::vector<std::string> targets_;
  std::vector<std::string> fetches_;
};

/// The exit status of `work`: 0, or 1 after a line on stderr that says what went wrong.
int exit_status_of(const std::string& command, const std::function<void()>& work);

/// What was printed may still be in memory, and the disk full.
void flush_output();

}  // namespace flowray::tools
