// ArgMax and ArgMin: where along an axis the greatest or least element is.

#include "graph/gradient_context.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/elementwise_kernels.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/elements/shape_parts.h"
#include "ops/reduce/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace flowray::ops {

using graph::Kernel;
using graph::KernelCall;
using graph::OpTable;
using graph::PrepareContext;
using graph::ShapeContext;

namespace {

// ---- shapes

[[noreturn]] void fail_of_argmax(bool running, int64_t axis, int rank) {
  if (running) {
    ShapeContext::fail(
        fmt::format("Expected dimension in the range [{}, {}), but got {}", -rank, rank, axis));
  }
  ShapeContext::fail(fmt::format(
      "Dimension ({0}) must be in the range [{1}, {2}), where {2} is the number of dimensions in the input.",
      axis, -rank, rank));
}

void check_axis_is_scalar(const ShapeContext& context) {
  const Shape& axis = context.input(1);
  if (context.running() && axis.rank() != 0) {
    ShapeContext::fail(
        fmt::format("dim must be a scalar, but received tensor of shape: {}", axis.to_string()));
  }
  context.with_rank(1, 0);
}

/// While a graph is built TensorFlow asks nothing of scalars and vectors: their result is a scalar.
void arg_shape(ShapeContext& context) {
  check_axis_is_scalar(context);
  const Shape& input = context.input(0);
  if (!input.has_rank()) return;
  if (!context.running() && input.rank() <= 1) return context.set_output(0, Shape());
  if (!context.running() && context.value(1) == nullptr)
    return context.set_output(0, Shape::of_rank(input.rank() - 1));

  const int64_t axis = context.integers(1)[0];
  const int rank = input.rank();
  if (axis < -rank || axis >= rank) fail_of_argmax(context.running(), axis, rank);
  const auto dim = static_cast<int>(axis < 0 ? axis + rank : axis);
  if (context.running() && input.dim(dim) == 0) {
    ShapeContext::fail(fmt::format("Reduction axis {} is empty in shape {}", axis, input.to_string()));
  }
  Shape output;
  for (int i = 0; i < rank; ++i) {
    if (i != dim) output.push_back(input.dim(i));
  }
  context.set_output(0, output);
}

// ---- kernels

struct Greatest {
  template <class T>
  static bool better(T a, T b) {
    return a > b;
  }
  template <class T>
  static constexpr T worst() {
    return std::numeric_limits<T>::lowest();
  }
};

struct Least {
  template <class T>
  static bool better(T a, T b) {
    return a < b;
  }
  template <class T>
  static constexpr T worst() {
    return std::numeric_limits<T>::max();
  }
};

/// The first best one of `length` elements. As in TensorFlow the search starts from the worst finite value at
/// index 0: a NaN is never chosen, nor is anything that is not better than that value.
template <class Order, class T>
int64_t first_best(const T* x, int64_t length) {
  T best = Order::template worst<T>();
  int64_t index = 0;
  for (int64_t i = 0; i < length; ++i) {
    if (Order::better(x[i], best)) {
      best = x[i];
      index = i;
    }
  }
  return index;
}

/// The same for `width` columns at a time of a matrix whose rows are `stride` apart.
template <class Order, class T, class Index>
void first_best_of_columns(const T* x, int64_t length, int64_t stride, int64_t width, Index* out) {
  constexpr int64_t kTile = 64;
  T best[kTile];
  for (int64_t from = 0; from < width; from += kTile) {
    const int64_t columns = std::min(kTile, width - from);
    std::fill_n(best, columns, Order::template worst<T>());
    std::fill_n(out + from, columns, Index(0));
    for (int64_t i = 0; i < length; ++i) {
      const T* row = x + i * stride + from;
      for (int64_t j = 0; j < columns; ++j) {
        const bool better = Order::better(row[j], best[j]);
        best[j] = better ? row[j] : best[j];
        out[from + j] = better ? static_cast<Index>(i) : out[from + j];
      }
    }
  }
}

/// The input as [outer, length, inner], of which the middle dimension is searched.
struct Search {
  int64_t outer = 1;
  int64_t length = 1;
  int64_t inner = 1;
  int64_t rows = 1;  // elements of one of `outer`
};

Search search_of(const PrepareContext& context) {
  const Shape& shape = context.input_shape(0);
  const int64_t axis = context.integers(1)[0];
  const auto dim = static_cast<int>(axis < 0 ? axis + shape.rank() : axis);
  Search search;
  search.outer = elements_between(shape, 0, dim);
  search.length = shape.dim(dim);
  search.inner = elements_between(shape, dim + 1, shape.rank());
  search.rows = elements_between(shape, dim, shape.rank());
  return search;
}

constexpr int64_t kComparedPerWorker = 16384;

template <class Order, class T, class Index>
std::unique_ptr<Kernel> search_kernel(const Search& search) {
  return graph::make_kernel([search](const KernelCall& call) {
    const T* x = call.in<T>(0);
    Index* out = call.out<Index>(0);
    const int64_t rows = search.rows;
    if (rows == 0) return;
    for_elements(call.parallel(), search.outer, std::max<int64_t>(1, kComparedPerWorker / rows),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t r = begin; r < end; ++r) {
                     if (search.inner == 1) {
                       out[r] = static_cast<Index>(first_best<Order>(x + r * rows, search.length));
                     } else {
                       first_best_of_columns<Order>(x + r * rows, search.length, search.inner, search.inner,
                                                    out + r * search.inner);
                     }
                   }
                 });
  });
}

template <class Order, class T>
std::unique_ptr<Kernel> search_kernel_for(PrepareContext& context) {
  using Indices = TypeList<int64_t, int32_t, int16_t, uint16_t>;
  return kernel_for_dtype<Indices>(context, context.output_dtype(0), [&]<class Index>() {
    return search_kernel<Order, T, Index>(search_of(context));
  });
}

template <class Order>
std::unique_ptr<Kernel> prepare_search(PrepareContext& context) {
  const DType dtype = context.input_dtype(0);
  if (dtype == DType::kBool) return search_kernel_for<Order, uint8_t>(context);
  using Types = TypeList<float, double, int32_t, int64_t, uint64_t>;
  return kernel_for_dtype<Types>(context, dtype,
                                 [&]<class T>() { return search_kernel_for<Order, T>(context); });
}

std::vector<graph::Endpoint> no_gradients(graph::GradientContext&) { return {{}, {}}; }

constexpr graph::OpRow kArgmaxOps[] = {
    {.name = "ArgMax",
     .inputs = "input:T, dimension:Tidx",
     .outputs = "output:output_type",
     .attrs = "T:type{[float32,float64,int32,uint8,int16,int8,int64,bfloat16,uint16,float16,uint32,uint64,"
              "qint8,quint8,qint32,qint16,quint16,bool]}; Tidx:type=int32{indices_and_int16}; "
              "output_type:type=int64{[int16,uint16,int32,int64]}",
     .shape = arg_shape,
     .gradient = no_gradients,
     .prepare = prepare_search<Greatest>},
    {.name = "ArgMin",
     .inputs = "input:T, dimension:Tidx",
     .outputs = "output:output_type",
     .attrs =
         "T:type{[float32,float64,int32,uint8,int16,int8,int64,bfloat16,uint16,float16,uint32,uint64,qint8,"
         "quint8,qint32,qint16,quint16,bool]}; Tidx:type=int32{indices}; output_type:type=int64{indices}",
     .shape = arg_shape,
     .gradient = no_gradients,
     .prepare = prepare_search<Least>},
};

}  // namespace

void register_argmax_ops(OpTable& table) {
  for (const graph::OpRow& row : kArgmaxOps) table.add(row);
}

}  // namespace flowray::ops
