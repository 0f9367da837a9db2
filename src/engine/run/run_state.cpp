#include "engine/run/run_state.h"

#include <utility>

namespace flowray::engine {

RunState::RunState(std::shared_ptr<const Program> of) : RunState(std::move(of), nullptr) {}

RunState::RunState(std::shared_ptr<const Program> of, std::byte* arena)
    : program_(std::move(of)),
      arena_(arena),
      slots_(program_->slots.size(), nullptr),
      held_(program_->slots.size()),
      bodies_(program_->bodies.size()),
      dynamic_(program_->num_dynamic) {
  const Program& program = *program_;
  if (arena_ == nullptr) {
    memory_ = Array::uninitialized(DType::kUint8, {static_cast<int64_t>(program.segment.arena_bytes)});
    arena_ = static_cast<std::byte*>(memory_.mutable_raw_data());
  }
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = program.slots[i];
    switch (slot.kind) {
      case SlotKind::kArena:
        if (slot.lodges_in == kNoSlot) slots_[i] = arena_ + slot.offset;
        break;
      // Kernels never write their inputs, and no output is planned onto a constant.
      case SlotKind::kConstant:
        slots_[i] = const_cast<void*>(slot.constant.raw_data());
        break;
      case SlotKind::kResource:
        slots_[i] = slot.resource.get();
        break;
      case SlotKind::kFeed:
      case SlotKind::kHeld:
        break;  // set in each run
    }
  }
}

}  // namespace flowray::engine
