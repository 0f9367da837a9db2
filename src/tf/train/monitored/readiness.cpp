#include "tf/train/monitored/readiness.h"

#include "core/job_queue.h"
#include "graph/graph.h"

#include <flowray/errors.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace flowray::tf::train {
namespace {

/// A model that is ready is found so however short the wait is: as in TensorFlow, the clock is looked at
/// behind the first look. Servers that do not answer are given this long.
constexpr double kLeastSecsOfALook = 5;

}  // namespace

LimitedLooks::LimitedLooks(double max_wait_secs)
    : max_wait_secs_(max_wait_secs),
      end_(Clock::now() + clock_duration(std::max(max_wait_secs, kLeastSecsOfALook))),
      alarm_(default_timer(), end_, [ends = ends_] { default_jobs().post([ends] { ends->cancel(); }); }) {}

std::string LimitedLooks::look(const std::function<std::string()>& look) const {
  try {
    return look();
  } catch (const errors::CancelledError&) {
    if (Clock::now() < end_) throw;
    throw_not_ready(max_wait_secs_, "Servers that the graph names have not answered");
  }
}

namespace {

/// A step of nothing sends the graph, and is over when the servers that it names are there.
void await_servers(Session& session, const std::shared_ptr<StepCancellation>& ends) {
  if (session.graph().get()->num_nodes() == 0) return;
  (void)session.run(std::vector<Fetch>(), {}, {.cancellation = ends});
}

}  // namespace

void open_session(Session& session, const LimitedLooks& looks, const Rest& rest) {
  try {
    (void)looks.look([&] {
      await_servers(session, looks.ends());
      return std::string();
    });
  } catch (const errors::CancelledError&) {
    rest(std::chrono::steady_clock::now());
    throw;
  }
}

std::string missing_variables(Session& session, const Tensor& ready,
                              const std::shared_ptr<StepCancellation>& ends) {
  if (!ready.has_value()) return {};
  Array told;
  try {
    told = session.run(ready, {}, {.cancellation = ends});
  } catch (const errors::FailedPreconditionError& error) {
    if (error.message().find("uninitialized") == std::string::npos) throw;
    return error.message();
  }
  if (told.dtype() != DType::kString || told.size() == 0) return {};
  const auto names = told.span<std::string>();
  return fmt::format("Variables not initialized: {}", fmt::join(names, ", "));
}

std::string begin_locally(Session& session, const Readiness& readiness,
                          const std::shared_ptr<StepCancellation>& ends) {
  if (!readiness.local_init_op.has_value()) return {};
  std::string against = missing_variables(session, readiness.ready_for_local_init_op, ends);
  if (against.empty()) {
    RunOptions options = readiness.local_init_run_options;
    if (options.cancellation == nullptr) options.cancellation = ends;
    session.run(readiness.local_init_op, readiness.local_init_feed_dict, options);
  }
  return against;
}

std::string look_for_chief(Session& session, const Readiness& readiness,
                           const std::shared_ptr<StepCancellation>& ends) {
  if (ends != nullptr) await_servers(session, ends);
  std::string against = begin_locally(session, readiness, ends);
  return against.empty() ? missing_variables(session, readiness.ready_op, ends) : against;
}

void finish_initialisation(Session& session, const Operation& init_op, bool has_init_fn,
                           const Readiness& readiness) {
  const auto name_of = [](const Operation& op) { return op.has_value() ? op.name() : "None"; };
  const char* const called = has_init_fn ? "given" : "None";
  if (const std::string against = begin_locally(session, readiness); !against.empty()) {
    throw RuntimeError(
        fmt::format("Init operations did not make model ready for local_init.  Init op: {}, init fn: {}, "
                    "error: {}",
                    name_of(init_op), called, against));
  }
  if (const std::string against = missing_variables(session, readiness.ready_op); !against.empty()) {
    throw RuntimeError(
        fmt::format("Init operations did not make model ready.  Init op: {}, init fn: {}, local_init_op: {}, "
                    "error: {}",
                    name_of(init_op), called, name_of(readiness.local_init_op), against));
  }
}

void say_who_is_waited_for(const Readiness& readiness, const std::string& against) {
  const Tensor& asked = readiness.ready_for_local_init_op;
  fmt::print(stderr, "flowray: Waiting for model to be ready.  Ready_for_local_init_op:  {}, ready: {}\n",
             asked.has_value() ? asked.name() : "None", against);
}

void throw_not_ready(double max_wait_secs, const std::string& against) {
  throw errors::DeadlineExceededError(
      fmt::format("Session was not ready after waiting {} secs.\n{}. Is there a chief, and does it use the "
                  "same parameter servers?",
                  max_wait_secs, against));
}

bool look_until(const std::function<bool()>& find, const std::function<void()>& say, const Patience& patience,
                const Rest& rest) {
  using Clock = std::chrono::steady_clock;
  constexpr double kWordEverySecs = 10;
  const Clock::time_point begin = Clock::now();
  const auto after = [&](double seconds) { return begin + clock_duration(seconds); };
  const Clock::time_point end = after(patience.max_wait_secs);
  double next_look_secs = 0;
  double next_word_secs = 0;
  while (!find()) {
    next_look_secs += std::max(patience.recovery_wait_secs, 0.01);
    while (Clock::now() < std::min(end, after(next_look_secs))) {
      if (Clock::now() >= after(next_word_secs)) {
        next_word_secs += kWordEverySecs;
        say();
      }
      rest(std::min({end, after(next_look_secs), after(next_word_secs)}));
    }
    if (Clock::now() >= end) return false;
  }
  return true;
}

void wait_for_chief(const std::function<std::string()>& look, const LimitedLooks& looks,
                    const Readiness& readiness, const Patience& patience, const Rest& rest) {
  std::string against;
  const auto find = [&] {
    try {
      against = looks.look(look);
    } catch (const errors::CancelledError&) {
      rest(std::chrono::steady_clock::now());  // which has words for the end of the wait
      throw;
    }
    return against.empty();
  };
  if (!look_until(find, [&] { say_who_is_waited_for(readiness, against); }, patience, rest))
    throw_not_ready(patience.max_wait_secs, against);
}

std::chrono::steady_clock::duration clock_duration(double seconds) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(std::clamp(seconds, 0.0, 1e9)));
}

}  // namespace flowray::tf::train
