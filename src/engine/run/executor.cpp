#include "engine/run/executor.h"

#include "engine/run/program_run.h"

#include <utility>

namespace flowray::engine {

namespace {

bool is_for(const Program& program, std::span<const Array* const> feeds) {
  for (size_t i = 0; i < feeds.size(); ++i) {
    if (!(program.fed_shapes[i] == feeds[i]->shape())) return false;
  }
  return true;
}

}  // namespace

void Executor::exchange(std::shared_ptr<const Program> program) {
  {
    const MutexLock lock(mutex_);
    program_.swap(program);
    current_.store(program_.get());
  }
  free_states_.clear();
}

std::unique_ptr<RunState> Executor::check_out(std::span<const Array* const> feeds) {
  // A state of a program that was exchanged is dropped, not checked in again.
  std::unique_ptr<RunState> state = free_states_.take();
  if (state != nullptr && state->program().get() == current_.load()) {
    if (is_for(*state->program(), feeds)) return state;
    check_in(std::move(state));
    return nullptr;
  }
  std::shared_ptr<const Program> program;
  {
    const MutexLock lock(mutex_);
    program = program_;
  }
  if (!is_for(*program, feeds)) return nullptr;
  return std::make_unique<RunState>(std::move(program));
}

void Executor::check_in(std::unique_ptr<RunState> state) {
  // No count is touched that other threads share. While a state is kept, no other program can have
  // this address.
  const Program* const program = state->program().get();
  if (program != current_.load()) return;
  free_states_.give(std::move(state));
  // Exchanged meanwhile, perhaps after the states were cleared.
  if (program != current_.load()) free_states_.clear();
}

void Executor::run(std::unique_ptr<RunState> state, std::span<const Array* const> feeds,
                   std::span<Array> results, const RunSurroundings& surroundings) {
  try {
    run_program(*state, feeds, results, surroundings);
  } catch (...) {
    check_in(std::move(state));
    throw;
  }
  check_in(std::move(state));
}

RunOutcome Executor::run_to_end(std::unique_ptr<RunState> state, const std::vector<Array>& feeds,
                                const RunSurroundings& surroundings) {
  RunOutcome outcome;
  try {
    std::vector<const Array*> fed;
    for (const Array& feed : feeds) fed.push_back(&feed);
    outcome.results.resize(state->program()->results.size());
    run(std::move(state), fed, outcome.results, surroundings);
  } catch (...) {
    outcome = {std::current_exception(), {}};
  }
  return outcome;
}

void Executor::start(std::unique_ptr<RunState> state, std::vector<Array> feeds,
                     const RunSurroundings& surroundings, StartedRuns& started, RunDone done) {
  const std::shared_ptr<const Program> program = state->program();
  if (!may_wait(*program)) {
    tell(done, run_to_end(std::move(state), feeds, surroundings));
    return;
  }
  start_run({std::move(state), std::move(feeds), surroundings, std::move(done),
             [this](std::unique_ptr<RunState> used) { check_in(std::move(used)); }},
            started);
}

}  // namespace flowray::engine
