#include "graph_arguments.h"

#include <flowray/tf/graph_def.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <new>
#include <source_location>
#include <utility>

#include "files/npy.h"
#include "files/stored_file.h"
#include "value_text.h"
#include "wire/graph_def.h"

namespace flowray::tools {
namespace {

std::string read_file(const std::string& path) {
  const files::StoredFile file(path, files::FileAccess::all());
  std::string bytes(file.size(), '\0');
  bytes.resize(file.read(0, bytes.data(), bytes.size()));
  return bytes;
}

/// Text where the name ends as text's does (.pbtxt, .pb.txt, .txt), or where the bytes are not a message.
tf::GraphDef read_graph(const std::string& path) {
  const std::string bytes = read_file(path);
  const auto from_text = [&] { return wire::encode(wire::from_text_format<wire::GraphDef>(bytes)); };
  try {
    const bool is_text = path.ends_with("txt");
    const auto message = is_text ? from_text() : bytes;
    if (wire::decode<wire::GraphDef>(message).node.empty()) throw errors::DataLossError("it has no nodes");
    return tf::GraphDef::from_string(message);
  } catch (const Error& error) {
    throw errors::DataLossError(fmt::format("'{}' is not a GraphDef: {}", path, error.message()));
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
    constexpr size_t kShown = 200;
    const std::string shown = text.size() <= kShown ? text : text.substr(0, kShown) + "...";
    throw ValueError(fmt::format("--feed {}: {}", shown, error.message()));
  }
}

}  // namespace

GraphArguments::GraphArguments(CLI::App& command) {
  command.add_option("GRAPH", graph_, "a GraphDef: .pb, or as text .pbtxt")->required();
  command
      .add_option("--feed", feeds_,
                  "NAME=FILE.npy or NAME=VALUE such as x=3.5, x=[[1,2],[3,4]]; for each tensor again")
      ->allow_extra_args(false);
  command.add_option("--init", inits_, "an operation to run first; again: one after the other")
      ->allow_extra_args(false);
  command.add_option("--target", targets_, "an operation to run along with the fetches")
      ->allow_extra_args(false);
  command.add_option("--fetch", fetches_, "a tensor whose value is wanted")->allow_extra_args(false);
}

std::vector<std::string> GraphArguments::fetch_names() const {
  std::vector<std::string> names;
  for (const std::string& name : fetches_) names.push_back(tensor_name(name));
  return names;
}

void GraphArguments::read_graph_into(const tf::Graph& graph) const {
  const tf::GraphDef message = read_graph(graph_);
  const auto graph_scope = graph.as_default();
  // No line of a program made the nodes: errors would end with this one.
  tf::import_graph_def(message, {.name = ""}, std::source_location());
}

tf::FeedDict GraphArguments::feeds(const tf::Graph& graph) const {
  tf::FeedDict feeds;
  for (const std::string& text : feeds_) {
    const tf::Feed feed = read_feed(graph, text);
    feeds.add(feed.key, feed.value);
  }
  return feeds;
}

std::vector<tf::Fetch> GraphArguments::fetches(const tf::Graph& graph) const {
  std::vector<tf::Fetch> fetches;
  for (const std::string& name : fetch_names()) fetches.emplace_back(name);
  for (const std::string& name : targets_) fetches.emplace_back(graph.get_operation_by_name(name));
  return fetches;
}

void GraphArguments::run_inits(tf::Session& session, const tf::FeedDict& feeds) const {
  for (const std::string& name : inits_) session.run(session.graph().get_operation_by_name(name), feeds);
}

int exit_status_of(const std::string& command, const std::function<void()>& work) {
  const auto complain = [&](std::string_view what) {
    fmt::print(stderr, "flowray {}: {}\n", command, what);
    return 1;
  };
  try {
    work();
  } catch (const Error& error) {
    return complain(error.message());
  } catch (const std::bad_alloc&) {
    return complain("out of memory");
  } catch (const std::exception& error) {
    return complain(error.what());
  }
  return 0;
}

// fmt::print throws by itself for what it writes.
void flush_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw errors::UnknownError(fmt::format("the values could not be printed: {}", std::strerror(errno)));
}

}  // namespace flowray::tools
