#include "engine/fuse/fused_kernel.h"

#include "graph/kernel/evaluate.h"

#include <algorithm>

namespace flowray::engine {
namespace {

using graph::ElementwiseLoop;
using graph::KernelCall;
using graph::Walk;

/// All values have one element.
class FusedScalars final : public FusedKernel {
 public:
  using FusedKernel::FusedKernel;

  void run(const KernelCall& call) const override { run_piece(call, 0, 1, nullptr); }

  void run_piece(const KernelCall& call, int64_t /*begin*/, int64_t /*end*/, void* buffer) const override {
    alignas(16) std::byte kept[kMostFusedParts][kMostFusedElementBytes];
    const void* at[kMostFusedValues];
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
    const void* at[kMostFusedValues];
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

  void choose_piece() {
    piece_ = std::min(kMostPiece, (std::max(count_, period_) + 31) / 32 * 32);
    if (num_buffers_ > 0) {
      const size_t fits = (kScratchBytes / num_buffers_ - kFusedBufferGap) / kMostFusedElementBytes / 32 * 32;
      piece_ = std::min(piece_, static_cast<int64_t>(fits));
    }
    buffer_bytes_ = static_cast<size_t>(piece_) * kMostFusedElementBytes + kFusedBufferGap;
  }

  /// Rows that repeat, side by side.
  void lay_rows(const KernelCall& call, std::byte* scratch, int64_t count) const {
    for (size_t k = 0; k < num_inputs_; ++k) {
      if (inputs_[k].walk != Walk::kRepeated) continue;
      repeat_row(call.in<void>(static_cast<int>(k)), static_cast<size_t>(period_) * inputs_[k].bytes,
                 (count + period_ - 1) / period_, scratch + buffer_of_input_[k] * buffer_bytes_);
    }
  }

  /// The elements of columns from `row` on, each as often as a row is long: `count` in all, or a part of
  /// one row.
  void lay_columns(const KernelCall& call, std::byte* scratch, int64_t row, int64_t count) const {
    const int64_t length = std::min(period_, count);
    const int64_t rows = count / length;
    for (size_t k = 0; k < num_inputs_; ++k) {
      if (inputs_[k].walk != Walk::kColumn) continue;
      std::byte* const to = scratch + buffer_of_input_[k] * buffer_bytes_;
      const std::byte* const from = call.in<std::byte>(static_cast<int>(k)) + row * inputs_[k].bytes;
      spread_column(from, inputs_[k].bytes, rows, length, to);
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
      case Walk::kRow:  // there is none here
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
