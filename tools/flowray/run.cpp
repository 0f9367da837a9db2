#include "run.h"

#include <flowray/tf/graph.h>
#include <flowray/tf/session.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "files/npy.h"

namespace flowray::tools {
namespace {

/// A value stands on lines of its own where it has several.
void print(const std::string& name, const Array& value) {
  const std::string text = value.to_string();
  fmt::print("{} ={}{}\n", name, text.find('\n') == std::string::npos ? " " : "\n", text);
}

/// "a/b:0" becomes a_b.npy, "a/b:1" a_b_1.npy.
std::string file_name(const std::string& fetch) {
  std::string name = fetch.ends_with(":0") ? fetch.substr(0, fetch.size() - 2) : fetch;
  std::replace_if(name.begin(), name.end(), [](char c) { return c == '/' || c == ':'; }, '_');
  return name + ".npy";
}

std::filesystem::path path_in(const std::string& folder, const std::string& fetch,
                              std::set<std::string>& taken) {
  const std::string name = file_name(fetch);
  if (!taken.insert(name).second) {
    throw ValueError(fmt::format("--out {}: two fetches would be saved as {}; fetch them one after the other",
                                 folder, name));
  }
  return std::filesystem::path(folder) / name;
}

}  // namespace

RunCommand::RunCommand(CLI::App& app)
    : command_(app.add_subcommand("run", "Runs a graph from a file and prints or saves what comes of it")),
      arguments_(*command_) {
  command_->add_option("--steps", steps_, "how often fetches and targets are run; the last values are shown")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command_->add_option("--out", out_,
                       "a folder to save the values in, as NAME.npy, instead of printing them");
}

int RunCommand::run() const {
  return exit_status_of("run", [this] { run_graph(); });
}

void RunCommand::run_graph() const {
  if (arguments_.names_nothing_to_run()) {
    throw ValueError("nothing to run: name tensors by --fetch or operations by --target");
  }
  const tf::Graph graph;
  arguments_.read_graph_into(graph);
  const std::vector<std::string> names = arguments_.fetch_names();
  std::vector<std::filesystem::path> paths;
  std::set<std::string> taken;
  for (const std::string& name : names) {
    if (!out_.empty()) paths.push_back(path_in(out_, name, taken));
  }
  const std::vector<tf::Fetch> fetches = arguments_.fetches(graph);
  const tf::FeedDict feeds = arguments_.feeds(graph);

  tf::Session session(graph);
  arguments_.run_inits(session, feeds);
  std::vector<Array> values;
  for (int step = 0; step < steps_ && !fetches.empty(); ++step) values = session.run(fetches, feeds);
  for (size_t i = 0; i < names.size(); ++i) {
    if (out_.empty()) {
      print(names[i], values[i]);
    } else {
      files::write_npy(paths[i], values[i]);
    }
  }
  flush_output();
}

}  // namespace flowray::tools
