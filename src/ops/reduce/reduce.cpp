// Reductions over axes: Sum, Mean, Prod, Max, Min, All, Any.

#include "graph/op_schema.h"
#include "ops/elements/element_words.h"
#include "ops/elements/elementwise_kernels.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/reduce/reduce_axes.h"
#include "ops/reduce/reduce_gradients.h"
#include "ops/reduce/reduce_loops.h"
#include "ops/reduce/reduce_plan.h"
#include "ops/reduce/register.h"

#include <algorithm>
#include <complex>
#include <cstring>

namespace flowray::ops {

using graph::Kernel;
using graph::KernelCall;
using graph::OpTable;
using graph::PrepareContext;

namespace {

constexpr int64_t kElementsPerWorker = 32768;
constexpr int64_t kColumns = 2048;  // at most so many are one unit of work

int64_t tiles_of(const ReducePass& pass) { return (pass.inner + kColumns - 1) / kColumns; }

int64_t units_per_worker(const ReducePass& pass) {
  const int64_t unit_elements =
      std::max<int64_t>(1, pass.reduced / pass.chunks * std::min(pass.inner, kColumns));
  return std::max<int64_t>(1, kElementsPerWorker / unit_elements);
}

template <class Way, class In, class Sum, class Elements>
void run_unit(const Reducer<Way, In, Sum>& reducer, const ReducePass& pass, const Elements& elements,
              int64_t unit, Sum* out) {
  const int64_t tiles = tiles_of(pass);
  const int64_t column = unit % tiles * kColumns;
  const int64_t row = unit / tiles;
  const int64_t chunk = row % pass.chunks;
  const int64_t first = chunk * pass.reduced / pass.chunks;
  const int64_t rows = (chunk + 1) * pass.reduced / pass.chunks - first;
  const int64_t from = (row / pass.chunks * pass.reduced + first) * pass.inner + column;
  Sum* to = out + row * pass.inner + column;
  if (pass.inner == 1) {
    reducer.rows(elements, from, 1, rows, to);
  } else {
    reducer.columns(elements, from, rows, pass.inner, std::min(kColumns, pass.inner - column), to);
  }
}

/// Calls body(elements) with what a thread reads: `in`, or what the source makes of it.
template <class In, class Body>
void with_elements(const In* in, const graph::ElementSource* source, Body body) {
  if (source == nullptr) return body(StoredElements<In>{in});
  body(SourcedElements<In>(*source));
}

/// Runs one pass; units of work are chunks of rows, cut across into at most kColumns columns.
template <class Way, class In, class Sum>
void run_pass(const Reducer<Way, In, Sum>& reducer, const ReducePass& pass, const In* in,
              const graph::ElementSource* source, Sum* out, Parallel& parallel) {
  if (pass.inner == 1 && pass.chunks == 1) {
    for_elements(parallel, pass.outer, std::max<int64_t>(1, kElementsPerWorker / pass.reduced),
                 [&](int64_t begin, int64_t end) {
                   with_elements(in, source, [&](const auto& elements) {
                     reducer.rows(elements, begin * pass.reduced, end - begin, pass.reduced, out + begin);
                   });
                 });
    return;
  }
  const int64_t tiles = tiles_of(pass);
  for_elements(parallel, pass.outer * pass.chunks * tiles, units_per_worker(pass),
               [&](int64_t begin, int64_t end) {
                 with_elements(in, source, [&](const auto& elements) {
                   for (int64_t unit = begin; unit < end; ++unit)
                     run_unit(reducer, pass, elements, unit, out);
                 });
               });
}

/// The passes of a plan, the last one into `out`, the others into two halves of the workspace in turn.
template <class Way, class T, class Sum>
struct Passes {
  using RowLoop = void (*)(const T*, int64_t, int64_t, Sum*);
  ReducePlan plan;
  Reducer<Way, T, Sum> first;
  Reducer<Way, Sum, Sum> later;
  int64_t half = 0;  // elements

  explicit Passes(ReducePlan reduce_plan) : plan(std::move(reduce_plan)) {
    for (size_t i = 0; i + 1 < plan.passes.size(); ++i) half = std::max(half, plan.passes[i].out_elements());
  }

  size_t workspace_bytes() const { return static_cast<size_t>(2 * half) * sizeof(Sum); }

  /// What the first pass asks of a source, if it can take one.
  graph::SourceRule source_rule(int workers) const {
    const ReducePass& pass = plan.passes.front();
    if (pass.inner > Reducer<Way, T, Sum>::kTile) return {};
    const bool in_rows = pass.inner == 1 && pass.chunks == 1;
    const int64_t units = in_rows ? pass.outer : pass.outer * pass.chunks * tiles_of(pass);
    const int64_t least =
        in_rows ? std::max<int64_t>(1, kElementsPerWorker / pass.reduced) : units_per_worker(pass);
    const int64_t row = in_rows && pass.reduced <= Reducer<Way, T, Sum>::kRowElements ? pass.reduced : 1;
    return {.input = 0, .elements = pass.inner > 1 ? pass.inner : row, .is_shared = units >= workers * least};
  }

  /// How single rows are reduced, `finish` what is done to `count` results; nothing where rows are long or
  /// not all.
  using Finish = void (*)(const Sum* sums, T* out, int64_t count, int64_t row);
  template <Finish finish>
  std::optional<graph::ElementwiseLoop> row_reduction() const {
    const ReducePass& pass = plan.passes.front();
    if (plan.passes.size() > 1 || pass.inner > 1 || pass.reduced > graph::Kernel::kMostReducedRow) return {};
    graph::ElementwiseLoop loop;
    loop.any = [](const graph::ElementwiseLoop& self, const void* const* inputs, void* output,
                  int64_t count) {
      const auto reduce = reinterpret_cast<RowLoop>(self.typed);
      const auto* x = static_cast<const T*>(inputs[0]);
      auto* out = static_cast<T*>(output);
      constexpr int64_t kAtOnce = 64;
      Sum sums[kAtOnce];
      for (int64_t i = 0; i < count; i += kAtOnce) {
        const int64_t some = std::min(kAtOnce, count - i);
        reduce(x + i * self.period, some, self.period, sums);
        finish(sums, out + i, some, self.period);
      }
    };
    loop.typed = reinterpret_cast<void (*)()>(first.row_loop());
    loop.inputs[0] = {graph::Walk::kRow, sizeof(T)};
    loop.out_bytes = sizeof(T);
    loop.count = pass.outer;
    loop.period = pass.reduced;
    loop.elements_per_worker = std::max<int64_t>(1, kElementsPerWorker / pass.reduced);
    return loop;
  }

  void run(const T* in, const graph::ElementSource* source, Sum* out, Sum* workspace,
           Parallel& parallel) const {
    const Sum* made = nullptr;
    for (size_t i = 0; i < plan.passes.size(); ++i) {
      Sum* target = i + 1 == plan.passes.size() ? out : workspace + static_cast<int64_t>(i % 2) * half;
      if (i == 0) {
        run_pass(first, plan.passes[i], in, source, target, parallel);
      } else {
        run_pass(later, plan.passes[i], made, nullptr, target, parallel);
      }
      made = target;
    }
  }
};

ReducePlan plan_of(const PrepareContext& context) {
  const Shape& shape = context.input_shape(0);
  return plan_reduction(shape, reduced_dims(context.integers(1), shape.rank()));
}

template <class T>
std::unique_ptr<Kernel> copy_kernel(int64_t count) {
  return graph::make_kernel(
      [count](const KernelCall& call) {
        if (call.in<T>(0) != call.out<T>(0)) copy_words(call.in<T>(0), call.out<T>(0), count);
      },
      {.in_place = {{0, 0}}});
}

template <class T>
std::unique_ptr<Kernel> fill_kernel(int64_t count, T value) {
  return graph::make_kernel([=](const KernelCall& call) { std::fill_n(call.out<T>(0), count, value); });
}

template <class Sum, class T>
void keep_sums(const Sum* sums, T* out, int64_t count, int64_t /*row*/) {
  if constexpr (std::is_same_v<Sum, T>) {
    if (sums != out) std::copy_n(sums, count, out);
  } else {
    for (int64_t i = 0; i < count; ++i) out[i] = static_cast<T>(sums[i]);
  }
}

template <class Sum, class T>
void divide_sums(const Sum* sums, T* out, int64_t count, int64_t row) {
  const auto divisor = static_cast<Sum>(row);
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<T>(sums[i] / divisor);
}

/// A reduction that accumulates in type Sum; `finish` converts the result to T.
template <class Way, class T, class Sum, auto finish>
std::unique_ptr<Kernel> reduce_kernel(PrepareContext& context, T of_nothing) {
  ReducePlan plan = plan_of(context);
  if (plan.in_elements == 0) return fill_kernel<T>(plan.out_elements, of_nothing);
  if (plan.passes.empty()) return copy_kernel<T>(plan.out_elements);
  const int64_t row = plan.in_elements / plan.out_elements;
  const int64_t count = plan.out_elements;
  const Passes<Way, T, Sum> passes(std::move(plan));
  // The sums get a place of their own where they are wider than the results.
  constexpr bool kWider = !std::is_same_v<T, Sum>;
  return graph::make_kernel(
      [passes, row, count](const KernelCall& call, const graph::ElementSource* source) {
        T* out = call.out<T>(0);
        Sum* workspace = call.workspace<Sum>();
        Sum* sums;
        if constexpr (kWider) {
          sums = workspace + 2 * passes.half;
        } else {
          sums = out;
        }
        passes.run(call.in<T>(0), source, sums, workspace, call.parallel());
        finish(sums, out, count, row);
      },
      {.workspace_bytes = passes.workspace_bytes() + (kWider ? static_cast<size_t>(count) * sizeof(Sum) : 0),
       .row_reduction = passes.template row_reduction<finish>(),
       .source = passes.source_rule(context.workers())});
}

// Smaller numbers go through wider ones (graph/kernel/widened_kernel.h).
using OrderedTypes = TypeList<float, double, int32_t, int64_t, uint64_t>;
using SummedTypes =
    TypeList<float, double, int32_t, int64_t, uint64_t, std::complex<float>, std::complex<double>>;

template <class Way>
inline constexpr bool kOrders = std::is_same_v<Way, Maximal> || std::is_same_v<Way, Minimal>;

/// Factors near 1 lie half as far apart below it as above: products of them are so often halfway between two
/// numbers that rounding errors do not cancel, in whatever order they are taken. Doubles have room for them.
template <class Way, class T>
using Combined = std::conditional_t<std::is_same_v<Way, Multiplying> && std::is_same_v<T, float>, double, T>;

template <class Way>
std::unique_ptr<Kernel> prepare_reduction(PrepareContext& context) {
  using Types = std::conditional_t<kOrders<Way>, OrderedTypes, SummedTypes>;
  if constexpr (kOrders<Way>) {
    // The least number of a small integer type is not that of the wider one.
    std::unique_ptr<Kernel> of_nothing;
    if (context.input_shape(0).num_elements() == 0 &&
        dispatch<TypeList<int8_t, int16_t, uint8_t, uint16_t, uint32_t>>(
            context.input_dtype(0), [&]<class T>() {
              of_nothing = fill_kernel<T>(context.output_shape(0).num_elements(), Way::template neutral<T>());
            })) {
      return of_nothing;
    }
  }
  return kernel_for_dtype<Types>(context, context.input_dtype(0), [&]<class T>() {
    using Sum = Combined<Way, T>;
    return reduce_kernel<Way, T, Sum, &keep_sums<Sum, T>>(context, Way::template neutral<T>());
  });
}

template <class Way>
std::unique_ptr<Kernel> prepare_truth_reduction(PrepareContext& context) {
  return reduce_kernel<Way, uint8_t, uint8_t, &keep_sums<uint8_t, uint8_t>>(context,
                                                                            Way::template neutral<uint8_t>());
}

/// 32-bit integers are summed in 64 bits, as TensorFlow does for means.
template <class T>
using MeanSum = std::conditional_t<std::is_same_v<T, int32_t>, int64_t, T>;

std::unique_ptr<Kernel> prepare_mean(PrepareContext& context) {
  return kernel_for_dtype<SummedTypes>(context, context.input_dtype(0), [&]<class T>() {
    using Sum = MeanSum<T>;
    const T nothing = std::is_integral_v<T> ? T(0) : std::numeric_limits<T>::quiet_NaN();
    return reduce_kernel<Adding, T, Sum, &divide_sums<Sum, T>>(context, nothing);
  });
}

// ---- the ops

constexpr graph::OpRow reduction_row(std::string_view name, std::string_view attrs,
                                     graph::PrepareFunction prepare,
                                     graph::GradientFunction gradient = nullptr) {
  return {.name = name,
          .inputs = "input:T, reduction_indices:Tidx",
          .outputs = "output:T",
          .attrs = attrs,
          .shape = reduction_shape,
          .gradient = gradient,
          .prepare = prepare};
}

constexpr graph::OpRow kReductions[] = {
    reduction_row("Sum", "keep_dims:bool=false; T:type{numbers}; Tidx:type=int32{indices}",
                  prepare_reduction<Adding>, sum_gradient),
    reduction_row("Mean", "keep_dims:bool=false; T:type{numbers}; Tidx:type=int32{indices}", prepare_mean,
                  mean_gradient),
    reduction_row("Prod", "keep_dims:bool=false; T:type{numbers}; Tidx:type=int32{indices}",
                  prepare_reduction<Multiplying>, prod_gradient),
    reduction_row(
        "Max",
        "keep_dims:bool=false; "
        "T:type{[float32,float64,int32,uint8,int16,int8,int64,bfloat16,uint16,float16,uint32,uint64,qint8,"
        "quint8,qint32,qint16,quint16]}; Tidx:type=int32{indices}",
        prepare_reduction<Maximal>, extremum_gradient),
    reduction_row(
        "Min",
        "keep_dims:bool=false; "
        "T:type{[float32,float64,int32,uint8,int16,int8,int64,bfloat16,uint16,float16,uint32,uint64,qint8,"
        "quint8,qint32,qint16,quint16]}; Tidx:type=int32{indices}",
        prepare_reduction<Minimal>, extremum_gradient),
};
constexpr graph::OpRow truth_reduction_row(std::string_view name, std::string_view attrs,
                                           graph::PrepareFunction prepare,
                                           graph::GradientFunction gradient = nullptr) {
  return {.name = name,
          .inputs = "input:bool, reduction_indices:Tidx",
          .outputs = "output:bool",
          .attrs = attrs,
          .shape = reduction_shape,
          .gradient = gradient,
          .prepare = prepare};
}

constexpr graph::OpRow kTruthReductions[] = {
    truth_reduction_row("All", "keep_dims:bool=false; Tidx:type=int32{indices}",
                        prepare_truth_reduction<AllOf>, nullptr),
    truth_reduction_row("Any", "keep_dims:bool=false; Tidx:type=int32{indices}",
                        prepare_truth_reduction<AnyOf>, nullptr),
};

}  // namespace

void register_reduce_ops(OpTable& table) {
  for (const graph::OpRow& row : kReductions) table.add(row);
  for (const graph::OpRow& row : kTruthReductions) table.add(row);
}

}  // namespace flowray::ops
