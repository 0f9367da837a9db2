// Cast: conversion between element types.

#include "core/convert.h"
#include "core/dtype_dispatch.h"
#include "graph/dims_context.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_words.h"
#include "ops/elements/elementwise_kernels.h"
#include "ops/math/register.h"
#include "ops/python_nodes/python_math_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <complex>
#include <limits>
#include <type_traits>

namespace flowray::ops {

using graph::KernelCall;
using graph::OpTable;
using graph::PrepareContext;

namespace {

Shape dims_unchanged(const graph::DimsContext& context) { return context.dims(0); }

bool has_gradient(DType dtype) { return is_floating(dtype) || is_complex(dtype); }

std::vector<graph::Endpoint> cast_gradient(graph::GradientContext& g) {
  const DType source = base_dtype(g.input(0).dtype());
  if (!has_gradient(source) || !has_gradient(base_dtype(g.grad().dtype()))) return {{}};
  return {python_cast(g, g.grad(), source)};
}

constexpr int64_t kCastsPerWorker = 32768;

/// How many low bits of a float's fraction a narrower type drops; 0 where the attribute Truncate
/// changes nothing.
int dropped_bits(DType from, DType to) {
  if (from == DType::kFloat32 && to == DType::kBfloat16) return 16;
  if (from == DType::kFloat32 && to == DType::kFloat16) return 13;
  if (from == DType::kFloat64 && to == DType::kFloat32) return 29;
  return 0;
}

/// Truncate=true: the bits that do not fit are cleared first, so that nothing is rounded.
template <class Float, class Bits>
void convert_truncated(const void* source, DType from, void* target, DType to, int64_t count, int drop) {
  constexpr int64_t kPiece = 512;
  alignas(64) Float cleared[kPiece];
  const Bits keep = static_cast<Bits>(~Bits{0} << drop);
  for (int64_t i = 0; i < count; i += kPiece) {
    const int64_t piece = std::min(kPiece, count - i);
    const Float* in = static_cast<const Float*>(source) + i;
    for (int64_t j = 0; j < piece; ++j) {
      cleared[j] = in[j] == in[j] ? std::bit_cast<Float>(std::bit_cast<Bits>(in[j]) & keep) : in[j];
    }
    convert_elements(from, cleared, to, advance(target, i, dtype_size(to)), piece);
  }
}

// What a float becomes that the integer cannot hold is not defined by C++. TensorFlow's vector instructions,
// which take whole packets of elements from the first on, keep to the limits of narrow integers; what is left
// over is converted one by one and wraps.

using Floats = TypeList<float, double, float16, bfloat16, std::complex<float>, std::complex<double>>;
using NarrowIntegers = TypeList<int8_t, uint8_t, int16_t, uint16_t>;

/// Elements of a packet; 0 where all elements are converted alike.
int64_t packet_size(DType from, DType to) {
  const bool is_narrow = dispatch<NarrowIntegers>(to, []<class T>() {});
  if (!is_narrow && to != DType::kUint32) return 0;
  switch (from) {
    case DType::kFloat32:
      return is_narrow ? 32 : 8;
    case DType::kFloat64:
    case DType::kFloat16:
      return is_narrow ? 16 : 8;
    case DType::kBfloat16:
      return 8;
    case DType::kComplex64:
      return is_narrow ? 0 : 8;
    case DType::kComplex128:
      return is_narrow ? 16 : 1 << 30;
    default:
      return 0;
  }
}

template <class T>
double real_part(T value) {
  if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>) {
    return static_cast<double>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    return static_cast<double>(value);
  } else {
    return static_cast<double>(value.real());
  }
}

template <class To, class From>
To within_limits(From value) {
  const double number = real_part(value);
  const bool fits = number > -0x1p31 - 1 && number < 0x1p31;
  int32_t whole = fits ? static_cast<int32_t>(number) : std::numeric_limits<int32_t>::min();
  if constexpr (std::is_same_v<To, uint8_t> && !std::is_same_v<From, float> &&
                !std::is_same_v<From, bfloat16>) {
    whole = static_cast<int16_t>(
        std::clamp(whole, 0, 65535));  // two steps, the second of which takes it for signed
  }
  return static_cast<To>(
      std::clamp<int32_t>(whole, std::numeric_limits<To>::min(), std::numeric_limits<To>::max()));
}

template <class From>
uint32_t lowest_bits(From value) {
  const double number = real_part(value);
  const bool fits = number >= -0x1p63 && number < 0x1p63;
  return static_cast<uint32_t>(fits ? static_cast<int64_t>(number) : std::numeric_limits<int64_t>::min());
}

/// Elements from `begin` to `end` of which those before `whole` are in packets.
void convert_in_packets(DType from, const void* source, DType to, void* target, int64_t begin, int64_t end,
                        int64_t whole) {
  const int64_t middle = std::clamp(whole, begin, end);
  const bool is_narrow = dispatch<NarrowIntegers>(to, [&]<class To>() {
    (void)dispatch<Floats>(from, [&]<class From>() {
      const From* in = static_cast<const From*>(source);
      To* out = static_cast<To*>(target);
      for (int64_t i = begin; i < middle; ++i) out[i] = within_limits<To>(in[i]);
    });
  });
  const auto plain = [&](int64_t first, int64_t last) {
    convert_elements(from, advance(source, first, dtype_size(from)), to,
                     advance(target, first, dtype_size(to)), last - first);
  };
  if (is_narrow) return plain(middle, end);
  plain(begin, middle);
  (void)dispatch<Floats>(from, [&]<class From>() {
    for (int64_t i = middle; i < end; ++i) {
      static_cast<uint32_t*>(target)[i] = lowest_bits(static_cast<const From*>(source)[i]);
    }
  });
}

std::unique_ptr<graph::Kernel> prepare_cast(PrepareContext& context) {
  const DType from = context.input_dtype(0);
  const DType to = context.output_dtype(0);
  if (!can_convert(from, to)) {
    throw errors::UnimplementedError(
        fmt::format("Cast {} to {} is not supported", dtype_kernel_name(from), dtype_kernel_name(to)));
  }
  const int64_t count = context.input_shape(0).num_elements();
  const int drop = context.attrs().get<bool>("Truncate") ? dropped_bits(from, to) : 0;
  const int64_t packet = packet_size(from, to);
  auto elementwise = drop == 0 && packet == 0 ? elementwise_walks(context, kCastsPerWorker) : std::nullopt;
  if (elementwise) {
    elementwise->parameter = {static_cast<std::byte>(from), static_cast<std::byte>(to)};
    elementwise->any = [](const graph::ElementwiseLoop& self, const void* const* in, void* out,
                          int64_t number) {
      convert_elements(static_cast<DType>(self.parameter[0]), in[0], static_cast<DType>(self.parameter[1]),
                       out, number);
    };
  }
  return graph::make_kernel(
      [=](const KernelCall& call) {
        for_elements(call.parallel(), count, kCastsPerWorker, [&](int64_t begin, int64_t end) {
          if (packet > 0) {
            return convert_in_packets(from, call.in<char>(0), to, call.out<char>(0), begin, end,
                                      count - count % packet);
          }
          const void* in = advance(call.in<char>(0), begin, dtype_size(from));
          void* out = advance(call.out<char>(0), begin, dtype_size(to));
          if (drop == 0) {
            convert_elements(from, in, to, out, end - begin);
          } else if (from == DType::kFloat32) {
            convert_truncated<float, uint32_t>(in, from, out, to, end - begin, drop);
          } else {
            convert_truncated<double, uint64_t>(in, from, out, to, end - begin, drop);
          }
        });
      },
      {.in_place = in_place_pairs(context), .elementwise = elementwise});
}

constexpr graph::OpRow kCastOps[] = {
    {.name = "Cast",
     .inputs = "x:SrcT",
     .outputs = "y:DstT",
     .attrs = "SrcT:type; DstT:type; Truncate:bool=false",
     .elementwise = true,
     .shape = graph::unchanged_shape,
     .dims = dims_unchanged,
     .gradient = cast_gradient,
     .prepare = prepare_cast},
};

}  // namespace

void register_cast_ops(OpTable& table) {
  for (const graph::OpRow& row : kCastOps) table.add(row);
}

}  // namespace flowray::ops
