// Rows of values as sets: what both have, what either has, what one has and the other lacks; how many.

#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_types.h"
#include "ops/sparse/register.h"
#include "ops/sparse/sparse_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::ShapeContext;

using SetTypes = TypeList<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, std::string>;

/// A set for each row that has values, by all coordinates but the last.
template <class T>
using Rows = std::map<std::vector<int64_t>, std::set<T>>;

/// What one of the two inputs is: its dimensions, and its rows.
template <class T>
struct SetsOfRows {
  std::vector<int64_t> dims;
  Rows<T> rows;
};

/// The sparse tensor that inputs `first` to `first + 2` are.
template <class T>
SetsOfRows<T> sparse_sets(const DynamicCall& call, int first, bool validate) {
  const Array& dims = call.in(first + 2);
  if (dims.rank() != 1) invalid_argument("Shape must be a 1D tensor.");
  SetsOfRows<T> sets{checked_dims(dims), {}};
  if (dims.size() < 2) invalid_argument(fmt::format("Invalid rank {}.", dims.size()));
  check_sparse(call.in(first), call.in(first + 1), sets.dims);
  const Coordinates coordinates(call.in(first));
  if (validate) check_order(coordinates, sets.dims);
  for (int64_t i = 0; i < coordinates.count(); ++i) {
    const auto at = coordinates[i];
    for (size_t d = 0; d < at.size(); ++d) {
      if (at[d] < 0 || at[d] >= sets.dims[d]) {
        throw errors::InvalidArgumentError(
            fmt::format("indices[{}, {}] expected < {}, got {}.", i, d, sets.dims[d], at[d]));
      }
    }
    sets.rows[std::vector<int64_t>(at.begin(), at.end() - 1)].insert(call.in(first + 1).data<T>()[i]);
  }
  return sets;
}

/// Goes to the coordinates of the next row; past the last one it begins again.
void step(std::vector<int64_t>& row, std::span<const int64_t> dims) {
  for (size_t d = row.size(); d-- > 0;) {
    if (++row[d] < dims[d]) return;
    row[d] = 0;
  }
}

template <class T>
SetsOfRows<T> dense_sets(const Array& input) {
  if (input.rank() < 2)
    invalid_argument(
        fmt::format("Shape [{}] has rank {} < 2", fmt::join(input.shape().dims(), ","), input.rank()));
  SetsOfRows<T> sets{{input.shape().begin(), input.shape().end()}, {}};
  const int64_t width = input.dim(-1);
  std::vector<int64_t> row(static_cast<size_t>(input.rank() - 1), 0);
  for (int64_t i = 0; width > 0 && i < input.size(); i += width) {
    sets.rows[row] = std::set<T>(input.data<T>() + i, input.data<T>() + i + width);
    step(row, sets.dims);
  }
  return sets;
}

enum class SetOperation { kMinus, kReverseMinus, kIntersection, kUnion };

SetOperation operation_of(const graph::Attrs& attrs) {
  std::string word = attrs.get<std::string>("set_operation");
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (word == "a-b") return SetOperation::kMinus;
  if (word == "b-a") return SetOperation::kReverseMinus;
  if (word == "intersection") return SetOperation::kIntersection;
  if (word != "union") invalid_argument(fmt::format("Invalid set_operation {}.", word));
  return SetOperation::kUnion;
}

template <class T>
std::vector<T> combined_sets(const std::set<T>& a, const std::set<T>& b, SetOperation operation) {
  std::vector<T> result;
  const auto out = std::back_inserter(result);
  if (operation == SetOperation::kMinus) std::ranges::set_difference(a, b, out);
  if (operation == SetOperation::kReverseMinus) std::ranges::set_difference(b, a, out);
  if (operation == SetOperation::kIntersection) std::ranges::set_intersection(a, b, out);
  if (operation == SetOperation::kUnion) std::ranges::set_union(a, b, out);
  return result;
}

void check_groups(std::span<const int64_t> a, std::span<const int64_t> b) {
  const auto group_a = a.first(a.size() - 1);
  const auto group_b = b.first(b.size() - 1);
  if (std::ranges::equal(group_a, group_b)) return;
  const auto text = [](std::span<const int64_t> dims) { return fmt::format("{}", fmt::join(dims, ",")); };
  invalid_argument(fmt::format("Mismatched shapes [{}] vs [{}]", text(group_a), text(group_b)));
}

template <class T>
void combine(DynamicCall& call, const SetsOfRows<T>& a, const SetsOfRows<T>& b) {
  const SetOperation operation = operation_of(call.attrs());
  check_groups(a.dims, b.dims);
  std::set<std::vector<int64_t>> rows;
  for (const auto& [row, values] : a.rows) rows.insert(row);
  for (const auto& [row, values] : b.rows) rows.insert(row);
  const std::set<T> nothing;
  const auto set_of = [&](const Rows<T>& all, const std::vector<int64_t>& row) -> const std::set<T>& {
    const auto found = all.find(row);
    return found == all.end() ? nothing : found->second;
  };
  std::vector<int64_t> numbers;
  std::vector<T> values;
  int64_t largest = 0;
  for (const std::vector<int64_t>& row : rows) {
    std::vector<T> result = combined_sets(set_of(a.rows, row), set_of(b.rows, row), operation);
    for (int64_t i = 0; i < std::ssize(result); ++i) {
      numbers.insert(numbers.end(), row.begin(), row.end());
      numbers.push_back(i);
    }
    largest = std::max(largest, std::ssize(result));
    std::ranges::move(result, std::back_inserter(values));
  }
  std::vector<int64_t> dims(a.dims.begin(), a.dims.end() - 1);
  dims.push_back(largest);
  call.set_out(0, coordinates_of(numbers, std::ssize(values), std::ssize(dims)));
  call.set_out(1, Array::from(values, Shape{std::ssize(values)}));
  call.set_out(2, Array(dims));
}

/// Runs an op whose first values are input `values`.
template <class Run>
void for_sets(const DynamicCall& call, int values, Run run) {
  if (!dispatch<SetTypes>(call.in(values).dtype(), run)) {
    throw errors::UnimplementedError(
        fmt::format("There is no kernel for {}", dtype_name(call.in(values).dtype())));
  }
}

void dense_to_dense(DynamicCall& call) {
  for_sets(call, 0,
           [&]<class T>() { combine<T>(call, dense_sets<T>(call.in(0)), dense_sets<T>(call.in(1))); });
}
void dense_to_sparse(DynamicCall& call) {
  const bool validate = call.attrs().get<bool>("validate_indices");
  for_sets(call, 0, [&]<class T>() {
    const SetsOfRows<T> sparse = sparse_sets<T>(call, 1, validate);
    combine<T>(call, dense_sets<T>(call.in(0)), sparse);
  });
}
void sparse_to_sparse(DynamicCall& call) {
  const bool validate = call.attrs().get<bool>("validate_indices");
  for_sets(call, 1, [&]<class T>() {
    const SetsOfRows<T> first = sparse_sets<T>(call, 0, validate);
    combine<T>(call, first, sparse_sets<T>(call, 3, validate));
  });
}

void set_size(DynamicCall& call) {
  for_sets(call, 1, [&]<class T>() {
    const SetsOfRows<T> sets = sparse_sets<T>(call, 0, call.attrs().get<bool>("validate_indices"));
    Array out(DType::kInt32, Shape(std::span(sets.dims).first(sets.dims.size() - 1)));
    std::fill_n(out.mutable_data<int32_t>(), out.size(), 0);
    for (const auto& [row, values] : sets.rows) {
      int64_t place = 0;
      for (size_t d = 0; d < row.size(); ++d)
        place = place * sets.dims[d] + row[d];                                   // size: within the result
      out.mutable_data<int32_t>()[place] = static_cast<int32_t>(values.size());  // size: of a set in memory
    }
    call.set_out(0, std::move(out));
  });
}

// ---- shapes

void set_result(ShapeContext& context, int64_t rank) {
  context.set_output(0, Shape{kUnknown, rank});
  context.set_output(1, Shape{kUnknown});
  context.set_output(2, Shape{rank});
}

/// The rank of both, where that of one is known.
int64_t common_rank(const ShapeContext&, int64_t a, int64_t b) { return a >= 0 ? a : b; }

void dense_to_dense_shape(ShapeContext& context) {
  const Shape& a = context.input(0);
  const Shape& b = context.input(1);
  const auto check = [](const Shape& shape) {
    if (shape.has_rank() && shape.rank() < 2)
      ShapeContext::fail(fmt::format("Input rank must be at least 2 but is {}", shape.rank()));
  };
  if (a.has_rank() && b.has_rank()) {
    if (a.rank() != b.rank())
      ShapeContext::fail(
          fmt::format("Ranks do not match: input 0 rank {}, input 1 rank {}", a.rank(), b.rank()));
    check(a);
    for (int d = 0; d + 1 < a.rank(); ++d) (void)ShapeContext::merge_dim(a.dim(d), b.dim(d));
  } else {
    if (a.has_rank()) check(a);
    if (b.has_rank()) check(b);
  }
  set_result(context, common_rank(context, a.has_rank() ? a.rank() : -1, b.has_rank() ? b.rank() : -1));
}

/// The rank that a sparse tensor's shape and coordinates tell.
int64_t rank_of_sparse(const ShapeContext& context, int first) {
  const Shape& indices = context.input(first);
  const Shape& dims = context.input(first + 2);
  if (dims.has_rank() && dims.rank() == 1 && dims.dim(0) >= 0) return dims.dim(0);
  return indices.has_rank() && indices.rank() == 2 ? indices.dim(1) : kUnknown;
}

void dense_to_sparse_shape(ShapeContext& context) {
  const Shape& dense = context.input(0);
  if (dense.has_rank() && dense.rank() < 2)
    ShapeContext::fail(fmt::format("Input rank must be at least 2 but is {}", dense.rank()));
  set_result(context, common_rank(context, dense.has_rank() ? dense.rank() : -1, rank_of_sparse(context, 1)));
}

void sparse_to_sparse_shape(ShapeContext& context) {
  set_result(context, common_rank(context, rank_of_sparse(context, 0), rank_of_sparse(context, 3)));
}

constexpr std::string_view kSetAttrs =
    "set_operation:string; validate_indices:bool=true; "
    "T:type{[int8,int16,int32,int64,uint8,uint16,string]}";
constexpr std::string_view kSetOutputs = "result_indices:int64, result_values:T, result_shape:int64";

constexpr graph::OpRow kSetOps[] = {
    {.name = "DenseToDenseSetOperation",
     .inputs = "set1:T, set2:T",
     .outputs = kSetOutputs,
     .attrs = kSetAttrs,
     .shape = dense_to_dense_shape,
     .not_differentiable = true,
     .compute = dense_to_dense},
    {.name = "DenseToSparseSetOperation",
     .inputs = "set1:T, set2_indices:int64, set2_values:T, set2_shape:int64",
     .outputs = kSetOutputs,
     .attrs = kSetAttrs,
     .shape = dense_to_sparse_shape,
     .not_differentiable = true,
     .compute = dense_to_sparse},
    {.name = "SparseToSparseSetOperation",
     .inputs = "set1_indices:int64, set1_values:T, set1_shape:int64, set2_indices:int64, set2_values:T, "
               "set2_shape:int64",
     .outputs = kSetOutputs,
     .attrs = kSetAttrs,
     .shape = sparse_to_sparse_shape,
     .not_differentiable = true,
     .compute = sparse_to_sparse},
    {.name = "SetSize",
     .inputs = "set_indices:int64, set_values:T, set_shape:int64",
     .outputs = "size:int32",
     .attrs = "validate_indices:bool=true; T:type{[int8,int16,int32,int64,uint8,uint16,string]}",
     .shape = graph::unknown_shape,
     .not_differentiable = true,
     .compute = set_size},
};

}  // namespace

void register_set_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kSetOps) table.add(row);
}

}  // namespace flowray::ops
