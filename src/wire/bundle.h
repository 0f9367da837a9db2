#pragma once
/// The messages in a checkpoint's index (tensorflow/core/protobuf/tensor_bundle.proto
/// and framework/tensor_slice.proto).

#include "wire/graph_def.h"
#include "wire/message.h"
#include "wire/tensor_proto.h"

namespace flowray::wire {

/// A box of a tensor: one extent for each dimension.
struct TensorSliceProto {
  struct Extent {
    int64_t start = 0;
    int64_t length = 0;  // 0, that is absent: all of the dimension
    std::string unknown;
    static constexpr auto fields() {
      return std::tuple(field(1, "start", &Extent::start), field(2, "length", &Extent::length));
    }
  };
  std::vector<Extent> extent;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.TensorSliceProto";
  static constexpr auto fields() { return std::tuple(field(1, "extent", &TensorSliceProto::extent)); }
};

/// What stands under the empty key.
struct BundleHeaderProto {
  int32_t num_shards = 0;
  int32_t endianness = 0;  // 0: little, 1: big
  std::optional<VersionDef> version;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.BundleHeaderProto";
  static constexpr auto fields() {
    using M = BundleHeaderProto;
    return std::tuple(field(1, "num_shards", &M::num_shards), field(2, "endianness", &M::endianness),
                      field(3, "version", &M::version));
  }
};

/// What stands under a tensor's name.
struct BundleEntryProto {
  DType dtype = DType::kInvalid;
  std::optional<TensorShapeProto> shape;
  int32_t shard_id = 0;
  int64_t offset = 0;  // in the shard's data file
  int64_t size = 0;    // in bytes
  Fixed32 crc32c;      // masked
  /// For a partitioned tensor: its parts, which have entries of their own; this entry has no data.
  std::vector<TensorSliceProto> slices;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.BundleEntryProto";
  static constexpr auto fields() {
    using M = BundleEntryProto;
    return std::tuple(field(1, "dtype", &M::dtype), field(2, "shape", &M::shape),
                      field(3, "shard_id", &M::shard_id), field(4, "offset", &M::offset),
                      field(5, "size", &M::size), field(6, "crc32c", &M::crc32c),
                      field(7, "slices", &M::slices));
  }
};

}  // namespace flowray::wire
