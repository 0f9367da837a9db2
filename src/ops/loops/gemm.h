#pragma once

#include <cstddef>
#include <cstdint>

#include "core/function_ref.h"
#include "core/parallel.h"
#include "ops/loops/cpu_level.h"

namespace flowray::ops {

/// C[m, n] = op(A)[m, k] * op(B)[k, n], all dense and row-major. A is [k, m] in memory when it is to be
/// transposed, B is [n, k].
struct GemmShape {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  bool transpose_a = false;
  bool transpose_b = false;
};

/// What happens to the product on its way to C, in this order.
struct GemmEpilogue {
  bool add_to_c = false;  ///< C's old values are added; else they are not looked at and may be anything.
  bool bias = false;      ///< bias[n] is added to every row.
  bool relu = false;      ///< Negative values become 0; NaN stays.
};

/// Told of elements [begin, end) of C when they are finished, on the thread that made them: they may be
/// changed then.
using FinishedElements = FunctionRef<void(int64_t begin, int64_t end)>;

/// A matrix product prepared for one shape: float, double, int32_t or int64_t (integers wrap around).
///
/// float is fast; the others are plain loops. The object is immutable: any number of threads may run it at
/// the same time, each with a workspace of its own. Nothing is allocated by run().
///
/// The plain loops, here and of Conv2D and its gradients, need no workspace however many workers there are,
/// so they leave `workers` and `workspace` unnamed; float's specializations, which callers cannot tell from
/// them, pack blocks for each worker.
template <typename T>
class Gemm {
 public:
  /// `level` is for tests; it must not be above highest_cpu_level().
  explicit Gemm(const GemmShape& shape, const GemmEpilogue& epilogue = {}, CpuLevel level = cpu_level());

  /// Bytes of workspace that run() needs with a Parallel of `workers` workers.
  size_t workspace_bytes(int workers) const;

  /// `bias` is read only where the epilogue asks for it, and may be null otherwise. `workspace` is 64-byte
  /// aligned and holds workspace_bytes(parallel.workers()) bytes of any content. c overlaps nothing else.
  /// `finished` may be null.
  void run(const T* a, const T* b, const T* bias, T* c, void* workspace, Parallel& parallel,
           const FinishedElements* finished = nullptr) const;

  /// What run() tells of begins and ends at multiples of so many elements, with at most `workers` workers.
  int64_t piece_elements(int workers) const;
  /// Whether that many workers all have something to do.
  bool is_shared(int workers) const;

 private:
  GemmShape shape_;
  GemmEpilogue epilogue_;
  CpuLevel level_;
};

template <>
size_t Gemm<float>::workspace_bytes(int workers) const;
template <>
void Gemm<float>::run(const float* a, const float* b, const float* bias, float* c, void* workspace,
                      Parallel& parallel, const FinishedElements* finished) const;
template <>
int64_t Gemm<float>::piece_elements(int workers) const;
template <>
bool Gemm<float>::is_shared(int workers) const;

extern template class Gemm<float>;
extern template class Gemm<double>;
extern template class Gemm<int32_t>;
extern template class Gemm<int64_t>;

}  // namespace flowray::ops
