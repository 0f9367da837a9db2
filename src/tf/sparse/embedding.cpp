#include <flowray/tf/array.h>
#include <flowray/tf/embedding.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>
#include <flowray/tf/sparse.h>

#include "core/checked_size.h"
#include "tf/build/composite.h"
#include "tf/build/unset.h"
#include "tf/sparse/sparse_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace flowray::tf::nn {
namespace {

/// A number that takes the dtype of its place.
Input number(int64_t value) { return Literal(checked_int32("size", value)); }

bool is_resource(const Input& table) {
  return table.reference().has_value() && base_dtype(table.reference().dtype()) == DType::kResource;
}

const graph::Node& place_of(const Input& table) {
  return *(is_resource(table) ? table.reference() : *table.tensor()).node();
}

TensorShape shape_of(const Input& table) { return table.tensor()->shape(); }

/// The tables as what is looked up in: variables by handle stay as they are, where there is one among them.
std::vector<Input> tables_of(Composite& scope, const List<Input>& params) {
  if (params.empty()) throw ValueError("Length of params is currently 0. Need at least one param.");
  std::vector<Input> tables;
  const bool has_resources = std::ranges::any_of(params, is_resource);
  for (size_t i = 0; i < params.size(); ++i) {
    const std::string name = params.size() == 1 ? "params" : fmt::format("params_{}", i);
    tables.push_back(has_resources && is_resource(params[i])
                         ? params[i]
                         : Input(scope.convert(params[i], name), params[i].where()));
  }
  return tables;
}

/// Rows made as long as `most`, where they are longer; what is behind the dimensions of `ids` is a row.
Tensor clipped(const Tensor& rows, const Tensor& ids, const OptionalInput& most) {
  if (!most.has_value()) return rows;
  const TensorShape& of_rows = rows.shape();
  const TensorShape& of_ids = ids.shape();
  if (of_ids.has_rank() && of_ids.rank() > 0 && of_rows.has_rank() && of_rows.rank() > 0) {
    std::vector<int32_t> axes(static_cast<size_t>(std::max(of_rows.rank() - of_ids.rank(), 0)));
    std::iota(axes.begin(), axes.end(), of_ids.rank());
    return clip_by_norm(rows, *most, {.axes = Input(Array(axes))});
  }
  const Input first = of_ids.has_rank() && of_ids.rank() > 0 ? Input(of_ids.rank()) : Input(rank(ids));
  const Input last = of_rows.has_rank() && of_rows.rank() > 0 ? Input(of_rows.rank()) : Input(rank(rows));
  return clip_by_norm(rows, *most, {.axes = range(first, last, 1)});
}

/// Which table each id belongs to, and its row there.
struct Parts {
  Tensor table;
  Tensor row;
};

Parts spread_in_turn(const Tensor& ids, int64_t count) {
  const Tensor table = ids % number(count);
  return {table, floordiv(ids, number(count))};
}

/// How many rows all tables have.
Tensor num_rows(const std::vector<Input>& tables, DType dtype) {
  CheckedSize total = checked(0);
  bool all_known = true;
  for (const Input& table : tables) {
    const TensorShape shape = shape_of(table);
    all_known = all_known && shape.has_rank() && shape.rank() > 0 && shape.dim(0) >= 0;
    if (all_known) total += shape.dim(0);
  }
  if (all_known && total != 0) return constant(Array(int64_t{total}).astype(dtype));
  std::vector<Input> sizes;
  for (const Input& table : tables) {
    const TensorShape shape = shape_of(table);
    if (shape.has_rank() && shape.rank() > 0 && shape.dim(0) >= 0) {
      sizes.push_back(number(shape.dim(0)));
      continue;
    }
    const ColocationGuard with(&place_of(table).graph(), colocation_groups(place_of(table)));
    sizes.emplace_back(tf::shape(table)[0]);
  }
  return reduce_sum(cast(stack(sizes), dtype));
}

Parts spread_evenly(const Tensor& ids, const std::vector<Input>& tables) {
  const Input count = number(std::ssize(tables));
  const Tensor total = num_rows(tables, base_dtype(ids.dtype()));
  const Tensor each = floordiv(total, count);
  const Tensor extras = total % count;
  const Tensor one_more = each + 1;
  const Tensor of_first = floordiv(ids, one_more);
  const Tensor behind = ids - extras;
  const Tensor of_rest = floordiv(behind, each);
  const Tensor table = maximum(of_first, of_rest);
  const Tensor is_first = table < extras;
  const Tensor one_more_again = each + 1;
  const Tensor row_of_first = ids % one_more_again;
  const Tensor behind_again = ids - extras;
  const Tensor row_of_rest = behind_again % each;
  return {table, where(is_first, row_of_first, row_of_rest)};
}

/// The shape of one row, as far as the tables tell it.
TensorShape row_shape(const std::vector<Input>& tables) {
  TensorShape common = TensorShape::unknown_rank();
  for (const Input& table : tables) {
    const TensorShape shape = shape_of(table);
    if (!shape.has_rank() || shape.rank() == 0) continue;
    common = common.merge_with(TensorShape(shape.dims().subspan(1)));
  }
  return common;
}

Tensor looked_up_in_parts(Composite& scope, const std::vector<Input>& tables, const Tensor& ids,
                          const EmbeddingLookupOptions& options) {
  const Tensor flat = reshape(ids, {-1});
  const Tensor places = range(size(flat));
  Parts parts;
  if (options.partition_strategy == "mod") {
    parts = spread_in_turn(flat, std::ssize(tables));
  } else if (options.partition_strategy == "div") {
    parts = spread_evenly(flat, tables);
  } else {
    throw ValueError(fmt::format("Unrecognized partition strategy: {}.Must be one of either `mod` or `div`.",
                                 options.partition_strategy));
  }
  const Tensor table = cast(parts.table, DType::kInt32);
  const auto partitioned = [&](const Tensor& values) {
    return outputs_of({.op = "DynamicPartition",
                       .args = {values, table},
                       .attrs = {{"num_partitions", std::ssize(tables)}}});
  };
  const std::vector<Tensor> rows = partitioned(parts.row);
  const std::vector<Tensor> numbers = partitioned(places);
  std::vector<Input> found;
  for (size_t i = 0; i < tables.size(); ++i) {
    const ColocationGuard with(&scope.graph(), colocation_groups(place_of(tables[i])));
    found.emplace_back(gather(tables[i], rows[i]));
  }
  const std::vector<Input> at(numbers.begin(), numbers.end());
  const Tensor together =
      apply_op({.op = "ParallelDynamicStitch", .name = scope.result_name(), .args = {at, found}});
  const TensorShape row = row_shape(tables);
  Input row_dims = 0;
  if (row.is_fully_defined()) {
    row_dims = Input(Array(std::vector<int64_t>(row.begin(), row.end())).astype(DType::kInt32));
  } else {
    Tensor dims;
    {
      const ColocationGuard with(&scope.graph(), colocation_groups(place_of(tables[0])));
      dims = tf::shape(tables[0]);
    }
    row_dims = dims[Slice{.start = 1}];
  }
  const Tensor ids_dims = tf::shape(ids);
  Tensor result = reshape(together, concat({ids_dims, row_dims}, 0));
  result.set_shape(ids.shape().concatenate(row));
  return clipped(result, ids, options.max_norm);
}

}  // namespace

Tensor embedding_lookup_of_parts(const List<Input>& params, const Input& ids,
                                 const EmbeddingLookupOptions& options) {
  Composite scope({{"params", params}, {"ids", ids}, {"max_norm", options.max_norm}}, options.name,
                  "embedding_lookup", params.where());
  const std::vector<Input> tables = tables_of(scope, params);
  const Tensor numbers = scope.convert(ids, "ids");
  if (tables.size() > 1) return looked_up_in_parts(scope, tables, numbers, options);
  Tensor found;
  {
    const ColocationGuard with(&scope.graph(), colocation_groups(place_of(tables[0])));
    found = gather(tables[0], numbers, {.name = scope.result_name()});
    found = clipped(found, numbers, options.max_norm);
  }
  return identity(found);
}

namespace {

void check_combiner(const std::string& combiner) {
  if (combiner == "mean" || combiner == "sqrtn" || combiner == "sum") return;
  throw ValueError(fmt::format("combiner must be one of 'mean', 'sqrtn' or 'sum', got {}", combiner));
}

/// The weights as a factor of each row: with as many dimensions.
Tensor weights_of_rows(const Tensor& weights, const Tensor& rows) {
  const Tensor added = expand_dims(rank(rows) - 1, 0);
  const Tensor length = shape(weights);
  const Tensor one = ones(added, DType::kInt32);
  const Tensor dims = concat({length, one}, 0);
  const TensorShape& known = weights.shape();
  Tensor factors = reshape(weights, dims);
  if (rows.shape().has_rank()) {
    const std::vector<int64_t> single(static_cast<size_t>(std::max(rows.shape().rank() - 1, 0)), 1);
    factors.set_shape(known.concatenate(TensorShape(single)));
  }
  return factors;
}

Tensor segment_sum(const Tensor& rows, const Tensor& segments, const std::string& name = {}) {
  return apply_op({.op = "SegmentSum", .name = name, .args = {rows, segments}});
}

/// Rows times their weights, combined by segments.
Tensor combined_by_weight(Composite& scope, const Tensor& table, const Tensor& places, const Tensor& segments,
                          const Tensor& given, const std::string& combiner) {
  const Tensor ids = base_dtype(segments.dtype()) == DType::kInt32 ? segments : cast(segments, DType::kInt32);
  Tensor rows = gather(table, places);
  const DType dtype = base_dtype(rows.dtype());
  if (dtype == DType::kFloat16 || dtype == DType::kBfloat16) rows = cast(rows, DType::kFloat32);
  const Tensor weights =
      base_dtype(given.dtype()) == base_dtype(rows.dtype()) ? given : cast(given, base_dtype(rows.dtype()));
  const Tensor factors = weights_of_rows(weights, rows);
  rows = rows * factors;
  Tensor result;
  if (combiner == "sum") {
    result = segment_sum(rows, ids, scope.result_name());
  } else if (combiner == "mean") {
    const Tensor sums = segment_sum(rows, ids);
    const Tensor of_weights = segment_sum(factors, ids);
    result = div_no_nan(sums, of_weights, {.name = scope.result_name()});
  } else {
    const Tensor sums = segment_sum(rows, ids);
    const Tensor squares = pow(factors, 2);
    const Tensor length = sqrt(segment_sum(squares, ids));
    result = div_no_nan(sums, length, {.name = scope.result_name()});
  }
  return base_dtype(result.dtype()) == dtype ? result : cast(result, dtype);
}

Tensor combined(Composite& scope, const Tensor& table, const Tensor& places, const Tensor& segments,
                const std::string& combiner, bool is_sparse) {
  const SparseSegmentOptions options{.name = scope.result_name(), .sparse_gradient = is_sparse};
  if (combiner == "sum") return sparse_segment_sum(table, places, segments, options);
  if (combiner == "mean") return sparse_segment_mean(table, places, segments, options);
  return sparse_segment_sqrt_n(table, places, segments, options);
}

}  // namespace

Tensor embedding_lookup_sparse(const List<Input>& params, const SparseInput& sp_ids,
                               const SparseTensor& sp_weights, const EmbeddingLookupSparseOptions& options) {
  check_combiner(options.combiner);
  check_sparse_set(sp_ids, "sp_ids");
  if (params.empty()) throw ValueError("Missing params: there must be at least one.");
  Composite scope({{"params", params}, {"sp_ids", Input(sp_ids.values())}, {"max_norm", options.max_norm}},
                  options.name, "embedding_lookup_sparse", sp_ids.where());
  const Tensor segments = sp_ids.indices()[{Slice{}, 0}];
  const bool is_alone = params.size() == 1 && !is_resource(params[0]);
  std::vector<Input> tables = params.items();
  if (is_alone) tables[0] = Input(scope.convert(params[0], "params"), params[0].where());
  const bool ignores_weights = !sp_weights.has_value();
  const bool is_beside = is_alone && tables[0].tensor()->op().device() == segments.op().device() &&
                         !options.max_norm.has_value();
  Tensor table;
  Tensor places = sp_ids.values();
  bool is_sparse = false;
  if (is_beside && (options.allow_fast_lookup || ignores_weights)) {
    table = *tables[0].tensor();
    is_sparse = !options.allow_fast_lookup;
  } else {
    const std::vector<Tensor> unique = outputs_of({.op = "Unique", .args = {sp_ids.values()}});
    table = embedding_lookup_of_parts(
        tables, unique[0], {.partition_strategy = options.partition_strategy, .max_norm = options.max_norm});
    places = unique[1];
  }
  if (ignores_weights) return combined(scope, table, places, segments, options.combiner, is_sparse);
  return combined_by_weight(scope, table, places, segments, sp_weights.values(), options.combiner);
}

namespace {

/// Ids, and weights where there are some.
struct WeightedIds {
  SparseTensor ids;
  SparseTensor weights;
};

WeightedIds kept_where(const WeightedIds& all, const Tensor& keep) {
  WeightedIds kept{sparse::retain(all.ids, keep), {}};
  if (all.weights.has_value()) kept.weights = sparse::retain(all.weights, keep);
  return kept;
}

WeightedIds without_invalid_ids(const WeightedIds& all) {
  Tensor is_valid = greater_equal(all.ids.values(), 0);
  if (all.weights.has_value())
    is_valid = logical_and(is_valid, ones_like(all.weights.values(), DType::kBool));
  return kept_where(all, is_valid);
}

}  // namespace

Tensor safe_embedding_lookup_sparse(const List<Input>& embedding_weights, const SparseInput& sparse_ids,
                                    const SafeEmbeddingLookupSparseOptions& options) {
  check_combiner(options.combiner);
  check_sparse_set(sparse_ids, "sparse_ids");
  if (embedding_weights.empty()) throw ValueError("Missing embedding_weights [].");
  const DType dtype =
      options.sparse_weights.has_value() ? base_dtype(options.sparse_weights.dtype()) : DType::kInvalid;
  const CallScope call({{"embedding_weights", embedding_weights}, {"sparse_ids", Input(sparse_ids.values())}},
                       sparse_ids.where());
  std::vector<Input> tables;
  for (const Input& table : embedding_weights)
    tables.push_back(is_resource(table) ? table : Input(convert_to_tensor(table, {.dtype = dtype})));
  Composite scope({{"embedding_weights", tables}, {"sparse_ids", Input(sparse_ids.values())}}, options.name,
                  "embedding_lookup", sparse_ids.where());
  const Tensor& dims = sparse_ids.dense_shape();
  const TensorShape& dims_shape = dims.shape();
  const bool rank_is_known = dims_shape.has_rank() && dims_shape.dim(0) >= 0;
  const Input rank = rank_is_known ? number(dims_shape.dim(0)) : Input(size(dims));
  const auto last = [&] { return rank_is_known ? number(dims_shape.dim(0) - 1) : Input(*rank.tensor() - 1); };
  const Tensor rows_before = reduce_prod(slice(dims, {0}, Input::list({last()})));
  const Tensor columns = gather(dims, last());
  WeightedIds ids{sparse::reshape(sparse_ids, Input::list({rows_before, columns})), {}};
  if (options.sparse_weights.has_value()) {
    ids.weights = SparseTensor(ids.ids.indices(), options.sparse_weights.values(), ids.ids.dense_shape());
  }
  ids = without_invalid_ids(ids);
  if (options.combiner != "sum" && ids.weights.has_value())
    ids = kept_where(ids, greater(ids.weights.values(), 0));
  const auto [filled, is_empty] = sparse::fill_empty_rows(
      ids.ids, Input(Array(options.default_id.value_or(0)).astype(base_dtype(ids.ids.dtype()))));
  SparseTensor weights;
  if (ids.weights.has_value()) weights = sparse::fill_empty_rows(ids.weights, 1.0).sp_ordered_output;
  Tensor result =
      embedding_lookup_sparse(tables, filled, weights,
                              {.partition_strategy = options.partition_strategy,
                               .name = options.default_id.has_value() ? scope.result_name() : std::string(),
                               .combiner = options.combiner,
                               .max_norm = options.max_norm,
                               .allow_fast_lookup = options.allow_fast_lookup});
  if (!options.default_id.has_value()) {
    const Tensor column = reshape(is_empty, {-1, 1});
    const Tensor width = shape(result)[1];
    Tensor is_empty_everywhere = tile(column, stack({1, width}));
    // TensorFlow infers it through the stack of a known and a partly known size.
    is_empty_everywhere.set_shape(result.shape());
    const Tensor zeros = zeros_like(result);
    result = where(is_empty_everywhere, zeros, result, {.name = scope.result_name()});
  }
  const Tensor small_dims = cast(dims, DType::kInt32);
  const Tensor leading = slice(small_dims, {0}, Input::list({last()}));
  const Tensor rest = slice(shape(result), {1}, {-1});
  Tensor whole = reshape(result, concat({leading, rest}, 0));
  const TensorShape& known = result.shape();
  if (rank_is_known && known.has_rank() && known.rank() > 0) {
    whole.set_shape(
        TensorShape::of_rank(dims_shape.dim(0) - 1).concatenate(TensorShape(known.dims().subspan(1))));
  }
  return whole;
}

}  // namespace flowray::tf::nn
