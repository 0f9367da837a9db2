#include "engine/plan/update_sweep.h"

#include "graph/kernel/evaluate.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <new>
#include <numeric>
#include <set>
#include <span>
#include <utility>

namespace flowray::engine {
namespace {

using graph::KernelCall;
using graph::UpdateLoop;
using graph::Variable;

constexpr size_t kMostUpdates = 32;
constexpr size_t kMostVariables = 96;
constexpr size_t kMostOperands = 12;  // of one update

struct Part {
  std::unique_ptr<graph::Kernel> kernel;
  const graph::Node* node;
  uint32_t first_input;
  uint32_t num_inputs;
  std::array<uint32_t, kMostOperands> locks = {};  // by variable: position in the order of locking
};

/// A variable to be locked: input `input` of the whole, of part `part`.
struct Lock {
  uint32_t input;
  uint32_t part;
};

/// The locked variables of a run, without memory of their own.
class Updates {
 public:
  Updates() = default;
  Updates(const Updates&) = delete;
  Updates& operator=(const Updates&) = delete;
  ~Updates() {
    while (count_ > 0) std::destroy_at((*this)[--count_]);
  }

  void add(Variable& variable) {
    new (places_[count_]) Variable::Update(variable.update());
    ++count_;
  }
  Variable::Update* operator[](size_t i) {
    return std::launder(reinterpret_cast<Variable::Update*>(places_[i]));
  }

 private:
  size_t count_ = 0;
  alignas(Variable::Update) std::byte places_[kMostVariables][sizeof(Variable::Update)];
};

class UpdateSweep final : public graph::Kernel {
 public:
  UpdateSweep(std::vector<Part> parts, std::vector<Lock> locks, uint32_t num_inputs)
      : parts_(std::move(parts)), locks_(std::move(locks)), positions_(num_inputs) {
    std::iota(positions_.begin(), positions_.end(), 0u);
    double worth = 0;
    for (const Part& part : parts_) {
      const UpdateLoop& loop = *part.kernel->update();
      ends_.push_back((ends_.empty() ? 0 : ends_.back()) + loop.count);
      worth += static_cast<double>(loop.count) / static_cast<double>(loop.elements_per_worker);
    }
    elements_per_worker_ =
        std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(ends_.back()) / worth));
    is_worth_sharing_ = worth >= 2;
  }

  void run(const KernelCall& call) const override {
    Updates updates;
    lock(call, updates);
    alignas(16) std::byte states[kMostUpdates][UpdateLoop::kStateBytes];
    begin(call, updates, states);
    if (!is_worth_sharing_) return run_range(states, 0, ends_.back());
    call.parallel().for_range(ends_.back(), elements_per_worker_,
                              [&](int64_t begin, int64_t end, int) { run_range(states, begin, end); });
  }

 private:
  using States = std::byte[kMostUpdates][UpdateLoop::kStateBytes];

  void lock(const KernelCall& call, Updates& updates) const {
    size_t k = 0;
    try {
      for (; k < locks_.size(); ++k) updates.add(call.variable(static_cast<int>(locks_[k].input)));
    } catch (const Error& error) {
      graph::rethrow_with_node(*parts_[locks_[k].part].node, error);
    }
  }

  void begin(const KernelCall& call, Updates& updates, States& states) const {
    std::array<void*, kMostUpdates * kMostOperands> inputs;
    for (size_t k = 0; k < positions_.size(); ++k)
      inputs[k] = const_cast<void*>(call.in<void>(static_cast<int>(k)));
    size_t p = 0;
    try {
      for (; p < parts_.size(); ++p) {
        const Part& part = parts_[p];
        const UpdateLoop& loop = *part.kernel->update();
        std::array<Variable::Update*, kMostOperands> variables;
        for (int i = 0; i < loop.num_variables; ++i) {
          const auto at = static_cast<size_t>(i);
          variables[at] = updates[part.locks[at]];
        }
        const std::span<const uint32_t> own_inputs(positions_.data() + part.first_input, part.num_inputs);
        const KernelCall own(inputs.data(), own_inputs, own_inputs.size(), nullptr, call.parallel());
        loop.begin(own, variables.data(), states[p]);
      }
    } catch (const Error& error) {
      graph::rethrow_with_node(*parts_[p].node, error);
    }
  }

  /// Elements [begin, end) of all parts one behind the other.
  void run_range(const States& states, int64_t begin, int64_t end) const {
    auto p = static_cast<size_t>(std::ranges::upper_bound(ends_, begin) - ends_.begin());
    while (begin < end) {
      const UpdateLoop& loop = *parts_[p].kernel->update();
      const int64_t first = ends_[p] - loop.count;
      const int64_t last = std::min(end, ends_[p]);
      if (begin < last) loop.run(states[p], begin - first, last - first);
      begin = last;
      ++p;
    }
  }

  std::vector<Part> parts_;
  std::vector<Lock> locks_;
  std::vector<uint32_t> positions_;
  std::vector<int64_t> ends_;  // by part: elements up to its end
  int64_t elements_per_worker_ = 1;
  bool is_worth_sharing_ = false;
};

class Sweeping {
 public:
  explicit Sweeping(Program& program) : program_(program) {}

  void run() {
    std::vector<Instruction>& list = program_.segment.instructions;
    std::vector<Instruction> before = std::exchange(list, {});
    for (size_t i = 0; i < before.size();) {
      const size_t end = i < program_.segment.num_blocking_part ? i + 1 : end_of_sweep(before, i);
      if (end - i > 1) {
        list.push_back(swept(std::span(before).subspan(i, end - i)));
      } else {
        list.push_back(std::move(before[i]));
      }
      i = end;
    }
  }

 private:
  SlotId operand(const Instruction& instruction, uint32_t k) const {
    return program_.segment.operands[instruction.inputs + k];
  }

  const graph::Resource* variable(const Instruction& instruction, int i) const {
    return program_.slots[operand(instruction, static_cast<uint32_t>(i))].resource.get();
  }

  bool is_update(const Instruction& instruction) const {
    if (instruction.kind != InstructionKind::kKernel || instruction.kernel->update() == nullptr) return false;
    const UpdateLoop& loop = *instruction.kernel->update();
    if (loop.count == 0 || instruction.num_inputs > kMostOperands) return false;
    for (int i = 0; i < loop.num_variables; ++i) {
      if (variable(instruction, i) == nullptr) return false;
    }
    return true;
  }

  /// Behind the last of the updates that begin at `first` and can be one: none changes what another
  /// one changes.
  size_t end_of_sweep(std::span<const Instruction> list, size_t first) const {
    std::set<const graph::Resource*> changed;
    size_t end = first;
    for (; end < list.size() && end - first < kMostUpdates && is_update(list[end]); ++end) {
      std::set<const graph::Resource*> own;
      for (int i = 0; i < list[end].kernel->update()->num_variables; ++i) own.insert(variable(list[end], i));
      const bool is_apart = std::ranges::none_of(own, [&](const auto* one) { return changed.contains(one); });
      if (!is_apart || changed.size() + own.size() > kMostVariables) break;
      changed.merge(own);
    }
    return std::max(end, first + 1);
  }

  Instruction swept(std::span<Instruction> updates) {
    Segment& segment = program_.segment;
    std::vector<SlotId> inputs;
    std::vector<SlotId> outputs;
    std::vector<std::pair<const graph::Resource*, Lock>> variables;
    for (uint32_t p = 0; p < updates.size(); ++p) {
      const Instruction& update = updates[p];
      for (int i = 0; i < update.kernel->update()->num_variables; ++i)
        variables.push_back(
            {variable(update, i), {static_cast<uint32_t>(inputs.size()) + static_cast<uint32_t>(i), p}});
      for (uint32_t k = 0; k < update.num_inputs; ++k) inputs.push_back(operand(update, k));
      for (uint32_t k = 0; k < update.num_outputs; ++k)
        outputs.push_back(segment.operands[update.outputs + k]);
    }
    Instruction made;
    made.node = updates.back().node;
    made.fused_begin = static_cast<uint32_t>(segment.fused.size());
    for (const Instruction& update : updates) segment.fused.push_back(update.node);
    made.fused_end = static_cast<uint32_t>(segment.fused.size());
    made.kernel = kernel_of(updates, std::move(variables), static_cast<uint32_t>(inputs.size()));
    made.inputs = static_cast<uint32_t>(segment.operands.size());
    made.num_inputs = static_cast<uint32_t>(inputs.size());
    segment.operands.insert(segment.operands.end(), inputs.begin(), inputs.end());
    made.outputs = static_cast<uint32_t>(segment.operands.size());
    made.num_outputs = static_cast<uint32_t>(outputs.size());
    segment.operands.insert(segment.operands.end(), outputs.begin(), outputs.end());
    return made;
  }

  /// Locks are taken by address, as everywhere, and each once.
  static std::unique_ptr<graph::Kernel> kernel_of(
      std::span<Instruction> updates, std::vector<std::pair<const graph::Resource*, Lock>> variables,
      uint32_t num_inputs) {
    std::ranges::stable_sort(variables, std::less<const graph::Resource*>(),
                             [](const auto& variable) { return variable.first; });
    std::vector<Part> parts;
    uint32_t first_input = 0;
    for (Instruction& update : updates) {
      parts.push_back({std::move(update.kernel), update.node, first_input, update.num_inputs});
      first_input += update.num_inputs;
    }
    std::vector<Lock> locks;
    const graph::Resource* last = nullptr;
    for (const auto& [resource, lock] : variables) {
      if (resource != last) locks.push_back(lock);
      last = resource;
      Part& part = parts[lock.part];
      part.locks[lock.input - part.first_input] = static_cast<uint32_t>(locks.size() - 1);
    }
    return std::make_unique<UpdateSweep>(std::move(parts), std::move(locks), num_inputs);
  }

  Program& program_;
};

}  // namespace

void sweep_updates(Program& program) { Sweeping(program).run(); }

}  // namespace flowray::engine
