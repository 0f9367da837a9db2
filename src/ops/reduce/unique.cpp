// Unique and UniqueWithCounts: the different elements of a list, in the order in which they first come;
// UniqueV2 and UniqueWithCountsV2: the different slices along an axis.

#include "core/dtype_dispatch.h"
#include "graph/integers.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_words.h"
#include "ops/elements/shape_parts.h"
#include "ops/reduce/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace flowray::ops {

using graph::DynamicCall;
using graph::ShapeContext;

namespace {

void unique_shape(ShapeContext& context) {
  context.set_output(0, Shape{Shape::kUnknownDim});
  context.set_output(1, context.with_rank(0, 1));
  if (context.num_outputs() > 2) context.set_output(2, Shape{Shape::kUnknownDim});
}

Array as_indices(const std::vector<int64_t>& values, DType dtype) { return Array(values).astype(dtype); }

// ---- what is different

/// The elements of an array as [outer, count, inner], of which `count` is the axis.
struct Slices {
  int64_t outer = 1;
  int64_t count = 1;
  int64_t inner = 1;

  Slices(const Shape& shape, int axis)
      : outer(elements_between(shape, 0, axis)),
        count(shape.dim(axis)),
        inner(elements_between(shape, axis + 1, shape.rank())) {}
};

template <class T>
struct HashOf : std::hash<T> {};
template <class Format>
struct HashOf<SmallFloat<Format>> {
  size_t operator()(SmallFloat<Format> value) const { return std::hash<float>()(static_cast<float>(value)); }
};

/// Asks what differs between element types: all else is compiled once.
struct SliceQuestions {
  const void* data;
  Slices slices;
  size_t (*hash)(const SliceQuestions& self, int64_t i);
  bool (*same)(const SliceQuestions& self, int64_t i, int64_t j);

  template <class T>
  const T* row(int64_t outer, int64_t i) const {
    return static_cast<const T*>(data) + (outer * slices.count + i) * slices.inner;
  }
};

template <class T>
SliceQuestions questions_of(const Array& x, const Slices& slices) {
  return {x.data<T>(), slices,
          [](const SliceQuestions& self, int64_t i) {
            size_t hash = 0;
            for (int64_t o = 0; o < self.slices.outer; ++o) {
              const T* const row = self.row<T>(o, i);
              for (int64_t k = 0; k < self.slices.inner; ++k) hash = hash * 31 + HashOf<T>()(row[k]);
            }
            return hash;
          },
          [](const SliceQuestions& self, int64_t i, int64_t j) {
            for (int64_t o = 0; o < self.slices.outer; ++o) {
              const T* const row = self.row<T>(o, i);
              if (!std::equal(row, row + self.slices.inner, self.row<T>(o, j))) return false;
            }
            return true;
          }};
}

/// Which slices are the first of their kind, of which kind each is, and how many there are of each.
struct Kinds {
  std::vector<int64_t> first;
  std::vector<int64_t> indices;
  std::vector<int64_t> counts;

  explicit Kinds(const SliceQuestions& ask) {
    std::vector<size_t> hashes(static_cast<size_t>(ask.slices.count));
    const auto hash = [&](int64_t i) { return hashes[static_cast<size_t>(i)]; };
    const auto same = [&](int64_t i, int64_t j) { return hash(i) == hash(j) && ask.same(ask, i, j); };
    std::unordered_map<int64_t, int64_t, decltype(hash), decltype(same)> places(0, hash, same);
    indices.reserve(hashes.size());
    for (int64_t i = 0; i < ask.slices.count; ++i) {
      hashes[static_cast<size_t>(i)] = ask.hash(ask, i);
      const auto [found, is_new] = places.try_emplace(i, std::ssize(first));
      if (is_new) {
        first.push_back(i);
        counts.push_back(0);
      }
      indices.push_back(found->second);
      ++counts[static_cast<size_t>(found->second)];
    }
  }
};

/// The slices `first` of x, along `axis`.
Array taken(const Array& x, int axis, const Slices& slices, const std::vector<int64_t>& first) {
  Shape shape = x.shape();
  shape.set_dim(axis, std::ssize(first));
  Array out(x.dtype(), shape);
  (void)dispatch_words(x.dtype(), [&]<class W>() {
    const W* const from = static_cast<const W*>(x.raw_data());
    W* to = static_cast<W*>(out.mutable_raw_data());
    for (int64_t o = 0; o < slices.outer; ++o) {
      for (const int64_t i : first) {
        copy_words(from + (o * slices.count + i) * slices.inner, to, slices.inner);
        to += slices.inner;
      }
    }
  });
  return out;
}

using ListedTypes = TypeList<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint16_t, uint32_t,
                             uint64_t, bool, std::string, float16, bfloat16>;

/// Slices without elements are all the same. They take no memory, so there may be any number of them.
void find_unique_empty_slices(DynamicCall& call, int axis, bool with_counts) {
  const Array& x = call.in(0);
  const int64_t count = x.dim(axis);
  const int64_t found = std::min<int64_t>(count, 1);
  Shape shape = x.shape();
  shape.set_dim(axis, found);
  const DType dtype = call.attrs().get<DType>("out_idx");
  call.set_out(0, Array(x.dtype(), shape));
  call.set_out(1, Array(dtype, Shape{count}));
  if (with_counts) {
    call.set_out(2, as_indices(std::vector<int64_t>(static_cast<size_t>(found), count), dtype));
  }
}

void find_unique(DynamicCall& call, int axis, bool with_counts, std::string_view op) {
  const Array& x = call.in(0);
  const Slices slices(x.shape(), axis);
  std::optional<SliceQuestions> ask;
  if (!dispatch<ListedTypes>(x.dtype(), [&]<class T>() { ask = questions_of<T>(x, slices); })) {
    throw errors::UnimplementedError(fmt::format("{} has no kernel for {}", op, dtype_name(x.dtype())));
  }
  if (x.size() == 0) return find_unique_empty_slices(call, axis, with_counts);
  const Kinds kinds(*ask);
  const DType dtype = call.attrs().get<DType>("out_idx");
  call.set_out(0, taken(x, axis, slices, kinds.first));
  call.set_out(1, as_indices(kinds.indices, dtype));
  if (with_counts) call.set_out(2, as_indices(kinds.counts, dtype));
}

template <bool kWithCounts>
void unique(DynamicCall& call) {
  if (call.in(0).rank() != 1) throw errors::InvalidArgumentError("unique expects a 1D vector.");
  find_unique(call, 0, kWithCounts, "Unique");
}

// ---- along an axis

/// The one number that `axis` holds, counted from 0; none where it is empty. Building and the step refuse
/// others in other words: `dot` ends the sentence, `out_of_range` is a format of the rank.
std::optional<int> unique_axis(const Array& axis, int64_t rank, std::string_view dot,
                               std::string_view out_of_range) {
  if (axis.size() == 0) return std::nullopt;
  if (axis.size() > 1) {
    throw errors::InvalidArgumentError(
        fmt::format("axis does not support input tensors larger than 1 elements{}", dot));
  }
  const int64_t given = graph::to_integers(axis)[0];
  const int64_t found = given < 0 ? given + rank : given;
  if (found < 0 || found >= rank)
    throw errors::InvalidArgumentError(fmt::format(fmt::runtime(out_of_range), rank));
  return static_cast<int>(found);
}

void unique_slices_shape(ShapeContext& context) {
  const Shape& x = context.input(0);
  context.set_output(0, x.has_rank() ? Shape::of_rank(x.rank()) : x);
  Shape indices{Shape::kUnknownDim};
  if (x.has_rank() && context.value(1) != nullptr && !context.running()) {
    const std::optional<int> axis =
        unique_axis(*context.value(1), x.rank(), ".", "axis expects to be in the range [-{0}, {0})");
    if (!axis && x.rank() != 1) ShapeContext::fail("x expects a 1D vector.");
    indices = Shape{x.dim(axis.value_or(0))};
  }
  context.set_output(1, indices);
  if (context.num_outputs() > 2) context.set_output(2, Shape{Shape::kUnknownDim});
}

template <bool kWithCounts>
void unique_slices(DynamicCall& call) {
  const Array& x = call.in(0);
  if (call.in(1).rank() != 1) throw errors::InvalidArgumentError("axis expects a 1D vector.");
  const std::optional<int> axis = unique_axis(call.in(1), x.rank(), "", "axis has to be between [0, {})");
  if (!axis || x.rank() == 1) return unique<kWithCounts>(call);
  find_unique(call, *axis, kWithCounts, "UniqueV2");
}

constexpr graph::OpRow kUniqueOps[] = {
    {.name = "Unique",
     .inputs = "x:T",
     .outputs = "y:T, idx:out_idx",
     .attrs = "T:type; out_idx:type=int32{indices}",
     .shape = unique_shape,
     .compute = unique<false>},
    {.name = "UniqueWithCounts",
     .inputs = "x:T",
     .outputs = "y:T, idx:out_idx, count:out_idx",
     .attrs = "T:type; out_idx:type=int32{indices}",
     .shape = unique_shape,
     .compute = unique<true>},
    {.name = "UniqueV2",
     .inputs = "x:T, axis:Taxis",
     .outputs = "y:T, idx:out_idx",
     .attrs = "T:type; Taxis:type=int64{indices}; out_idx:type=int32{indices}",
     .shape = unique_slices_shape,
     .compute = unique_slices<false>},
    {.name = "UniqueWithCountsV2",
     .inputs = "x:T, axis:Taxis",
     .outputs = "y:T, idx:out_idx, count:out_idx",
     .attrs = "T:type; Taxis:type=int64{indices}; out_idx:type=int32{indices}",
     .shape = unique_slices_shape,
     .compute = unique_slices<true>},
};

}  // namespace

void register_unique_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kUniqueOps) table.add(row);
}

}  // namespace flowray::ops
