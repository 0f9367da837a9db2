#pragma once
/// tf.GraphDef: a graph as a message, in files and between programs; TensorFlow reads ours and we read its.

#include <flowray/tf/graph.h>

#include <filesystem>
#include <map>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

/// A GraphDef message. A value of its own: the graph it came from may change or go. Copies share the bytes.
///
///     std::ofstream("graph.pb", std::ios::binary) <<
///     tf::get_default_graph().as_graph_def().serialize_to_string();
class GraphDef {
 public:
  /// A GraphDef without nodes.
  GraphDef();
  /// GraphDef.FromString. Throws DataLossError for bytes that are not a GraphDef; whether the graph makes
  /// sense is seen when it is imported.
  static GraphDef from_string(std::string bytes);

  /// The message in protobuf's encoding.
  const std::string& serialize_to_string() const noexcept { return *bytes_; }
  /// Protobuf's text form.
  std::string to_string() const;

 private:
  explicit GraphDef(std::shared_ptr<const std::string> bytes) : bytes_(std::move(bytes)) {}
  std::shared_ptr<const std::string> bytes_;
};

struct ImportGraphDefOptions {
  /// Tensors of the default graph for inputs of the imported nodes: {"x:0", tensor}, also {"x", tensor}.
  std::map<std::string, Tensor> input_map = {};
  /// "add:0" or "init", names in the message, in the order in which they are wanted.
  std::vector<std::string> return_elements = {};
  /// The name scope of the new nodes, made unique; empty: names as they are.
  std::string name = "import";
};

/// tf.import_graph_def: adds the nodes of `graph_def` to the default graph, all or none. Throws ValueError in
/// TensorFlow's words for a graph that is wrong or that has not what the options ask for, NotFoundError for
/// an op that is not known.
std::vector<GraphElement> import_graph_def(const GraphDef& graph_def,
                                           const ImportGraphDefOptions& options = {},
                                           std::source_location where = std::source_location::current());

namespace train {

struct WriteGraphOptions {
  /// Whether the file is text; false: in protobuf's encoding, which is smaller and read faster.
  bool as_text = true;
};
/// tf.train.write_graph: writes LOGDIR/NAME, as text or in protobuf's encoding, at once or not at all, and
/// returns the path. Makes the folder. Throws PermissionDeniedError and the like.
std::filesystem::path write_graph(const GraphDef& graph_def, const std::filesystem::path& logdir,
                                  std::string_view name, const WriteGraphOptions& options = {});
/// The same of a graph as it is now.
std::filesystem::path write_graph(const Graph& graph, const std::filesystem::path& logdir,
                                  std::string_view name, const WriteGraphOptions& options = {});

}  // namespace train
}  // namespace flowray::tf

#pragma GCC visibility pop
