#include "engine/run/pausing_run.h"

#include "engine/run/program_run.h"
#include "engine/run/token_run.h"

#include <optional>
#include <utility>

namespace flowray::engine {

/// One run of a body that may have to wait.
class ProgramRun::WaitingBody {
 public:
  WaitingBody(ProgramRun& around, const Instruction& instruction, uint32_t number,
              std::span<const Array* const> feeds, std::vector<Array>& results,
              std::shared_ptr<RunInbox> inbox)
      : run_(around.state_of_body(instruction, number), feeds, around.surroundings_),
        results_(results),
        part_(run_.blocking_part(std::move(inbox))) {
    results_.resize(run_.program_.results.size());
    run_.begin(results_);
  }

  /// As WaitingWork has them.
  bool advance() {
    if (!part_.advance()) return false;
    run_.run_rest();
    run_.hand_out(results_);
    return true;
  }
  void give_up() { part_.give_up(); }

 private:
  ProgramRun run_;
  std::vector<Array>& results_;
  BlockingPart part_;
};

/// An If whose taken branch may have to wait.
class ProgramRun::WaitingIf final : public WaitingWork {
 public:
  WaitingIf(ProgramRun& around, const Instruction& instruction, uint32_t number,
            const std::shared_ptr<RunInbox>& inbox)
      : around_(around),
        instruction_(instruction),
        taken_(around.state_.bodies_[number]),
        body_(around, instruction, number, taken_.feeds[0], taken_.results[0], inbox) {}

  bool advance() override {
    if (!body_.advance()) return false;
    around_.hold_outputs(instruction_, taken_.results[0]);
    return true;
  }
  void give_up() override { body_.give_up(); }

 private:
  ProgramRun& around_;
  const Instruction& instruction_;
  RunState::Body& taken_;
  WaitingBody body_;
};

/// A While whose condition or body may have to wait.
class ProgramRun::WaitingWhile final : public WaitingWork {
 public:
  WaitingWhile(ProgramRun& around, const Instruction& instruction, std::shared_ptr<RunInbox> inbox)
      : around_(around),
        instruction_(instruction),
        condition_(around.state_.bodies_[instruction.bodies]),
        body_(around.state_.bodies_[instruction.bodies + 1]),
        inbox_(std::move(inbox)) {
    around_.begin_loop(instruction);
  }

  bool advance() override {
    while (true) {
      if (!is_in_body_) {
        if (!run(instruction_.bodies, condition_.feeds[now_], condition_.results[0])) return false;
        if (!around_.goes_on(instruction_)) break;
        is_in_body_ = true;
      }
      if (!run(instruction_.bodies + 1, body_.feeds[now_], body_.results[1 - now_])) return false;
      is_in_body_ = false;
      now_ = 1 - now_;
    }
    around_.end_loop(instruction_, now_);
    return true;
  }
  void give_up() override {
    is_unwanted_ = true;
    if (waiting_.has_value()) waiting_->give_up();
  }

 private:
  /// Goes on with the condition or the body, begun before or not. False: it waits.
  bool run(uint32_t number, std::span<const Array* const> feeds, std::vector<Array>& results) {
    if (!waiting_.has_value()) {
      around_.check_wanted();
      if (is_unwanted_) throw errors::CancelledError("Step was cancelled");
      if (!may_wait(*around_.program_.bodies[number])) {
        around_.run_body(instruction_, number, feeds, results);
        return true;
      }
      waiting_.emplace(around_, instruction_, number, feeds, results, inbox_);
    }
    if (!waiting_->advance()) return false;
    waiting_.reset();
    return true;
  }

  ProgramRun& around_;
  const Instruction& instruction_;
  RunState::Body& condition_;
  RunState::Body& body_;
  const std::shared_ptr<RunInbox> inbox_;
  std::optional<WaitingBody> waiting_;  // where it is just now
  bool is_in_body_ = false;
  size_t now_ = 0;  // which of the two sets of variables holds their values
  bool is_unwanted_ = false;
};

/// A graph that is run node by node.
class ProgramRun::WaitingTokens final : public WaitingWork {
 public:
  WaitingTokens(ProgramRun& around, const Instruction& instruction, std::shared_ptr<RunInbox> inbox)
      : around_(around),
        instruction_(instruction),
        run_(*around.program_.token_programs[instruction.bodies], around.dynamic_inputs(instruction),
             around.surroundings_, std::move(inbox)) {}

  bool advance() override {
    if (!run_.advance()) return false;
    std::vector<Array> results = run_.take_results();
    around_.hold_outputs(instruction_, results);
    return true;
  }
  void give_up() override { run_.give_up(); }

 private:
  ProgramRun& around_;
  const Instruction& instruction_;
  TokenRun run_;
};

std::unique_ptr<WaitingWork> ProgramRun::begin_work(const Instruction& instruction,
                                                    const std::shared_ptr<RunInbox>& inbox) {
  switch (instruction.kind) {
    case InstructionKind::kIf: {
      check_wanted();
      const uint32_t number = begin_if(instruction);
      if (!may_wait(*program_.bodies[number])) return nullptr;
      return std::make_unique<WaitingIf>(*this, instruction, number, inbox);
    }
    case InstructionKind::kWhile:
      if (!may_wait(program_, instruction)) return nullptr;
      return std::make_unique<WaitingWhile>(*this, instruction, inbox);
    case InstructionKind::kTokens:
      if (!may_wait(program_, instruction)) return nullptr;
      return std::make_unique<WaitingTokens>(*this, instruction, inbox);
    default:
      return nullptr;
  }
}

namespace {

/// One run of a program that may have to wait, from its beginning to its end, good or bad.
class WaitingRun {
 public:
  WaitingRun(RunState& state, std::span<const Array* const> feeds, const RunSurroundings& surroundings,
             std::shared_ptr<RunInbox> inbox)
      : run_(state, feeds, surroundings), part_(run_.blocking_part(std::move(inbox))) {}

  /// As WaitingWork has them.
  bool advance(std::span<Array> results) {
    try {
      if (!std::exchange(has_begun_, true)) run_.begin();
      if (!part_.advance()) return false;
      run_.run_rest();
      run_.hand_out(results);
    } catch (...) {
      run_.abandon();
      throw;
    }
    return true;
  }
  void give_up() { part_.give_up(); }

 private:
  ProgramRun run_;
  BlockingPart part_;
  bool has_begun_ = false;
};

class WaitingProgram final : public WaitingWork {
 public:
  WaitingProgram(RunState& state, std::span<const Array* const> feeds, std::span<Array> results,
                 const RunSurroundings& surroundings, std::shared_ptr<RunInbox> inbox)
      : run_(state, feeds, surroundings, std::move(inbox)), results_(results) {}

  bool advance() override { return run_.advance(results_); }
  void give_up() override { run_.give_up(); }

 private:
  WaitingRun run_;
  const std::span<Array> results_;
};

class PausingProgramRun final : public PausingRun {
 public:
  PausingProgramRun(RunState& state, std::span<const Array* const> feeds, const RunSurroundings& surroundings,
                    std::function<void()> wake)
      : inbox_(std::make_shared<RunInbox>(std::move(wake))), run_(state, feeds, surroundings, inbox_) {}

  bool advance(std::span<Array> results) override {
    while (!run_.advance(results)) {
      if (inbox_->suspend()) return false;
    }
    return true;
  }
  void expire() override { inbox_->expire(); }

 private:
  const std::shared_ptr<RunInbox> inbox_;
  WaitingRun run_;
};

}  // namespace

void run_waiting_program(RunState& state, std::span<const Array* const> feeds, std::span<Array> results,
                         const RunSurroundings& surroundings) {
  const auto inbox = std::make_shared<RunInbox>();
  WaitingRun run(state, feeds, surroundings, inbox);
  while (!run.advance(results)) inbox->wait(surroundings.context);
}

std::unique_ptr<WaitingWork> begin_program(RunState& state, std::span<const Array* const> feeds,
                                           std::span<Array> results, const RunSurroundings& surroundings,
                                           std::shared_ptr<RunInbox> inbox) {
  return std::make_unique<WaitingProgram>(state, feeds, results, surroundings, std::move(inbox));
}

std::unique_ptr<PausingRun> PausingRun::begin(RunState& state, std::span<const Array* const> feeds,
                                              const RunSurroundings& surroundings,
                                              std::function<void()> wake) {
  return std::make_unique<PausingProgramRun>(state, feeds, surroundings, std::move(wake));
}

}  // namespace flowray::engine
