#include "engine/plan/order_rules.h"

#include "graph/op_schema.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace flowray::engine {
namespace {

constexpr uint32_t kNobody = ~uint32_t{0};

/// Collects pairs (before, after) of instructions.
class RuleFinder {
 public:
  RuleFinder(const Program& program, const StepGraph& step)
      : program_(program), segment_(program.segment), step_(step) {}

  std::vector<std::pair<uint32_t, uint32_t>> run() {
    maker_.assign(program_.slots.size(), kNobody);
    read_from_.assign(program_.slots.size(), nullptr);
    for (uint32_t i = 0; i < segment_.instructions.size(); ++i) {
      const Instruction& instruction = segment_.instructions[i];
      keep_reads(i, instruction);
      keep_resources(i, instruction);
      if (is_seen_by_others(instruction)) add(std::exchange(last_seen_, i), i);
      for (const SlotId id : outputs(instruction)) maker_[id] = i;
    }
    keep_controls();
    return std::move(rules_);
  }
  bool is_too_much() const {
    return num_waits_ > kMostWaits * (step_.nodes.size() + segment_.operands.size());
  }

 private:
  /// An edge from a NoOp becomes edges from all its predecessors: m of them and n dependents make m * n.
  static constexpr size_t kMostWaits = 16;

  /// The variable or queue behind a slot, and its reads since its last change.
  struct Resource {
    uint32_t last_change = kNobody;
    std::vector<uint32_t> readers;
  };

  std::span<const SlotId> inputs(const Instruction& instruction) const {
    return std::span(segment_.operands).subspan(instruction.inputs, instruction.num_inputs);
  }
  std::span<const SlotId> outputs(const Instruction& instruction) const {
    return std::span(segment_.operands).subspan(instruction.outputs, instruction.num_outputs);
  }
  std::span<const graph::Node* const> nodes(const Instruction& instruction) const {
    if (instruction.fused_begin == instruction.fused_end) return {&instruction.node, 1};
    return std::span(segment_.fused)
        .subspan(instruction.fused_begin, instruction.fused_end - instruction.fused_begin);
  }

  void add(uint32_t before, uint32_t after) {
    if (before != kNobody && before < after) rules_.emplace_back(before, after);
  }

  void keep_reads(uint32_t i, const Instruction& instruction) {
    for (const SlotId id : inputs(instruction)) {
      add(maker_[id], i);
      // While it holds a variable's value, an update would have to copy it.
      if (read_from_[id] != nullptr) read_from_[id]->readers.push_back(i);
    }
  }

  void keep_resources(uint32_t i, const Instruction& instruction) {
    for (const SlotId id : inputs(instruction)) {
      const graph::Resource* const resource = program_.slots[id].resource.get();
      if (resource == nullptr) continue;
      Resource& known = resources_[resource];
      add(known.last_change, i);
      if (instruction.kind == InstructionKind::kRead) {
        known.readers.push_back(i);
        for (const SlotId value : outputs(instruction)) read_from_[value] = &known;
        continue;
      }
      for (const uint32_t reader : known.readers) add(reader, i);
      known.readers.clear();
      known.last_change = i;
    }
  }

  /// Beyond the variables and queues that it takes by their slots. A kernel that has some works on
  /// these alone.
  bool is_seen_by_others(const Instruction& instruction) const {
    if (instruction.kind == InstructionKind::kRead) return false;
    if (has_bodies(instruction) || instruction.kind == InstructionKind::kTokens) return true;
    const auto is_handle = [&](SlotId id) {
      const Slot& slot = program_.slots[id];
      return slot.resource == nullptr && (slot.dtype == DType::kResource || slot.dtype == DType::kVariant);
    };
    if (std::ranges::any_of(inputs(instruction), is_handle) ||
        std::ranges::any_of(outputs(instruction), is_handle))
      return true;
    const auto is_known = [&](SlotId id) { return program_.slots[id].resource != nullptr; };
    if (instruction.kind == InstructionKind::kKernel && std::ranges::any_of(inputs(instruction), is_known))
      return false;
    return std::ranges::any_of(nodes(instruction), [](const graph::Node* node) {
      const graph::OpRow& row = node->schema().row;
      return row.stateful || row.checks || row.start != nullptr;
    });
  }

  /// A control edge from a node without an instruction (a view, a constant)
  /// becomes edges from that node's predecessors.
  void keep_controls() {
    if (std::ranges::all_of(step_.nodes, [](const StepNode& item) { return item.controls.empty(); })) return;
    std::unordered_map<const graph::Node*, std::vector<uint32_t>> instructions_of;
    for (uint32_t i = 0; i < segment_.instructions.size(); ++i) {
      for (const graph::Node* node : nodes(segment_.instructions[i])) instructions_of[node].push_back(i);
    }
    std::vector<std::vector<uint32_t>> ends(step_.nodes.size());  // by node: the instructions that end it
    for (size_t place = 0; place < step_.nodes.size() && !is_too_much(); ++place) {
      const StepNode& item = step_.nodes[place];
      const auto own = instructions_of.find(item.node);
      std::vector<uint32_t> waits;
      for (const uint32_t control : item.controls)
        waits.insert(waits.end(), ends[control].begin(), ends[control].end());
      num_waits_ += waits.size();
      if (own != instructions_of.end()) {
        for (const uint32_t before : waits) {
          for (const uint32_t i : own->second) add(before, i);
        }
        ends[place] = own->second;
        continue;
      }
      for (const ValueId id : item.inputs) {
        const int32_t producer = step_.values[id].producer;
        if (producer < 0) continue;
        const std::vector<uint32_t>& more = ends[static_cast<size_t>(producer)];
        waits.insert(waits.end(), more.begin(), more.end());
      }
      std::ranges::sort(waits);
      waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
      ends[place] = std::move(waits);
    }
  }

  const Program& program_;
  const Segment& segment_;
  const StepGraph& step_;
  std::vector<uint32_t> maker_;       // by slot
  std::vector<Resource*> read_from_;  // by slot: whose value it is
  std::unordered_map<const graph::Resource*, Resource> resources_;
  uint32_t last_seen_ = kNobody;
  std::vector<std::pair<uint32_t, uint32_t>> rules_;
  size_t num_waits_ = 0;
};

}  // namespace

OrderRules::OrderRules(const Program& program, const StepGraph& step) {
  RuleFinder finder(program, step);
  std::vector<std::pair<uint32_t, uint32_t>> rules = finder.run();
  is_complete_ = !finder.is_too_much();
  std::ranges::sort(rules);
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  const size_t count = program.segment.instructions.size();
  first_after_.assign(count + 1, 0);
  first_before_.assign(count + 1, 0);
  for (const auto& [before, after] : rules) {
    ++first_after_[before + 1];
    ++first_before_[after + 1];
  }
  for (size_t i = 0; i < count; ++i) {
    first_after_[i + 1] += first_after_[i];
    first_before_[i + 1] += first_before_[i];
  }
  before_.resize(rules.size());
  std::vector<uint32_t> next = first_before_;
  for (const auto& [before, after] : rules) {
    after_.push_back(after);
    before_[next[after]++] = before;
  }
}

}  // namespace flowray::engine
