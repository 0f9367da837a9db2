#include "engine/run/blocking_part.h"

#include "core/job_queue.h"
#include "engine/run/step_trace.h"

#include <numeric>
#include <utility>

namespace flowray::engine {

BlockingPart::BlockingPart(const Segment& segment, Run& run, const RunSurroundings& surroundings,
                           std::shared_ptr<RunInbox> inbox)
    : segment_(segment),
      run_(run),
      traces_(surroundings.context.trace != nullptr),
      calls_(surroundings, std::move(inbox)),
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
      fail(std::current_exception());
    }
  }
  if (error_ != nullptr) take_late();
  if (!calls_.empty()) return false;
  if (error_ != nullptr && !is_served_) std::rethrow_exception(error_);
  return true;
}

void BlockingPart::give_up() {
  if (error_ != nullptr) return;
  is_unwanted_ = true;
  fail(std::make_exception_ptr(errors::CancelledError("Step was cancelled")));
}

void BlockingPart::fail(std::exception_ptr error) {
  error_ = std::move(error);
  is_served_ = is_unwanted_ && left_.empty();
  calls_.give_up();
}

/// Takes the results of cancelled calls. Some may have been served at that moment; if all were, the part is
/// done, and nothing that it took from a queue is lost.
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

/// Runs instructions until all that is left has to wait.
void BlockingPart::go_on() {
  HeldContinuations held;
  // Also where a branch has ended well: it may have been given up at that moment, and the others still wait.
  if (!take_ended() || !calls_.empty()) check_wanted();
  for (bool has_progress = true; has_progress && !left_.empty();) {
    std::vector<uint32_t> later;
    for (const uint32_t i : left_) {
      if (!may_start(segment_.instructions[i])) {
        later.push_back(i);
      } else {
        if (segment_.instructions[i].kind != InstructionKind::kBlocking) held.let_go();  // it may take long
        start(i);
      }
    }
    const bool has_run = later.size() < left_.size();
    left_.swap(later);
    // Not before: within a round what follows a wait would overtake what it computes from, further up
    // the list.
    if (has_work_) held.let_go();  // which may take long
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

/// Starts an instruction; one that does not wait has run when this returns.
void BlockingPart::start(uint32_t number) {
  const Instruction& instruction = segment_.instructions[number];
  if (instruction.kind != InstructionKind::kBlocking) {
    if (traces_) started_ns_[number] = StepTrace::now_ns();
    std::unique_ptr<WaitingWork> work = run_.begin_work(instruction, calls_.inbox());
    if (work != nullptr) {
      has_work_ = true;
      calls_.start(number, std::move(work));
    } else {
      run_.run_one(instruction);
      over_[number] = true;
    }
    return;
  }
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
    if (ended.error != nullptr) std::rethrow_exception(ended.error);
    const Instruction& instruction = segment_.instructions[ended.number];
    if (ended.is_work) {
      run_.end_work(instruction, started_ns_[ended.number]);
    } else {
      run_.take(instruction, std::move(ended.result), started_ns_[ended.number]);
    }
    over_[ended.number] = true;
  }
  return !all.empty();
}

}  // namespace flowray::engine
