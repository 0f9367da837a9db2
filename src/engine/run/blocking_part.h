#pragma once
/// The blocking part of a Program while one run goes through it: what has started, what has ended, what
/// is left.

#include "engine/program/program.h"
#include "engine/run/pending_calls.h"

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

namespace flowray::engine {

class BlockingPart {
 public:
  /// The run, for what concerns single instructions. Errors that it throws name their node.
  class Run {
   public:
    /// Throws if the run is cancelled or its deadline has passed.
    virtual void check_wanted() const = 0;
    /// Runs an instruction that does not wait.
    virtual void run_one(const Instruction& instruction) = 0;
    /// Begins a branch, a loop or a graph that may have to wait; null for what does not.
    virtual std::unique_ptr<WaitingWork> begin_work(const Instruction& instruction,
                                                    const std::shared_ptr<RunInbox>& inbox) = 0;
    /// The instruction's work has ended; it began at `started_ns`.
    virtual void end_work(const Instruction& instruction, int64_t started_ns) = 0;
    virtual std::vector<graph::NodeInput> inputs_of(const Instruction& instruction) const = 0;
    /// Stores the result of a blocking instruction that began at `started_ns`.
    virtual void take(const Instruction& instruction, graph::BlockingResult result, int64_t started_ns) = 0;

   protected:
    ~Run() = default;
  };

  /// All of it outlives the part. The ends of what it starts come to `inbox`.
  BlockingPart(const Segment& segment, Run& run, const RunSurroundings& surroundings,
               std::shared_ptr<RunInbox> inbox);

  /// Runs what can run. False: it waits for the end of a call. Throws when none is under way any more.
  bool advance();
  /// See WaitingWork. If all that is under way ends well nevertheless, so does the part.
  void give_up();

 private:
  void go_on();
  void fail(std::exception_ptr error);
  bool may_start(const Instruction& instruction) const;
  void start(uint32_t number);
  bool take_ended();
  void take_late();
  void check_wanted();

  const Segment& segment_;
  Run& run_;
  const bool traces_;
  PendingCalls calls_;
  std::vector<bool> over_;           // by instruction, for blocking ones
  std::vector<int64_t> started_ns_;  // likewise, for the trace
  std::vector<uint32_t> left_;       // not started yet
  std::exception_ptr error_;
  bool has_work_ = false;     // branches or loops have been started
  bool is_unwanted_ = false;  // error_ is a cancellation
  bool is_served_ = false;    // no branch or loop is running, and no call has failed so far
};

}  // namespace flowray::engine
