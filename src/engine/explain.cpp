#include "engine/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "engine/program/program_text.h"

namespace flowray::engine {
namespace {

constexpr double kNsPerUs = 1000;

size_t num_bytes(const Slot& slot) {
  if (!slot.shape.is_fully_defined()) return 0;
  return static_cast<size_t>(slot.shape.num_elements()) * dtype_size(slot.dtype);
}

/// The arenas of bodies are parts of the arena around them.
void add_memory(const Program& program, PlannedMemory& memory) {
  memory.num_instructions += program.segment.instructions.size();
  ++memory.num_segments;
  for (const Slot& slot : program.slots) {
    if (slot.kind == SlotKind::kConstant) memory.constant_bytes += slot.constant.size_bytes();
  }
  for (const FreshSlot& fresh : program.fresh_slots)
    memory.result_bytes += num_bytes(program.slots[fresh.slot]);
  for (const auto& body : program.bodies) {
    if (body != nullptr) add_memory(*body, memory);
  }
}

std::string bytes_text(size_t bytes) {
  if (bytes < 10'000) return fmt::format("{} bytes", bytes);
  if (bytes < 10'000'000) return fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string counted(size_t count, std::string_view one, std::string_view many = "") {
  if (count == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", count, one) : fmt::format("{} {}", count, many);
}

double median(std::vector<int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return static_cast<double>(*middle);
}

std::optional<size_t> most_bytes(std::span<const MeasuredRun> runs) {
  std::optional<size_t> most;
  for (const MeasuredRun& run : runs) most = std::max(most, run.most_bytes);
  return most;
}

/// What a node takes in a run.
struct NodeTime {
  double ns = 0;
  size_t count = 0;
};

using NodeTimes = std::unordered_map<const graph::Node*, NodeTime>;

NodeTimes node_times(std::span<const MeasuredRun> runs) {
  std::unordered_map<const graph::Node*, std::vector<int64_t>> by_run;
  NodeTimes times;
  for (size_t run = 0; run < runs.size(); ++run) {
    for (const NodeTrace& entry : runs[run].trace.nodes()) {
      std::vector<int64_t>& sums = by_run[entry.node];
      sums.resize(runs.size());
      sums[run] += entry.end_ns - entry.start_ns;
      if (run + 1 == runs.size()) ++times[entry.node].count;
    }
  }
  for (const auto& [node, sums] : by_run) times[node].ns = median(sums);
  return times;
}

/// The time of all nodes that an instruction computes: each has an equal share.
NodeTime time_of(const NodeTimes& times, const Instruction& instruction) {
  const auto found = times.find(instruction.node);
  if (found == times.end()) return {};
  const uint32_t num_nodes = std::max<uint32_t>(1, instruction.fused_end - instruction.fused_begin);
  return {found->second.ns * num_nodes, found->second.count};
}

std::string summary(const StepGraph& step, const Program& program) {
  const PlannedMemory memory = planned_memory(program);
  std::string text =
      fmt::format("{}, {}, {} of the graph\n", counted(step.feeds.size(), "feed"),
                  counted(step.fetches.size(), "fetch", "fetches"), counted(step.nodes.size(), "node"));
  text += fmt::format("{} in {}\n", counted(memory.num_instructions, "instruction"),
                      counted(memory.num_segments, "segment"));
  text += fmt::format("memory of a run: {} (values {}, workspaces {}, handed out {}); constants {}\n",
                      bytes_text(memory.value_bytes + memory.workspace_bytes + memory.result_bytes),
                      bytes_text(memory.value_bytes), bytes_text(memory.workspace_bytes),
                      bytes_text(memory.result_bytes), bytes_text(memory.constant_bytes));
  return text;
}

}  // namespace

PlannedMemory planned_memory(const Program& program) {
  const Segment& segment = program.segment;
  PlannedMemory memory{
      .value_bytes = segment.value_bytes,
      .workspace_bytes = segment.arena_bytes - std::min(segment.arena_bytes, segment.value_bytes)};
  add_memory(program, memory);
  return memory;
}

std::string explain(const StepGraph& step, const Program& program, std::span<const MeasuredRun> runs) {
  std::string text = summary(step, program);
  if (runs.empty()) return text + "\n" + to_text(program);
  std::vector<int64_t> totals;
  for (const MeasuredRun& run : runs) totals.push_back(run.total_ns);
  text += fmt::format("a run takes {:.3f} us (median of {})\n", median(totals) / kNsPerUs, runs.size());
  const std::optional<size_t> most = most_bytes(runs);
  text += most.has_value() ? fmt::format("at most {} were in use at once\n\n", bytes_text(*most))
                           : "what was in use at once was not counted: another count was under way\n\n";

  const NodeTimes times = node_times(runs);
  // The time of an If or a While is that of what is in it, which has lines of its own.
  double all_ns = 0;
  const auto add_times = [&](const auto& self, const Program& part) -> void {
    for (const Instruction& instruction : part.segment.instructions) {
      if (!has_bodies(instruction)) all_ns += time_of(times, instruction).ns;
    }
    for (const auto& body : part.bodies) {
      if (body != nullptr) self(self, *body);
    }
  };
  add_times(add_times, program);
  constexpr size_t kWidth = 28;
  const auto column = [&](const Instruction* instruction) {
    const auto [ns, count] = instruction == nullptr ? NodeTime() : time_of(times, *instruction);
    if (count == 0) return std::string(kWidth, ' ');
    const std::string share =
        has_bodies(*instruction) || all_ns == 0 ? "" : fmt::format("{:.1f}%", 100 * ns / all_ns);
    const std::string often = count == 1 ? "" : fmt::format("x{}", count);
    return fmt::format("{:>10.3f} us {:>6} {:<7}", ns / kNsPerUs, share, often);
  };
  return text + to_text(program, 0, column);
}

}  // namespace flowray::engine
