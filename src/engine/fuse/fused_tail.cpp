#include "engine/fuse/fused_tail.h"

#include "graph/kernel/evaluate.h"

#include <array>
#include <atomic>
#include <numeric>

namespace flowray::engine {
namespace {

using graph::KernelCall;

class FusedTailKernel final : public graph::Kernel {
 public:
  FusedTailKernel(FusedTail tail, std::unique_ptr<PieceLoop> loop, uint32_t num_loop_inputs,
                  uint32_t num_loop_outputs)
      : tail_(std::move(tail)),
        loop_(std::move(loop)),
        num_loop_inputs_(num_loop_inputs),
        num_loop_outputs_(num_loop_outputs),
        positions_(num_inputs() + num_loop_outputs + tail_.num_outputs + 1) {
    workspace_bytes_ = tail_.kernel->workspace_bytes();
    in_place_.assign(loop_->in_place().begin(), loop_->in_place().end());
    std::iota(positions_.begin(), positions_.end(), 0u);
    uint32_t next = num_loop_inputs_;
    for (uint32_t k = 0; k < tail_.num_inputs; ++k) {
      const bool is_sourced = static_cast<int>(k) == tail_.kernel->source().input;
      tail_operands_.push_back(is_sourced ? static_cast<uint32_t>(positions_.size() - 1) : next++);
    }
    for (uint32_t k = 0; k < tail_.num_outputs; ++k)
      tail_operands_.push_back(num_inputs() + num_loop_outputs_ + k);
  }

  void run(const KernelCall& call) const override {
    // The inputs of the whole, its outputs, and nothing for what the tail is given by the loop.
    std::array<void*, kMostSlots> slots;
    uint32_t at = 0;
    for (uint32_t k = 0; k < num_inputs(); ++k)
      slots[at++] = const_cast<void*>(call.in<void>(static_cast<int>(k)));
    for (uint32_t k = 0; k < num_loop_outputs_ + tail_.num_outputs; ++k)
      slots[at++] = call.out<void>(static_cast<int>(k));
    slots[at] = nullptr;
    const KernelCall loop_call(slots.data(), positions_, num_inputs(), nullptr, call.parallel());
    const KernelCall tail_call(slots.data(), tail_operands_, tail_.num_inputs, call.workspace<void>(),
                               call.parallel());
    run_tail(tail_call, loop_call);
  }

 private:
  static constexpr size_t kMostSlots =
      kMostFusedInputs + kMostFusedParts + kMostTailInputs + kMostTailOutputs + 1;

  uint32_t num_inputs() const { return num_loop_inputs_ + tail_.num_inputs - 1; }

  void run_tail(const KernelCall& tail_call, const KernelCall& loop_call) const {
    std::atomic<bool> has_named = false;  // the loop's errors name their node
    const std::byte* const stored =
        tail_.output == FusedTail::kFromBuffer ? nullptr : loop_call.out<std::byte>(tail_.output);
    const auto make = [&](int64_t begin, int64_t count, void* buffer) -> const void* {
      try {
        loop_->run_piece(loop_call, begin, begin + count, buffer);
      } catch (...) {
        has_named = true;
        throw;
      }
      return stored == nullptr ? buffer : stored + begin * tail_.element_bytes;
    };
    try {
      tail_.kernel->run_from_source(tail_call, make);
    } catch (const Error& error) {
      if (has_named) throw;
      graph::rethrow_with_node(*tail_.node, error);
    }
  }

  FusedTail tail_;
  std::unique_ptr<PieceLoop> loop_;
  uint32_t num_loop_inputs_;
  uint32_t num_loop_outputs_;
  std::vector<uint32_t> positions_;
  std::vector<uint32_t> tail_operands_;
};

}  // namespace

std::unique_ptr<graph::Kernel> make_fused_tail(FusedTail tail, std::unique_ptr<PieceLoop> loop,
                                               uint32_t num_loop_inputs, uint32_t num_loop_outputs) {
  return std::make_unique<FusedTailKernel>(std::move(tail), std::move(loop), num_loop_inputs,
                                           num_loop_outputs);
}

}  // namespace flowray::engine
