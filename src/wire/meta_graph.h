#pragma once
/// TensorFlow's MetaGraphDef and what it is made of (tensorflow/core/protobuf/meta_graph.proto,
/// saver.proto, tensorflow/core/framework/variable.proto).

#include "wire/message.h"

namespace flowray::wire {

/// Which part of a variable another one is.
struct SaveSliceInfoDef {
  Text full_name;
  std::vector<int64_t> full_shape;
  std::vector<int64_t> var_offset;
  std::vector<int64_t> var_shape;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.SaveSliceInfoDef";
  static constexpr auto fields() {
    using M = SaveSliceInfoDef;
    return std::tuple(field(1, "full_name", &M::full_name), field(2, "full_shape", &M::full_shape),
                      field(3, "var_offset", &M::var_offset), field(4, "var_shape", &M::var_shape));
  }
};

struct VariableDef {
  Text variable_name;
  Text initializer_name;
  Text snapshot_name;
  std::optional<SaveSliceInfoDef> save_slice_info_def;
  bool is_resource = false;
  Text initial_value_name;
  bool trainable = false;
  int32_t synchronization = 0;
  int32_t aggregation = 0;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.VariableDef";
  static constexpr auto fields() {
    using M = VariableDef;
    return std::tuple(
        field(1, "variable_name", &M::variable_name), field(2, "initializer_name", &M::initializer_name),
        field(3, "snapshot_name", &M::snapshot_name),
        field(4, "save_slice_info_def", &M::save_slice_info_def), field(5, "is_resource", &M::is_resource),
        field(6, "initial_value_name", &M::initial_value_name), field(7, "trainable", &M::trainable),
        field(8, "synchronization", &M::synchronization), field(9, "aggregation", &M::aggregation));
  }
};

struct SaverDef {
  Text filename_tensor_name;
  Text save_tensor_name;
  Text restore_op_name;
  int32_t max_to_keep = 0;
  bool sharded = false;
  float keep_checkpoint_every_n_hours = 0;
  int32_t version = 0;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.SaverDef";
  static constexpr auto fields() {
    using M = SaverDef;
    return std::tuple(field(1, "filename_tensor_name", &M::filename_tensor_name),
                      field(2, "save_tensor_name", &M::save_tensor_name),
                      field(3, "restore_op_name", &M::restore_op_name),
                      field(4, "max_to_keep", &M::max_to_keep), field(5, "sharded", &M::sharded),
                      field(6, "keep_checkpoint_every_n_hours", &M::keep_checkpoint_every_n_hours),
                      field(7, "version", &M::version));
  }
};

/// What a graph collects under a name: names of nodes, or messages. Lists of numbers are kept as they are.
struct CollectionDef {
  struct NodeList {
    std::vector<Text> value;

    std::string unknown;
    static constexpr auto fields() { return std::tuple(field(1, "value", &NodeList::value)); }
  };
  struct BytesList {
    std::vector<Bytes> value;

    std::string unknown;
    static constexpr auto fields() { return std::tuple(field(1, "value", &BytesList::value)); }
  };
  std::optional<NodeList> node_list;
  std::optional<BytesList> bytes_list;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.CollectionDef";
  static constexpr auto fields() {
    using M = CollectionDef;
    return std::tuple(field(1, "node_list", &M::node_list), field(2, "bytes_list", &M::bytes_list));
  }
};

struct MetaGraphDef {
  Bytes graph_def;  // a GraphDef, unread
  std::optional<SaverDef> saver_def;
  Map<Text, CollectionDef> collection_def;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.MetaGraphDef";
  static constexpr auto fields() {
    using M = MetaGraphDef;
    return std::tuple(field(2, "graph_def", &M::graph_def), field(3, "saver_def", &M::saver_def),
                      field(4, "collection_def", &M::collection_def));
  }
};

}  // namespace flowray::wire
