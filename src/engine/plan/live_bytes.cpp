#include "engine/plan/live_bytes.h"

#include "graph/graph.h"
#include "graph/op_schema.h"

#include <algorithm>
#include <utility>

namespace flowray::engine {
namespace {

std::span<const SlotId> inputs_of(const Segment& segment, const Instruction& instruction) {
  return std::span(segment.operands).subspan(instruction.inputs, instruction.num_inputs);
}
std::span<const SlotId> outputs_of(const Segment& segment, const Instruction& instruction) {
  return std::span(segment.operands).subspan(instruction.outputs, instruction.num_outputs);
}

/// The largest size that is counted: sums of such sizes cannot overflow.
constexpr int64_t kMostBytes = int64_t{1} << 40;

int64_t bounded_product(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kMostBytes : std::min(product, kMostBytes);
}

int64_t bytes_of(const Slot& slot) {
  return bounded_product(slot.shape.num_elements(), static_cast<int64_t>(dtype_size(slot.dtype)));
}

/// The product of the known dimensions of a shape whose rank is known.
int64_t known_product(const Shape& shape) {
  int64_t product = 1;
  for (int i = 0; i < shape.rank(); ++i)
    product = bounded_product(product, std::max<int64_t>(1, shape.dim(i)));
  return product;
}

/// Whether the value behind the slot has memory that is counted.
bool is_counted(const Slot& slot) {
  const bool has_elements =
      is_trivial(slot.dtype) && slot.dtype != DType::kResource && slot.dtype != DType::kVariant;
  return (slot.kind == SlotKind::kArena || slot.kind == SlotKind::kHeld) && has_elements;
}

}  // namespace

ValueSizes::ValueSizes(const Program& program)
    : bytes_(program.slots.size(), 0), num_uses_(program.slots.size(), 0) {
  measure(program);
  list_operands(program);
  list_readers(program);
  list_below(program);
}

void ValueSizes::measure(const Program& program) {
  for (const Instruction& instruction : program.segment.instructions) {
    const bool shares_memory = instruction.kind == InstructionKind::kRead;
    const Guess guess = guess_from(program, instruction);
    for (const SlotId id : outputs_of(program.segment, instruction)) {
      const Slot& slot = program.slots[id];
      if (!shares_memory && is_counted(slot)) bytes_[id] = guessed_bytes(slot, guess);
    }
    int64_t extra = 0;
    for (uint32_t number = 0; has_bodies(instruction) && number < 2; ++number) {
      const Program* const body = program.bodies[instruction.bodies + number].get();
      if (body != nullptr) extra = std::max(extra, static_cast<int64_t>(body->segment.value_bytes));
    }
    extra_bytes_.push_back(extra);
  }
}

ValueSizes::Guess ValueSizes::guess_from(const Program& program, const Instruction& instruction) const {
  Guess guess;
  int64_t longest = 1;
  for (const SlotId id : inputs_of(program.segment, instruction)) {
    const Slot& slot = program.slots[id];
    const auto width = static_cast<int64_t>(dtype_size(slot.dtype));
    if (slot.shape.is_fully_defined()) {
      guess.bytes = std::max(guess.bytes, bytes_of(slot));
      for (int i = 0; i < slot.shape.rank(); ++i) longest = std::max(longest, slot.shape.dim(i));
      continue;
    }
    guess.bytes = std::max(guess.bytes, bytes_[id]);
    if (slot.shape.has_rank() && width > 0)
      guess.dimension =
          std::max(guess.dimension, bytes_[id] / width / std::max<int64_t>(1, known_product(slot.shape)));
  }
  if (guess.dimension == 0) guess.dimension = longest;
  return guess;
}

int64_t ValueSizes::guessed_bytes(const Slot& slot, const Guess& guess) {
  if (slot.shape.is_fully_defined()) return bytes_of(slot);
  has_guesses_ = true;
  if (!slot.shape.has_rank()) return guess.bytes;
  const int64_t count = bounded_product(guess.dimension, known_product(slot.shape));
  return bounded_product(count, static_cast<int64_t>(dtype_size(slot.dtype)));
}

void ValueSizes::list_operands(const Program& program) {
  first_input_.push_back(0);
  first_output_.push_back(0);
  std::vector<const Instruction*> last_reader(bytes_.size(), nullptr);
  for (const Instruction& instruction : program.segment.instructions) {
    for (const SlotId id : inputs_of(program.segment, instruction)) {
      if (bytes_[id] == 0 || std::exchange(last_reader[id], &instruction) == &instruction) continue;
      inputs_.push_back(id);
      ++num_uses_[id];
    }
    for (const SlotId id : outputs_of(program.segment, instruction)) {
      if (bytes_[id] > 0) outputs_.push_back(id);
    }
    first_input_.push_back(static_cast<uint32_t>(inputs_.size()));
    first_output_.push_back(static_cast<uint32_t>(outputs_.size()));
  }
}

void ValueSizes::list_readers(const Program& program) {
  first_reader_.assign(bytes_.size() + 1, 0);
  for (size_t id = 0; id < bytes_.size(); ++id) first_reader_[id + 1] = first_reader_[id] + num_uses_[id];
  readers_.resize(inputs_.size());
  std::vector<uint32_t> next = first_reader_;
  for (uint32_t i = 0; i < num_instructions(); ++i) {
    for (const SlotId id : inputs(i)) readers_[next[id]++] = i;
  }
  std::vector<bool> is_result(bytes_.size());
  for (const Result& result : program.results) {
    if (result.slot != kNoSlot && !is_result[result.slot]) ++num_uses_[result.slot];
    if (result.slot != kNoSlot) is_result[result.slot] = true;
  }
}

void ValueSizes::list_below(const Program& program) {
  std::vector<std::vector<SlotId>> by_slot(bytes_.size());
  std::vector<uint32_t> times(bytes_.size(), 0);  // how often this instruction has it
  const Segment& segment = program.segment;
  for (uint32_t i = segment.num_blocking_part; i < num_instructions(); ++i) {
    const Instruction& instruction = segment.instructions[i];
    const std::span in = inputs_of(segment, instruction);
    const auto add = [&](SlotId from, SlotId to, SlotKind kind) {
      const bool fits = program.slots[from].kind == kind && bytes_[from] == bytes_[to] && bytes_[to] > 0;
      if (fits && times[from] == 1) by_slot[to].push_back(from);
    };
    for (const SlotId id : in) ++times[id];
    if (instruction.kernel != nullptr) {
      for (const graph::InPlacePair& pair : instruction.kernel->in_place())
        add(in[static_cast<size_t>(pair.input)],
            segment.operands[instruction.outputs + static_cast<uint32_t>(pair.output)], SlotKind::kArena);
    } else if (instruction.kind == InstructionKind::kDynamic && instruction.node->schema().row.elementwise) {
      for (const SlotId from : in) add(from, segment.operands[instruction.outputs], SlotKind::kHeld);
    }
    for (const SlotId id : in) times[id] = 0;
  }
  first_below_.push_back(0);
  for (const std::vector<SlotId>& each : by_slot) {
    below_.insert(below_.end(), each.begin(), each.end());
    first_below_.push_back(static_cast<uint32_t>(below_.size()));
  }
}

int64_t ValueSizes::least_bytes() const {
  int64_t least = 0;
  for (uint32_t i = 0; i < num_instructions(); ++i) {
    int64_t bytes = extra_bytes_[i];
    for (const SlotId id : inputs(i)) bytes += bytes_[id];
    for (const SlotId id : outputs(i)) bytes += below(id).empty() ? bytes_[id] : 0;
    least = std::max(least, bytes);
  }
  return least;
}

LiveBytes::LiveBytes(const ValueSizes& sizes) : sizes_(sizes) {
  size_t num_slots = 0;
  for (uint32_t i = 0; i < sizes.num_instructions(); ++i) {
    for (const SlotId id : sizes.inputs(i)) num_slots = std::max<size_t>(num_slots, id + 1);
    for (const SlotId id : sizes.outputs(i)) num_slots = std::max<size_t>(num_slots, id + 1);
  }
  for (SlotId id = 0; id < num_slots; ++id) uses_left_.push_back(sizes.num_uses(id));
}

int64_t LiveBytes::needed(uint32_t instruction) const {
  int64_t bytes = now_ + sizes_.extra_bytes(instruction);
  SlotId taken = kNoSlot;  // by an output before
  for (const SlotId output : sizes_.outputs(instruction)) {
    const std::span below = sizes_.below(output);
    const auto source =
        std::ranges::find_if(below, [&](SlotId id) { return uses_left_[id] == 1 && id != taken; });
    if (source == below.end()) {
      bytes += sizes_.bytes(output);
    } else {
      taken = *source;
    }
  }
  return bytes;
}

int64_t LiveBytes::growth(uint32_t instruction) const {
  int64_t bytes = 0;
  for (const SlotId id : sizes_.outputs(instruction)) bytes += uses_left_[id] > 0 ? sizes_.bytes(id) : 0;
  for (const SlotId id : sizes_.inputs(instruction)) bytes -= uses_left_[id] == 1 ? sizes_.bytes(id) : 0;
  return bytes;
}

void LiveBytes::run(uint32_t instruction) {
  const int64_t bytes = needed(instruction);
  most_ = std::max(most_, bytes);
  sum_ += static_cast<double>(bytes);
  now_ += growth(instruction);
  for (const SlotId id : sizes_.inputs(instruction)) --uses_left_[id];
}

int64_t most_live_bytes(const ValueSizes& sizes, std::span<const uint32_t> order) {
  LiveBytes live(sizes);
  for (const uint32_t instruction : order) live.run(instruction);
  return live.most();
}

}  // namespace flowray::engine
