// EditDistance: how many insertions, deletions and replacements make one sequence the other.

#include "core/checked_size.h"
#include "core/dtype_dispatch.h"
#include "core/invalid_argument.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_types.h"
#include "ops/sparse/register.h"
#include "ops/sparse/sparse_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::ShapeContext;

/// As the op names its inputs: indices, values and shape of either sparse tensor.
struct EditSide {
  const char* name;
  const Array& indices;
  const Array& values;
  const Array& shape;
};

EditSide side_of(const DynamicCall& call, bool is_truth) {
  const int first = is_truth ? 3 : 0;
  return {is_truth ? "truth" : "hypothesis", call.in(first), call.in(first + 1), call.in(first + 2)};
}

void check_edit_ranks(const EditSide& side) {
  check_rank(side.indices, 2, fmt::format("{}_indices should be a matrix, but got shape:", side.name));
  check_rank(side.values, 1, fmt::format("{}_values should be a vector, but got shape:", side.name));
  check_rank(side.shape, 1, fmt::format("{}_shape should be a vector, but got shape:", side.name));
}

void check_parts(const EditSide& side) {
  const auto expect = [&](int64_t size, const Array& array, int axis, const char* part, const char* what) {
    if (size == side.indices.dim(axis)) return;
    invalid_argument(
        fmt::format("Expected {0}_{1}.NumElements == #{2}({0}_indices), their shapes are: {3} and {4}",
                    side.name, part, what, array.shape().to_string(), side.indices.shape().to_string()));
  };
  expect(side.values.size(), side.values, 0, "values", "rows");
  expect(side.shape.size(), side.shape, 1, "shape", "cols");
}

void check_inputs(const EditSide& hypothesis, const EditSide& truth) {
  check_edit_ranks(hypothesis);
  check_edit_ranks(truth);
  check_parts(hypothesis);
  check_parts(truth);
  if (truth.shape.size() < 2) {
    invalid_argument(fmt::format("Input SparseTensors must have rank at least 2, but truth_shape rank is: {}",
                                 truth.shape.size()));
  }
  if (truth.shape.size() != hypothesis.shape.size()) {
    invalid_argument(fmt::format("Expected truth and hypothesis to have matching ranks, but got {} and {}",
                                 truth.shape.size(), hypothesis.shape.size()));
  }
}

/// The values of each sequence in the order in which they stand, by the place of their distance.
using ValuesByPlace = std::map<int64_t, std::vector<int64_t>>;  // numbers of values

ValuesByPlace sequences_of(const EditSide& side, const Shape& output) {
  ValuesByPlace found;
  const Coordinates coordinates(side.indices);
  for (int64_t i = 0; i < coordinates.count(); ++i) {
    const auto at = coordinates[i];
    int64_t place = 0;
    for (int d = 0; d < output.rank(); ++d) {
      const int64_t where = at[static_cast<size_t>(d)];
      if (where < 0 || where >= output.dim(d)) {
        throw errors::InternalError(fmt::format(
            "Got an inner product {} which would require writing to outside of the buffer for the output "
            "tensor (max elements {})\nIndex {} of {}_indices is {}, and dimension {} of the result {}",
            where, output.num_elements(), i, side.name, numbers_text(at), d, output.dim(d)));
      }
      place = place * output.dim(d) + where;
    }
    found[place].push_back(i);
  }
  return found;
}

/// Levenshtein's distance, by one row of the table of distances between beginnings.
template <class T>
int64_t distance(const T* a, const std::vector<int64_t>& as, const T* b, const std::vector<int64_t>& bs) {
  std::vector<int64_t> row(bs.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < as.size(); ++i) {
    int64_t diagonal = row[0]++;
    for (size_t j = 0; j < bs.size(); ++j) {
      const int64_t replaced = diagonal + (a[as[i]] == b[bs[j]] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

template <class T>
void fill_distances(const EditSide& hypothesis, const EditSide& truth, bool normalize, Array& output) {
  const ValuesByPlace hypotheses = sequences_of(hypothesis, output.shape());
  const ValuesByPlace truths = sequences_of(truth, output.shape());
  const std::vector<int64_t> none;
  float* const out = output.mutable_data<float>();
  for (const auto& [place, sequence] : truths) {
    const auto other = hypotheses.find(place);
    const auto edits =
        static_cast<float>(distance(truth.values.data<T>(), sequence, hypothesis.values.data<T>(),
                                    other == hypotheses.end() ? none : other->second));
    out[place] = normalize ? edits / static_cast<float>(sequence.size()) : edits;
  }
  for (const auto& [place, sequence] : hypotheses) {
    if (truths.contains(place)) continue;
    out[place] = normalize ? std::numeric_limits<float>::infinity() : static_cast<float>(sequence.size());
  }
}

void edit_distance(DynamicCall& call) {
  const EditSide hypothesis = side_of(call, false);
  const EditSide truth = side_of(call, true);
  check_inputs(hypothesis, truth);
  const std::vector<int64_t> first = checked_dims(hypothesis.shape);
  const std::vector<int64_t> second = checked_dims(truth.shape);
  std::vector<int64_t> dims;
  for (size_t d = 0; d + 1 < first.size(); ++d) dims.push_back(std::max(first[d], second[d]));
  Array output(DType::kFloat32, Shape(dims));
  const auto fill = [&]<class T>() {
    fill_distances<T>(hypothesis, truth, call.attrs().get<bool>("normalize"), output);
  };
  const DType dtype = hypothesis.values.dtype();
  if (!dispatch<AllNumberTypes>(dtype, fill) && !dispatch<TypeList<bool, std::string>>(dtype, fill)) {
    throw errors::UnimplementedError(fmt::format("There is no kernel for {}", dtype_name(dtype)));
  }
  call.set_out(0, std::move(output));
}

void edit_distance_shape(ShapeContext& context) {
  for (int first : {0, 3}) {
    context.with_rank(first, 2);
    context.with_rank(first + 1, 1);
    context.with_rank(first + 2, 1);
  }
  const Shape hypothesis = context.value_as_shape(2);
  const Shape truth = context.value_as_shape(5);
  if (!hypothesis.has_rank() || !truth.has_rank() || hypothesis.rank() != truth.rank()) return;
  std::vector<int64_t> dims;
  for (int d = 0; d + 1 < truth.rank(); ++d) {
    const bool is_known = hypothesis.dim(d) >= 0 && truth.dim(d) >= 0;
    dims.push_back(is_known ? std::max(hypothesis.dim(d), truth.dim(d)) : kUnknown);
  }
  context.set_output(0, Shape(dims));
}

constexpr graph::OpRow kEditDistanceOps[] = {
    {.name = "EditDistance",
     .inputs = "hypothesis_indices:int64, hypothesis_values:T, hypothesis_shape:int64, truth_indices:int64, "
               "truth_values:T, truth_shape:int64",
     .outputs = "output:float32",
     .attrs = "normalize:bool=true; T:type",
     .shape = edit_distance_shape,
     .not_differentiable = true,
     .compute = edit_distance},
};

}  // namespace

void register_edit_distance_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kEditDistanceOps) table.add(row);
}

}  // namespace flowray::ops
