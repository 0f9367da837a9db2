#include "engine/fuse/fused_kernel.h"

#include <algorithm>

namespace flowray::engine {

using graph::ElementwiseLoop;
using graph::Walk;

FusedKernel::FusedKernel(std::vector<FusedPart> parts, const std::vector<ElementwiseLoop::Input>& inputs)
    : num_inputs_(inputs.size()), inputs_(inputs) {
  for (FusedPart& part : parts) {
    const ElementwiseLoop& loop = loop_of(*part.kernel);
    Call call{loop.binary, loop.unary, &loop, {}, part.output};
    std::ranges::transform(part.inputs, call.operands.begin(),
                           [](uint32_t value) { return static_cast<uint16_t>(value); });
    calls_.push_back(call);
    parts_.push_back({loop, part.output, part.node, std::move(part.kernel)});
  }
  find_in_place_pairs();
}

/// An output may be written over an input of as many elements that no later part reads; the part that writes
/// it must allow it where it reads the input itself.
void FusedKernel::find_in_place_pairs() {
  for (uint32_t k = 0; k < num_inputs_; ++k) {
    if (inputs_[k].walk != Walk::kEach) continue;
    size_t last = 0;
    int64_t count = 0;
    for (size_t p = 0; p < parts_.size(); ++p) {
      const auto reads = operands(p);
      const auto at = std::ranges::find(reads, k);
      if (at == reads.end()) continue;
      last = p;
      const ElementwiseLoop& loop = parts_[p].loop;
      const bool in_rows = loop.inputs[static_cast<size_t>(at - reads.begin())].walk == Walk::kRow;
      count = in_rows ? loop.count * loop.period : loop.count;
    }
    for (size_t p = last; p < parts_.size(); ++p) {
      const Part& part = parts_[p];
      if (part.output < 0 || part.loop.out_bytes != inputs_[k].bytes || part.loop.count != count) continue;
      if (p == last && !allows(p, k)) continue;
      in_place_.push_back({static_cast<int>(k), part.output});
    }
  }
}

bool FusedKernel::allows(size_t p, uint32_t value) const {
  if (std::ranges::count(operands(p), value) != 1) return false;
  const auto at = static_cast<int>(std::ranges::find(operands(p), value) - operands(p).begin());
  const auto pairs = parts_[p].kernel->in_place();
  return std::ranges::any_of(pairs, [&](const graph::InPlacePair& pair) { return pair.input == at; });
}

namespace {

template <class Word>
void spread(const std::byte* from, int64_t rows, int64_t length, std::byte* to) {
  constexpr int64_t kBlock = 64 / sizeof(Word);
  for (int64_t r = 0; r < rows; ++r) {
    Word element;
    std::memcpy(&element, from + r * static_cast<int64_t>(sizeof(Word)), sizeof(Word));
    Word block[kBlock];
    for (Word& word : block) word = element;
    std::byte* const row = to + r * length * static_cast<int64_t>(sizeof(Word));
    for (int64_t c = 0; c < length; c += kBlock)
      std::memcpy(row + c * static_cast<int64_t>(sizeof(Word)), block, sizeof(block));
  }
}

}  // namespace

void spread_column(const std::byte* from, uint32_t element_bytes, int64_t rows, int64_t length,
                   std::byte* to) {
  switch (element_bytes) {
    case 1:
      return spread<uint8_t>(from, rows, length, to);
    case 2:
      return spread<uint16_t>(from, rows, length, to);
    case 4:
      return spread<uint32_t>(from, rows, length, to);
    default:
      return spread<uint64_t>(from, rows, length, to);
  }
}

void repeat_row(const void* row, size_t row_bytes, int64_t rows, std::byte* to) {
  for (; rows > 0; --rows, to += row_bytes) std::memcpy(to, row, row_bytes);
}

}  // namespace flowray::engine
