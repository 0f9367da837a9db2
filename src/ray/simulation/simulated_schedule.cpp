// A simulated runtime: what happens next, and what becomes of it.

#include <flowray/ray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "ray/functions/function_registry.h"
#include "ray/simulation/simulated_state.h"
#include "ray/values/value.h"

namespace flowray::ray {

bool SimulatedBackend::happens(double probability) {
  if (probability <= 0) return false;
  return static_cast<double>(random_() >> 11) * 0x1p-53 < probability;
}

size_t SimulatedBackend::below(size_t count) { return random_() % count; }

// ---- waiting

/// In a process that has died, nothing goes on.
void SimulatedBackend::check_alive() {
  const Call* const call = running_call();
  if (call == nullptr || std::uncaught_exceptions() > 0) return;
  if (call->process->is_dead || is_ending_) throw ProcessEnded();
}

void SimulatedBackend::crash_if_it_happens(const char* where) {
  check_alive();
  const Call* const call = running_call();
  if (call == nullptr || call->process->is_dead || !happens(faults_.crash)) return;
  die(call->process, fmt::format("in {}, {}", call->text(), where));
  check_alive();
}

/// Waits until `is_over` holds; false: the deadline, if there is one, has passed.
bool SimulatedBackend::block(const std::function<bool()>& is_over, bool has_deadline) {
  crash_if_it_happens("where it waits");
  if (is_ending_) return is_over();
  Fibers::Fiber* const me = fibers_.here();
  const auto running = running_.find(me);
  const std::shared_ptr<Call> call = running == running_.end() ? nullptr : running->second;
  if (call != nullptr && call->may_be_late() && !is_over() && happens(faults_.delay)) {
    pass_deadline(call);
    check_alive();
  }
  while (true) {
    if (call != nullptr && call->is_to_be_told()) {
      call->was_told = true;
      throw TaskCancelledException("Task: " + call->text() + " was cancelled. It waited.");
    }
    if (has_deadline && !is_over() && happens(faults_.delay)) return false;
    waiting_[me->number] = {me, &is_over, has_deadline, false};
    fibers_.hand_to(next_fiber());
    const bool has_timed_out = waiting_.at(me->number).has_timed_out;
    waiting_.erase(me->number);
    check_alive();
    if (is_stuck_ && me == fibers_.first()) {
      is_stuck_ = false;
      throw RayException("The simulation is stuck: nothing can happen any more, and the program waits.\n" +
                         text_of_waiting());
    }
    if (has_timed_out || is_over()) return is_over();
  }
}

std::string SimulatedBackend::text_of_waiting() const {
  std::string text;
  for (const auto& [number, waiting] : waiting_) {
    const auto found = running_.find(waiting.fiber);
    text += "It waits: " + (found == running_.end() ? "the driver" : found->second->text()) + "\n";
  }
  for (const auto& call : on_their_way_) text += "It has not begun: " + call->text() + "\n";
  return text;
}

bool SimulatedBackend::should_go_on(const Waiting& waiting) {
  if (waiting.is_over == nullptr || (*waiting.is_over)()) return true;
  const auto found = running_.find(waiting.fiber);
  if (found == running_.end()) return false;
  return found->second->process->is_dead || found->second->is_to_be_told();
}

/// Lets things happen until one of those that wait goes on.
Fibers::Fiber* SimulatedBackend::next_fiber() {
  constexpr size_t kMostTasks = 8;
  if (is_ending_) return fibers_.first();
  while (true) {
    Fibers::Fiber* chosen = nullptr;
    std::vector<Action> actions;
    for (const auto& [number, waiting] : waiting_) {
      if (should_go_on(waiting)) actions.emplace_back([&chosen, fiber = waiting.fiber] { chosen = fiber; });
    }
    collect_arrivals(actions, kMostTasks);
    collect_begins(actions);
    if (actions.empty()) collect_arrivals(actions, SIZE_MAX);
    if (actions.empty()) collect_ends_of_time(actions, chosen);
    if (actions.empty()) {
      is_stuck_ = true;
      return fibers_.first();
    }
    actions[below(actions.size())]();
    if (chosen != nullptr) return chosen;
  }
}

void SimulatedBackend::collect_ends_of_time(std::vector<Action>& actions, Fibers::Fiber*& chosen) {
  for (auto& [number, waiting] : waiting_) {
    if (!waiting.has_deadline) continue;
    actions.emplace_back([&chosen, &waiting] {
      waiting.has_timed_out = true;
      chosen = waiting.fiber;
    });
  }
  for (const auto& [number, known] : calls_) {
    const std::shared_ptr<Call> call = known.lock();
    if (call != nullptr && call->may_be_late()) actions.emplace_back([this, call] { pass_deadline(call); });
  }
}

// ---- calls on their way

bool SimulatedBackend::is_deliverable(const Call& call) const {
  if (!std::ranges::all_of(call.refs, [this](ObjectId ref) { return is_ready(ref); })) return false;
  if (call.mode != CallMode::kActorCall) return true;
  const auto& process = actors_.at(call.actor.value)->process;
  return process != nullptr && process->is_made && !process->is_dead;
}

void SimulatedBackend::collect_arrivals(std::vector<Action>& actions, size_t most_tasks) {
  std::vector<std::tuple<uint64_t, uint64_t, uint32_t>> lines;  // whose first call was seen
  for (const std::shared_ptr<Call>& call : on_their_way_) {
    if (call->mode == CallMode::kActorCall) {
      const std::tuple line(call->caller, call->actor.value, call->lane);
      if (std::ranges::find(lines, line) != lines.end()) continue;
      lines.push_back(line);
    } else if (call->mode == CallMode::kTask && num_tasks_running_ >= most_tasks) {
      continue;
    }
    if (is_deliverable(*call)) actions.emplace_back([this, call] { arrive(call); });
  }
}

void SimulatedBackend::arrive(const std::shared_ptr<Call>& call) {
  if (call->may_be_late() && happens(faults_.delay)) return pass_deadline(call);
  std::erase(on_their_way_, call);
  if (call->mode != CallMode::kMakeActor && happens(faults_.lost_call)) {
    ++num_lost_;
    return lose(call, "the call was lost", true);
  }
  if (call->mode == CallMode::kActorCall) {
    call->process = actors_.at(call->actor.value)->process;
    call->process->mailbox.push_back(call);
    return trace("  " + call->text() + fmt::format(" reaches process {}", call->process->number));
  }
  auto process = std::make_shared<Process>();
  process->number = ++last_process_;
  call->process = process;
  if (call->mode == CallMode::kMakeActor) {
    Actor& actor = *actors_.at(call->actor.value);
    process->actor = actor.id;
    process->restarts = actor.restarts;
    actor.process = process;
  } else {
    ++num_tasks_running_;
  }
  begin(call, process);
}

bool SimulatedBackend::has_room(const Process& process, const Call& call) const {
  const Actor& actor = *actors_.at(process.actor.value);
  if (actor.options.answers_later && process.num_fibers > 0) return false;
  const auto running = std::ranges::count_if(
      process.running, [&](const std::shared_ptr<Call>& other) { return other->lane == call.lane; });
  int most = actor.options.max_concurrency == CallOptions::kUnset ? (actor.options.answers_later ? 1'000 : 1)
                                                                  : actor.options.max_concurrency;
  if (call.lane > 0) most = static_cast<int>(actor.groups[call.lane - 1].max_concurrency);
  return running < most;
}

void SimulatedBackend::collect_begins(std::vector<Action>& actions) {
  for (const auto& [id, actor] : actors_) {
    const std::shared_ptr<Process>& process = actor->process;
    if (process == nullptr) continue;
    std::vector<uint32_t> lanes;
    for (const std::shared_ptr<Call>& call : process->mailbox) {
      if (std::ranges::find(lanes, call->lane) != lanes.end()) continue;
      lanes.push_back(call->lane);
      if (!has_room(*process, *call)) continue;
      actions.emplace_back([this, call, process] {
        std::erase(process->mailbox, call);
        begin(call, process);
      });
    }
  }
  for (auto& [id, actor] : actors_) {
    const std::shared_ptr<Process> process = actor->process;
    if (process == nullptr || process->num_fibers > 0) continue;
    for (size_t i = 0; i < process->awaits.size(); ++i) {
      const Await& waiting = process->awaits[i];
      if (!is_ready(waiting.object) && !waiting.call->is_to_be_told()) continue;
      actions.emplace_back([this, process, i] {
        const Await await = process->awaits[i];
        process->awaits.erase(process->awaits.begin() + static_cast<ptrdiff_t>(i));
        start(await.call, [this, await] { go_on(await); });
      });
    }
  }
}

/// With its value, or told that its call was cancelled.
void SimulatedBackend::go_on(const Await& await) {
  if (is_ready(await.object)) return await.awaiting->go_on(view_of(await.object));
  await.call->was_told = true;
  Encoder error;
  encode_error(error, ErrorKind::kTaskCancelled,
               {.message = await_cancelled_text(*await.call),
                .function = std::string(await.call->options.function_name)});
  await.awaiting->go_on(view_of_bytes(value_bytes(error)));
}

// ---- calls that run

/// A fiber that does it, for the call.
void SimulatedBackend::start(const std::shared_ptr<Call>& call, std::function<void()> job) {
  const std::shared_ptr<Process> process = call->process;
  ++process->num_fibers;
  Fibers::Fiber* const fiber = fibers_.start([this, call, process, job = std::move(job)] {
    Fibers::Fiber* const me = fibers_.here();
    waiting_.erase(me->number);
    running_[me] = call;
    try {
      if (!process->is_dead && !is_ending_) job();
    } catch (const ProcessEnded&) {
    }
    running_.erase(me);
    --process->num_fibers;
  });
  waiting_[fiber->number] = {fiber, nullptr, false, false};
}

void SimulatedBackend::begin(const std::shared_ptr<Call>& call, const std::shared_ptr<Process>& process) {
  trace("  " + call->text() + fmt::format(" begins in process {}", process->number));
  process->running.push_back(call);
  call->results = std::make_unique<Encoder[]>(std::max<size_t>(call->returns.size(), 1));
  call->is_later = false;
  start(call, [this, call] { run(call); });
}

void SimulatedBackend::run(const std::shared_ptr<Call>& call) {
  if (happens(faults_.crash)) return die(call->process, "before " + call->text() + " had begun");
  try {
    run_function_of(call);
  } catch (const internal::ActorExit&) {
    actors_.at(call->process->actor.value)->restarts_left = 0;
    die(call->process, "it ended itself by ExitActor()", false);
  }
}

void SimulatedBackend::run_function_of(const std::shared_ptr<Call>& call) {
  const ValueView values = view_of_bytes(call->arguments);
  std::vector<ValueView> references;
  for (const ObjectId ref : call->refs) references.push_back(view_of(ref));
  const size_t num_results = std::max<size_t>(call->returns.size(), 1);
  const std::span<Encoder> results(call->results.get(), num_results);
  const bool succeeded =
      run_function(call->options.function, values, references, call->process->object, results);
  if (!call->is_later) end(call, results, succeeded);
}

/// The function has returned or thrown.
void SimulatedBackend::end(const std::shared_ptr<Call>& call, std::span<Encoder> results, bool succeeded) {
  if (is_ending_) {  // a call and its process hold each other
    std::erase(call->process->running, call);
    return;
  }
  if (call->process->is_dead || call->is_over) return;
  if (happens(faults_.crash)) return die(call->process, "before " + call->text() + " was answered");
  if (call->mode == CallMode::kMakeActor) return made(call, results, succeeded);
  if (call->mode == CallMode::kActorCall) keep_checkpoint(*call, results, succeeded);
  std::erase(call->process->running, call);
  if (call->mode == CallMode::kTask) --num_tasks_running_;
  if (happens(faults_.lost_answer)) {
    ++num_lost_;
    return lose(call, "its answer was lost", true);
  }
  if (!succeeded && call->options.retry_exceptions && call->retries_left != 0 && !call->fails_for_good &&
      !call->is_cancelled) {
    if (call->retries_left > 0) --call->retries_left;
    trace("  " + call->text() + " has thrown, and is run again");
    on_their_way_.push_back(call->again());
    calls_[call->number] = on_their_way_.back();
    return;
  }
  answer(call, results, succeeded);
}

void SimulatedBackend::answer(const std::shared_ptr<Call>& call, std::span<Encoder> results, bool succeeded) {
  call->is_over = true;
  trace("  " + call->text() + (succeeded ? " is done" : " has thrown"));
  if (const auto found = streams_.find(call->returns.empty() ? 0 : call->returns[0].value);
      found != streams_.end()) {
    if (results[0].is_error()) {
      found->second->items.push_back(store(results[0]));
      results[0].clear();
      results[0].write_nil();
    }
    found->second->is_over = true;
  }
  for (size_t i = 0; i < call->returns.size(); ++i) fill(call->returns[i], results[i]);
}

void SimulatedBackend::keep_checkpoint(Call& call, std::span<Encoder> results, bool& succeeded) {
  const ActorObject& object = call.process->object;
  if (!object || object.factory().checkpoint == nullptr) return;
  const internal::FunctionEntry* const entry = registered_functions().find(call.options.function);
  if (entry != nullptr && entry->is_const) return;
  try {
    Encoder encoder;
    object.factory().checkpoint(object.object(), encoder);
    actors_.at(call.actor.value)->checkpoint = value_bytes(encoder);
  } catch (const std::exception&) {
    for (Encoder& result : results) {
      result.clear();
      encode_current_exception(result, "checkpoint");
    }
    succeeded = false;
  }
}

void SimulatedBackend::made(const std::shared_ptr<Call>& call, std::span<Encoder> results, bool succeeded) {
  Actor& actor = *actors_.at(call->actor.value);
  const std::shared_ptr<Process> process = call->process;
  std::erase(process->running, call);
  std::string failure = succeeded ? "" : text_of(decode_error(view_of_bytes(value_bytes(results[0]))));
  if (succeeded && actor.checkpoint != nullptr) {
    try {
      process->object.factory().restore(process->object.object(), view_of_bytes(actor.checkpoint));
    } catch (const std::exception& error) {
      failure = error.what();
    }
  }
  if (!failure.empty()) {
    actor.restarts_left = 0;
    return die(process, "it could not be made. " + failure, false);
  }
  process->is_made = true;
  trace(fmt::format("  {} is made in process {}", actor.options.class_name, process->number));
}

// ---- what goes wrong

/// The call's process has died with it, or so it seems.
void SimulatedBackend::lose(const std::shared_ptr<Call>& call, const std::string& why, bool may_run_again) {
  if (call->is_over || call->mode == CallMode::kMakeActor) return;
  const bool is_task = call->mode == CallMode::kTask;
  if (call->is_cancelled) {
    return fill_with_error(
        *call, ErrorKind::kTaskCancelled,
        "Task: " + std::string(call->options.function_name) + " was cancelled. " +
            (call->is_late ? call->deadline_text("its process was ended") : "Its process was ended."));
  }
  if (may_run_again && call->retries_left != 0) {
    if (call->retries_left > 0) --call->retries_left;
    trace("  " + call->text() + " is to run again: " + why);
    on_their_way_.push_front(call->again());  // before all others of its caller
    calls_[call->number] = on_their_way_.front();
    return;
  }
  fill_with_error(*call, is_task ? ErrorKind::kWorker : ErrorKind::kActor,
                  is_task ? "The process of " + call->text() + " died: " + why
                          : "The actor " + std::string(call->options.class_name) +
                                "'s process died with the call: " + why);
}

/// The call, and the calls that it has made, are cancelled unless they have ended.
void SimulatedBackend::pass_deadline(const std::shared_ptr<Call>& call) {
  trace("  " + call->text() + " has passed its deadline");
  call->is_late = true;
  cancel(call, true, true);
}

void SimulatedBackend::die(const std::shared_ptr<Process>& process, const std::string& why, bool is_crash) {
  if (std::exchange(process->is_dead, true) || is_ending_) return;
  if (is_crash) ++num_crashes_;
  trace(fmt::format("  process {} dies: {}", process->number, why));
  dead_.push_back(process);
  std::vector<std::shared_ptr<Call>> lost(process->running);
  lost.insert(lost.end(), process->mailbox.begin(), process->mailbox.end());
  process->running.clear();
  process->mailbox.clear();
  const auto found = actors_.find(process->actor.value);
  const bool is_made_again = found != actors_.end() && found->second->restarts_left != 0;
  if (found == actors_.end()) --num_tasks_running_;
  std::ranges::sort(lost, std::greater<>(), [](const std::shared_ptr<Call>& call) { return call->number; });
  for (const std::shared_ptr<Call>& call : lost) lose(call, why, found == actors_.end() || is_made_again);
  if (found == actors_.end()) return;
  Actor& actor = *found->second;
  actor.process = nullptr;
  if (!is_made_again) return end_actor(actor, why);
  if (actor.restarts_left > 0) --actor.restarts_left;
  ++actor.restarts;
  actor.creation = actor.creation->again();
  on_their_way_.push_back(actor.creation);
}

void SimulatedBackend::end_actor(Actor& actor, const std::string& why) {
  actor.is_dead = true;
  actor.death = fmt::format("The actor {} is dead: {}.", actor.options.class_name, why);
  std::erase_if(names_, [&](const auto& named) { return named.second == actor.id; });
  const auto calls = on_their_way_;
  for (const std::shared_ptr<Call>& call : calls) {
    if (call->mode == CallMode::kTask || call->actor != actor.id) continue;
    std::erase(on_their_way_, call);
    if (call->mode == CallMode::kActorCall) fill_with_error(*call, ErrorKind::kActor, actor.death);
  }
  actor.creation.reset();
}

void SimulatedBackend::end_all() {
  is_ending_ = true;
  while (!waiting_.empty()) {  // each ends, and hands the turn back
    fibers_.hand_to(waiting_.begin()->second.fiber);
  }
  std::vector<std::shared_ptr<Process>> processes = std::move(dead_);
  for (const auto& [id, actor] : actors_) {
    if (actor->process != nullptr) processes.push_back(actor->process);
  }
  Encoder error;
  encode_error(error, ErrorKind::kActor, {.message = "The simulation has ended."});
  const BufferRef bytes = value_bytes(error);
  for (const std::shared_ptr<Process>& process : processes) {
    while (!process->awaits.empty()) {  // coroutines end by an exception
      const Await await = process->awaits.back();
      process->awaits.pop_back();
      running_[fibers_.first()] = await.call;
      await.awaiting->go_on(view_of_bytes(bytes));
      running_.clear();
    }
  }
  for (const std::shared_ptr<Process>& process : processes) {
    process->object = ActorObject();
    process->running.clear();
    process->mailbox.clear();
  }
  on_their_way_.clear();
  actors_.clear();
  streams_.clear();
  const auto objects = std::move(objects_);
  objects_.clear();
  for (const auto& [id, object] : objects) {
    for (ObjectHandle* handle : object.nested) handle->release();
  }
}

}  // namespace flowray::ray
