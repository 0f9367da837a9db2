// FFT, IFFT, RFFT, IRFFT and their forms of two and three dimensions, by Eigen's kissfft.

#include "core/checked_size.h"
#include "graph/constant_value.h"
#include "graph/gradient_context.h"
#include "graph/integers.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/fill_words.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/elements/shape_parts.h"
#include "ops/math/register.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_math_nodes.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <unsupported/Eigen/FFT>
#include <vector>

namespace flowray::ops {
namespace {

using graph::Kernel;
using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;
using Number = std::complex<double>;

// ---- shapes

template <int kRank>
void complex_shape(ShapeContext& context) {
  if (context.running() && context.input(0).rank() < kRank) {
    ShapeContext::fail(
        fmt::format("Input must have rank of at least {} but got: {}", kRank, context.input(0).to_string()));
  }
  context.set_output(0, context.with_rank_at_least(0, kRank));
}

/// What must hold in a step of the last kRank dimensions `dims` of the input, of which `needed` are read.
void check_running_lengths(const ShapeContext& context, const std::vector<int64_t>& lengths, bool inverse) {
  const int rank = static_cast<int>(lengths.size());
  const Shape& in = context.input(0);
  for (int i = 0; i < rank; ++i) {
    const int64_t length = lengths[static_cast<size_t>(i)];
    if (length < 0) ShapeContext::fail(fmt::format("fft_length[{}] must >= 0, but got: {}", i, length));
    const int64_t needed = inverse && i == rank - 1 ? length / 2 + 1 : length;
    const int64_t has = in.dim(i - rank);
    if (has != 0 && has < needed) {
      ShapeContext::fail(fmt::format("Input dimension {} must have length of at least {} but got: {}",
                                     in.rank() - rank + i, needed, has));
    }
  }
}

/// The lengths that input 1 asks for; of a spectrum the last one is half of that.
template <int kRank, bool kInverse>
void real_shape(ShapeContext& context) {
  if (context.running()) {
    if (context.input(0).rank() < kRank) {
      ShapeContext::fail(fmt::format("Input must have rank of at least {} but got: {}", kRank,
                                     context.input(0).to_string()));
    }
    if (context.input(1).rank() != 1 || context.input(1).dim(0) != kRank) {
      ShapeContext::fail(fmt::format("fft_length must have shape [{}]", kRank));
    }
  }
  Shape shape = context.with_rank_at_least(0, kRank);
  const Shape lengths_shape = context.with_rank(1, 1);
  ShapeContext::merge_dim(lengths_shape.dim(0), kRank);
  if (!shape.has_rank()) return;
  const bool known = context.running() || context.value(1) != nullptr;
  const std::vector<int64_t> lengths =
      known ? context.integers(1) : std::vector<int64_t>(kRank, Shape::kUnknownDim);
  if (context.running()) check_running_lengths(context, lengths, kInverse);
  for (int i = 0; i < kRank; ++i) {
    const int64_t length = lengths[static_cast<size_t>(i)];
    const bool halved = !kInverse && i == kRank - 1 && length > 0;
    shape.set_dim(i - kRank, halved ? length / 2 + 1 : length);
  }
  context.set_output(0, shape);
}

// ---- kernels

/// The transform of the last dimensions of arrays [count, sizes...]; inverse ones are divided by
/// their length.
struct Transform {
  bool inverse;

  /// Along dimension `axis` of one array.
  void run_axis(Number* data, const std::vector<int64_t>& sizes, size_t axis, Eigen::FFT<double>& fft) const {
    const int64_t length = sizes[axis];
    int64_t inner = 1;
    for (size_t i = axis + 1; i < sizes.size(); ++i) inner *= sizes[i];
    int64_t outer = 1;
    for (size_t i = 0; i < axis; ++i) outer *= sizes[i];
    if (length <= 1) return;
    std::vector<Number> line(static_cast<size_t>(length));
    std::vector<Number> transformed(static_cast<size_t>(length));
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t k = 0; k < inner; ++k) {
        Number* const first = data + o * length * inner + k;
        for (int64_t i = 0; i < length; ++i) line[static_cast<size_t>(i)] = first[i * inner];
        if (inverse) {
          fft.inv(transformed, line);
        } else {
          fft.fwd(transformed, line);
        }
        for (int64_t i = 0; i < length; ++i) first[i * inner] = transformed[static_cast<size_t>(i)];
      }
    }
  }

  void run(std::vector<Number>& data, const std::vector<int64_t>& sizes) const {
    Eigen::FFT<double> fft;
    for (size_t axis = sizes.size(); axis-- > 0;) run_axis(data.data(), sizes, axis, fft);
  }
};

std::vector<int64_t> last_dims(const Shape& shape, int rank) {
  const auto dims = shape.dims().last(static_cast<size_t>(rank));
  return {dims.begin(), dims.end()};
}

int64_t product(const std::vector<int64_t>& sizes) {
  int64_t all = 1;
  for (const int64_t size : sizes) all = checked(all) * size;
  return all;
}

/// visit(place in an array of `sizes`, place in one of `others`) for what both have.
template <class Visit>
void for_common(const std::vector<int64_t>& sizes, const std::vector<int64_t>& others, const Visit& visit,
                size_t axis = 0, int64_t at = 0, int64_t other = 0) {
  if (axis == sizes.size()) return visit(at, other);
  for (int64_t i = 0; i < std::min(sizes[axis], others[axis]); ++i)
    for_common(sizes, others, visit, axis + 1, at * sizes[axis] + i, other * others[axis] + i);
}

constexpr int64_t kArraysPerWorker = 1;

/// The real and the complex dtype must be of one width.
void check_widths(const PrepareContext& context, DType real, DType complex, const char* direction) {
  if ((real == DType::kFloat64) == (complex == DType::kComplex128)) return;
  throw errors::InvalidArgumentError(fmt::format("Wrong types for {} real FFT: in={} out={}", direction,
                                                 static_cast<int>(context.input_dtype(0)),
                                                 static_cast<int>(context.output_dtype(0))));
}

template <int kRank, bool kInverse>
std::unique_ptr<Kernel> prepare_complex(PrepareContext& context) {
  const std::vector<int64_t> sizes = last_dims(context.input_shape(0), kRank);
  const int64_t all = context.input_shape(0).num_elements();
  const int64_t size = all == 0 ? 0 : product(sizes);
  const int64_t count = all == 0 ? 0 : all / size;
  using Types = TypeList<std::complex<float>, std::complex<double>>;
  return kernel_for_dtype<Types>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([sizes, size, count](const KernelCall& call) {
      call.parallel().for_range(count, kArraysPerWorker, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) {
          const T* const in = call.in<T>(0) + i * size;
          std::vector<Number> data(in, in + size);
          Transform{kInverse}.run(data, sizes);
          std::ranges::transform(data, call.out<T>(0) + i * size, [](Number x) { return static_cast<T>(x); });
        }
      });
    });
  });
}

/// The transform of no numbers at all, filled up with zeros to any length.
std::unique_ptr<Kernel> zeros_kernel(const PrepareContext& context) {
  return graph::make_kernel([zero = Array(context.output_dtype(0), Shape()),
                             count = context.output_shape(0).num_elements()](const KernelCall& call) {
    fill_words(zero.dtype(), zero.raw_data(), call.out<void>(0), count, call.parallel());
  });
}

/// The transform of real numbers, cut or filled up with zeros; the second half of the spectrum follows from
/// the first.
template <int kRank>
std::unique_ptr<Kernel> prepare_real(PrepareContext& context) {
  check_widths(context, context.input_dtype(0), context.output_dtype(0), "forward");
  if (context.input_shape(0).num_elements() == 0) return zeros_kernel(context);
  const std::vector<int64_t> in_sizes = last_dims(context.input_shape(0), kRank);
  const std::vector<int64_t> out_sizes = last_dims(context.output_shape(0), kRank);
  const std::vector<int64_t> lengths = context.integers(1);
  const int64_t count =
      product(out_sizes) == 0 ? 0 : context.output_shape(0).num_elements() / product(out_sizes);
  return kernel_for_dtype<FloatTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([=](const KernelCall& call) {
      call.parallel().for_range(count, kArraysPerWorker, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) {
          const T* const in = call.in<T>(0) + i * product(in_sizes);
          auto* const out = call.out<std::complex<T>>(0) + i * product(out_sizes);
          std::vector<Number> data(static_cast<size_t>(product(lengths)));
          for_common(in_sizes, lengths,
                     [&](int64_t from, int64_t to) { data[static_cast<size_t>(to)] = in[from]; });
          Transform{false}.run(data, lengths);
          for_common(out_sizes, lengths, [&](int64_t to, int64_t from) {
            out[to] = static_cast<std::complex<T>>(data[static_cast<size_t>(from)]);
          });
        }
      });
    });
  });
}

/// The last dimension is half of a spectrum whose other half is its mirror image: all but the last dimension
/// are transformed, then each line is completed and transformed, as TensorFlow does.
template <int kRank>
std::unique_ptr<Kernel> prepare_inverse_real(PrepareContext& context) {
  check_widths(context, context.output_dtype(0), context.input_dtype(0), "backward");
  if (context.input_shape(0).num_elements() == 0) return zeros_kernel(context);
  const std::vector<int64_t> in_sizes = last_dims(context.input_shape(0), kRank);
  const std::vector<int64_t> lengths = context.integers(1);
  const int64_t count = product(lengths) == 0 ? 0 : context.output_shape(0).num_elements() / product(lengths);
  return kernel_for_dtype<FloatTypes>(context, context.output_dtype(0), [&]<class T>() {
    return graph::make_kernel([=](const KernelCall& call) {
      std::vector<int64_t> half = lengths;
      half.back() = half.back() / 2 + 1;
      const int64_t length = lengths.back();
      const Transform inverse{true};
      for (int64_t i = 0; i < count; ++i) {
        const auto* const in = call.in<std::complex<T>>(0) + i * product(in_sizes);
        std::vector<Number> data(static_cast<size_t>(product(half)));
        for_common(in_sizes, half, [&](int64_t from, int64_t to) {
          data[static_cast<size_t>(to)] = static_cast<Number>(in[from]);
        });
        Eigen::FFT<double> fft;
        for (size_t axis = half.size() - 1; axis-- > 0;) inverse.run_axis(data.data(), half, axis, fft);
        T* to = call.out<T>(0) + i * product(lengths);
        std::vector<Number> line(static_cast<size_t>(length));
        for (int64_t first = 0; first < product(half); first += half.back(), to += length) {
          for (int64_t k = 0; k < length; ++k) {
            const bool mirrored = k >= half.back();
            const Number x = data[static_cast<size_t>(first + (mirrored ? length - k : k))];
            line[static_cast<size_t>(k)] = mirrored ? std::conj(x) : x;
          }
          // What a real signal's spectrum has no imaginary part of is not looked at.
          line[0] = line[0].real();
          if (length % 2 == 0)
            line[static_cast<size_t>(length / 2)] = line[static_cast<size_t>(length / 2)].real();
          inverse.run_axis(line.data(), {length}, 0, fft);
          for (int64_t k = 0; k < length; ++k) to[k] = static_cast<T>(line[static_cast<size_t>(k)].real());
        }
      }
    });
  });
}

// ---- gradients; nodes are those of TensorFlow's Python

std::string fft_name(bool inverse, int rank) {
  return fmt::format("{}FFT{}", inverse ? "I" : "", rank == 1 ? "" : fmt::format("{}D", rank));
}

/// The other transform, times the number of elements or divided by it.
template <int kRank, bool kInverse>
std::vector<graph::Endpoint> fft_gradient(graph::GradientContext& g) {
  const DType dtype = base_dtype(g.grad().dtype());
  const graph::Endpoint dims = python_slice_between(g, python_shape_of_type(g, g.grad(), DType::kInt32),
                                                    IntOrTensor(-kRank), std::nullopt);
  graph::Endpoint size = g.op("Prod", {dims, python_integers(g, {0}, DType::kInt32, "Const")});
  if (kInverse) {
    const DType real = dtype == DType::kComplex128 ? DType::kFloat64 : DType::kFloat32;
    size = python_with_left(g, "RealDiv", 1, python_cast(g, size, real), "truediv");
  }
  size = python_cast(g, size, dtype);
  return {g.op("Mul", {g.op(fft_name(!kInverse, kRank), {g.grad()}), size}, {}, "mul")};
}

using graph::Endpoint;
using graph::GradientContext;
using graph::NameScope;

/// array_ops.ones([count], dtype).
Endpoint python_ones(GradientContext& g, Endpoint count, DType dtype) {
  const NameScope scope(g.graph(), "ones");
  const Endpoint shape = python_list(g, {count}, DType::kInt32, "packed");
  return g.op("Fill", {shape, python_number(g, 1, dtype)}, {}, scope.path());
}

/// What an inner transform's lengths are: as numbers where the node has them as a constant, as in Python.
struct Lengths {
  explicit Lengths(GradientContext& g) : tensor(g.input(1)) {
    const Array value = graph::constant_value(tensor);
    if (value.has_value()) numbers = graph::to_integers(value);
  }
  /// Whether the last one is odd: one as an integer.
  Endpoint is_odd(GradientContext& g) const {
    if (numbers.empty()) return python_with_number(g, "FloorMod", python_element(g, tensor, -1), 2, "mod");
    const NameScope scope(g.graph(), "mod");
    const Endpoint last = python_scalar(g, numbers.back(), DType::kInt32, "x");
    return g.op("FloorMod", {last, python_scalar(g, 2, DType::kInt32, "y")}, {}, scope.path());
  }
  Endpoint transformed(GradientContext& g, std::string_view op, std::string_view name, Endpoint x) const {
    const NameScope scope(g.graph(), name);
    const DType dtype = base_dtype(x.dtype());
    graph::Attrs attrs;
    if (is_complex(dtype)) {
      attrs.set("Treal", dtype == DType::kComplex128 ? DType::kFloat64 : DType::kFloat32);
    } else {
      attrs.set("Tcomplex", dtype == DType::kFloat64 ? DType::kComplex128 : DType::kComplex64);
    }
    if (numbers.empty()) return g.op(op, {x, tensor}, std::move(attrs), scope.path());
    if (name.starts_with("r"))
      python_integers(g, numbers, DType::kInt32, "Const");  // Python leaves it behind
    return g.op(op, {x, python_integers(g, numbers, DType::kInt32, "fft_length")}, std::move(attrs),
                scope.path());
  }

  Endpoint tensor;
  std::vector<int64_t> numbers;
};

/// 1, 2, 2, .., 2 and, where the length is even, 1: how often each number counts in the real transform.
Endpoint half_spectrum_weights(GradientContext& g, Endpoint is_odd, DType real) {
  const Endpoint last = python_element(g, python_shape(g, g.input(0)), -1);
  const Endpoint inner = python_with_number(g, "Sub", last, 2, "sub");
  const Endpoint count = g.op("AddV2", {inner, is_odd}, {}, "add");
  const Endpoint twos = python_with_left(g, "Mul", 2, python_ones(g, count, real), "mul");
  const Endpoint ends = python_ones(g, python_with_left(g, "Sub", 1, is_odd, "sub"), real);
  const NameScope scope(g.graph(), "concat");
  const Endpoint first = g.constant(Array(std::vector<double>{1}).astype(real), "values_0");
  return g.op("ConcatV2", {first, twos, ends, python_scalar(g, 0, DType::kInt32, "axis")}, {}, scope.path());
}

/// The real transform of the gradient, whose numbers count once or, with their conjugates, twice.
template <int kRank>
std::vector<Endpoint> irfft_gradient(GradientContext& g) {
  const DType real = base_dtype(g.grad().dtype());
  const Lengths lengths(g);
  const Endpoint weights = half_spectrum_weights(g, lengths.is_odd(g), real);
  const Endpoint dims = python_slice_between(g, python_shape(g, g.grad()), IntOrTensor(-kRank), std::nullopt);
  const Endpoint size = g.op("Prod", {dims, python_integers(g, {0}, DType::kInt32, "Const")});
  const Endpoint share = g.op("Reciprocal", {python_cast(g, size, real)});
  const Endpoint transformed = kRank == 1 ? lengths.transformed(g, "RFFT", "rfft", g.grad())
                                          : lengths.transformed(g, "RFFT2D", "rfft2d", g.grad());
  const Endpoint factors = g.op("Mul", {share, weights}, {}, "mul");
  const DType complex = base_dtype(g.input(0).dtype());
  return {g.op("Mul", {transformed, python_cast(g, factors, complex)}, {}, "mul"), {}};
}

/// x[..., begin:end] with one of both, as Python slices what may have any number of dimensions.
Endpoint edge_of(GradientContext& g, Endpoint x, bool is_first) {
  const NameScope scope(g.graph(), "strided_slice");
  const Endpoint begin = python_integers(g, {0, is_first ? 0 : -1}, DType::kInt32, "stack");
  const Endpoint end = python_integers(g, {0, is_first ? 1 : 0}, DType::kInt32, "stack_1");
  const Endpoint strides = python_integers(g, {1, 1}, DType::kInt32, "stack_2");
  return g.op("StridedSlice", {x, begin, end, strides},
              {{"ellipsis_mask", int64_t{1}}, {"end_mask", int64_t{is_first ? 0 : 2}}}, scope.path());
}

/// 1, -1, 1, .. along the last of `dims`.
Endpoint alternating_signs(GradientContext& g, Endpoint dims, DType dtype) {
  const Endpoint places = python_range(g, 0, python_element(g, dims, -1));
  const Endpoint odd = python_with_number(g, "FloorMod", places, 2, "mod");
  const Endpoint signs = python_with_left(g, "Sub", 1, python_with_left(g, "Mul", 2, odd, "mul"), "sub");
  return python_cast(g, signs, dtype);
}

/// Half of the inverse transform, which counts the inner numbers twice, and of the edges, which it
/// counts once.
std::vector<Endpoint> rfft_gradient(GradientContext& g) {
  const DType complex = base_dtype(g.grad().dtype());
  const DType real = base_dtype(g.input(0).dtype());
  const Endpoint dims = python_shape(g, g.input(0));
  const Endpoint odd = python_with_number(g, "FloorMod", python_element(g, g.input(1), -1), 2, "mod");
  const Endpoint is_even = python_cast(g, python_with_left(g, "Sub", 1, odd, "sub"), complex);
  const Endpoint first = edge_of(g, g.grad(), true);
  const Endpoint last = g.op("Mul", {is_even, edge_of(g, g.grad(), false)}, {}, "mul");
  const Endpoint of_last = g.op("Mul", {last, alternating_signs(g, dims, complex)}, {}, "mul");
  const Endpoint edges = g.op("AddV2", {first, of_last}, {}, "add");
  const Endpoint inner = python_slice_between(g, python_shape(g, g.input(0)), IntOrTensor(-1), std::nullopt);
  const Endpoint size = g.op("Prod", {inner, python_integers(g, {0}, DType::kInt32, "Const")});
  const Endpoint scale = python_cast(g, size, real);
  const Endpoint transformed = Lengths(g).transformed(g, "IRFFT", "irfft", g.grad());
  const Endpoint whole = g.op("Mul", {transformed, scale}, {}, "mul");
  const Endpoint real_edges = g.op("Real", {edges}, {{"Tout", real}});
  const Endpoint sum = g.op("AddV2", {whole, real_edges}, {}, "add");
  return {python_with_left(g, "Mul", 0.5, sum, "mul"), {}};
}

/// The numbers of the half spectrum, the others being zeros, transformed back without the division: what
/// each real number adds to them. Numbers that the transform cut off get zeros; where there were none, it
/// took zeros.
std::vector<Endpoint> real_plane_gradient(GradientContext& g) {
  const DType complex = base_dtype(g.grad().dtype());
  const DType real = base_dtype(g.input(0).dtype());
  const Endpoint in_dims = python_shape(g, g.input(0));
  const Endpoint outer = python_slice_between(g, in_dims, std::nullopt, IntOrTensor(-2));
  const Endpoint dims = python_concat_lists(g, {outer, g.input(1)}, 0);
  const auto fitted = [&g](Endpoint x, Endpoint wanted) {
    const Endpoint missing = g.op("Sub", {wanted, python_shape(g, x)}, {}, "sub");
    const Endpoint after = python_with_number(g, "Maximum", missing, 0, "Maximum");
    const Endpoint before = g.op("ZerosLike", {after}, {}, "zeros_like");
    const Endpoint padded =
        g.op("Pad", {x, g.op("Pack", {before, after}, {{"axis", int64_t{1}}}, "stack")}, {}, "Pad");
    return g.op("Slice", {padded, before, wanted});
  };
  const Endpoint back = g.op("IFFT2D", {fitted(g.grad(), dims)}, {}, "ifft2d");
  const Endpoint whole = g.op("Real", {back}, {{"Tout", real}, {"T", complex}});
  const Endpoint size = g.op("Prod", {g.input(1), python_integers(g, {0}, DType::kInt32, "Const")});
  const Endpoint scaled = g.op("Mul", {whole, python_cast(g, size, real)}, {}, "mul");
  return {fitted(scaled, in_dims), {}};
}

constexpr graph::OpRow spectral_op_row(std::string_view name, std::string_view inputs,
                                       std::string_view outputs, std::string_view attrs,
                                       graph::ShapeFunction shape, graph::PrepareFunction prepare,
                                       graph::GradientFunction gradient) {
  return {.name = name,
          .inputs = inputs,
          .outputs = outputs,
          .attrs = attrs,
          .shape = shape,
          .gradient = gradient,
          .prepare = prepare};
}

constexpr graph::OpRow kSpectralOps[] = {
    spectral_op_row("FFT", "input:Tcomplex", "output:Tcomplex", "Tcomplex:type=complex64{complex}",
                    complex_shape<1>, prepare_complex<1, false>, fft_gradient<1, false>),
    spectral_op_row("IFFT", "input:Tcomplex", "output:Tcomplex", "Tcomplex:type=complex64{complex}",
                    complex_shape<1>, prepare_complex<1, true>, fft_gradient<1, true>),
    spectral_op_row("RFFT", "input:Treal, fft_length:int32", "output:Tcomplex",
                    "Treal:type=float32{wide_floats}; Tcomplex:type=complex64{complex}", real_shape<1, false>,
                    prepare_real<1>, rfft_gradient),
    spectral_op_row("IRFFT", "input:Tcomplex, fft_length:int32", "output:Treal",
                    "Treal:type=float32{wide_floats}; Tcomplex:type=complex64{complex}", real_shape<1, true>,
                    prepare_inverse_real<1>, irfft_gradient<1>),
    spectral_op_row("FFT2D", "input:Tcomplex", "output:Tcomplex", "Tcomplex:type=complex64{complex}",
                    complex_shape<2>, prepare_complex<2, false>, fft_gradient<2, false>),
    spectral_op_row("IFFT2D", "input:Tcomplex", "output:Tcomplex", "Tcomplex:type=complex64{complex}",
                    complex_shape<2>, prepare_complex<2, true>, fft_gradient<2, true>),
    spectral_op_row("RFFT2D", "input:Treal, fft_length:int32", "output:Tcomplex",
                    "Treal:type=float32{wide_floats}; Tcomplex:type=complex64{complex}", real_shape<2, false>,
                    prepare_real<2>, real_plane_gradient),
    spectral_op_row("IRFFT2D", "input:Tcomplex, fft_length:int32", "output:Treal",
                    "Treal:type=float32{wide_floats}; Tcomplex:type=complex64{complex}", real_shape<2, true>,
                    prepare_inverse_real<2>, irfft_gradient<2>),
    spectral_op_row("FFT3D", "input:Tcomplex", "output:Tcomplex", "Tcomplex:type=complex64{complex}",
                    complex_shape<3>, prepare_complex<3, false>, fft_gradient<3, false>),
    spectral_op_row("IFFT3D", "input:Tcomplex", "output:Tcomplex", "Tcomplex:type=complex64{complex}",
                    complex_shape<3>, prepare_complex<3, true>, fft_gradient<3, true>),
};

}  // namespace

void register_fourier_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kSpectralOps) table.add(row);
}

}  // namespace flowray::ops
