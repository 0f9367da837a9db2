#pragma once
/// Functions of single ops: arithmetic. Written by scripts/generate-ops: do not edit.

#include <flowray/tf/ops/raw_op.h>

#pragma GCC visibility push(default)

namespace flowray::tf::raw_ops {

/// x:T -> y:T
inline Tensor Abs(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Abs", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// inputs:N*T -> sum:T
inline Tensor AccumulateNV2(const List<Input>& inputs, const TensorShape& shape,
                            const NameOption& options = {}) {
  const Operation op =
      internal::make("AccumulateNV2", options.name, {inputs.items()}, {{"shape", shape}}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Acos(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Acos", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Acosh(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Acosh", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor Add(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("Add", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// inputs:N*T -> sum:T
inline Tensor AddN(const List<Input>& inputs, const NameOption& options = {}) {
  const Operation op = internal::make("AddN", options.name, {inputs.items()}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor AddV2(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("AddV2", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

struct AngleOptions {
  /// The dtype of `output`. One of float32, float64.
  DType Tout = DType::kFloat32;
  /// Of the node; empty: "Angle".
  std::string name = {};
};
/// input:T -> output:Tout
inline Tensor Angle(const Input& input, const AngleOptions& options = {}) {
  const Operation op = internal::make("Angle", options.name, {input}, {{"Tout", options.Tout}}, {});
  return internal::output(op, 0);
}

struct ApproximateEqualOptions {
  float tolerance = 9.999999747378752e-06f;
  /// Of the node; empty: "ApproximateEqual".
  std::string name = {};
};
/// x:T, y:T -> z:bool
inline Tensor ApproximateEqual(const Input& x, const Input& y, const ApproximateEqualOptions& options = {}) {
  const Operation op =
      internal::make("ApproximateEqual", options.name, {x, y}, {{"tolerance", options.tolerance}}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Asin(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Asin", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Asinh(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Asinh", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Atan(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Atan", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// y:T, x:T -> z:T
inline Tensor Atan2(const Input& y, const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Atan2", options.name, {y, x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Atanh(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Atanh", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor BesselI0(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("BesselI0", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor BesselI0e(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("BesselI0e", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor BesselI1(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("BesselI1", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor BesselI1e(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("BesselI1e", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor BesselJ0(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("BesselJ0", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor BesselJ1(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("BesselJ1", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor BesselK0(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("BesselK0", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor BesselK0e(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("BesselK0e", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor BesselK1(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("BesselK1", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor BesselK1e(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("BesselK1e", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor BesselY0(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("BesselY0", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor BesselY1(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("BesselY1", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// a:T, b:T, x:T -> z:T
inline Tensor Betainc(const Input& a, const Input& b, const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Betainc", options.name, {a, b, x}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor BitwiseAnd(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("BitwiseAnd", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor BitwiseOr(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("BitwiseOr", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor BitwiseXor(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("BitwiseXor", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// s0:T, s1:T -> r0:T
inline Tensor BroadcastArgs(const Input& s0, const Input& s1, const NameOption& options = {}) {
  const Operation op = internal::make("BroadcastArgs", options.name, {s0, s1}, {}, {});
  return internal::output(op, 0);
}

/// What BroadcastGradientArgs gives.
struct BroadcastGradientArgsResult {
  Tensor r0;
  Tensor r1;
};
/// s0:T, s1:T -> r0:T, r1:T
inline BroadcastGradientArgsResult BroadcastGradientArgs(const Input& s0, const Input& s1,
                                                         const NameOption& options = {}) {
  const Operation op = internal::make("BroadcastGradientArgs", options.name, {s0, s1}, {}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// input:T, shape:Tidx -> output:T
inline Tensor BroadcastTo(const Input& input, const Input& shape, const NameOption& options = {}) {
  const Operation op = internal::make("BroadcastTo", options.name, {input, shape}, {}, {});
  return internal::output(op, 0);
}

struct CastOptions {
  bool Truncate = false;
  /// Of the node; empty: "Cast".
  std::string name = {};
};
/// x:SrcT -> y:DstT
/// `DstT`: the dtype of `y`.
inline Tensor Cast(const Input& x, DType DstT, const CastOptions& options = {}) {
  const Operation op =
      internal::make("Cast", options.name, {x}, {{"DstT", DstT}, {"Truncate", options.Truncate}}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Ceil(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Ceil", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// t:T, clip_value_min:T, clip_value_max:T -> output:T
inline Tensor ClipByValue(const Input& t, const Input& clip_value_min, const Input& clip_value_max,
                          const NameOption& options = {}) {
  const Operation op =
      internal::make("ClipByValue", options.name, {t, clip_value_min, clip_value_max}, {}, {});
  return internal::output(op, 0);
}

struct ComplexOptions {
  /// The dtype of `out`. One of complex64, complex128.
  DType Tout = DType::kComplex64;
  /// Of the node; empty: "Complex".
  std::string name = {};
};
/// real:T, imag:T -> out:Tout
inline Tensor Complex(const Input& real, const Input& imag, const ComplexOptions& options = {}) {
  const Operation op = internal::make("Complex", options.name, {real, imag}, {{"Tout", options.Tout}}, {});
  return internal::output(op, 0);
}

struct ComplexAbsOptions {
  /// The dtype of `y`. One of float32, float64.
  DType Tout = DType::kFloat32;
  /// Of the node; empty: "ComplexAbs".
  std::string name = {};
};
/// x:T -> y:Tout
inline Tensor ComplexAbs(const Input& x, const ComplexAbsOptions& options = {}) {
  const Operation op = internal::make("ComplexAbs", options.name, {x}, {{"Tout", options.Tout}}, {});
  return internal::output(op, 0);
}

/// input:T -> output:T
inline Tensor Conj(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("Conj", options.name, {input}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Cos(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Cos", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Cosh(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Cosh", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Digamma(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Digamma", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor Div(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("Div", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor DivNoNan(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("DivNoNan", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

struct EqualOptions {
  bool incompatible_shape_error = true;
  /// Of the node; empty: "Equal".
  std::string name = {};
};
/// x:T, y:T -> z:bool
inline Tensor Equal(const Input& x, const Input& y, const EqualOptions& options = {}) {
  const Operation op = internal::make("Equal", options.name, {x, y},
                                      {{"incompatible_shape_error", options.incompatible_shape_error}}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Erf(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Erf", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Erfc(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Erfc", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Erfinv(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Erfinv", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Exp(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Exp", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Expm1(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Expm1", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// input:Tcomplex -> output:Tcomplex
inline Tensor FFT(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("FFT", options.name, {input}, {}, {});
  return internal::output(op, 0);
}

/// input:Tcomplex -> output:Tcomplex
inline Tensor FFT2D(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("FFT2D", options.name, {input}, {}, {});
  return internal::output(op, 0);
}

/// input:Tcomplex -> output:Tcomplex
inline Tensor FFT3D(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("FFT3D", options.name, {input}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Floor(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Floor", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor FloorDiv(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("FloorDiv", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor FloorMod(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("FloorMod", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:bool
inline Tensor Greater(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("Greater", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:bool
inline Tensor GreaterEqual(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("GreaterEqual", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// input:Tcomplex -> output:Tcomplex
inline Tensor IFFT(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("IFFT", options.name, {input}, {}, {});
  return internal::output(op, 0);
}

/// input:Tcomplex -> output:Tcomplex
inline Tensor IFFT2D(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("IFFT2D", options.name, {input}, {}, {});
  return internal::output(op, 0);
}

/// input:Tcomplex -> output:Tcomplex
inline Tensor IFFT3D(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("IFFT3D", options.name, {input}, {}, {});
  return internal::output(op, 0);
}

struct IRFFTOptions {
  /// The dtype of `output`. One of float32, float64.
  DType Treal = DType::kFloat32;
  /// Of the node; empty: "IRFFT".
  std::string name = {};
};
/// input:Tcomplex, fft_length:int32 -> output:Treal
inline Tensor IRFFT(const Input& input, const Input& fft_length, const IRFFTOptions& options = {}) {
  const Operation op =
      internal::make("IRFFT", options.name, {input, fft_length}, {{"Treal", options.Treal}}, {});
  return internal::output(op, 0);
}

struct IRFFT2DOptions {
  /// The dtype of `output`. One of float32, float64.
  DType Treal = DType::kFloat32;
  /// Of the node; empty: "IRFFT2D".
  std::string name = {};
};
/// input:Tcomplex, fft_length:int32 -> output:Treal
inline Tensor IRFFT2D(const Input& input, const Input& fft_length, const IRFFT2DOptions& options = {}) {
  const Operation op =
      internal::make("IRFFT2D", options.name, {input, fft_length}, {{"Treal", options.Treal}}, {});
  return internal::output(op, 0);
}

/// a:T, x:T -> z:T
inline Tensor Igamma(const Input& a, const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Igamma", options.name, {a, x}, {}, {});
  return internal::output(op, 0);
}

/// a:T, x:T -> z:T
inline Tensor IgammaGradA(const Input& a, const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("IgammaGradA", options.name, {a, x}, {}, {});
  return internal::output(op, 0);
}

/// a:T, x:T -> z:T
inline Tensor Igammac(const Input& a, const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Igammac", options.name, {a, x}, {}, {});
  return internal::output(op, 0);
}

struct ImagOptions {
  /// The dtype of `output`. One of float32, float64.
  DType Tout = DType::kFloat32;
  /// Of the node; empty: "Imag".
  std::string name = {};
};
/// input:T -> output:Tout
inline Tensor Imag(const Input& input, const ImagOptions& options = {}) {
  const Operation op = internal::make("Imag", options.name, {input}, {{"Tout", options.Tout}}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Inv(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Inv", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// y:T, dy:T -> z:T
inline Tensor InvGrad(const Input& y, const Input& dy, const NameOption& options = {}) {
  const Operation op = internal::make("InvGrad", options.name, {y, dy}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Invert(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Invert", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:bool
inline Tensor IsFinite(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("IsFinite", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:bool
inline Tensor IsInf(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("IsInf", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:bool
inline Tensor IsNan(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("IsNan", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor LeftShift(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("LeftShift", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:bool
inline Tensor Less(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("Less", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:bool
inline Tensor LessEqual(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("LessEqual", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Lgamma(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Lgamma", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Log(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Log", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Log1p(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Log1p", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:bool, y:bool -> z:bool
inline Tensor LogicalAnd(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("LogicalAnd", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:bool -> y:bool
inline Tensor LogicalNot(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("LogicalNot", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:bool, y:bool -> z:bool
inline Tensor LogicalOr(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("LogicalOr", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor Maximum(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("Maximum", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor Minimum(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("Minimum", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor Mod(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("Mod", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor Mul(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("Mul", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor MulNoNan(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("MulNoNan", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Ndtri(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Ndtri", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Neg(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Neg", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x1:T, x2:T -> output:T
inline Tensor NextAfter(const Input& x1, const Input& x2, const NameOption& options = {}) {
  const Operation op = internal::make("NextAfter", options.name, {x1, x2}, {}, {});
  return internal::output(op, 0);
}

struct NotEqualOptions {
  bool incompatible_shape_error = true;
  /// Of the node; empty: "NotEqual".
  std::string name = {};
};
/// x:T, y:T -> z:bool
inline Tensor NotEqual(const Input& x, const Input& y, const NotEqualOptions& options = {}) {
  const Operation op = internal::make("NotEqual", options.name, {x, y},
                                      {{"incompatible_shape_error", options.incompatible_shape_error}}, {});
  return internal::output(op, 0);
}

/// a:T, x:T -> z:T
inline Tensor Polygamma(const Input& a, const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Polygamma", options.name, {a, x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:uint8
inline Tensor PopulationCount(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("PopulationCount", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor Pow(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("Pow", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

struct RFFTOptions {
  /// The dtype of `output`. One of complex64, complex128.
  DType Tcomplex = DType::kComplex64;
  /// Of the node; empty: "RFFT".
  std::string name = {};
};
/// input:Treal, fft_length:int32 -> output:Tcomplex
inline Tensor RFFT(const Input& input, const Input& fft_length, const RFFTOptions& options = {}) {
  const Operation op =
      internal::make("RFFT", options.name, {input, fft_length}, {{"Tcomplex", options.Tcomplex}}, {});
  return internal::output(op, 0);
}

struct RFFT2DOptions {
  /// The dtype of `output`. One of complex64, complex128.
  DType Tcomplex = DType::kComplex64;
  /// Of the node; empty: "RFFT2D".
  std::string name = {};
};
/// input:Treal, fft_length:int32 -> output:Tcomplex
inline Tensor RFFT2D(const Input& input, const Input& fft_length, const RFFT2DOptions& options = {}) {
  const Operation op =
      internal::make("RFFT2D", options.name, {input, fft_length}, {{"Tcomplex", options.Tcomplex}}, {});
  return internal::output(op, 0);
}

/// alpha:T, sample:T -> output:T
inline Tensor RandomGammaGrad(const Input& alpha, const Input& sample, const NameOption& options = {}) {
  const Operation op = internal::make("RandomGammaGrad", options.name, {alpha, sample}, {}, {});
  return internal::output(op, 0);
}

struct RealOptions {
  /// The dtype of `output`. One of float32, float64.
  DType Tout = DType::kFloat32;
  /// Of the node; empty: "Real".
  std::string name = {};
};
/// input:T -> output:Tout
inline Tensor Real(const Input& input, const RealOptions& options = {}) {
  const Operation op = internal::make("Real", options.name, {input}, {{"Tout", options.Tout}}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor RealDiv(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("RealDiv", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Reciprocal(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Reciprocal", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// y:T, dy:T -> z:T
inline Tensor ReciprocalGrad(const Input& y, const Input& dy, const NameOption& options = {}) {
  const Operation op = internal::make("ReciprocalGrad", options.name, {y, dy}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor RightShift(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("RightShift", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Rint(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Rint", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Round(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Round", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Rsqrt(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Rsqrt", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// y:T, dy:T -> z:T
inline Tensor RsqrtGrad(const Input& y, const Input& dy, const NameOption& options = {}) {
  const Operation op = internal::make("RsqrtGrad", options.name, {y, dy}, {}, {});
  return internal::output(op, 0);
}

/// condition:bool, t:T, e:T -> output:T
inline Tensor Select(const Input& condition, const Input& t, const Input& e, const NameOption& options = {}) {
  const Operation op = internal::make("Select", options.name, {condition, t, e}, {}, {});
  return internal::output(op, 0);
}

/// condition:bool, t:T, e:T -> output:T
inline Tensor SelectV2(const Input& condition, const Input& t, const Input& e,
                       const NameOption& options = {}) {
  const Operation op = internal::make("SelectV2", options.name, {condition, t, e}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Sigmoid(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Sigmoid", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// y:T, dy:T -> z:T
inline Tensor SigmoidGrad(const Input& y, const Input& dy, const NameOption& options = {}) {
  const Operation op = internal::make("SigmoidGrad", options.name, {y, dy}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Sign(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Sign", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Sin(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Sin", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Sinh(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Sinh", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Sqrt(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Sqrt", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// y:T, dy:T -> z:T
inline Tensor SqrtGrad(const Input& y, const Input& dy, const NameOption& options = {}) {
  const Operation op = internal::make("SqrtGrad", options.name, {y, dy}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Square(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Square", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor SquaredDifference(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("SquaredDifference", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor Sub(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("Sub", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Tan(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Tan", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor Tanh(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("Tanh", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// y:T, dy:T -> z:T
inline Tensor TanhGrad(const Input& y, const Input& dy, const NameOption& options = {}) {
  const Operation op = internal::make("TanhGrad", options.name, {y, dy}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor TruncateDiv(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("TruncateDiv", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor TruncateMod(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("TruncateMod", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor Xdivy(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("Xdivy", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor Xlog1py(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("Xlog1py", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:T, y:T -> z:T
inline Tensor Xlogy(const Input& x, const Input& y, const NameOption& options = {}) {
  const Operation op = internal::make("Xlogy", options.name, {x, y}, {}, {});
  return internal::output(op, 0);
}

/// x:T, q:T -> z:T
inline Tensor Zeta(const Input& x, const Input& q, const NameOption& options = {}) {
  const Operation op = internal::make("Zeta", options.name, {x, q}, {}, {});
  return internal::output(op, 0);
}

}  // namespace flowray::tf::raw_ops

#pragma GCC visibility pop
