// MatMul, BatchMatMul, BatchMatMulV2 and V3: products of matrices, one or many at once.

#include "core/wrapping.h"
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/shape_context.h"
#include "ops/elements/element_types.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/loops/gemm.h"
#include "ops/matrix/batch_shape.h"
#include "ops/matrix/register.h"
#include "ops/python_nodes/python_math_nodes.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>

namespace flowray::ops {
namespace {

using graph::Attrs;
using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

/// Whether the two inputs are to be transposed.
struct Transposes {
  bool a;
  bool b;
};

Transposes matmul_transposes(const Attrs& attrs) {
  return {attrs.get<bool>("transpose_a"), attrs.get<bool>("transpose_b")};
}
Transposes batch_transposes(const Attrs& attrs) {
  return {attrs.get<bool>("adj_x"), attrs.get<bool>("adj_y")};
}

// ---- shapes

[[noreturn]] void fail_sizes(const Shape& a, const Shape& b) {
  ShapeContext::fail(
      fmt::format("Matrix size-incompatible: In[0]: {}, In[1]: {}", a.to_string(), b.to_string()));
}

/// op(A)'s columns and op(B)'s rows. `a` and `b` have at least rank 2.
bool inner_sizes_differ(const Shape& a, const Shape& b, Transposes transposes) {
  return a.dim(transposes.a ? -2 : -1) != b.dim(transposes.b ? -1 : -2);
}

void check_running_matmul(const ShapeContext& context) {
  const Shape& a = context.input(0);
  const Shape& b = context.input(1);
  if (a.rank() != b.rank()) {
    ShapeContext::fail(
        fmt::format("In[0] and In[1] has different ndims: {} vs. {}", a.to_string(), b.to_string()));
  }
  if (a.rank() != 2) ShapeContext::fail(fmt::format("In[0] and In[1] ndims must be == 2: {}", a.rank()));
  if (inner_sizes_differ(a, b, matmul_transposes(context.attrs()))) fail_sizes(a, b);
}

void matmul_shape(ShapeContext& context) {
  if (context.running()) check_running_matmul(context);
  const Shape a = context.with_rank(0, 2);
  const Shape b = context.with_rank(1, 2);
  const Transposes transposes = matmul_transposes(context.attrs());
  ShapeContext::merge_dim(a.dim(transposes.a ? 0 : 1), b.dim(transposes.b ? 1 : 0));
  context.set_output(0, Shape{a.dim(transposes.a ? 1 : 0), b.dim(transposes.b ? 0 : 1)});
}

bool can_broadcast(const Shape& a, const Shape& b) {
  for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
    if (a.dim(-i) != b.dim(-i) && a.dim(-i) != 1 && b.dim(-i) != 1) return false;
  }
  return true;
}

void check_running_batch_matmul(const ShapeContext& context) {
  const Shape& a = context.input(0);
  const Shape& b = context.input(1);
  if (a.rank() < 2) ShapeContext::fail(fmt::format("In[0] ndims must be >= 2: {}", a.rank()));
  if (b.rank() < 2) ShapeContext::fail(fmt::format("In[1] ndims must be >= 2: {}", b.rank()));
  if (!can_broadcast(batch_of(a), batch_of(b))) {
    ShapeContext::fail(fmt::format("In[0] and In[1] must have compatible batch dimensions: {} vs. {}",
                                   a.to_string(), b.to_string()));
  }
  if (inner_sizes_differ(a, b, batch_transposes(context.attrs()))) fail_sizes(a, b);
}

/// The first BatchMatMul does not broadcast.
void check_same_batches(const ShapeContext& context) {
  const Shape& a = context.input(0);
  const Shape& b = context.input(1);
  if (!a.has_rank() || !b.has_rank() || a.rank() < 2 || b.rank() < 2) return;
  if (a.rank() == b.rank() && batch_of(a).is_compatible_with(batch_of(b))) return;
  if (context.running() && a.rank() != b.rank()) {
    ShapeContext::fail(
        fmt::format("In[0] and In[1] has different ndims: {} vs. {}", a.to_string(), b.to_string()));
  }
  for (int i = 0; context.running() && i < a.rank() - 2; ++i) {
    if (a.dim(i) == b.dim(i)) continue;
    ShapeContext::fail(fmt::format("In[0].dim({0}) and In[1].dim({0}) must be the same: {1} vs {2}", i,
                                   a.to_string(), b.to_string()));
  }
  ShapeContext::fail(fmt::format("In[0] and In[1] must have compatible batch dimensions: {} vs. {}",
                                 a.to_string(), b.to_string()));
}

void batch_matmul_shape(ShapeContext& context) {
  if (context.schema().name == "BatchMatMul") check_same_batches(context);
  if (context.running()) check_running_batch_matmul(context);
  const Shape a = context.with_rank_at_least(0, 2);
  const Shape b = context.with_rank_at_least(1, 2);
  const Transposes transposes = batch_transposes(context.attrs());
  const auto dim = [](const Shape& shape, bool last) {
    return shape.has_rank() ? shape.dim(last ? -1 : -2) : -1;
  };
  ShapeContext::merge_dim(dim(a, !transposes.a), dim(b, transposes.b));
  const Shape batch = graph::broadcast(batch_of(a), batch_of(b), context.running());
  context.set_output(0, batch.concatenate(Shape{dim(a, transposes.a), dim(b, !transposes.b)}));
}

// ---- kernels

/// The product of the last two dimensions of `a` and `b`.
GemmShape gemm_shape(const Shape& a, const Shape& b, Transposes transposes) {
  return {.m = a.dim(transposes.a ? -1 : -2),
          .n = b.dim(transposes.b ? -2 : -1),
          .k = a.dim(transposes.a ? -2 : -1),
          .transpose_a = transposes.a,
          .transpose_b = transposes.b};
}

template <class T>
std::unique_ptr<Kernel> make_matmul(const GemmShape& shape, int workers) {
  const Gemm<T> gemm(shape);
  return graph::make_kernel(
      [gemm](const KernelCall& call, const graph::PieceSink* sink) {
        gemm.run(call.in<T>(0), call.in<T>(1), nullptr, call.out<T>(0), call.workspace<void>(),
                 call.parallel(), sink);
      },
      {.workspace_bytes = gemm.workspace_bytes(workers),
       .pieces = {.elements = gemm.piece_elements(workers), .is_shared = gemm.is_shared(workers)}});
}

/// Which matrix of an input belongs to each matrix of the output, when the batch dimensions broadcast. A
/// formula, not a list: there may be any number of matrices without elements.
class BatchIndex {
 public:
  BatchIndex(Shape input, Shape output)
      : input_(std::move(input)),
        output_(std::move(output)),
        is_same_(input_ == output_),
        is_one_(input_.num_elements() == 1) {}

  int64_t count() const { return output_.num_elements(); }
  int64_t operator[](int64_t i) const { return is_same_ ? i : is_one_ ? 0 : broadcast(i); }

 private:
  int64_t broadcast(int64_t i) const {
    int64_t index = 0;
    int64_t stride = 1;
    for (int d = 1; d <= input_.rank(); ++d) {
      if (input_.dim(-d) != 1) index += i % output_.dim(-d) * stride;
      stride *= input_.dim(-d);
      i /= output_.dim(-d);
    }
    return index;
  }

  Shape input_;
  Shape output_;
  bool is_same_;
  bool is_one_;
};

/// Products of element types that Gemm has no loops for: small floats are added up as float.
template <class T>
struct PlainProduct {
  GemmShape shape;
  bool conjugate_a;
  bool conjugate_b;

  static Wide<T> factor(T x, bool conjugate) {
    if constexpr (kIsComplex<T>) return conjugate ? std::conj(x) : x;
    return static_cast<Wide<T>>(x);
  }

  void run_rows(const T* a, const T* b, T* c, int64_t begin, int64_t end) const {
    const int64_t a_row = shape.transpose_a ? 1 : shape.k;
    const int64_t a_step = shape.transpose_a ? shape.m : 1;
    const int64_t b_column = shape.transpose_b ? shape.k : 1;
    const int64_t b_step = shape.transpose_b ? 1 : shape.n;
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t j = 0; j < shape.n; ++j) {
        Wide<T> sum(0);
        for (int64_t k = 0; k < shape.k; ++k) {
          const Wide<T> product = wrapping_multiply(factor(a[i * a_row + k * a_step], conjugate_a),
                                                    factor(b[j * b_column + k * b_step], conjugate_b));
          sum = wrapping_add(sum, product);
        }
        c[i * shape.n + j] = static_cast<T>(sum);
      }
    }
  }
};

using PlainTypes = TypeList<float16, bfloat16, std::complex<float>, std::complex<double>, int8_t, uint8_t,
                            int16_t, uint16_t, uint32_t, uint64_t>;

/// `a_of` and `b_of`: which matrix of the inputs belongs to each matrix of the output. With `adjoint`, what
/// is transposed is conjugated, too.
std::unique_ptr<Kernel> plain_products(PrepareContext& context, const GemmShape& shape, bool adjoint,
                                       const BatchIndex& a_of, const BatchIndex& b_of) {
  return kernel_for_dtype<PlainTypes>(context, context.input_dtype(0), [&]<class T>() {
    const PlainProduct<T> product{shape, adjoint && shape.transpose_a, adjoint && shape.transpose_b};
    const int64_t count = a_of.count();
    return graph::make_kernel([product, a_of, b_of, count](const KernelCall& call) {
      const GemmShape& size = product.shape;
      constexpr int64_t kMinMultiplications = 16 * 1024;
      const int64_t min_rows = 1 + kMinMultiplications / std::max<int64_t>(1, size.n * size.k);
      for (int64_t i = 0; i < count && size.m * size.n > 0; ++i) {
        const T* const a = call.in<T>(0) + a_of[i] * size.m * size.k;
        const T* const b = call.in<T>(1) + b_of[i] * size.k * size.n;
        T* const c = call.out<T>(0) + i * size.m * size.n;
        call.parallel().for_range(size.m, min_rows, [&](int64_t begin, int64_t end, int) {
          product.run_rows(a, b, c, begin, end);
        });
      }
    });
  });
}

bool has_gemm(DType dtype) {
  return dispatch<NumberTypes>(dtype, []<class T>() {});
}

std::unique_ptr<Kernel> prepare_matmul(PrepareContext& context) {
  const GemmShape shape =
      gemm_shape(context.input_shape(0), context.input_shape(1), matmul_transposes(context.attrs()));
  if (!has_gemm(context.input_dtype(0)))
    return plain_products(context, shape, /*adjoint=*/false, {Shape(), Shape()}, {Shape(), Shape()});
  return kernel_for_dtype<NumberTypes>(context, context.input_dtype(0),
                                       [&]<class T>() { return make_matmul<T>(shape, context.workers()); });
}

/// Products of many matrices; a worker does whole products where there are enough of them for all.
template <class T>
class BatchMatMul final : public Kernel {
 public:
  BatchMatMul(const GemmShape& shape, BatchIndex a_of, BatchIndex b_of, int workers)
      : shape_(shape),
        gemm_(shape),
        a_of_(std::move(a_of)),
        b_of_(std::move(b_of)),
        count_(shape.m == 0 || shape.n == 0 ? 0 : a_of_.count()) {
    const size_t alone = gemm_.workspace_bytes(1);
    share_bytes_ = (alone + 63) / 64 * 64;
    workspace_bytes_ = std::max(gemm_.workspace_bytes(workers), share_bytes_ * static_cast<size_t>(workers));
    pieces_.elements = gemm_.piece_elements(count_ < workers ? workers : 1);
    pieces_.is_shared =
        count_ < workers ? gemm_.is_shared(workers) : count_ >= workers * products_per_worker();
  }

  void run(const KernelCall& call) const override { multiply_all(call, nullptr); }
  void run_in_pieces(const KernelCall& call, const graph::PieceSink& sink) const override {
    multiply_all(call, &sink);
  }

 private:
  static constexpr int64_t kMinMultiplicationsPerWorker = 128 * 1024;

  int64_t products_per_worker() const {
    const double work = static_cast<double>(shape_.m) * static_cast<double>(shape_.n) *
                        static_cast<double>(shape_.k);  // which may not fit
    return std::max<int64_t>(1, static_cast<int64_t>(kMinMultiplicationsPerWorker / std::max(1.0, work)));
  }

  void multiply_all(const KernelCall& call, const graph::PieceSink* sink) const {
    Parallel& parallel = call.parallel();
    if (count_ < parallel.workers()) {
      for (int64_t i = 0; i < count_; ++i) multiply(call, sink, i, call.workspace<char>(), parallel);
      return;
    }
    parallel.for_range(count_, products_per_worker(), [&](int64_t begin, int64_t end, int worker) {
      Serial alone;
      char* workspace = call.workspace<char>() + share_bytes_ * static_cast<size_t>(worker);
      for (int64_t i = begin; i < end; ++i) multiply(call, sink, i, workspace, alone);
    });
  }

  void multiply(const KernelCall& call, const graph::PieceSink* sink, int64_t i, void* workspace,
                Parallel& parallel) const {
    const int64_t first = i * shape_.m * shape_.n;
    const auto tell = [&](int64_t begin, int64_t end) { (*sink)(first + begin, first + end); };
    const FinishedElements finished(tell);
    gemm_.run(call.in<T>(0) + a_of_[i] * shape_.m * shape_.k, call.in<T>(1) + b_of_[i] * shape_.k * shape_.n,
              nullptr, call.out<T>(0) + first, workspace, parallel, sink == nullptr ? nullptr : &finished);
  }

  GemmShape shape_;
  Gemm<T> gemm_;
  BatchIndex a_of_;
  BatchIndex b_of_;
  int64_t count_;  // of products with elements
  size_t share_bytes_;
};

std::unique_ptr<Kernel> prepare_batch_matmul(PrepareContext& context) {
  const Shape& a = context.input_shape(0);
  const Shape& b = context.input_shape(1);
  const Shape batch = batch_of(context.output_shape(0));
  const GemmShape shape = gemm_shape(a, b, batch_transposes(context.attrs()));
  const bool one_type =
      context.input_dtype(0) == context.input_dtype(1) && context.input_dtype(0) == context.output_dtype(0);
  if (!one_type) context.no_kernel_for(context.output_dtype(0));
  if (!has_gemm(context.input_dtype(0))) {
    return plain_products(context, shape, /*adjoint=*/true, {batch_of(a), batch}, {batch_of(b), batch});
  }
  return kernel_for_dtype<NumberTypes>(
      context, context.input_dtype(0), [&]<class T>() -> std::unique_ptr<Kernel> {
        if (batch.num_elements() == 1) return make_matmul<T>(shape, context.workers());
        return std::make_unique<BatchMatMul<T>>(shape, BatchIndex(batch_of(a), batch),
                                                BatchIndex(batch_of(b), batch), context.workers());
      });
}

// ---- gradients

/// The two products that are the gradients of a product, by the operands on each side.
struct Factors {
  Endpoint left;
  Endpoint right;
  Transposes transposes;
};

Factors gradient_of_a(Transposes t, Endpoint b, Endpoint grad) {
  if (t.a) return {b, grad, {t.b, true}};
  return {grad, b, {false, !t.b}};
}

Factors gradient_of_b(Transposes t, Endpoint a, Endpoint grad) {
  if (t.b) return {grad, a, {true, t.a}};
  return {a, grad, {!t.a, false}};
}

std::vector<Endpoint> matmul_gradient(GradientContext& g) {
  const Transposes transposes = matmul_transposes(g.attrs());
  const Endpoint a = python_conjugate(g, g.input(0));
  const Endpoint b = python_conjugate(g, g.input(1));
  const auto product = [&](const Factors& factors, const char* which) {
    return g.op(
        "MatMul", {factors.left, factors.right},
        {{"transpose_a", factors.transposes.a}, {"transpose_b", factors.transposes.b}, {which, true}});
  };
  const Endpoint of_a = product(gradient_of_a(transposes, b, g.grad()), "grad_a");
  const Endpoint of_b = product(gradient_of_b(transposes, a, g.grad()), "grad_b");
  return {of_a, of_b};
}

bool batches_known_equal(const Shape& x, const Shape& y) {
  if (!x.has_rank() || !y.has_rank()) return false;
  const Shape batch = batch_of(x);
  return batch.is_fully_defined() && batch == batch_of(y);
}

/// math_ops.matmul with adjoints; `marked`: it says of itself that it is a gradient.
Endpoint adjoint_product(GradientContext& g, const Factors& factors, bool of_x, bool marked) {
  const bool matrices = factors.left.shape().rank() == 2 && factors.right.shape().rank() == 2;
  const auto [left, right] = factors.transposes;
  if (matrices) {
    const Endpoint a = left ? python_conjugate(g, factors.left) : factors.left;
    const Endpoint b = right ? python_conjugate(g, factors.right) : factors.right;
    return g.op("MatMul", {a, b},
                {{"transpose_a", left}, {"transpose_b", right}, {of_x ? "grad_a" : "grad_b", marked}});
  }
  return g.op("BatchMatMulV2", {factors.left, factors.right},
              {{"adj_x", left}, {"adj_y", right}, {of_x ? "grad_x" : "grad_y", marked}}, "MatMul");
}

std::vector<Endpoint> same_batches_gradient(GradientContext& g) {
  const Transposes transposes = batch_transposes(g.attrs());
  const Endpoint of_x = adjoint_product(g, gradient_of_a(transposes, g.input(1), g.grad()), true, false);
  return {of_x, adjoint_product(g, gradient_of_b(transposes, g.input(0), g.grad()), false, false)};
}

std::vector<Endpoint> batch_matmul_gradient(GradientContext& g) {
  const Transposes transposes = batch_transposes(g.attrs());
  const Endpoint x = g.input(0);
  const Endpoint y = g.input(1);
  const Endpoint of_x = adjoint_product(g, gradient_of_a(transposes, y, g.grad()), true, true);
  const Endpoint of_y = adjoint_product(g, gradient_of_b(transposes, x, g.grad()), false, true);
  const bool batches = x.shape().rank() != 2 || y.shape().rank() != 2;
  if (!batches || batches_known_equal(x.shape(), y.shape())) return {of_x, of_y};

  constexpr int32_t kBatchEnd = -2;
  const Endpoint shape_x = python_shape(g, x);
  const Endpoint shape_y = python_shape(g, y);
  const Endpoint batch_x = python_slice(g, shape_x, nullptr, &kBatchEnd);
  const Endpoint batch_y = python_slice(g, shape_y, nullptr, &kBatchEnd);
  graph::Node* axes = g.Builder::node("BroadcastGradientArgs", {batch_x, batch_y});
  const auto reduce = [&](Endpoint grad, int which, Endpoint shape) {
    return g.op("Reshape", {g.op("Sum", {grad, axes->output(which)}), shape});
  };
  const Endpoint reduced_x = reduce(of_x, 0, shape_x);
  const Endpoint reduced_y = reduce(of_y, 1, shape_y);
  return {reduced_x, reduced_y};
}

constexpr graph::OpRow kMatmulOps[] = {
    {.name = "MatMul",
     .inputs = "a:T, b:T",
     .outputs = "product:T",
     .attrs = "transpose_a:bool=false; transpose_b:bool=false; "
              "T:type{[bfloat16,float16,float32,float64,int32,int64,uint8,uint16,uint32,uint64,complex64,"
              "complex128]}; grad_a:bool=false; grad_b:bool=false",
     .shape = matmul_shape,
     .gradient = matmul_gradient,
     .prepare = prepare_matmul},
    {.name = "BatchMatMul",
     .inputs = "x:T, y:T",
     .outputs = "output:T",
     .attrs = "T:type{wide_numbers}; adj_x:bool=false; "
              "adj_y:bool=false; grad_x:bool=false; grad_y:bool=false",
     .shape = batch_matmul_shape,
     .gradient = same_batches_gradient,
     .prepare = prepare_batch_matmul},
    {.name = "BatchMatMulV3",
     .inputs = "x:Ta, y:Tb",
     .outputs = "output:Tout",
     .attrs =
         "Ta:type{[bfloat16,float16,float32,float64,uint8,int8,int16,int32,int64,complex64,complex128]}; "
         "Tb:type{[bfloat16,float16,float32,float64,uint8,int8,int16,int32,int64,complex64,complex128]}; "
         "Tout:type{[bfloat16,float16,float32,float64,int16,int32,int64,complex64,complex128]}; "
         "adj_x:bool=false; adj_y:bool=false; grad_x:bool=false; grad_y:bool=false",
     .shape = batch_matmul_shape,
     .gradient = batch_matmul_gradient,
     .prepare = prepare_batch_matmul},
    {.name = "BatchMatMulV2",
     .inputs = "x:T, y:T",
     .outputs = "output:T",
     .attrs =
         "T:type{[bfloat16,float16,float32,float64,int16,int32,int64,uint8,uint16,uint32,uint64,complex64,"
         "complex128]}; adj_x:bool=false; adj_y:bool=false; grad_x:bool=false; grad_y:bool=false",
     .shape = batch_matmul_shape,
     .gradient = batch_matmul_gradient,
     .prepare = prepare_batch_matmul},
};

}  // namespace

void register_matmul_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kMatmulOps) table.add(row);
}

}  // namespace flowray::ops
