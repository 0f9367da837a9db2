#include "run.h"

#include <flowray/tf/graph.h>
#include <flowray/tf/graph_def.h>
#include <flowray/tf/session.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <set>
#include <source_location>

#include "files/npy.h"
#include "files/stored_file.h"
#include "value_text.h"
#include "wire/graph_def.h"

namespace flowray::tools {
namespace {

std::string read_file(const std::string& path) {
  const files::StoredFile file(path);
  std::string bytes(file.size(), '\0');
  bytes.resize(file.read(0, bytes.data(), bytes.size()));
  return bytes;
}

/// Text where the name ends as text's does (.pbtxt, .pb.txt, .txt), or where it is no message in bytes.
tf::GraphDef read_graph(const std::string& path) {
  const std::string bytes = read_file(path);
  const auto from_text = [&] { return wire::encode(wire::from_text_format<wire::GraphDef>(bytes)); };
  try {
    const bool is_text = path.ends_with("txt");
    const auto message = is_text ? from_text() : bytes;
    if (wire::decode<wire::GraphDef>(message).node.empty()) throw errors::DataLossError("it has no nodes");
    return tf::GraphDef::from_string(message);
  } catch (const Error& error) {
    throw errors::DataLossError(fmt::format("'{}' is no GraphDef: {}", path, error.message()));
  }
}

/// "x" is "x:0".
std::string tensor_name(const std::string& name) {
  return name.find(':') == std::string::npos ? name + ":0" : name;
}

/// NAME=VALUE.
std::pair<std::string, std::string> split_feed(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw ValueError(fmt::format("--feed {}: expected NAME=FILE.npy or NAME=VALUE", text));
  }
  return {tensor_name(text.substr(0, equals)), text.substr(equals + 1)};
}

tf::Feed read_feed(const tf::Graph& graph, const std::string& text) {
  const auto [name, value] = split_feed(text);
  const tf::Tensor tensor = graph.get_tensor_by_name(name);
  try {
    const DType dtype = base_dtype(tensor.dtype());
    return {name, value.ends_with(".npy") ? files::read_npy(value) : parse_value(value).to_array(dtype)};
  } catch (const errors::OpError&) {
    throw;
  } catch (const Error& error) {
    throw ValueError(fmt::format("--feed {}: {}", text, error.message()));
  }
}

/// The exit status.
int complain(std::string_view what) {
  fmt::print(stderr, "flowray run: {}\n", what);
  return 1;
}

/// What was printed may still be in memory, and the disk full. fmt::print throws by itself for what it
/// writes.
void flush_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw errors::UnknownError(fmt::format("the values could not be printed: {}", std::strerror(errno)));
}

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
    : command_(app.add_subcommand("run", "Runs a graph from a file and prints or saves what comes of it")) {
  command_->add_option("GRAPH", graph_, "a GraphDef: .pb, or as text .pbtxt")->required();
  command_
      ->add_option("--feed", feeds_,
                   "NAME=FILE.npy or NAME=VALUE such as x=3.5, x=[[1,2],[3,4]]; for each tensor again")
      ->allow_extra_args(false);
  command_->add_option("--init", inits_, "an operation to run first; again: one after the other")
      ->allow_extra_args(false);
  command_->add_option("--target", targets_, "an operation to run along with the fetches")
      ->allow_extra_args(false);
  command_->add_option("--fetch", fetches_, "a tensor whose value is wanted")->allow_extra_args(false);
  command_->add_option("--steps", steps_, "how often fetches and targets are run; the last values are shown")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command_->add_option("--out", out_,
                       "a folder to save the values in, as NAME.npy, instead of printing them");
}

int RunCommand::run() const {
  try {
    run_graph();
  } catch (const Error& error) {
    return complain(error.message());
  } catch (const std::bad_alloc&) {
    return complain("out of memory");
  } catch (const std::exception& error) {
    return complain(error.what());
  }
  return 0;
}

void RunCommand::run_graph() const {
  if (fetches_.empty() && targets_.empty() && inits_.empty()) {
    throw ValueError("nothing to run: name tensors by --fetch or operations by --target");
  }
  const tf::GraphDef message = read_graph(graph_);
  const tf::Graph graph;
  const auto graph_scope = graph.as_default();
  // No line of a program made the nodes: errors would end with this one.
  tf::import_graph_def(message, {.name = ""}, std::source_location());

  std::vector<std::filesystem::path> paths;
  std::set<std::string> taken;
  std::vector<tf::Fetch> fetches;
  for (const std::string& name : fetches_) {
    fetches.emplace_back(tensor_name(name));
    if (!out_.empty()) paths.push_back(path_in(out_, tensor_name(name), taken));
  }
  for (const std::string& name : targets_) fetches.emplace_back(graph.get_operation_by_name(name));
  tf::FeedDict feeds;
  for (const std::string& text : feeds_) {
    const tf::Feed feed = read_feed(graph, text);
    feeds.add(feed.key, feed.value);
  }

  tf::Session session;
  for (const std::string& name : inits_) session.run(graph.get_operation_by_name(name), feeds);
  std::vector<Array> values;
  for (int step = 0; step < steps_ && !fetches.empty(); ++step) values = session.run(fetches, feeds);
  for (size_t i = 0; i < fetches_.size(); ++i) {
    if (out_.empty()) {
      print(tensor_name(fetches_[i]), values[i]);
    } else {
      files::write_npy(paths[i], values[i]);
    }
  }
  flush_output();
}

}  // namespace flowray::tools
