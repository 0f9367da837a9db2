#pragma once
/// Graphs with what belongs to them, as a saver writes them beside its checkpoints:
/// tf.train.export_meta_graph and import_meta_graph.

#include <flowray/tf/saver.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::train {

/// A MetaGraphDef: the default graph, its collections, and `saver` unless it is null. `node_lists` are
/// collections that the program keeps itself, by the names of their nodes and tensors.
std::string export_meta_graph(const Saver* saver = nullptr,
                              const std::map<std::string, std::vector<std::string>>& node_lists = {});

struct ImportMetaGraphOptions {
  /// The name scope of the new nodes.
  std::string import_scope = {};
  /// Nodes forget the devices that they were placed on.
  bool clear_devices = false;
};
struct ImportedMetaGraph {
  /// The saver that was written, or one of all variables; null if there are none.
  std::unique_ptr<Saver> saver;
  /// Collections that are not the language's.
  std::map<std::string, std::vector<std::string>> node_lists;
};
/// Adds the nodes, variables and collections of a .meta file to the default graph. Throws
/// errors::NotFoundError for a file that is not there, errors::UnimplementedError for one with resource
/// variables.
ImportedMetaGraph import_meta_graph(const std::filesystem::path& file,
                                    const ImportMetaGraphOptions& options = {});

}  // namespace flowray::tf::train

#pragma GCC visibility pop
