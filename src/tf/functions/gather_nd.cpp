#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>

#include "tf/build/composite.h"

#include <fmt/format.h>

namespace flowray::tf {
namespace {

bool is_of_resource(const Input& params) {
  return params.reference().has_value() && base_dtype(params.reference().dtype()) == DType::kResource;
}

void check_batch_dims(int64_t batch_dims, const TensorShape& shape, const char* of) {
  if (!shape.has_rank() || batch_dims < shape.rank()) return;
  throw ValueError(fmt::format("Argument `batch_dims` = {} must be less than rank(`{}`) = {}", batch_dims, of,
                               shape.rank()));
}

Tensor raw_cast(const Tensor& x, DType dtype) {
  return apply_op({.op = "Cast", .args = {x}, .attrs = {{"DstT", dtype}}});
}

/// The coordinates of all elements of these dimensions, one row for each.
Tensor all_coordinates(const Tensor& dims, DType dtype) {
  std::vector<Tensor> ranges;
  for (const Tensor& dim : unstack(dims)) {
    const Tensor limit = raw_cast(dim, DType::kInt32);
    const Tensor numbers = apply_op({.op = "Range", .args = {0, limit, 1}});
    ranges.push_back(raw_cast(numbers, dtype));
  }
  const std::vector<Tensor> meshes = meshgrid(ranges, {.indexing = "ij"});
  std::vector<Tensor> columns;
  for (const Tensor& mesh : meshes) columns.push_back(reshape(mesh, {-1}));
  return transpose(stack(columns));
}

/// Gathers from tensors whose first dimensions are the same: their coordinates are put in front of the
/// indices, and one GatherNd gives all.
Tensor gather_nd_in_batches(const Input& params, const Input& indices, const GatherNdOptions& options) {
  Composite scope({{"params", params}, {"indices", indices}}, options.name, "BatchGatherND", params.where());
  const Tensor within = scope.convert(indices, "indices");
  const Tensor from = scope.convert(params, "params");
  if (options.batch_dims < 0) throw ValueError("tf.gather_nd does not allow negative batch_dims.");
  check_batch_dims(options.batch_dims, within.shape(), "indices");
  check_batch_dims(options.batch_dims, from.shape(), "params");
  const int dims_before = static_cast<int>(options.batch_dims);
  const Tensor params_dims = shape(from);
  const Tensor indices_dims = shape(within);
  const Tensor batch = params_dims[Slice{.stop = dims_before}];
  const Tensor batch_size = apply_op({.op = "Prod", .args = {batch, std::vector<int32_t>{0}}});
  const Tensor rank_behind = rank(within) - dims_before;
  const Tensor inner_rank = rank_behind - 1;
  const Tensor inner = indices_dims[Slice{.start = dims_before, .stop = -1}];
  const Tensor rows = all_coordinates(batch, base_dtype(within.dtype()));
  const Tensor rows_dims = shape(rows);
  const Tensor count = rows_dims[Slice{.stop = 1}];
  const Tensor single = ones(inner_rank, DType::kInt32);
  const Tensor depth = rows_dims[Slice{.start = 1}];
  const Tensor grid_dims = concat({count, single, depth}, 0);
  const Tensor grid = reshape(rows, grid_dims);
  const std::vector<int32_t> one{1};
  const Tensor repeats = concat({one, inner, one}, 0);
  const Tensor in_front = tile(grid, repeats);
  const Tensor kept = indices_dims[Slice{.start = dims_before}];
  const Tensor flat_dims = concat({Input::list({batch_size}), kept}, 0);
  const Tensor flat = reshape(within, flat_dims);
  const Tensor coordinates = concat({in_front, flat}, -1);
  const Tensor found = apply_op({.op = "GatherNd", .args = {from, coordinates}});
  const Tensor found_dims = shape(found);
  const Tensor dims = concat({batch, found_dims[Slice{.start = 1}]}, 0);
  return reshape(found, dims);
}

}  // namespace

Tensor gather_nd(const Input& params, const Input& indices, const GatherNdOptions& options) {
  if (options.batch_dims != 0) return gather_nd_in_batches(params, indices, options);
  if (!is_of_resource(params))
    return apply_op({.op = "GatherNd", .name = options.name, .args = {params, indices}});
  // Of a resource variable only the elements that are asked for are read.
  const CallScope call({{"params", params}, {"indices", indices}});
  const Tensor found =
      apply_op({.op = "ResourceGatherNd",
                .name = options.name.empty() ? "GatherNd" : options.name,
                .args = {params, indices},
                .attrs = {{"dtype", params.reference().node()->attrs().get<DType>("dtype")}}});
  return identity(found);
}

}  // namespace flowray::tf
