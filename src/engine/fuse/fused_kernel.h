#pragma once
/// What loops over several kernels have in common: the parts, how one is called, which output may be written
/// over which input.

#include "engine/fuse/fused_loop.h"

#include <array>
#include <cstring>
#include <span>

namespace flowray::engine {

inline constexpr size_t kMostFusedValues = kMostFusedInputs + kMostFusedParts;

/// How `part` is computed: elementwise, or an element for each row.
inline const graph::ElementwiseLoop& loop_of(const graph::Kernel& kernel) {
  return kernel.elementwise() != nullptr ? *kernel.elementwise() : *kernel.row_reduction();
}

class FusedKernel : public PieceLoop {
 public:
  FusedKernel(std::vector<FusedPart> parts, const std::vector<graph::ElementwiseLoop::Input>& inputs);

 protected:
  struct Part {
    const graph::ElementwiseLoop& loop;  // the kernel's
    int output;
    const graph::Node* node;
    std::unique_ptr<graph::Kernel> kernel;
  };

  /// What of a part is needed to call it, close together.
  struct Call {
    graph::ElementwiseLoop::Binary binary;
    graph::ElementwiseLoop::Unary unary;
    const graph::ElementwiseLoop* any;
    std::array<uint16_t, graph::ElementwiseLoop::kMostInputs> operands;
    int32_t output;

    /// `at` has the places of the values.
    void run(const void* const* at, void* out, int64_t count) const {
      if (binary != nullptr) return binary(at[operands[0]], at[operands[1]], out, count);
      if (unary != nullptr) return unary(at[operands[0]], out, count);
      const void* in[graph::ElementwiseLoop::kMostInputs];
      for (size_t k = 0; k < operands.size(); ++k) in[k] = at[operands[k]];
      any->any(*any, in, out, count);
    }
  };

  /// Numbers of the values that part `p` reads.
  std::span<const uint16_t> operands(size_t p) const {
    return std::span(calls_[p].operands).first(static_cast<size_t>(parts_[p].loop.num_inputs));
  }

  template <class Body>
  static void share(const graph::KernelCall& call, int64_t count, int64_t min_per_worker, Body body) {
    if (count < 2 * min_per_worker || call.parallel().workers() == 1) return body(int64_t{0}, count);
    call.parallel().for_range(count, min_per_worker,
                              [&](int64_t begin, int64_t end, int) { body(begin, end); });
  }

  const size_t num_inputs_;
  const std::vector<graph::ElementwiseLoop::Input> inputs_;
  std::vector<Part> parts_;
  std::vector<Call> calls_;  // by part

 private:
  void find_in_place_pairs();
  bool allows(size_t p, uint32_t value) const;
};

/// Buffers are so much longer than their elements: what is laid into them is written in blocks. They are then
/// no multiple of 4096 bytes apart either: those would fall on few places of the cache.
inline constexpr size_t kFusedBufferGap = 128;

/// Elements `from` on, each `length` times, for `rows` rows. The last block of a row reaches into the next
/// row or into the gap behind the buffer.
void spread_column(const std::byte* from, uint32_t element_bytes, int64_t rows, int64_t length,
                   std::byte* to);
/// A row of `row_bytes`, `rows` times.
void repeat_row(const void* row, size_t row_bytes, int64_t rows, std::byte* to);

}  // namespace flowray::engine
