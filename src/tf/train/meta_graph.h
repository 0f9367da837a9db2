#pragma once
/// Graphs with their collections and savers as messages, for what keeps several of them in a file.

#include <flowray/tf/saver.h>

#include "wire/meta_graph.h"

#include <map>
#include <string>
#include <vector>

namespace flowray::tf::train {

using CollectionLists = std::map<std::string, std::vector<std::string>>;

/// What export_meta_graph() writes.
wire::MetaGraphDef meta_graph_of(const Saver* saver, const CollectionLists& node_lists,
                                 const CollectionLists& bytes_lists);

struct ImportedMessage {
  ImportedMetaGraph graph;
  std::string scope;  // of its nodes: another than was asked for where that was taken
};
/// What import_meta_graph() does with the message of a file.
ImportedMessage import_message(const wire::MetaGraphDef& message, const ImportMetaGraphOptions& options,
                               Input::Where where);

/// The bytes of a GraphDef whose nodes are on no device.
std::string without_devices(std::string_view graph_def);

}  // namespace flowray::tf::train
