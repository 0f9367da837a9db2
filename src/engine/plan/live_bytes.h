#pragma once
/// How much memory the values of a Program need at once, for any order of its instructions.

#include "engine/program/program.h"

#include <cstdint>
#include <span>
#include <vector>

namespace flowray::engine {

/// Which values have memory of their own and how large it is, their readers, and what may be written over
/// what. Fed values, constants and variables are not counted: they are there in any case. The size of what
/// only the run can tell is guessed from what its instruction reads.
class ValueSizes {
 public:
  explicit ValueSizes(const Program& program);

  size_t num_instructions() const { return extra_bytes_.size(); }
  int64_t bytes(SlotId slot) const { return bytes_[slot]; }
  /// The instructions that read it, each once, and one more where it is a result.
  uint32_t num_uses(SlotId slot) const { return num_uses_[slot]; }
  /// The instructions that read a counted value.
  std::span<const uint32_t> readers(SlotId slot) const { return slice(readers_, first_reader_, slot); }
  /// Counted values that the instruction reads, each once.
  std::span<const SlotId> inputs(uint32_t instruction) const {
    return slice(inputs_, first_input_, instruction);
  }
  /// Counted values that it makes.
  std::span<const SlotId> outputs(uint32_t instruction) const {
    return slice(outputs_, first_output_, instruction);
  }
  /// Its inputs that output `slot` may be written over if this is their last read.
  std::span<const SlotId> below(SlotId slot) const { return slice(below_, first_below_, slot); }
  /// What the instruction needs beside its outputs: the values of its bodies.
  int64_t extra_bytes(uint32_t instruction) const { return extra_bytes_[instruction]; }

  /// Whether some sizes are guessed.
  bool has_guesses() const { return has_guesses_; }

  /// A lower bound: every order needs at least this.
  int64_t least_bytes() const;

 private:
  template <class T>
  static std::span<const T> slice(const std::vector<T>& all, const std::vector<uint32_t>& first,
                                  uint32_t number) {
    return std::span(all).subspan(first[number], first[number + 1] - first[number]);
  }
  /// Sizes assumed where only the run knows them.
  struct Guess {
    int64_t bytes = 0;      // where not even the rank is known
    int64_t dimension = 0;  // else
  };
  void measure(const Program& program);
  Guess guess_from(const Program& program, const Instruction& instruction) const;
  int64_t guessed_bytes(const Slot& slot, const Guess& guess);
  void list_operands(const Program& program);
  void list_readers(const Program& program);
  void list_below(const Program& program);

  std::vector<int64_t> bytes_;
  std::vector<uint32_t> num_uses_;
  std::vector<uint32_t> first_reader_, readers_;
  std::vector<SlotId> inputs_, outputs_, below_;
  std::vector<uint32_t> first_input_, first_output_, first_below_;
  std::vector<int64_t> extra_bytes_;
  bool has_guesses_ = false;
};

/// Goes through instructions in some order, with an account of the live values.
class LiveBytes {
 public:
  explicit LiveBytes(const ValueSizes& sizes);

  /// What would be needed at once while it runs, were it the next.
  int64_t needed(uint32_t instruction) const;
  /// By how much more is needed after it than before.
  int64_t growth(uint32_t instruction) const;
  void run(uint32_t instruction);

  /// How many readers of the value have not run yet, results included.
  uint32_t uses_left(SlotId slot) const { return uses_left_[slot]; }
  int64_t most() const { return most_; }
  /// What was needed for each instruction, added up.
  double sum() const { return sum_; }

 private:
  const ValueSizes& sizes_;
  std::vector<uint32_t> uses_left_;  // by slot
  int64_t now_ = 0;
  int64_t most_ = 0;
  double sum_ = 0;
};

/// The most that is needed at once in this order.
int64_t most_live_bytes(const ValueSizes& sizes, std::span<const uint32_t> order);

}  // namespace flowray::engine
