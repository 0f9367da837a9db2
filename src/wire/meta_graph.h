#pragma once
/// TensorFlow's MetaGraphDef and SavedModel, and what they are made of
/// (tensorflow/core/protobuf/meta_graph.proto, saved_model.proto,
/// saver.proto, tensorflow/core/framework/variable.proto).

#include "wire/message.h"
#include "wire/tensor_proto.h"

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
  /// Messages that say what they are (google.protobuf.Any).
  struct AnyList {
    struct Any {
      Text type_url;
      Bytes value;

      std::string unknown;
      static constexpr auto fields() {
        return std::tuple(field(1, "type_url", &Any::type_url), field(2, "value", &Any::value));
      }
    };
    std::vector<Any> value;

    std::string unknown;
    static constexpr auto fields() { return std::tuple(field(1, "value", &AnyList::value)); }
  };
  std::optional<NodeList> node_list;
  std::optional<BytesList> bytes_list;
  std::optional<AnyList> any_list;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.CollectionDef";
  static constexpr auto fields() {
    using M = CollectionDef;
    return std::tuple(field(1, "node_list", &M::node_list), field(2, "bytes_list", &M::bytes_list),
                      field(5, "any_list", &M::any_list));
  }
};

/// A tensor by its name; a sparse one by the names of its three.
struct TensorInfo {
  struct CooSparse {
    Text values_tensor_name;
    Text indices_tensor_name;
    Text dense_shape_tensor_name;

    std::string unknown;
    static constexpr auto fields() {
      using M = CooSparse;
      return std::tuple(field(1, "values_tensor_name", &M::values_tensor_name),
                        field(2, "indices_tensor_name", &M::indices_tensor_name),
                        field(3, "dense_shape_tensor_name", &M::dense_shape_tensor_name));
    }
  };
  Text name;
  DType dtype = DType::kInvalid;
  std::optional<TensorShapeProto> tensor_shape;
  std::optional<CooSparse> coo_sparse;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.TensorInfo";
  static constexpr auto fields() {
    using M = TensorInfo;
    return std::tuple(field(1, "name", &M::name), field(2, "dtype", &M::dtype),
                      field(3, "tensor_shape", &M::tensor_shape), field(4, "coo_sparse", &M::coo_sparse));
  }
};

/// What a graph computes, for programs that did not build it: tensors by names that are agreed upon.
struct SignatureDef {
  Map<Text, TensorInfo> inputs;
  Map<Text, TensorInfo> outputs;
  Text method_name;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.SignatureDef";
  static constexpr auto fields() {
    using M = SignatureDef;
    return std::tuple(field(1, "inputs", &M::inputs), field(2, "outputs", &M::outputs),
                      field(3, "method_name", &M::method_name));
  }
};

/// A file beside the graph, whose path a tensor of it is.
struct AssetFileDef {
  std::optional<TensorInfo> tensor_info;
  Text filename;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.AssetFileDef";
  static constexpr auto fields() {
    using M = AssetFileDef;
    return std::tuple(field(1, "tensor_info", &M::tensor_info), field(2, "filename", &M::filename));
  }
};

struct MetaGraphDef {
  struct MetaInfoDef {
    std::vector<Text> tags;

    std::string unknown;
    static constexpr auto fields() { return std::tuple(field(4, "tags", &MetaInfoDef::tags)); }
  };
  std::optional<MetaInfoDef> meta_info_def;
  Bytes graph_def;  // a GraphDef, unread
  std::optional<SaverDef> saver_def;
  Map<Text, CollectionDef> collection_def;
  Map<Text, SignatureDef> signature_def;
  std::vector<AssetFileDef> asset_file_def;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.MetaGraphDef";
  static constexpr auto fields() {
    using M = MetaGraphDef;
    return std::tuple(field(1, "meta_info_def", &M::meta_info_def), field(2, "graph_def", &M::graph_def),
                      field(3, "saver_def", &M::saver_def), field(4, "collection_def", &M::collection_def),
                      field(5, "signature_def", &M::signature_def),
                      field(6, "asset_file_def", &M::asset_file_def));
  }
};

struct SavedModel {
  int64_t saved_model_schema_version = 0;
  std::vector<MetaGraphDef> meta_graphs;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.SavedModel";
  static constexpr auto fields() {
    using M = SavedModel;
    return std::tuple(field(1, "saved_model_schema_version", &M::saved_model_schema_version),
                      field(2, "meta_graphs", &M::meta_graphs));
  }
};

}  // namespace flowray::wire
