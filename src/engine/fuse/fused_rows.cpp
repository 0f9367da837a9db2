#include "engine/fuse/fused_rows.h"

#include "engine/fuse/fused_kernel.h"
#include "graph/kernel/evaluate.h"

#include <algorithm>
#include <utility>

namespace flowray::engine {
namespace {

using graph::ElementwiseLoop;
using graph::KernelCall;
using graph::Walk;

/// A piece is a few whole rows. Rows that repeat are written out side by side, columns too if rows are short;
/// so parts are called once for a piece, but for those that read a column beside rows that are not short:
/// these are called for each row.
class FusedRows final : public FusedKernel {
 public:
  FusedRows(std::vector<FusedPart> parts, const std::vector<ElementwiseLoop::Input>& inputs, RowGrid grid)
      : FusedKernel(std::move(parts), inputs),
        grid_(grid),
        is_short_(grid.width < ElementwiseLoop::kShortRow),
        lays_rows_(grid.width <= kMostPiece / 4) {
    share_rows();
    plan();
    if (is_short_ || !lays_rows_ || rows_at_once_ > 1) return;
    lays_rows_ = false;  // there is no room for several rows
    plan();
  }

  void run(const KernelCall& call) const override {
    share(call, grid_.rows, rows_per_worker_,
          [&](int64_t begin, int64_t end) { run_rows(call, begin, end); });
  }

  void run_piece(const KernelCall& call, int64_t begin, int64_t end, void* /*buffer*/) const override {
    run_rows(call, begin / grid_.width, end / grid_.width);
  }

 private:
  static constexpr size_t kScratchBytes = 96 * 1024;
  static constexpr int64_t kMostPiece = 1024;  // elements
  static constexpr uint32_t kNone = ~uint32_t{0};

  /// What a part reads, beyond what its Call has.
  struct Reads {
    bool is_wide = false;                                            // what it makes
    bool is_by_row = false;                                          // called for each row
    std::array<int64_t, ElementwiseLoop::kMostInputs> strides = {};  // bytes from row to row
    /// Values that are written out into a buffer, by operand; kNone: read where they are.
    std::array<uint32_t, ElementwiseLoop::kMostInputs> spread = {kNone, kNone, kNone, kNone};
  };

  /// A short row that repeats or a column of an input or a part, written out as a wide value.
  struct Spread {
    uint32_t value;
    Walk walk;
    uint32_t bytes;  // of an element
    size_t first;    // part that reads it
    size_t last;
    size_t offset = 0;  // in the scratch memory
  };

  void plan() {
    reads_.clear();
    spreads_.clear();
    input_strides_.assign(num_inputs_, 0);
    for (size_t p = 0; p < parts_.size(); ++p) plan_part(p);
    give_buffers();
  }

  void plan_part(size_t p) {
    const ElementwiseLoop& loop = parts_[p].loop;
    const std::span taken(loop.inputs.data(), static_cast<size_t>(loop.num_inputs));
    const auto takes = [&](Walk walk) {
      return std::ranges::any_of(taken,
                                 [=](const ElementwiseLoop::Input& input) { return input.walk == walk; });
    };
    Reads reads;
    reads.is_wide = loop.count == grid_.rows * grid_.width;
    reads.is_by_row = !is_short_ && (takes(Walk::kColumn) || (takes(Walk::kRepeated) && !lays_rows_));
    for (size_t k = 0; k < operands(p).size(); ++k) {
      const auto [walk, bytes] = loop.inputs[k];
      const bool takes_rows = walk == Walk::kRow || (walk == Walk::kEach && reads.is_wide);
      const bool takes_elements = walk == Walk::kColumn || walk == Walk::kEach;
      if (operands(p)[k] < num_inputs_)
        input_strides_[operands(p)[k]] = takes_rows ? grid_.width * bytes : takes_elements ? bytes : 0;
      if (walk != Walk::kColumn && walk != Walk::kRepeated) {
        reads.strides[k] = walk == Walk::kOne ? 0 : grid_.width * bytes;
      } else if (!reads.is_by_row) {
        reads.spread[k] = spread_of(operands(p)[k], walk, bytes, p);
      } else {
        reads.strides[k] = walk == Walk::kColumn ? bytes : 0;
      }
    }
    reads_.push_back(reads);
  }

  uint32_t spread_of(uint32_t value, Walk walk, uint32_t bytes, size_t reader) {
    if (walk == Walk::kRepeated && value >= num_inputs_)
      throw errors::InternalError("A row that repeats is made by the loop that repeats it");
    for (uint32_t s = 0; s < spreads_.size(); ++s) {
      if (spreads_[s].value != value || spreads_[s].walk != walk) continue;
      spreads_[s].last = reader;
      return s;
    }
    spreads_.push_back({value, walk, bytes, reader, reader});
    return static_cast<uint32_t>(spreads_.size() - 1);
  }

  void share_rows() {
    double shares = 0;  // of a thread, for all rows
    for (const Part& part : parts_)
      shares += static_cast<double>(part.loop.count) / static_cast<double>(part.loop.elements_per_worker);
    rows_per_worker_ =
        std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(grid_.rows) / std::max(shares, 1e-9)));
  }

  /// A place in the scratch memory for each value that only parts read and for what is written out, used
  /// again after the last reader. Fewer rows at once where there are many of them.
  void give_buffers() {
    for (rows_at_once_ = std::max<int64_t>(1, kMostPiece / grid_.width);; rows_at_once_ /= 2) {
      if (place_buffers() <= kScratchBytes || rows_at_once_ == 1) return;
    }
  }

  size_t place_buffers() {
    offsets_.assign(parts_.size(), 0);
    scratch_bytes_ = 0;
    std::vector<size_t> last = last_readers();
    std::vector<size_t> free[2];  // narrow and wide ones
    const auto take = [&](bool is_wide) {
      if (!free[is_wide].empty()) {
        const size_t offset = free[is_wide].back();
        free[is_wide].pop_back();
        return offset;
      }
      const auto elements = static_cast<size_t>(rows_at_once_ * (is_wide ? grid_.width : 1));
      return std::exchange(
          scratch_bytes_,
          scratch_bytes_ + (elements * kMostFusedElementBytes + 63) / 64 * 64 + kFusedBufferGap);
    };
    for (Spread& spread : spreads_) {  // these are written once for all pieces
      if (spread.walk == Walk::kRepeated) spread.offset = take(true);
    }
    for (size_t p = 0; p < parts_.size(); ++p) {
      for (Spread& spread : spreads_) {
        if (spread.walk == Walk::kColumn && spread.first == p) spread.offset = take(true);
      }
      if (parts_[p].output == FusedPart::kInside) offsets_[p] = take(reads_[p].is_wide);
      for (size_t before = 0; before <= p; ++before) {
        if (last[before] == p && parts_[before].output == FusedPart::kInside)
          free[reads_[before].is_wide].push_back(offsets_[before]);
      }
      for (const Spread& spread : spreads_) {
        if (spread.last == p && spread.walk == Walk::kColumn) free[true].push_back(spread.offset);
      }
    }
    return scratch_bytes_;
  }

  /// For each part, the last part that reads it.
  std::vector<size_t> last_readers() const {
    std::vector<size_t> last(parts_.size());
    for (size_t p = 0; p < parts_.size(); ++p) {
      last[p] = p;
      for (const size_t value : operands(p)) {
        if (value >= num_inputs_) last[value - num_inputs_] = p;
      }
    }
    return last;
  }

  void run_rows(const KernelCall& call, int64_t begin, int64_t end) const {
    alignas(64) std::byte scratch[kScratchBytes];
    for (const Spread& spread : spreads_) {
      if (spread.walk == Walk::kRepeated)
        repeat_row(call.in<void>(static_cast<int>(spread.value)),
                   static_cast<size_t>(grid_.width) * spread.bytes, std::min(rows_at_once_, end - begin),
                   scratch + spread.offset);
    }
    size_t p = 0;
    try {
      for (int64_t row = begin; row < end; row += rows_at_once_) {
        const void* at[kMostFusedValues];
        for (size_t k = 0; k < num_inputs_; ++k) at[k] = input_at(call, k, row);
        const int64_t rows = std::min(rows_at_once_, end - row);
        for (p = 0; p < parts_.size(); ++p) run_part(call, scratch, p, row, rows, at);
      }
    } catch (const Error& error) {
      graph::rethrow_with_node(*parts_[p].node, error);
    }
  }

  void run_part(const KernelCall& call, std::byte* scratch, size_t p, int64_t row, int64_t rows,
                const void** at) const {
    const Reads& reads = reads_[p];
    const Part& part = parts_[p];
    const int64_t width = reads.is_wide ? grid_.width : 1;
    std::byte* const out = part.output >= 0
                               ? call.out<std::byte>(part.output) + row * width * part.loop.out_bytes
                               : scratch + offsets_[p];
    at[num_inputs_ + p] = out;
    if (spreads_.empty() && !reads.is_by_row) return calls_[p].run(at, out, rows * width);
    const void* in[ElementwiseLoop::kMostInputs] = {};
    for (size_t k = 0; k < operands(p).size(); ++k) {
      in[k] = at[operands(p)[k]];
      if (reads.spread[k] == kNone) continue;
      const Spread& spread = spreads_[reads.spread[k]];
      std::byte* const to = scratch + spread.offset;
      if (spread.first == p && spread.walk == Walk::kColumn)
        spread_column(static_cast<const std::byte*>(in[k]), spread.bytes, rows, grid_.width, to);
      in[k] = to;
    }
    if (!reads.is_by_row) return part.loop.run(in, out, rows * width);
    for (int64_t r = 0; r < rows; ++r) {
      part.loop.run(in, out + r * width * part.loop.out_bytes, width);
      for (size_t k = 0; k < operands(p).size(); ++k)
        in[k] = static_cast<const std::byte*>(in[k]) + reads.strides[k];
    }
  }

  const void* input_at(const KernelCall& call, size_t k, int64_t row) const {
    return call.in<std::byte>(static_cast<int>(k)) + row * input_strides_[k];
  }

  const RowGrid grid_;
  const bool is_short_;
  bool lays_rows_;
  int64_t rows_at_once_ = 1;
  int64_t rows_per_worker_ = 1;
  std::vector<Reads> reads_;            // by part
  std::vector<int64_t> input_strides_;  // bytes from row to row
  std::vector<Spread> spreads_;
  std::vector<size_t> offsets_;  // by part, in the scratch memory
  size_t scratch_bytes_ = 0;
};

}  // namespace

std::unique_ptr<PieceLoop> make_fused_rows(std::vector<FusedPart> parts,
                                           const std::vector<ElementwiseLoop::Input>& inputs, RowGrid grid) {
  return std::make_unique<FusedRows>(std::move(parts), inputs, grid);
}

}  // namespace flowray::engine
