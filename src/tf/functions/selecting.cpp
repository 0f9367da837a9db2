#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include "core/checked_size.h"
#include "graph/constant_value.h"
#include "tf/build/composite.h"
#include "tf/build/tensor_text.h"

#include <fmt/format.h>

namespace flowray::tf {
namespace {

/// x[begin:end] of a vector, as Python writes it for the sizes from a dimension to another.
Tensor part(const Tensor& x, const OptionalInput& begin, const OptionalInput& end) {
  return x[Slice{.start = begin, .stop = end}];
}

Input one_of(const Tensor& tensor) { return Input::list({tensor}); }

}  // namespace

Tensor boolean_mask(const Input& tensor, const Input& mask, const BooleanMaskOptions& options) {
  Composite scope({{"tensor", tensor}, {"mask", mask}}, options.name, "boolean_mask", tensor.where());
  const Tensor values = scope.convert(tensor, "tensor");
  const Tensor chosen = scope.convert(mask, "mask");
  if (!chosen.shape().has_rank()) {
    throw ValueError(
        "Number of mask dimensions must be specified, even if some dimensions are None.  E.g. shape=[None] "
        "is ok, but "
        "shape=None is not.");
  }
  const int mask_rank = chosen.shape().rank();
  if (mask_rank == 0) throw ValueError("mask cannot be scalar.");
  const TensorShape& known = values.shape();
  const int axis =
      static_cast<int>(options.axis < 0 && known.has_rank() ? options.axis + known.rank() : options.axis);
  if (known.has_rank()) {
    TensorShape covered;
    for (int i = axis; i < axis + mask_rank && i < known.rank(); ++i) covered.push_back(known.dim(i));
    if (!covered.is_compatible_with(chosen.shape())) {
      throw ValueError(fmt::format("Shapes {} and {} are incompatible", covered.to_tuple_string(),
                                   chosen.shape().to_tuple_string()));
    }
  }
  const Tensor leading = reduce_prod(part(shape(values), axis, axis + mask_rank), {0});
  const Tensor before = part(shape(values), {}, axis);
  const Tensor after = part(shape(values), axis + mask_rank, {});
  Tensor rows = reshape(values, concat({before, one_of(leading), after}, 0));
  if (known.has_rank()) {
    TensorShape shape;
    int64_t count = 1;
    for (int i = 0; i < known.rank(); ++i) {
      if (i < axis || i >= axis + mask_rank) {
        shape.push_back(known.dim(i));
        continue;
      }
      count = count < 0 || known.dim(i) < 0 ? int64_t{-1} : checked(count) * known.dim(i);
      if (i == axis + mask_rank - 1) shape.push_back(count);
    }
    rows.set_shape(shape);
  }
  const Tensor flat = reshape(chosen, {-1});
  const Tensor places = squeeze(where(flat), {1});
  return gather(rows, places, {.axis = axis});
}

Tensor sequence_mask(const Input& lengths, const SequenceMaskOptions& options) {
  Composite scope({{"lengths", lengths}, {"maxlen", options.maxlen}}, options.name, "SequenceMask",
                  lengths.where());
  const Tensor counts = scope.convert(lengths, "Const");
  Tensor most;
  if (options.maxlen.has_value()) {
    most = scope.convert(*options.maxlen, "Const");
  } else {
    const Tensor longest = reduce_max(counts);
    const Tensor zero = constant(0, longest.dtype());
    most = maximum(zero, longest);
  }
  if (most.shape().has_rank() && most.shape().rank() != 0) {
    throw ValueError(fmt::format(
        "Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = {} with shape '{}' instead",
        tensor_text(most), most.shape().to_tuple_string()));
  }
  const Tensor zero = constant(0, most.dtype());
  const Tensor one = constant(1, most.dtype());
  const Tensor row = apply_op({.op = "Range", .args = {zero, most, one}});
  const Tensor column = apply_op(
      {.op = "Cast", .args = {expand_dims(counts, -1)}, .attrs = {{"DstT", base_dtype(most.dtype())}}});
  const Tensor mask = less(row, column);
  return options.dtype == DType::kBool ? mask : cast(mask, options.dtype);
}

std::vector<Tensor> meshgrid(const List<Input>& args, const MeshgridOptions& options) {
  const ErrorLine errors(place_in_program(args));
  const bool drawing = options.indexing == "xy";
  if (!drawing && options.indexing != "ij") {
    throw ValueError(
        fmt::format("Argument `indexing` parameter must be either 'xy' or 'ij', got '{}'", options.indexing));
  }
  if (args.empty()) return {};
  Composite scope({{"args", args}}, options.name, "meshgrid", place_in_program(args));
  const size_t rank = args.size();
  const auto along = [&](const Input& x, size_t dimension) {
    std::vector<int32_t> sizes(rank, 1);
    sizes[dimension] = -1;
    return reshape(x, Array(sizes));
  };
  std::vector<Tensor> points;
  for (size_t i = 0; i < rank; ++i) points.push_back(along(tensor_of(scope.convert(args[i], "stack")), i));
  std::vector<Input> sizes;
  for (const Input& arg : args) sizes.emplace_back(size(arg));
  const DType dtype = base_dtype(scope.convert(args.front(), "Const").dtype());
  if (drawing && rank > 1) {
    points[0] = along(points[0], 1);
    points[1] = along(points[1], 0);
    std::swap(sizes[0], sizes[1]);
  }
  const Tensor all = ones(Input::list(sizes), dtype);
  for (Tensor& point : points) point = point * all;
  return points;
}

namespace {

/// x, of a size of 1 along `axis`, so many times.
Tensor tile_along(const Tensor& x, int axis, const Tensor& times) {
  std::vector<Input> multiples(static_cast<size_t>(x.shape().rank()), Input(1));
  multiples[static_cast<size_t>(axis)] = times;
  return tile(x, Input::list(multiples));
}

/// The sizes of `data` with that of `axis` replaced.
Tensor sizes_with(const Tensor& sizes, int axis, const Tensor& size) {
  const Tensor before = part(sizes, {}, axis);
  const Tensor after = part(sizes, axis + 1, {});
  return concat({before, one_of(size), after}, 0);
}

/// All elements the same number of times: no mask is needed.
Tensor repeat_evenly(const Tensor& data, const Tensor& sizes, const Tensor& times, int axis) {
  const Tensor once = reshape(times, Literal::list({}));
  const Tensor repeated = tile_along(expand_dims(data, axis + 1), axis + 1, once);
  const Tensor before = part(sizes, {}, axis);
  const Tensor count = once * sizes[axis];
  const Tensor after = part(sizes, axis + 1, {});
  Tensor result = reshape(repeated, concat({before, one_of(count), after}, 0));
  TensorShape known = data.shape();
  const Array number = graph::constant_value(endpoint_of(once));
  known.set_dim(axis, number.has_value() && known.dim(axis) >= 0
                          ? checked(known.dim(axis)) * number.item<int32_t>()
                          : int64_t{-1});
  result.set_shape(known);
  return result;
}

/// `times`, one number for each element along `axis`, for all elements of the dimensions before it, too.
Tensor for_all_before(const Tensor& times, const Tensor& sizes, int axis) {
  const Tensor own_sizes = shape(times);
  const Tensor before = axis + 1 - rank(times);
  const Tensor wanted = concat({sizes[Slice{.stop = before}], own_sizes}, 0);
  Tensor result = broadcast_to(times, wanted);
  result.set_shape(TensorShape::of_rank(axis + 1));
  return result;
}

Tensor repeat_along(const Input& input, const Input& repeats, int64_t asked_axis, const std::string& name) {
  Composite scope({{"input", input}, {"repeats", repeats}}, name, "Repeat", input.where());
  const Tensor data = scope.convert(input, "data");
  const Tensor given = scope.convert(repeats, "repeats");
  const Tensor counts = apply_op({.op = "Cast", .args = {given}, .attrs = {{"DstT", DType::kInt32}}});
  if (!data.shape().has_rank() || !counts.shape().has_rank() || counts.shape().rank() > 1) {
    throw ValueError(fmt::format(
        "`repeats` must be a scalar or a vector and the ranks known, but the shapes are {} and {}",
        data.shape().to_tuple_string(), counts.shape().to_tuple_string()));
  }
  const int data_rank = data.shape().rank();
  if (asked_axis < -data_rank || asked_axis >= data_rank) {
    throw ValueError(
        fmt::format("axis={} out of bounds: expected {}<=axis<{}", asked_axis, -data_rank, data_rank));
  }
  const int axis = static_cast<int>(asked_axis < 0 ? asked_axis + data_rank : asked_axis);
  const Tensor sizes = shape(data);
  if (counts.shape().num_elements() == 1) return repeat_evenly(data, sizes, counts, axis);

  const Tensor size = sizes[axis];
  const Tensor each = broadcast_to(counts, one_of(size));
  const Tensor all = axis == 0 ? each : for_all_before(each, sizes, axis);
  const Tensor longest = reduce_max(all);
  const Tensor most = maximum(constant(0, {.name = "zero"}), longest);
  const Tensor mask = sequence_mask(all, most);
  const Tensor repeated = tile_along(expand_dims(data, axis + 1), axis + 1, most);
  const Tensor chosen = boolean_mask(repeated, mask);
  if (axis == 0) return chosen;
  const Tensor dimensions = apply_op({.op = "Range", .args = {0, rank(each), 1}});
  return reshape(chosen, sizes_with(sizes, axis, reduce_sum(each, dimensions)));
}

}  // namespace

Tensor repeat(const Input& input, const Input& repeats, const RepeatOptions& options) {
  if (options.axis) return repeat_along(input, repeats, *options.axis, options.name);
  const CallScope call({{"input", input}, {"repeats", repeats}});
  return repeat_along(reshape(input, {-1}), repeats, 0, options.name);
}

Tensor batch_gather(const Input& params, const Input& indices, const NameOption& options) {
  Composite scope({{"params", params}, {"indices", indices}}, options.name, "BatchGather", params.where());
  Tensor places = scope.convert(indices, "indices");
  const Tensor values = scope.convert(params, "params");
  if (!places.shape().has_rank()) {
    throw ValueError("batch_gather does not allow indices with unknown shape.");
  }
  const int rank = places.shape().rank();
  const DType dtype = base_dtype(places.dtype());
  const Tensor places_shape = shape(places);
  const Tensor sizes = shape(values);
  Tensor step = ones(TensorShape{}, dtype);
  const Tensor counts = apply_op({.op = "Cast", .args = {sizes}, .attrs = {{"DstT", dtype}}});
  // From the innermost of the leading dimensions outwards: where the rows of each begin once all stand in
  // a row.
  for (int dimension = rank - 2; dimension >= 0; --dimension) {
    const Tensor size = counts[dimension];
    step = step * counts[dimension + 1];
    const Tensor zero = zeros(TensorShape{}, dtype);
    const Tensor one = ones(TensorShape{}, dtype);
    const Tensor beginnings = apply_op({.op = "Range", .args = {zero, size, one}}) * step;
    std::vector<Input> wanted(static_cast<size_t>(dimension), Input(1));
    wanted.emplace_back(size);
    for (int i = dimension + 1; i < rank; ++i) wanted.emplace_back(1);
    const Tensor beside = reshape(beginnings, stack(wanted));
    places = places + beside;
  }
  const Tensor flat_places = reshape(places, {-1});
  const Tensor row_shape = part(sizes, rank, {});
  const Tensor count = reduce_prod(part(sizes, {}, rank), {0});
  const Tensor rows = reshape(values, concat({one_of(count), row_shape}, 0));
  const Tensor chosen = gather(rows, flat_places);
  Tensor result = reshape(chosen, concat({places_shape, row_shape}, 0));
  if (values.shape().has_rank()) {
    TensorShape known = places.shape();
    for (int i = rank; i < values.shape().rank(); ++i) known.push_back(values.shape().dim(i));
    result.set_shape(known);
  }
  return result;
}

}  // namespace flowray::tf
