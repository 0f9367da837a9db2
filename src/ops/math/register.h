#pragma once
/// Elementwise math, casts, complex numbers and Fourier transforms.

#include "graph/op_schema.h"

namespace flowray::ops {

/// All ops of the files in this folder.
void register_math_family(graph::OpTable& table);

// The share of each file; register.cpp calls them.

/// AddN.
void register_add_n_ops(graph::OpTable& table);
/// BesselI0, ..., BesselY1.
void register_bessel_function_ops(graph::OpTable& table);
/// BitwiseAnd, ..., LeftShift, Invert, PopulationCount.
void register_bitwise_ops(graph::OpTable& table);
/// BroadcastTo, BroadcastArgs, BroadcastGradientArgs.
void register_broadcast_ops(graph::OpTable& table);
/// Cast.
void register_cast_ops(graph::OpTable& table);
/// Equal, Less, ..., LogicalAnd, LogicalOr.
void register_comparison_ops(graph::OpTable& table);
/// Complex, Real, Imag, Conj, Angle, ComplexAbs.
void register_complex_number_ops(graph::OpTable& table);
/// FFT, IFFT, RFFT, IRFFT, ...2D, ...3D.
void register_fourier_ops(graph::OpTable& table);
/// Add, Sub, ..., Pow, SquaredDifference.
void register_math_binary_ops(graph::OpTable& table);
/// Abs, Neg, Exp, ..., LogicalNot; SigmoidGrad, TanhGrad, ...
void register_math_unary_ops(graph::OpTable& table);
/// Select, SelectV2.
void register_select_ops(graph::OpTable& table);
/// Asinh, Lgamma, Digamma, Erfinv, ...; Polygamma, Igamma, Xlogy, ...; Betainc.
void register_special_function_ops(graph::OpTable& table);

}  // namespace flowray::ops
