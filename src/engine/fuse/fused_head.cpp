#include "engine/fuse/fused_head.h"

#include "graph/kernel/evaluate.h"

#include <array>
#include <atomic>

namespace flowray::engine {
namespace {

using graph::InPlacePair;
using graph::KernelCall;

class FusedHeadKernel final : public graph::Kernel {
 public:
  FusedHeadKernel(FusedHead head, std::unique_ptr<PieceLoop> loop, uint32_t num_loop_inputs,
                  uint32_t num_loop_outputs, uint32_t num_outputs)
      : head_(std::move(head)),
        loop_(std::move(loop)),
        num_others_(num_loop_inputs - 1),
        num_outputs_(num_outputs) {
    for (uint32_t k = 0; k < num_loop_inputs + num_outputs_; ++k) positions_.push_back(k);
    choose_place(num_loop_outputs);
    for (uint32_t k = 0; k < head_.num_inputs; ++k) head_operands_.push_back(first_head_input() + k);
    for (const int output : head_.outputs) {
      const bool is_told = output == FusedHead::kInside;
      head_operands_.push_back(is_told ? num_others_ : num_loop_inputs + static_cast<uint32_t>(output));
    }
    take_in_place_pairs();
  }

  void run(const KernelCall& call) const override {
    // The loop's inputs with the told output behind them, all outputs, the head's inputs.
    std::array<void*, kMostSlots> slots;
    for (uint32_t k = 0; k < num_others_; ++k) slots[k] = input(call, k);
    for (uint32_t k = 0; k < num_outputs_; ++k)
      slots[num_others_ + 1 + k] = call.out<void>(static_cast<int>(k));
    for (uint32_t k = 0; k < head_.num_inputs; ++k)
      slots[first_head_input() + k] = input(call, num_others_ + k);
    slots[num_others_] = told_ >= 0 ? call.out<void>(told_) : call.workspace<std::byte>() + told_offset_;
    const KernelCall loop_call(slots.data(), positions_, num_others_ + 1, nullptr, call.parallel());
    const KernelCall head_call(slots.data(), head_operands_, head_.num_inputs, call.workspace<void>(),
                               call.parallel());
    run_head(head_call, loop_call);
  }

 private:
  static constexpr size_t kMostSlots =
      kMostFusedInputs + kMostFusedParts + kMostHeadInputs + kMostHeadOutputs;

  static void* input(const KernelCall& call, uint32_t k) {
    return const_cast<void*>(call.in<void>(static_cast<int>(k)));
  }

  uint32_t first_head_input() const { return num_others_ + 1 + num_outputs_; }

  void run_head(const KernelCall& head_call, const KernelCall& loop_call) const {
    std::atomic<bool> has_named = false;  // the loop's errors name their node
    const auto work_on = [&](int64_t begin, int64_t end) {
      try {
        loop_->run_piece(loop_call, begin, end, nullptr);
      } catch (...) {
        has_named = true;
        throw;
      }
    };
    try {
      head_.kernel->run_in_pieces(head_call, work_on);
    } catch (const Error& error) {
      if (has_named) throw;
      graph::rethrow_with_node(*head_.node, error);
    }
  }

  /// Where the told output stands: in an output of its own, in one of the loop's that is written over it, or
  /// else in the workspace.
  void choose_place(uint32_t num_loop_outputs) {
    told_ = head_.outputs[static_cast<size_t>(head_.kernel->pieces().output)];
    workspace_bytes_ = head_.kernel->workspace_bytes();
    if (told_ != FusedHead::kInside) return;
    for (const InPlacePair& pair : loop_->in_place()) {
      if (pair.input == static_cast<int>(num_others_) && pair.output < static_cast<int>(num_loop_outputs)) {
        told_ = pair.output;
        written_over_ = true;
        return;
      }
    }
    told_offset_ = (workspace_bytes_ + 63) / 64 * 64;
    workspace_bytes_ = told_offset_ + head_.told_bytes;
  }

  /// The head writes all of the told output's place before the loop has read its other inputs, so only what
  /// the head itself may be written over can lie there.
  void take_in_place_pairs() {
    for (const InPlacePair& pair : loop_->in_place()) {
      const bool is_told = pair.input == static_cast<int>(num_others_);
      if (!is_told && !(written_over_ && pair.output == told_)) in_place_.push_back(pair);
    }
    for (const InPlacePair& pair : head_.kernel->in_place()) {
      const bool is_told = pair.output == head_.kernel->pieces().output;
      const int output = is_told ? told_ : head_.outputs[static_cast<size_t>(pair.output)];
      if (output >= 0) in_place_.push_back({static_cast<int>(num_others_) + pair.input, output});
    }
  }

  FusedHead head_;
  std::unique_ptr<PieceLoop> loop_;
  uint32_t num_others_;  // inputs of the loop without the told output
  uint32_t num_outputs_;
  int told_ = FusedHead::kInside;  // number of the output where it stands; kInside: in the workspace
  bool written_over_ = false;
  size_t told_offset_ = 0;
  std::vector<uint32_t> positions_;
  std::vector<uint32_t> head_operands_;
};

}  // namespace

std::unique_ptr<graph::Kernel> make_fused_head(FusedHead head, std::unique_ptr<PieceLoop> loop,
                                               uint32_t num_loop_inputs, uint32_t num_loop_outputs,
                                               uint32_t num_outputs) {
  return std::make_unique<FusedHeadKernel>(std::move(head), std::move(loop), num_loop_inputs,
                                           num_loop_outputs, num_outputs);
}

}  // namespace flowray::engine
