// BiasAdd and BiasAddGrad: one number for each channel.

#include "core/wrapping.h"
#include "graph/gradient_context.h"
#include "graph/shape_context.h"
#include "ops/elements/elementwise_kernels.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/loops/compiled_loop.h"
#include "ops/neural/register.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <complex>
#include <type_traits>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::OpRow;
using graph::PrepareContext;
using graph::ShapeContext;

/// The first version has no attribute: its channels are last.
bool channels_first(const graph::Attrs& attrs) {
  return attrs.contains("data_format") && attrs.get<std::string>("data_format") == "NCHW";
}

// ---- shapes

/// In NCHW the channels are dimension 1, and there must be at least one more; TensorFlow's kernels
/// do without.
int bias_dim(const Shape& value, bool first) { return first && value.rank() > 1 ? 1 : value.rank() - 1; }

Shape value_shape(const ShapeContext& context) {
  const Shape& value = context.input(0);
  if (context.running()) {
    if (value.rank() < 2) ShapeContext::fail("Input tensor must be at least 2D: " + value.to_string());
    return value;
  }
  return context.with_rank_at_least(0, channels_first(context.attrs()) ? 3 : 2);
}

void bias_add_shape(ShapeContext& context) {
  const bool first = channels_first(context.attrs());
  Shape value = value_shape(context);
  const Shape& given = context.input(1);
  if (context.running()) {
    if (given.rank() != 1) ShapeContext::fail("Biases must be 1D: " + given.to_string());
    if (value.dim(bias_dim(value, first)) != given.dim(0)) {
      ShapeContext::fail(
          fmt::format("Must provide as many biases as the last dimension of the input tensor: {} vs. {}",
                      given.to_string(), value.to_string()));
    }
  }
  const Shape bias = context.with_rank(1, 1);
  if (value.has_rank()) {
    const int channels = bias_dim(value, first);
    value.set_dim(channels, ShapeContext::merge_dim(value.dim(channels), bias.dim(0)));
  }
  context.set_output(0, value);
}

void bias_add_grad_shape(ShapeContext& context) {
  const Shape value = value_shape(context);
  const bool known = value.has_rank();
  context.set_output(
      0, Shape{known ? value.dim(bias_dim(value, channels_first(context.attrs()))) : Shape::kUnknownDim});
}

// ---- kernels

/// An array of [outer, channels, inner].
struct Layers {
  int64_t outer = 1;
  int64_t channels = 1;
  int64_t inner = 1;

  Layers(const Shape& value, bool first) {
    const int channel = bias_dim(value, first);
    channels = value.dim(channel);
    if (value.num_elements() == 0) {  // what the dimensions multiply to may not fit
      outer = 0;
      return;
    }
    for (int i = 0; i < channel; ++i) outer *= value.dim(i);
    for (int i = channel + 1; i < value.rank(); ++i) inner *= value.dim(i);
  }
  int64_t elements() const { return outer * channels * inner; }
};

template <class T>
struct AddRow {
  FLOWRAY_ALWAYS_INLINE static void run(const T* x, const T* bias, T* y, int64_t rows, int64_t channels) {
    for (int64_t r = 0; r < rows; ++r) {
      FLOWRAY_INDEPENDENT
      for (int64_t c = 0; c < channels; ++c) y[r * channels + c] = wrapping_add(x[r * channels + c], bias[c]);
    }
  }
};

template <class T>
struct AddNumber {
  FLOWRAY_ALWAYS_INLINE static void run(const T* x, T bias, T* y, int64_t count) {
    FLOWRAY_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) y[i] = wrapping_add(x[i], bias);
  }
};

constexpr int64_t kMinBiasedPerWorker = 32 * 1024;

/// The bias as a row that repeats.
template <class T>
std::optional<graph::ElementwiseLoop> elementwise_bias_add(const PrepareContext& context,
                                                           const Layers& layers,
                                                           void (*add_rows)(const T*, const T*, T*, int64_t,
                                                                            int64_t)) {
  const Shape& value = context.input_shape(0);
  // In NCHW images of one pixel the channels are not the last dimension.
  if (layers.inner != 1 || layers.channels == 1 || value.dim(-1) != layers.channels) return std::nullopt;
  const std::array<const Shape*, 2> operands = {&context.input_shape(0), &context.input_shape(1)};
  auto elementwise = elementwise_walks(context, operands, kMinBiasedPerWorker);
  if (!elementwise) return elementwise;
  elementwise->typed = reinterpret_cast<void (*)()>(add_rows);
  elementwise->any = [](const graph::ElementwiseLoop& self, const void* const* in, void* out, int64_t count) {
    reinterpret_cast<decltype(add_rows)>(self.typed)(
        static_cast<const T*>(in[0]), static_cast<const T*>(in[1]), static_cast<T*>(out), 1, count);
  };
  return elementwise;
}

template <class T>
std::unique_ptr<Kernel> make_bias_add(const PrepareContext& context, const Layers& layers) {
  const auto add_rows = compiled_loop<AddRow<T>>();
  const auto add_number = compiled_loop<AddNumber<T>>();
  return graph::make_kernel(
      [=](const KernelCall& call) {
        if (layers.elements() == 0) return;
        const T* bias = call.in<T>(1);
        const int64_t row = layers.channels * layers.inner;
        const auto body = [&](int64_t begin, int64_t end, int) {
          const T* x = call.in<T>(0) + begin * row;
          T* y = call.out<T>(0) + begin * row;
          if (layers.inner == 1) return add_rows(x, bias, y, end - begin, layers.channels);
          for (int64_t i = 0; i < (end - begin) * layers.channels; ++i) {
            add_number(x + i * layers.inner, bias[i % layers.channels], y + i * layers.inner, layers.inner);
          }
        };
        if (layers.elements() < 2 * kMinBiasedPerWorker) return body(0, layers.outer, 0);
        call.parallel().for_range(layers.outer, std::max<int64_t>(1, kMinBiasedPerWorker / row), body);
      },
      {.in_place = {{0, 0}}, .elementwise = elementwise_bias_add<T>(context, layers, add_rows)});
}

/// Smaller numbers go through wider ones (graph/kernel/widened_kernel.h).
using BiasTypes =
    TypeList<float, double, int32_t, int64_t, uint64_t, std::complex<float>, std::complex<double>>;

std::unique_ptr<Kernel> prepare_bias_add(PrepareContext& context) {
  const Layers layers(context.input_shape(0), channels_first(context.attrs()));
  return kernel_for_dtype<BiasTypes>(context, context.input_dtype(0),
                                     [&]<class T>() { return make_bias_add<T>(context, layers); });
}

template <class T>
struct SumRows {
  FLOWRAY_ALWAYS_INLINE static void run(const T* x, T* sums, int64_t rows, int64_t channels) {
    int64_t r = at_once(channels) > 1 ? several_at_once(x, sums, rows, channels) : 0;
    // Four rows at a time, so that the sums are loaded and stored a quarter as often.
    for (; r + 4 <= rows; r += 4) {
      const T* __restrict row = x + r * channels;
      T* __restrict out = sums;
      for (int64_t c = 0; c < channels; ++c) {
        const T left = wrapping_add(row[c], row[channels + c]);
        const T right = wrapping_add(row[2 * channels + c], row[3 * channels + c]);
        out[c] = wrapping_add(out[c], wrapping_add(left, right));
      }
    }
    for (; r < rows; ++r) {
      const T* __restrict row = x + r * channels;
      T* __restrict out = sums;
      for (int64_t c = 0; c < channels; ++c) out[c] = wrapping_add(out[c], row[c]);
    }
  }

  /// How many rows are one long row, whose sums are added up at the end: more than one where the channels of
  /// a row are fewer than a few vectors hold.
  static int64_t at_once(int64_t channels) {
    const bool is_narrow = std::is_floating_point_v<T> && channels > 0 && 4 * channels <= kWidth;
    return is_narrow ? kWidth / channels : 1;
  }

 private:
  static constexpr int64_t kWidth = 128;

  /// How many rows are done.
  FLOWRAY_ALWAYS_INLINE static int64_t several_at_once(const T* x, T* sums, int64_t rows, int64_t channels) {
    const int64_t together = at_once(channels);
    const int64_t width = together * channels;
    T partial[kWidth] = {};
    int64_t r = 0;
    for (; r + together <= rows; r += together) {
      const T* __restrict row = x + r * channels;
      for (int64_t i = 0; i < width; ++i) partial[i] = wrapping_add(partial[i], row[i]);
    }
    for (int64_t i = 0; i < together; ++i) {
      for (int64_t c = 0; c < channels; ++c) sums[c] = wrapping_add(sums[c], partial[i * channels + c]);
    }
    return r;
  }
};

/// Sums over everything but the channels. Each worker has sums of its own, added up at the end in a fixed
/// order; in float32 long columns are added in blocks, so that the error does not grow with their length.
template <class T>
class BiasAddGrad final : public Kernel {
 public:
  BiasAddGrad(const Layers& layers, int workers)
      : layers_(layers),
        sum_rows_(compiled_loop<SumRows<T>>()),
        pieces_(std::clamp<int64_t>(layers.elements() / kMinBiasedPerWorker, 1, workers)) {
    workspace_bytes_ = static_cast<size_t>(2 * pieces_ * layers.channels) * sizeof(T);
  }

  void run(const KernelCall& call) const override {
    T* sums = call.workspace<T>();
    const int64_t channels = layers_.channels;
    call.parallel().for_range(pieces_, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t piece = begin; piece < end; ++piece) {
        T* piece_sums = sums + 2 * piece * channels;
        sum_piece(call.in<T>(0), layers_.outer * piece / pieces_, layers_.outer * (piece + 1) / pieces_,
                  piece_sums, piece_sums + channels);
      }
    });
    T* out = call.out<T>(0);
    std::fill_n(out, channels, T(0));
    for (int64_t piece = 0; piece < pieces_; ++piece) {
      const T* piece_sums = sums + 2 * piece * channels;
      for (int64_t c = 0; c < channels; ++c) out[c] = wrapping_add(out[c], piece_sums[c]);
    }
  }

 private:
  static constexpr int64_t kBlockRows = 256;

  void sum_piece(const T* x, int64_t begin, int64_t end, T* sums, T* block) const {
    const int64_t channels = layers_.channels;
    std::fill_n(sums, channels, T(0));
    if (layers_.inner != 1) {
      for (int64_t i = begin * channels; i < end * channels; ++i) {
        const T* row = x + i * layers_.inner;
        T sum{0};
        for (int64_t j = 0; j < layers_.inner; ++j) sum = wrapping_add(sum, row[j]);
        sums[i % channels] = wrapping_add(sums[i % channels], sum);
      }
      return;
    }
    const int64_t block_rows = kBlockRows * SumRows<T>::at_once(channels);
    for (int64_t row = begin; row < end; row += block_rows) {
      std::fill_n(block, channels, T(0));
      sum_rows_(x + row * channels, block, std::min(block_rows, end - row), channels);
      for (int64_t c = 0; c < channels; ++c) sums[c] = wrapping_add(sums[c], block[c]);
    }
  }

  Layers layers_;
  void (*sum_rows_)(const T*, T*, int64_t, int64_t);
  int64_t pieces_;
};

std::unique_ptr<Kernel> prepare_bias_add_grad(PrepareContext& context) {
  const Layers layers(context.input_shape(0), channels_first(context.attrs()));
  return kernel_for_dtype<BiasTypes>(context, context.input_dtype(0),
                                     [&]<class T>() -> std::unique_ptr<Kernel> {
                                       return std::make_unique<BiasAddGrad<T>>(layers, context.workers());
                                     });
}

// ---- gradients

std::vector<Endpoint> bias_add_gradient(GradientContext& g) {
  return {g.grad(),
          g.op("BiasAddGrad", {g.grad()}, {{"data_format", g.attrs().get<std::string>("data_format")}})};
}

/// The bias was added along all dimensions but the last.
std::vector<Endpoint> bias_add_v1_gradient(GradientContext& g) {
  const Endpoint last = python_with_number(g, "Sub", python_rank_of(g, g.grad()), 1, "sub");
  return {g.grad(), g.op("Sum", {g.grad(), python_range(g, 0, last)})};
}

/// array_ops.concat([head, [1], tail], 0); `tail` may be missing.
Endpoint concat_with_one(GradientContext& g, Endpoint head, Endpoint tail) {
  const graph::NameScope scope(g.graph(), "concat");
  std::vector<Endpoint> values = {head, g.constant(Array(std::vector<int32_t>{1}), "values_1")};
  if (tail) values.push_back(tail);
  values.push_back(g.constant(Array(int32_t{0}), "axis"));
  return g.op("ConcatV2", std::move(values), {}, scope.path());
}

std::vector<Endpoint> bias_add_grad_gradient(GradientContext& g) {
  constexpr int32_t kFirst = 1;
  constexpr int32_t kSecond = 2;
  constexpr int32_t kLast = -1;
  const Endpoint shape = python_shape(g, g.input(0));
  const Endpoint bias_shape = python_shape(g, g.grad());
  const bool first = channels_first(g.attrs());
  const int32_t* head = first ? &kFirst : &kLast;
  std::vector<Endpoint> expanded = {python_ones_like(g, python_slice(g, shape, nullptr, head)), bias_shape};
  if (first) expanded.push_back(python_ones_like(g, python_slice(g, shape, &kSecond, nullptr)));
  const Endpoint expanded_shape = python_concat(g, std::move(expanded));
  const Endpoint head_multiples = python_slice(g, shape, nullptr, head);
  const Endpoint tail_multiples = first ? python_slice(g, shape, &kSecond, nullptr) : Endpoint{};
  const Endpoint multiples = concat_with_one(g, head_multiples, tail_multiples);
  const Endpoint expanded_grad = g.op("Reshape", {g.grad(), expanded_shape});
  return {g.op("Tile", {expanded_grad, multiples})};
}

constexpr graph::OpRow kBiasOps[] = {
    {.name = "BiasAdd",
     .inputs = "value:T, bias:T",
     .outputs = "output:T",
     .attrs = "T:type{numbers}; data_format:string=\"NHWC\"{[NHWC,NCHW]}",
     .shape = bias_add_shape,
     .gradient = bias_add_gradient,
     .prepare = prepare_bias_add},
    {.name = "BiasAddV1",
     .inputs = "value:T, bias:T",
     .outputs = "output:T",
     .attrs = "T:type{numbers}",
     .shape = bias_add_shape,
     .gradient = bias_add_v1_gradient,
     .prepare = prepare_bias_add},
    {.name = "BiasAddGrad",
     .inputs = "out_backprop:T",
     .outputs = "output:T",
     .attrs = "T:type{numbers}; data_format:string=\"NHWC\"{[NHWC,NCHW]}",
     .shape = bias_add_grad_shape,
     .gradient = bias_add_grad_gradient,
     .prepare = prepare_bias_add_grad},
};

}  // namespace

void register_bias_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kBiasOps) table.add(row);
}

}  // namespace flowray::ops
