#pragma once
/// MetaGraphDef (tensorflow/core/protobuf/meta_graph.proto), as far as a Saver writes it.

#include <cstdint>
#include <string>
#include <string_view>

namespace flowray::wire {

/// What a MetaGraphDef tells of its saver (tensorflow/core/protobuf/saver.proto).
struct SaverDef {
  std::string filename_tensor_name;
  std::string save_tensor_name;
  std::string restore_op_name;
  int32_t max_to_keep = 0;
};

/// `graph_def`: the bytes of a GraphDef.
std::string encode_meta_graph(std::string_view graph_def, const SaverDef& saver);

}  // namespace flowray::wire
