#pragma once
/// Elementwise math and reductions: what each file of these families adds to the table.

#include "graph/op_schema.h"

namespace flowray::ops {

/// Abs, Neg, Exp, ..., LogicalNot; SigmoidGrad, TanhGrad, ...
void register_math_unary_ops(graph::OpTable& table);
/// Add, Sub, ..., Pow, SquaredDifference.
void register_math_binary_ops(graph::OpTable& table);
/// Equal, Less, ..., LogicalAnd, LogicalOr.
void register_comparison_ops(graph::OpTable& table);
/// AddN.
void register_add_n_ops(graph::OpTable& table);
/// Select, SelectV2.
void register_select_ops(graph::OpTable& table);
/// Cast.
void register_cast_ops(graph::OpTable& table);
/// BroadcastTo, BroadcastArgs, BroadcastGradientArgs.
void register_broadcast_ops(graph::OpTable& table);
/// Sum, Mean, Prod, Max, Min, All, Any.
void register_reduce_ops(graph::OpTable& table);
/// ArgMax, ArgMin.
void register_argmax_ops(graph::OpTable& table);

/// Cumsum, Cumprod.
void register_cumulative_ops(graph::OpTable& table);
/// ListDiff.
void register_list_diff_ops(graph::OpTable& table);
/// TopKV2.
void register_top_k_ops(graph::OpTable& table);
/// Unique, UniqueWithCounts.
void register_unique_ops(graph::OpTable& table);
/// BitwiseAnd, ..., LeftShift, Invert, PopulationCount.
void register_bitwise_ops(graph::OpTable& table);
/// Asinh, Lgamma, Digamma, Erfinv, BesselI0e, ...; Polygamma, Igamma, Xlogy, ...; Betainc.
void register_special_function_ops(graph::OpTable& table);
/// All of the above.
/// Complex, Real, Imag, Conj, Angle, ComplexAbs.
void register_complex_number_ops(graph::OpTable& table);
/// FFT, IFFT, RFFT, IRFFT, ...2D, ...3D.
void register_fourier_ops(graph::OpTable& table);
/// Bincount, NthElement.
void register_bincount_ops(graph::OpTable& table);
/// LowerBound, UpperBound.
void register_sorted_bound_ops(graph::OpTable& table);

void register_math_ops(graph::OpTable& table);

}  // namespace flowray::ops
