// Sparse tensors as rows of strings or variants, three for each, and as handles of a map: what queues,
// datasets and loops carry.

#include "core/checked_size.h"
#include "core/mutex.h"
#include "graph/kernel/blocking_call.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/copy_elements.h"
#include "ops/elements/shape_merging.h"
#include "ops/elements/variant_elements.h"
#include "ops/sparse/register.h"
#include "ops/sparse/sparse_parts.h"
#include "wire/message.h"
#include "wire/string_content.h"
#include "wire/tensor_value.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace flowray::ops {
namespace {

using graph::BlockingCall;
using graph::DynamicCall;
using graph::ShapeContext;
using GiveUp = std::function<void()>;

struct Sparse {
  Array indices;
  Array values;
  Array shape;
};

// ---- what is said of the inputs

void sparse_inputs(ShapeContext& context) {
  context.with_rank(0, 2);
  context.with_rank(1, 1);
  context.with_rank(2, 1);
}
void serialize_shape(ShapeContext& context) {
  sparse_inputs(context);
  context.set_output(0, Shape{3});
}
void serialize_many_shape(ShapeContext& context) {
  sparse_inputs(context);
  context.set_output(0, Shape{kUnknown, 3});
}
void handle_shape(ShapeContext& context) {
  sparse_inputs(context);
  context.set_output(0, Shape());
}
void handles_shape(ShapeContext& context) {
  sparse_inputs(context);
  context.set_output(0, Shape{kUnknown});
}
void sparse_outputs(ShapeContext& context) {
  context.set_output(0, Shape{kUnknown, kUnknown});
  context.set_output(1, Shape{kUnknown});
  context.set_output(2, Shape{kUnknown});
}
void deserialize_shape(ShapeContext& context) {
  if (context.running()) return;
  const Shape serialized = context.with_rank_at_least(0, 1);
  if (serialized.has_rank()) check_dim(serialized.dim(serialized.rank() - 1), 3);
  sparse_outputs(context);
}
void deserialize_many_shape(ShapeContext& context) {
  if (context.running()) return;
  const Shape serialized = context.with_rank(0, 2);
  check_dim(serialized.dim(1), 3);
  sparse_outputs(context);
}
void take_shape(ShapeContext& context) {
  if (context.running()) return;
  context.with_rank(0, 1);
  sparse_outputs(context);
}

void check_ranks(const Sparse& sparse) {
  check_rank(sparse.indices, 2, "Input indices should be a matrix but received shape");
  check_rank(sparse.values, 1, "Input values should be a vector but received shape");
  check_rank(sparse.shape, 1, "Input shape should be a vector but received shape");
}

template <class Call>
Sparse sparse_of(const Call& call) {
  Sparse sparse{call.in(0), call.in(1), call.in(2)};
  check_ranks(sparse);
  return sparse;
}

// ---- rows of one

/// The sparse tensors along the first dimension: as many as it has, those without values as well.
std::vector<Sparse> sparse_rows(const Sparse& whole) {
  constexpr int64_t kMostEmptyRows = int64_t{1} << 18;
  const auto dims = whole.shape.span<int64_t>();
  const Coordinates coordinates(whole.indices);
  const std::vector<int64_t> inner(dims.begin() + 1, dims.end());
  const Array inner_shape(inner);
  if (dims[0] - coordinates.count() > kMostEmptyRows) {
    throw errors::ResourceExhaustedError(fmt::format(
        "A sparse tensor of {} rows and {} values cannot be taken apart: at most {} rows may be empty",
        dims[0], coordinates.count(), kMostEmptyRows));
  }
  const Sparse empty{coordinates_of({}, 0, std::ssize(inner)), rows_of(whole.values, 0, 0), inner_shape};
  std::vector<Sparse> rows;
  int64_t at = 0;
  for (int64_t row = 0; row < dims[0]; ++row) {
    const int64_t begin = at;
    std::vector<int64_t> numbers;
    for (; at < coordinates.count() && coordinates[at][0] == row; ++at)
      numbers.insert(numbers.end(), coordinates[at].begin() + 1, coordinates[at].end());
    if (at == begin) {
      rows.push_back(empty);
      continue;
    }
    rows.push_back({coordinates_of(numbers, at - begin, std::ssize(inner)), rows_of(whole.values, begin, at),
                    inner_shape});
  }
  return rows;
}

/// That it can be taken apart along its first dimension.
void check_rows(const Sparse& sparse) {
  if (sparse.shape.size() < 2) {
    invalid_argument(
        fmt::format("Rank of input SparseTensor should be > 1, but saw rank: {}", sparse.shape.size()));
  }
  for (const int64_t dim : sparse.shape.span<int64_t>()) {
    if (dim < 0) invalid_argument(fmt::format("Expected shape dimensions to be non-negative, got {}", dim));
  }
  const std::vector<int64_t> dims = checked_dims(sparse.shape);
  check_sparse(sparse.indices, sparse.values, dims);
  check_order(Coordinates(sparse.indices), dims);
}

// ---- several as one

/// What errors call the parts of a sparse tensor, and the words that differ between the ops.
struct Words {
  std::string_view rank = "shape";
};

/// All of them with further dimensions in front, which say which of them a value is of.
Sparse joined(const std::vector<Sparse>& parts, std::span<const int64_t> front, const Words& words) {
  const int64_t rank = parts[0].shape.size();
  std::vector<int64_t> dims(static_cast<size_t>(rank));
  CheckedSize count = checked(0);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].shape.size() != rank) {
      invalid_argument(
          fmt::format("Inconsistent {} across SparseTensors: rank prior to SparseTensor[{}] was: {} "
                      "but rank of SparseTensor[{}] is: {}",
                      words.rank, i, rank, i, parts[i].shape.size()));
    }
    const auto own = parts[i].shape.span<int64_t>();
    for (size_t d = 0; d < own.size(); ++d) dims[d] = std::max(dims[d], own[d]);
    count += parts[i].values.size();
  }
  std::vector<int64_t> numbers;
  numbers.reserve(static_cast<size_t>(int64_t{count * (rank + std::ssize(front))}));  // size: checked
  Array values(parts[0].values.dtype(), Shape{count});
  int64_t filled = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    std::vector<int64_t> place(front.size());
    auto rest = static_cast<int64_t>(i);
    for (size_t d = front.size(); d-- > 0; rest /= front[d]) place[d] = rest % front[d];
    const Coordinates coordinates(parts[i].indices);
    for (int64_t k = 0; k < coordinates.count(); ++k) {
      numbers.insert(numbers.end(), place.begin(), place.end());
      numbers.insert(numbers.end(), coordinates[k].begin(), coordinates[k].end());
    }
    copy_elements(parts[i].values, 0, values, filled, parts[i].values.size());
    filled += parts[i].values.size();
  }
  std::vector<int64_t> shape(front.begin(), front.end());
  shape.insert(shape.end(), dims.begin(), dims.end());
  return {coordinates_of(numbers, count, rank + std::ssize(front)), values, Array(shape)};
}

// ---- strings and variants

/// All of it in tensor_content, strings too, as TensorFlow's has it.
std::string encoded(const Array& tensor) {
  wire::TensorProto message = wire::to_tensor_proto(tensor, wire::TensorForm::kBorrowed);
  if (tensor.dtype() == DType::kString) {
    message.string_val.clear();
    message.tensor_content = wire::string_content(tensor.span<std::string>());
  }
  return wire::encode(message);
}

Array serialized(const std::vector<Sparse>& parts, const Shape& shape, DType out_type) {
  std::vector<Array> tensors;
  for (const Sparse& part : parts) tensors.insert(tensors.end(), {part.indices, part.values, part.shape});
  if (out_type == DType::kVariant) return variants_of(std::move(tensors), shape);
  Array bytes(DType::kString, shape);
  auto* const out = bytes.mutable_data<std::string>();
  for (size_t i = 0; i < tensors.size(); ++i) out[i] = encoded(tensors[i]);
  return bytes;
}

void serialize(DynamicCall& call) {
  call.set_out(0, serialized({sparse_of(call)}, Shape{3}, call.attrs().get<DType>("out_type")));
}

void serialize_many(DynamicCall& call) {
  const Sparse whole = sparse_of(call);
  check_rows(whole);
  const std::vector<Sparse> rows = sparse_rows(whole);
  call.set_out(0, serialized(rows, Shape{std::ssize(rows), 3}, call.attrs().get<DType>("out_type")));
}

Array parsed(const std::string& bytes) {
  const char* reason = "Could not parse serialized proto";
  try {
    const auto message = wire::decode<wire::TensorProto>(bytes);
    reason = "Could not construct tensor from proto";
    return wire::to_array(message);
  } catch (const errors::OpError& error) {
    invalid_argument(fmt::format("{}\n{}", reason, error.what()));
  }
}

/// The three tensors of each.
std::vector<Sparse> deserialized_parts(const Array& serialized) {
  std::vector<Array> tensors;
  if (serialized.dtype() == DType::kVariant) {
    tensors = tensors_of(serialized);
  } else {
    for (const std::string& bytes : serialized.span<std::string>()) tensors.push_back(parsed(bytes));
  }
  std::vector<Sparse> parts;
  for (size_t i = 0; i + 2 < tensors.size(); i += 3)
    parts.push_back({tensors[i], tensors[i + 1], tensors[i + 2]});
  return parts;
}

void check_dtype(const Array& tensor, DType wanted, size_t i, int column) {
  if (tensor.dtype() == wanted) return;
  invalid_argument(fmt::format(
      "Requested SparseTensor of type {} but SparseTensor[{}].{}.dtype() == {}", dtype_kernel_name(wanted), i,
      column == 0 ? "indices" : (column == 1 ? "values" : "shape"), dtype_kernel_name(tensor.dtype())));
}

void check_part(const Sparse& part, size_t i, DType dtype) {
  check_rank(
      part.indices, 2,
      fmt::format("Expected serialized_sparse[{}, 0] to represent an index matrix but received shape", i));
  check_rank(
      part.values, 1,
      fmt::format("Expected serialized_sparse[{}, 1] to represent a values vector but received shape", i));
  check_rank(part.shape, 1,
             fmt::format("Expected serialized_sparse[{}, 1] to be a shape vector but its shape is", i));
  check_dtype(part.indices, DType::kInt64, i, 0);
  check_dtype(part.values, dtype, i, 1);
  check_dtype(part.shape, DType::kInt64, i, 2);
  if (part.indices.dim(0) != part.values.dim(0)) {
    invalid_argument(
        fmt::format("Expected row counts of SparseTensor[{}].indices and SparseTensor[{}].values to "
                    "match but they do not: {} vs. {}",
                    i, i, part.indices.dim(0), part.values.dim(0)));
  }
  if (part.indices.dim(1) != part.shape.dim(0)) {
    invalid_argument(
        fmt::format("Expected column counts of SparseTensor[{}].indices to match size of "
                    "SparseTensor[{}].shape but they do not: {} vs. {}",
                    i, i, part.indices.dim(1), part.shape.dim(0)));
  }
}

void check_serialized(const Array& serialized) {
  const std::string shape = serialized.shape().to_string();
  if (serialized.rank() == 0) invalid_argument("Serialized sparse should have non-zero rank " + shape);
  if (serialized.dim(serialized.rank() - 1) != 3)
    invalid_argument("Serialized sparse should have 3 as the last dimension " + shape);
  if (serialized.size() == 0) {
    invalid_argument("Serialized sparse should have at least 1 serialized tensor, but has a zero dimension " +
                     shape);
  }
}

void deserialize(DynamicCall& call) {
  const Array& serialized = call.in(0);
  check_serialized(serialized);
  const std::vector<Sparse> parts = deserialized_parts(serialized);
  for (size_t i = 0; i < parts.size(); ++i) check_part(parts[i], i, call.attrs().get<DType>("dtype"));
  const auto front = serialized.shape().dims().first(static_cast<size_t>(serialized.rank() - 1));
  Sparse whole = front.empty() ? parts[0] : joined(parts, front, {});
  call.set_out(0, std::move(whole.indices));
  call.set_out(1, std::move(whole.values));
  call.set_out(2, std::move(whole.shape));
}

// ---- a map of a session

/// Sparse tensors by handles, each of which is good for one time.
class TensorsMap final : public graph::NodeState {
 public:
  int64_t add(Sparse sparse) {
    const MutexLock lock(mutex_);
    kept_.emplace(next_, std::move(sparse));
    return next_++;
  }
  Sparse take(int64_t handle, const std::string& name) {
    const MutexLock lock(mutex_);
    const auto found = kept_.find(handle);
    if (found == kept_.end())
      invalid_argument(fmt::format("Unable to find SparseTensor: {} in map: {}", handle, name));
    Sparse sparse = std::move(found->second);
    kept_.erase(found);
    return sparse;
  }

 private:
  Mutex mutex_;
  int64_t next_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  std::map<int64_t, Sparse> kept_ FLOWRAY_GUARDED_BY(mutex_);
};

std::string map_name(const BlockingCall& call) {
  const std::string& shared = call.attrs().get<std::string>("shared_name");
  return shared.empty() ? call.node().name() : shared;
}

/// The map that all nodes of the session with this name share.
std::shared_ptr<TensorsMap> map_of(const BlockingCall& call) {
  const std::string key =
      fmt::format("sparse tensors of {}/{}", call.attrs().get<std::string>("container"), map_name(call));
  return std::static_pointer_cast<TensorsMap>(
      call.states().find_or_make(key, [] { return std::make_shared<TensorsMap>(); }));
}

GiveUp start_add(BlockingCall& call) {
  const Sparse sparse = sparse_of(call);
  if (sparse.indices.dim(0) == sparse.values.dim(0) && sparse.shape.dim(0) != sparse.indices.dim(1))
    invalid_argument("Order length must be SparseTensor rank.");
  check_sparse(sparse.indices, sparse.values, checked_dims(sparse.shape));
  call.done({Array(map_of(call)->add(sparse))});
  return {};
}

/// In the words of AddManySparseToTensorsMap, which are its own.
void check_counts(const Sparse& sparse) {
  const std::string shape = sparse.indices.shape().to_string();
  if (sparse.values.size() != sparse.indices.dim(0)) {
    invalid_argument(fmt::format(
        "Number of values must match first dimension of indices. Got {} values, indices shape: {}",
        sparse.values.size(), shape));
  }
  if (sparse.shape.size() != sparse.indices.dim(1)) {
    invalid_argument(fmt::format(
        "Number of dimensions must match second dimension of indices. Got {} dimensions, indices shape: {}",
        sparse.shape.size(), shape));
  }
}

GiveUp start_add_many(BlockingCall& call) {
  const Sparse whole = sparse_of(call);
  check_counts(whole);
  check_rows(whole);
  const auto map = map_of(call);
  std::vector<int64_t> handles;
  for (const Sparse& row : sparse_rows(whole)) handles.push_back(map->add(row));
  call.done({Array(handles)});
  return {};
}

GiveUp start_take_many(BlockingCall& call) {
  const Array& handles = call.in(0);
  check_rank(handles, 1, "sparse_handles should be a vector but received shape");
  if (handles.size() == 0)
    invalid_argument("Must have at least 1 serialized SparseTensor, but input matrix has 0 rows");
  const auto map = map_of(call);
  const DType dtype = call.attrs().get<DType>("dtype");
  std::vector<Sparse> parts;
  for (const int64_t handle : handles.span<int64_t>()) {
    parts.push_back(map->take(handle, map_name(call)));
    check_dtype(parts.back().values, dtype, parts.size() - 1, 1);
  }
  Sparse whole = joined(parts, std::vector<int64_t>{std::ssize(parts)}, {.rank = "rank"});
  call.done({std::move(whole.indices), std::move(whole.values), std::move(whole.shape)});
  return {};
}

// ---- rows

constexpr std::string_view kSerializedParts = "sparse_indices:int64, sparse_values:T, sparse_shape:int64";
constexpr std::string_view kDeserialized = "sparse_indices:int64, sparse_values:dtype, sparse_shape:int64";
constexpr std::string_view kOutType = "T:type; out_type:type=string{[string,variant]}";
constexpr std::string_view kOfMap = "T:type; container:string=\"\"; shared_name:string=\"\"";

constexpr graph::OpRow kSparseSerializationOps[] = {
    {.name = "SerializeSparse",
     .inputs = kSerializedParts,
     .outputs = "serialized_sparse:out_type",
     .attrs = kOutType,
     .shape = serialize_shape,
     .compute = serialize},
    {.name = "SerializeManySparse",
     .inputs = kSerializedParts,
     .outputs = "serialized_sparse:out_type",
     .attrs = kOutType,
     .shape = serialize_many_shape,
     .compute = serialize_many},
    {.name = "DeserializeSparse",
     .inputs = "serialized_sparse:Tserialized",
     .outputs = kDeserialized,
     .attrs = "dtype:type; Tserialized:type=string{[string,variant]}",
     .shape = deserialize_shape,
     .compute = deserialize},
    {.name = "DeserializeManySparse",
     .inputs = "serialized_sparse:string",
     .outputs = kDeserialized,
     .attrs = "dtype:type",
     .shape = deserialize_many_shape,
     .compute = deserialize},
    {.name = "AddSparseToTensorsMap",
     .inputs = kSerializedParts,
     .outputs = "sparse_handle:int64",
     .attrs = kOfMap,
     .stateful = true,
     .shape = handle_shape,
     .start = start_add},
    {.name = "AddManySparseToTensorsMap",
     .inputs = kSerializedParts,
     .outputs = "sparse_handles:int64",
     .attrs = kOfMap,
     .stateful = true,
     .shape = handles_shape,
     .start = start_add_many},
    {.name = "TakeManySparseFromTensorsMap",
     .inputs = "sparse_handles:int64",
     .outputs = kDeserialized,
     .attrs = "dtype:type; container:string=\"\"; shared_name:string=\"\"",
     .stateful = true,
     .shape = take_shape,
     .start = start_take_many},
};

}  // namespace

void register_sparse_serialization_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kSparseSerializationOps) table.add(row);
}

}  // namespace flowray::ops
