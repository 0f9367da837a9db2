#include <flowray/tf/array.h>
#include <flowray/tf/partitioner.h>
#include <flowray/tf/variable.h>

#include "core/checked_size.h"
#include "tf/build/apply_op.h"
#include "tf/build/collections.h"
#include "tf/build/composite.h"
#include "tf/build/unset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace flowray::tf {
namespace {

using internal::VariableState;

int64_t bytes_of_element(DType dtype, int64_t of_string) {
  return dtype == DType::kString ? of_string : static_cast<int64_t>(dtype_size(base_dtype(dtype)));
}

/// The dimension of the shape, counted from the end where it is negative.
size_t checked_axis(const TensorShape& shape, int axis) {
  if (axis < shape.rank() && axis >= -shape.rank())
    return static_cast<size_t>(axis < 0 ? axis + shape.rank() : axis);
  throw ValueError(fmt::format("Cannot partition variable along axis {} when shape is only {}", axis,
                               shape.to_tuple_string()));
}

std::vector<int64_t> cut_along(const TensorShape& shape, size_t axis, int64_t parts) {
  std::vector<int64_t> partitions(static_cast<size_t>(shape.rank()), 1);
  partitions[axis] = parts;
  return partitions;
}

}  // namespace

// ---- partitioners

Partitioner fixed_size_partitioner(int64_t num_shards, const FixedSizePartitionerOptions& options) {
  return [num_shards, axis = options.axis](const TensorShape& shape, DType) {
    const size_t cut = checked_axis(shape, axis);
    return cut_along(shape, cut, std::min(num_shards, shape.dim(static_cast<int>(cut))));
  };
}

Partitioner variable_axis_size_partitioner(int64_t max_shard_bytes,
                                           const VariableAxisSizePartitionerOptions& options) {
  if (max_shard_bytes < 1 || options.bytes_per_string_element < 1) {
    throw ValueError(
        fmt::format("Both max_shard_bytes and bytes_per_string_element must be positive. Currently, "
                    "max_shard_bytes is {} and bytes_per_string_element is {}",
                    max_shard_bytes, options.bytes_per_string_element));
  }
  if (options.max_shards.value_or(1) < 0) throw ValueError("max_shards must be positive.");
  return [max_shard_bytes, options](const TensorShape& shape, DType dtype) {
    const size_t axis = checked_axis(shape, options.axis);
    const auto elements = static_cast<double>(shape.dim(static_cast<int>(axis)));
    const double bytes = static_cast<double>(shape.num_elements()) / elements *
                         static_cast<double>(bytes_of_element(dtype, options.bytes_per_string_element));
    const double in_one = std::max(1.0, std::floor(static_cast<double>(max_shard_bytes) / bytes));
    auto parts = static_cast<int64_t>(std::ceil(elements / in_one));
    if (options.max_shards.value_or(0) > 0) parts = std::min(*options.max_shards, parts);
    return cut_along(shape, axis, parts);
  };
}

Partitioner min_max_variable_partitioner(const MinMaxVariablePartitionerOptions& options) {
  return [options](const TensorShape& shape, DType dtype) {
    const size_t axis = checked_axis(shape, options.axis);
    const double bytes = static_cast<double>(shape.num_elements()) *
                         static_cast<double>(bytes_of_element(dtype, options.bytes_per_string_element));
    const auto wanted = static_cast<int64_t>(std::ceil(bytes / static_cast<double>(options.min_slice_size)));
    const int64_t most = std::min({shape.dim(static_cast<int>(axis)), options.max_partitions, wanted});
    return cut_along(shape, axis, std::max<int64_t>(1, most));
  };
}

// ---- variables that are cut

bool Variable::is_partitioned(Input::Where where) const {
  if (state_ == nullptr) throw_unset_method("tf::Variable", "is_partitioned()", where);
  return !state_->parts.empty();
}

std::vector<Variable> Variable::parts(Input::Where where) const {
  if (!is_partitioned(where)) return {*this};
  std::vector<Variable> parts;
  for (const auto& part : state_->parts) parts.emplace_back(part);
  return parts;
}

std::vector<int64_t> Variable::partitions(Input::Where where) const {
  if (is_partitioned(where)) return state_->partitions;
  return std::vector<int64_t>(shape(where).has_rank() ? static_cast<size_t>(shape(where).rank()) : 0, 1);
}

namespace {

using Update = Tensor (Variable::*)(const Input&, const AssignUpdateOptions&) const;

/// What each of the parts is given of a value for all of them.
std::vector<Input> values_of_parts(const Variable& variable, const std::vector<Variable>& parts,
                                   const Input& value) {
  if (const std::vector<Input>* const list = value.list(); list != nullptr) {
    if (list->size() != parts.size()) {
      throw ValueError(fmt::format("{} values for the {} parts of {}.", list->size(), parts.size(),
                                   variable.name(value.where())));
    }
    return *list;
  }
  const std::vector<int64_t> partitions = variable.partitions();
  const auto cut = std::ranges::find_if(partitions, [](int64_t count) { return count > 1; });
  const auto axis = cut == partitions.end() ? 0 : static_cast<int>(cut - partitions.begin());
  std::vector<int32_t> sizes;
  for (const Variable& part : parts) sizes.push_back(checked_int32("Dimension", part.shape().dim(axis)));
  const std::vector<Tensor> pieces = split(value, Input(Array(sizes), value.where()), {.axis = axis});
  std::vector<Input> values;
  for (const Tensor& piece : pieces) values.emplace_back(piece, value.where());
  return values;
}

std::vector<Tensor> update_parts(const Variable& variable, const Input& value,
                                 const AssignUpdateOptions& options, Update update) {
  const ErrorLine errors(value.where());
  const std::vector<Variable> parts = variable.parts(value.where());
  const std::vector<Input> values = values_of_parts(variable, parts, value);
  std::vector<Tensor> updated;
  for (size_t i = 0; i < parts.size(); ++i) updated.push_back((parts[i].*update)(values[i], options));
  return updated;
}

}  // namespace

std::vector<Tensor> assign_parts(const Variable& ref, const Input& value,
                                 const AssignUpdateOptions& options) {
  return update_parts(ref, value, options, &Variable::assign);
}
std::vector<Tensor> assign_add_parts(const Variable& ref, const Input& value,
                                     const AssignUpdateOptions& options) {
  return update_parts(ref, value, options, &Variable::assign_add);
}
std::vector<Tensor> assign_sub_parts(const Variable& ref, const Input& value,
                                     const AssignUpdateOptions& options) {
  return update_parts(ref, value, options, &Variable::assign_sub);
}

}  // namespace flowray::tf
