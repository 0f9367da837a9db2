#pragma once
/// Partitioners: into how many parts tf::get_variable cuts a variable, each of which is a variable that may
/// stand on a device of its own.
///
///     auto table = tf::get_variable("table", {50000, 64}, {.partitioner = tf::fixed_size_partitioner(4)});
///     for (const tf::Variable& part : table.parts()) ...   // "table/part_0", ... of [12500,64]

#include <flowray/tf/dtypes.h>
#include <flowray/tf/tensor.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

/// How many parts each dimension of a variable is cut into; one of them may be more than 1. An empty one is
/// none: variables are not cut.
using Partitioner = std::function<std::vector<int64_t>(const TensorShape& shape, DType dtype)>;

struct FixedSizePartitionerOptions {
  /// The dimension that is cut.
  int axis = 0;
};
/// Cuts into `num_shards` parts, or as many as the dimension has elements.
Partitioner fixed_size_partitioner(int64_t num_shards, const FixedSizePartitionerOptions& options = {});

struct VariableAxisSizePartitionerOptions {
  /// The dimension that is cut.
  int axis = 0;
  /// Bytes that an element of strings counts as.
  int64_t bytes_per_string_element = 16;
  /// The most parts, however large they get; left out: any number.
  std::optional<int64_t> max_shards = std::nullopt;
};
/// Parts of at most so many bytes each, or of one element of the dimension. Throws ValueError for numbers
/// below 1.
Partitioner variable_axis_size_partitioner(int64_t max_shard_bytes,
                                           const VariableAxisSizePartitionerOptions& options = {});

struct MinMaxVariablePartitionerOptions {
  /// The most parts of a variable.
  int64_t max_partitions = 1;
  /// The dimension that is cut. ValueError of the partitioner where a variable has no such one.
  int axis = 0;
  /// The least bytes of a part.
  int64_t min_slice_size = 256 << 10;
  /// Bytes that an element of strings counts as.
  int64_t bytes_per_string_element = 16;
};
/// At most so many parts, of at least so many bytes each.
Partitioner min_max_variable_partitioner(const MinMaxVariablePartitionerOptions& options = {});

}  // namespace flowray::tf

#pragma GCC visibility pop
