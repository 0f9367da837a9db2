#include "engine/blocking_part.h"

#include "engine/step_trace.h"

#include <numeric>
#include <utility>

namespace flowray::engine {

BlockingPart::BlockingPart(const Segment& segment, Run& run, const RunContext& context, Cancellation& closing,
                           std::function<void()> wake)
    : segment_(segment),
      run_(run),
      traces_(context.trace != nullptr),
      calls_(context, closing, std::move(wake)),
      over_(segment.num_blocking_part),
      started_ns_(segment.num_blocking_part),
      left_(segment.num_blocking_part) {
  std::iota(left_.begin(), left_.end(), 0u);
}

bool BlockingPart::advance() {
  if (error_ == nullptr) {
    try {
      go_on();
    } catch (...) {
      error_ = std::current_exception();
      is_served_ = is_unwanted_ && left_.empty();
      calls_.give_up();
    }
  }
  if (error_ != nullptr) take_late();
  if (!calls_.empty()) return false;
  if (error_ != nullptr && !is_served_) std::rethrow_exception(error_);
  return true;
}

/// What was given up. Some of it may have been served at that moment; if all of it was, the part is done, and
/// nothing that it took from a queue is lost.
void BlockingPart::take_late() {
  try {
    take_ended();
  } catch (...) {
    is_served_ = false;
  }
}

void BlockingPart::check_wanted() {
  is_unwanted_ = true;
  run_.check_wanted();
  is_unwanted_ = false;
}

/// Until there is nothing left to do but to wait.
void BlockingPart::go_on() {
  if (!take_ended()) check_wanted();
  for (bool has_progress = true; has_progress && !left_.empty();) {
    std::vector<uint32_t> later;
    for (const uint32_t i : left_) {
      const Instruction& instruction = segment_.instructions[i];
      if (!may_start(instruction)) {
        later.push_back(i);
      } else if (instruction.kind == InstructionKind::kBlocking) {
        start(i);
      } else {
        run_.run_one(instruction);
      }
    }
    const bool has_run = later.size() < left_.size();
    left_.swap(later);
    // Not before: within a round what follows a wait would overtake what it computes from, further up the list.
    has_progress = take_ended() || has_run;
  }
  if (calls_.empty() && !left_.empty()) throw errors::InternalError("The step waits for nothing");
}

bool BlockingPart::may_start(const Instruction& instruction) const {
  for (uint32_t k = instruction.waits_begin; k < instruction.waits_end; ++k) {
    if (!over_[segment_.waits[k]]) return false;
  }
  return true;
}

void BlockingPart::start(uint32_t number) {
  const Instruction& instruction = segment_.instructions[number];
  check_wanted();
  if (traces_) started_ns_[number] = StepTrace::now_ns();
  try {
    calls_.start(number, *instruction.node, run_.inputs_of(instruction));
  } catch (const Error& error) {
    graph::rethrow_with_node(*instruction.node, error);
  }
}

/// Whether there were any.
bool BlockingPart::take_ended() {
  std::vector<PendingCalls::Ended> all = calls_.take_ended();
  for (PendingCalls::Ended& ended : all) {
    run_.take(segment_.instructions[ended.number], std::move(ended.result), started_ns_[ended.number]);
    over_[ended.number] = true;
  }
  return !all.empty();
}

}  // namespace flowray::engine
