#include "engine/fused_loop.h"

#include "graph/evaluate.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

namespace flowray::engine {
namespace {

using graph::ElementwiseLoop;
using graph::KernelCall;
using graph::Walk;

constexpr size_t kMostValues = kMostFusedInputs + kMostFusedParts;
constexpr int kMostOperands = ElementwiseLoop::kMostInputs;

/// What of a part is needed to call it, close together.
struct Call {
  ElementwiseLoop::Binary binary;
  ElementwiseLoop::Unary unary;
  const ElementwiseLoop* any;
  std::array<uint16_t, kMostOperands> operands;
  int32_t output;

  /// `at` has the places of the values.
  void run(const void* const* at, void* out, int64_t count) const {
    if (binary != nullptr) return binary(at[operands[0]], at[operands[1]], out, count);
    if (unary != nullptr) return unary(at[operands[0]], out, count);
    const void* in[kMostOperands];
    for (size_t k = 0; k < operands.size(); ++k) in[k] = at[operands[k]];
    any->any(*any, in, out, count);
  }
};

class FusedKernel : public PieceLoop {
 public:
  FusedKernel(std::vector<FusedPart> parts, const std::vector<ElementwiseLoop::Input>& inputs)
      : num_inputs_(inputs.size()), inputs_(inputs) {
    for (FusedPart& part : parts) {
      const ElementwiseLoop& loop = *part.kernel->elementwise();
      Call call{loop.binary, loop.unary, &loop, {}, part.output};
      std::ranges::transform(part.inputs, call.operands.begin(),
                             [](uint32_t value) { return static_cast<uint16_t>(value); });
      calls_.push_back(call);
      parts_.push_back({loop, part.output, part.node, std::move(part.kernel)});
    }
    find_in_place_pairs();
  }

 protected:
  struct Part {
    const ElementwiseLoop& loop;  // the kernel's
    int output;
    const graph::Node* node;
    std::unique_ptr<graph::Kernel> kernel;
  };

  /// Numbers of the values that part `p` reads.
  std::span<const uint16_t> operands(size_t p) const {
    return std::span(calls_[p].operands).first(static_cast<size_t>(parts_[p].loop.num_inputs));
  }

  const size_t num_inputs_;
  const std::vector<ElementwiseLoop::Input> inputs_;
  std::vector<Part> parts_;
  std::vector<Call> calls_;  // by part

 private:
  /// An output may be written over an input of its own elements that no later part reads; the part that
  /// writes it must allow it where it reads the input itself.
  void find_in_place_pairs() {
    for (uint32_t k = 0; k < num_inputs_; ++k) {
      if (inputs_[k].walk != Walk::kEach) continue;
      size_t last = 0;
      for (size_t p = 0; p < parts_.size(); ++p) {
        if (std::ranges::count(operands(p), k) > 0) last = p;
      }
      for (size_t p = last; p < parts_.size(); ++p) {
        const Part& part = parts_[p];
        if (part.output < 0 || part.loop.out_bytes != inputs_[k].bytes) continue;
        if (p == last && !allows(p, k)) continue;
        in_place_.push_back({static_cast<int>(k), part.output});
      }
    }
  }

  bool allows(size_t p, uint32_t value) const {
    if (std::ranges::count(operands(p), value) != 1) return false;
    const auto at = static_cast<int>(std::ranges::find(operands(p), value) - operands(p).begin());
    const auto pairs = parts_[p].kernel->in_place();
    return std::ranges::any_of(pairs, [&](const graph::InPlacePair& pair) { return pair.input == at; });
  }
};

/// All values have one element.
class FusedScalars final : public FusedKernel {
 public:
  using FusedKernel::FusedKernel;

  void run(const KernelCall& call) const override { run_piece(call, 0, 1, nullptr); }

  void run_piece(const KernelCall& call, int64_t /*begin*/, int64_t /*end*/, void* buffer) const override {
    alignas(16) std::byte kept[kMostFusedParts][kMostFusedElementBytes];
    const void* at[kMostValues];
    for (size_t k = 0; k < num_inputs_; ++k) at[k] = call.in<void>(static_cast<int>(k));
    size_t p = 0;
    try {
      for (const void** value = at + num_inputs_; p < calls_.size(); ++p, ++value) {
        const Call& part = calls_[p];
        void* const out = part.output >= 0                        ? call.out<void>(part.output)
                          : part.output == FusedPart::kIntoBuffer ? buffer
                                                                  : kept[p];
        *value = out;
        part.run(at, out, 1);
      }
    } catch (const Error& error) {
      graph::rethrow_with_node(*parts_[p].node, error);
    }
  }
};

class FusedLoop final : public FusedKernel {
 public:
  FusedLoop(std::vector<FusedPart> parts, const std::vector<ElementwiseLoop::Input>& inputs,
            int64_t granularity)
      : FusedKernel(std::move(parts), inputs),
        buffer_of_input_(num_inputs_, kNone),
        buffer_of_part_(parts_.size(), kNone) {
    count_ = parts_.front().loop.count;
    double shares = 0;
    bool has_column = false;
    for (const Part& part : parts_) {
      period_ = std::max(period_, part.loop.period);
      shares += 1.0 / static_cast<double>(part.loop.elements_per_worker);
    }
    elements_per_worker_ = std::max<int64_t>(kLeastShare, static_cast<int64_t>(1.0 / shares));
    for (const ElementwiseLoop::Input& input : inputs_) has_column |= input.walk == Walk::kColumn;
    lays_columns_ = has_column && period_ < ElementwiseLoop::kShortRow;
    lays_rows_ =
        period_ > 0 && granularity % period_ == 0 && (has_column ? lays_columns_ : period_ <= kShortRow);
    give_buffers();
    choose_piece();
    if (lays_rows_ && piece_ < period_) {  // too many buffers for a row of each
      lays_rows_ = false;
      give_buffers();
      choose_piece();
    }
    if (lays_rows_) piece_ = piece_ / period_ * period_;
  }

  void run(const KernelCall& call) const override {
    if (lays_rows_) {  // whole rows
      const int64_t rows = count_ / period_;
      share(call, rows, std::max<int64_t>(1, elements_per_worker_ / period_),
            [&](int64_t begin, int64_t end) { run_piece(call, begin * period_, end * period_, nullptr); });
    } else {
      share(call, count_, elements_per_worker_,
            [&](int64_t begin, int64_t end) { run_piece(call, begin, end, nullptr); });
    }
  }

  void run_piece(const KernelCall& call, int64_t begin, int64_t end, void* buffer) const override {
    alignas(64) std::byte scratch[kScratchBytes];
    const void* at[kMostValues];
    if (lays_rows_) lay_rows(call, scratch, std::min(piece_, end - begin));
    const bool in_rows = period_ > 0 && !lays_rows_;
    size_t p = 0;
    try {
      for (int64_t i = begin; i < end;) {
        int64_t count = std::min(piece_, end - i);
        const int64_t row = period_ > 0 ? i / period_ : 0;
        const int64_t column = in_rows ? i - row * period_ : 0;
        if (in_rows) count = std::min(count, period_ - column);
        if (lays_columns_) lay_columns(call, scratch, row, count);
        for (size_t k = 0; k < num_inputs_; ++k) at[k] = input_at(call, scratch, k, i, row, column);
        for (p = 0; p < parts_.size(); ++p) {
          const Part& part = parts_[p];
          void* const out = part.output >= 0 ? call.out<std::byte>(part.output) + i * part.loop.out_bytes
                            : part.output == FusedPart::kIntoBuffer
                                ? static_cast<std::byte*>(buffer) + (i - begin) * part.loop.out_bytes
                                : scratch + buffer_of_part_[p] * buffer_bytes_;
          at[num_inputs_ + p] = out;
          calls_[p].run(at, out, count);
        }
        i += count;
      }
    } catch (const Error& error) {
      graph::rethrow_with_node(*parts_[p].node, error);
    }
  }

 private:
  static constexpr size_t kNone = ~size_t{0};
  static constexpr int64_t kLeastShare = 2048;
  static constexpr int64_t kMostPiece = 1024;  // elements
  static constexpr int64_t kShortRow = 256;    // copies of it are laid side by side
  static constexpr size_t kScratchBytes = 48 * 1024;
  static constexpr size_t kBufferGap = 128;

  template <class Body>
  static void share(const KernelCall& call, int64_t count, int64_t min_per_worker, Body body) {
    if (count < 2 * min_per_worker || call.parallel().workers() == 1) return body(int64_t{0}, count);
    call.parallel().for_range(count, min_per_worker,
                              [&](int64_t begin, int64_t end, int) { body(begin, end); });
  }

  /// A buffer for each copied row and for each value that only parts read, used again after its last reader.
  void give_buffers() {
    num_buffers_ = 0;
    std::ranges::fill(buffer_of_input_, kNone);
    std::ranges::fill(buffer_of_part_, kNone);
    for (size_t k = 0; k < num_inputs_; ++k) {
      const Walk walk = inputs_[k].walk;
      const bool is_laid =
          (lays_rows_ && walk == Walk::kRepeated) || (lays_columns_ && walk == Walk::kColumn);
      if (is_laid) buffer_of_input_[k] = num_buffers_++;
    }
    std::vector<size_t> last(parts_.size());
    for (size_t p = 0; p < parts_.size(); ++p) {
      last[p] = p;
      for (const size_t value : operands(p)) {
        if (value >= num_inputs_) last[value - num_inputs_] = p;
      }
    }
    std::vector<size_t> free;
    for (size_t p = 0; p < parts_.size(); ++p) {
      if (parts_[p].output == FusedPart::kInside) {
        buffer_of_part_[p] = free.empty() ? num_buffers_++ : free.back();
        if (!free.empty()) free.pop_back();
      }
      for (size_t before = 0; before <= p; ++before) {
        if (last[before] == p && buffer_of_part_[before] != kNone) free.push_back(buffer_of_part_[before]);
      }
    }
  }

  /// Buffers are not a multiple of 4096 bytes apart: those would fall on few places of the cache.
  void choose_piece() {
    piece_ = std::min(kMostPiece, (std::max(count_, period_) + 31) / 32 * 32);
    if (num_buffers_ > 0) {
      const size_t fits = (kScratchBytes / num_buffers_ - kBufferGap) / kMostFusedElementBytes / 32 * 32;
      piece_ = std::min(piece_, static_cast<int64_t>(fits));
    }
    buffer_bytes_ = static_cast<size_t>(piece_) * kMostFusedElementBytes + kBufferGap;
  }

  /// Rows that repeat, side by side.
  void lay_rows(const KernelCall& call, std::byte* scratch, int64_t count) const {
    for (size_t k = 0; k < num_inputs_; ++k) {
      if (inputs_[k].walk != Walk::kRepeated) continue;
      std::byte* to = scratch + buffer_of_input_[k] * buffer_bytes_;
      const auto bytes = static_cast<size_t>(period_) * inputs_[k].bytes;
      for (int64_t i = 0; i < count; i += period_, to += bytes)
        std::memcpy(to, call.in<void>(static_cast<int>(k)), bytes);
    }
  }

  /// The elements of columns from `row` on, each as often as a row is long: `count` in all, or a part of one
  /// row.
  void lay_columns(const KernelCall& call, std::byte* scratch, int64_t row, int64_t count) const {
    const int64_t length = std::min(period_, count);
    const int64_t rows = count / length;
    for (size_t k = 0; k < num_inputs_; ++k) {
      if (inputs_[k].walk != Walk::kColumn) continue;
      std::byte* const to = scratch + buffer_of_input_[k] * buffer_bytes_;
      const std::byte* const from = call.in<std::byte>(static_cast<int>(k)) + row * inputs_[k].bytes;
      switch (inputs_[k].bytes) {
        case 1:
          spread<uint8_t>(from, rows, length, to);
          break;
        case 2:
          spread<uint16_t>(from, rows, length, to);
          break;
        case 4:
          spread<uint32_t>(from, rows, length, to);
          break;
        default:
          spread<uint64_t>(from, rows, length, to);
          break;
      }
    }
  }

  /// A row is written in blocks, the last of which reaches into the next row or into the gap behind the
  /// buffer.
  template <class Word>
  static void spread(const std::byte* from, int64_t rows, int64_t length, std::byte* to) {
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

  const void* input_at(const KernelCall& call, const std::byte* scratch, size_t k, int64_t i, int64_t row,
                       int64_t column) const {
    if (buffer_of_input_[k] != kNone) return scratch + buffer_of_input_[k] * buffer_bytes_;
    const std::byte* const from = call.in<std::byte>(static_cast<int>(k));
    const int64_t bytes = inputs_[k].bytes;
    switch (inputs_[k].walk) {
      case Walk::kEach:
        return from + i * bytes;
      case Walk::kOne:
        return from;
      case Walk::kColumn:
        return from + row * bytes;
      case Walk::kRepeated:
        break;
    }
    return from + column * bytes;
  }

  int64_t count_ = 0;
  int64_t period_ = 0;
  int64_t piece_ = 0;
  int64_t elements_per_worker_ = 0;
  bool lays_rows_ = false;  // rows are short: pieces are whole rows, repeated ones written out side by side
  bool lays_columns_ = false;  // ... and so short that columns are written out too, whatever the pieces are
  size_t num_buffers_ = 0;
  size_t buffer_bytes_ = 0;
  std::vector<size_t> buffer_of_input_;
  std::vector<size_t> buffer_of_part_;
};

}  // namespace

std::unique_ptr<PieceLoop> make_fused_loop(std::vector<FusedPart> parts,
                                           const std::vector<ElementwiseLoop::Input>& inputs,
                                           int64_t granularity) {
  if (parts.front().kernel->elementwise()->count == 1)
    return std::make_unique<FusedScalars>(std::move(parts), inputs);
  return std::make_unique<FusedLoop>(std::move(parts), inputs, granularity);
}

}  // namespace flowray::engine
