// Softmax, LogSoftmax and the two cross entropies.

#include "graph/gradient_context.h"
#include "graph/shape_context.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/neural/register.h"
#include "ops/neural/softmax_rows.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::OpRow;
using graph::PrepareContext;
using graph::ShapeContext;

// ---- shapes

void softmax_shape(ShapeContext& context) {
  if (context.running() && context.input(0).rank() < 1) {
    ShapeContext::fail(fmt::format("logits must have >= 1 dimension, got {}", context.input(0).to_string()));
  }
  context.set_output(0, context.with_rank_at_least(0, 1));
}

/// Whether two shapes of full rank broadcast.
bool can_broadcast(const Shape& a, const Shape& b) {
  for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
    if (a.dim(-i) != b.dim(-i) && a.dim(-i) != 1 && b.dim(-i) != 1) return false;
  }
  return true;
}

void cross_entropy_shape(ShapeContext& context) {
  const Shape& logits = context.input(0);
  const Shape& labels = context.input(1);
  if (context.running() && !can_broadcast(logits, labels)) {
    ShapeContext::fail(fmt::format("logits and labels must be broadcastable: logits_size={} labels_size={}",
                                   logits.to_string(), labels.to_string()));
  }
  // Where only one rank is known to be 2 the other may yet be 1: TensorFlow then takes the two as equal.
  const bool one_known = logits.rank() == 2 && !labels.has_rank();
  const Shape both = one_known                                  ? logits
                     : labels.rank() == 2 && !logits.has_rank() ? labels
                                                                : graph::broadcast(logits, labels, false);
  if (!both.has_rank() && !logits.has_rank() && !labels.has_rank()) {
    context.set_output(0, Shape::of_rank(1));
    context.set_output(1, Shape::of_rank(2));
    return;
  }
  if (!both.has_rank()) ShapeContext::fail("Shape must be broadcasted with rank 2, but is rank is unknown.");
  if (both.rank() != 2) {
    ShapeContext::fail(
        context.running()
            ? "logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional"
            : fmt::format("Shape must be broadcasted with rank 2, but is rank {}", both.rank()));
  }
  context.set_output(0, Shape{both.dim(0)});
  context.set_output(1, both);
}

void check_running_sparse(const Shape& logits, const Shape& labels) {
  if (logits.rank() != 2) ShapeContext::fail("logits must be 2-D, but got shape " + logits.to_string());
  if (labels.rank() != 1) ShapeContext::fail("labels must be 1-D, but got shape " + labels.to_string());
  if (logits.dim(0) != labels.dim(0)) {
    ShapeContext::fail(fmt::format(
        "logits and labels must have the same first dimension, got logits shape {} and labels shape {}",
        logits.to_string(), labels.to_string()));
  }
  if (logits.dim(1) == 0 && logits.dim(0) > 0) {
    ShapeContext::fail("Must have at least one class, but got logits shape " + logits.to_string());
  }
}

void sparse_cross_entropy_shape(ShapeContext& context) {
  if (context.running()) check_running_sparse(context.input(0), context.input(1));
  Shape logits = context.with_rank(0, 2);
  const Shape labels = context.with_rank(1, 1);
  logits.set_dim(0, ShapeContext::merge_dim(logits.dim(0), labels.dim(0)));
  context.set_output(0, Shape{logits.dim(0)});
  context.set_output(1, logits);
}

// ---- kernels

constexpr int64_t kMinElementsPerWorker = 2 * 1024;  // about 8 us

/// body(first row, rows) for blocks of rows, on several threads where there is enough to do.
template <class Body>
void for_row_blocks(Parallel& parallel, int64_t rows, int64_t classes, Body body) {
  const auto piece = [&](int64_t begin, int64_t end, int) {
    const int64_t block = rows_in_block(classes);
    for (int64_t row = begin; row < end; row += block) body(row, std::min(block, end - row));
  };
  if (rows * classes < 2 * kMinElementsPerWorker) return piece(0, rows, 0);
  parallel.for_range(rows, std::max<int64_t>(1, kMinElementsPerWorker / classes), piece);
}

/// The rule by which output `output` of [rows, classes] is passed on in blocks of rows.
graph::PieceRule pieces_in_rows(const PrepareContext& context, int output, int64_t rows, int64_t classes) {
  return {.output = output,
          .elements = classes,
          .is_shared = rows * classes >= context.workers() * kMinElementsPerWorker};
}

void tell(const graph::PieceSink* sink, int64_t row, int64_t rows, int64_t classes) {
  if (sink != nullptr) (*sink)(row* classes, (row + rows) * classes);
}

/// A shape as rows of its last dimension.
struct Rows {
  int64_t rows = 1;
  int64_t classes = 1;

  explicit Rows(const Shape& shape) : classes(shape.dim(-1)) {
    // What the dimensions of an array without elements multiply to may not fit.
    const int64_t elements = shape.num_elements();
    rows = shape.rank() == 2 ? shape.dim(0) : elements == 0 ? 0 : elements / classes;
  }
};

template <template <class> class Loop>
std::unique_ptr<Kernel> prepare_softmax(PrepareContext& context) {
  Rows size(context.input_shape(0));
  if (size.classes == 0) size.rows = 0;
  return kernel_for_dtype<FloatTypes>(context, context.input_dtype(0), [&]<class T>() {
    const auto loop = compiled_loop<Loop<T>>();
    return graph::make_kernel(
        [loop, size](const KernelCall& call, const graph::PieceSink* sink) {
          for_row_blocks(call.parallel(), size.rows, size.classes, [&](int64_t row, int64_t rows) {
            const int64_t at = row * size.classes;
            loop(call.in<T>(0) + at, call.out<T>(0) + at, rows, size.classes);
            tell(sink, row, rows, size.classes);
          });
        },
        {.in_place = {{0, 0}}, .pieces = pieces_in_rows(context, 0, size.rows, size.classes)});
  });
}

/// `from`, of [rows or 1, classes or 1], written out in full.
template <class T>
void expand(const T* from, const Shape& shape, const Rows& size, T* to) {
  const int64_t row_step = shape.rank() == 2 && shape.dim(0) != 1 ? shape.dim(1) : 0;
  const int64_t class_step = shape.rank() > 0 && shape.dim(-1) != 1 ? 1 : 0;
  for (int64_t r = 0; r < size.rows; ++r) {
    for (int64_t c = 0; c < size.classes; ++c) *to++ = from[r * row_step + c * class_step];
  }
}

template <class T>
using CrossEntropyLoop = void (*)(const T*, const T*, T*, T*, int64_t, int64_t);

template <class T>
void run_cross_entropy(const KernelCall& call, const graph::PieceSink* sink, CrossEntropyLoop<T> loop,
                       const Rows& size, const T* logits, const T* labels) {
  for_row_blocks(call.parallel(), size.rows, size.classes, [&](int64_t row, int64_t rows) {
    const int64_t at = row * size.classes;
    loop(logits + at, labels + at, call.out<T>(0) + row, call.out<T>(1) + at, rows, size.classes);
    tell(sink, row, rows, size.classes);
  });
}

template <class T>
std::unique_ptr<Kernel> make_cross_entropy(const PrepareContext& context) {
  const Rows size(context.output_shape(1));
  const CrossEntropyLoop<T> loop = compiled_loop<CrossEntropyRows<T>>();
  const Shape logits_shape = context.input_shape(0);
  const Shape labels_shape = context.input_shape(1);
  const graph::PieceRule pieces = pieces_in_rows(context, 1, size.rows, size.classes);
  if (logits_shape == labels_shape) {
    return graph::make_kernel(
        [loop, size](const KernelCall& call, const graph::PieceSink* sink) {
          run_cross_entropy<T>(call, sink, loop, size, call.in<T>(0), call.in<T>(1));
        },
        {.pieces = pieces});
  }
  const int64_t elements = size.rows * size.classes;
  return graph::make_kernel(
      [=](const KernelCall& call, const graph::PieceSink* sink) {
        T* logits = call.workspace<T>();
        T* labels = logits + elements;
        expand(call.in<T>(0), logits_shape, size, logits);
        expand(call.in<T>(1), labels_shape, size, labels);
        run_cross_entropy<T>(call, sink, loop, size, logits, labels);
      },
      {.workspace_bytes = static_cast<size_t>(2 * elements) * sizeof(T), .pieces = pieces});
}

std::unique_ptr<Kernel> prepare_cross_entropy(PrepareContext& context) {
  return kernel_for_dtype<FloatTypes>(context, context.input_dtype(0),
                                      [&]<class T>() { return make_cross_entropy<T>(context); });
}

template <class Index>
void check_labels(const Index* labels, int64_t count, int64_t classes) {
  const auto [least, greatest] = std::minmax_element(labels, labels + count);
  if (count == 0 || (*least >= 0 && *greatest < classes)) return;
  throw errors::InvalidArgumentError(fmt::format(
      "Received a label value of {} which is outside the valid range of [0, {}).  Label values: {}",
      *least < 0 ? *least : *greatest, classes, fmt::join(labels, labels + count, " ")));
}

std::unique_ptr<Kernel> prepare_sparse_cross_entropy(PrepareContext& context) {
  const Rows size(context.input_shape(0));
  return kernel_for_dtype<FloatTypes>(context, context.input_dtype(0), [&]<class T>() {
    return kernel_for_dtype<IndexTypes>(context, context.input_dtype(1), [&]<class Index>() {
      const auto loop = compiled_loop<SparseCrossEntropyRows<T, Index>>();
      return graph::make_kernel(
          [loop, size](const KernelCall& call, const graph::PieceSink* sink) {
            check_labels(call.in<Index>(1), size.rows, size.classes);
            for_row_blocks(call.parallel(), size.rows, size.classes, [&](int64_t row, int64_t rows) {
              const int64_t at = row * size.classes;
              loop(call.in<T>(0) + at, call.in<Index>(1) + row, call.out<T>(0) + row, call.out<T>(1) + at,
                   rows, size.classes);
              tell(sink, row, rows, size.classes);
            });
          },
          {.pieces = pieces_in_rows(context, 1, size.rows, size.classes)});
    });
  });
}

// ---- gradients

std::vector<Endpoint> softmax_gradient(GradientContext& g) {
  const Endpoint product = g.op("Mul", {g.grad(), g.output(0)}, {}, "mul");
  const Endpoint sum = python_sum_last_axis(g, product);
  const Endpoint difference = g.op("Sub", {g.grad(), sum}, {}, "sub");
  return {g.op("Mul", {difference, g.output(0)}, {}, "mul")};
}

std::vector<Endpoint> log_softmax_gradient(GradientContext& g) {
  const Endpoint softmax = g.op("Exp", {g.output(0)});
  const Endpoint sum = python_sum_last_axis(g, g.grad());
  const Endpoint product = g.op("Mul", {sum, softmax}, {}, "mul");
  return {g.op("Sub", {g.grad(), product}, {}, "sub")};
}

/// A vector times each row of a matrix.
Endpoint times_rows(GradientContext& g, Endpoint vector, Endpoint matrix) {
  return g.op("Mul", {python_expand_dims(g, vector, -1), matrix}, {}, "mul");
}

/// Zeros that tf::gradients made for an output that nothing depends on.
bool is_zeros(Endpoint endpoint) { return !endpoint || endpoint.node->op() == "ZerosLike"; }

/// The gradient of the logits for both cross entropies: of the loss, and, where something depends on it,
/// of backprop.
Endpoint logits_gradient(GradientContext& g) {
  const Endpoint of_loss = times_rows(g, g.grad(0), g.output(1));
  const Endpoint grad = g.grad(1);
  if (is_zeros(grad)) return of_loss;
  const Endpoint softmax = g.op("Softmax", {g.input(0)});
  const Endpoint row = python_expand_dims(g, grad, 1);
  const Endpoint column = python_expand_dims(g, softmax, 2);
  const Endpoint product = g.op("BatchMatMulV2", {row, column}, {}, "MatMul");
  const Endpoint squeezed = g.op("Squeeze", {product}, {{"squeeze_dims", std::vector<int64_t>{1}}});
  const Endpoint difference = g.op("Sub", {grad, squeezed}, {}, "sub");
  const Endpoint of_backprop = g.op("Mul", {difference, softmax}, {}, "mul");
  return g.op("AddV2", {of_loss, of_backprop}, {}, "add");
}

std::vector<Endpoint> cross_entropy_gradient(GradientContext& g) {
  const Endpoint of_logits = logits_gradient(g);
  const Endpoint log_softmax = g.op("LogSoftmax", {g.input(0)});
  const Endpoint negative = g.op("Neg", {log_softmax});
  return {of_logits, times_rows(g, g.grad(0), negative)};
}

std::vector<Endpoint> sparse_cross_entropy_gradient(GradientContext& g) { return {logits_gradient(g), {}}; }

constexpr OpRow kSoftmaxOps[] = {
    {.name = "Softmax",
     .inputs = "logits:T",
     .outputs = "softmax:T",
     .attrs = "T:type{floats}",
     .shape = softmax_shape,
     .gradient = softmax_gradient,
     .prepare = prepare_softmax<SoftmaxRows>},
    {.name = "LogSoftmax",
     .inputs = "logits:T",
     .outputs = "logsoftmax:T",
     .attrs = "T:type{floats}",
     .shape = softmax_shape,
     .gradient = log_softmax_gradient,
     .prepare = prepare_softmax<LogSoftmaxRows>},
    {.name = "SoftmaxCrossEntropyWithLogits",
     .inputs = "features:T, labels:T",
     .outputs = "loss:T, backprop:T",
     .attrs = "T:type{floats}",
     .shape = cross_entropy_shape,
     .gradient = cross_entropy_gradient,
     .prepare = prepare_cross_entropy},
    {.name = "SparseSoftmaxCrossEntropyWithLogits",
     .inputs = "features:T, labels:Tlabels",
     .outputs = "loss:T, backprop:T",
     .attrs = "T:type{floats}; Tlabels:type=int64{indices}",
     .shape = sparse_cross_entropy_shape,
     .gradient = sparse_cross_entropy_gradient,
     .prepare = prepare_sparse_cross_entropy},
};

}  // namespace

void register_softmax_ops(graph::OpTable& table) {
  for (const OpRow& row : kSoftmaxOps) table.add(row);
}

}  // namespace flowray::ops
