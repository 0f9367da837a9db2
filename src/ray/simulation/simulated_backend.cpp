// A simulated runtime: what its programs ask for.

#include "ray/simulation/simulated_backend.h"

#include <flowray/ray/errors.h>
#include <flowray/ray/object_ref.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <utility>

#include "ray/simulation/simulated_state.h"
#include "ray/values/value.h"

namespace flowray::ray {
namespace {

/// Never the same again in this process, as ids of other runtimes are.
uint64_t new_simulated_id() {
  static std::atomic<uint64_t> last{uint64_t{3} << 62};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

SimulatedBackend::SimulatedBackend(uint64_t seed, const testing::Faults& faults)
    : random_(seed), faults_(faults), fibers_([this] { return next_fiber(); }) {}

SimulatedBackend::~SimulatedBackend() = default;

// ---- what is kept

void SimulatedBackend::trace(std::string line) {
  constexpr size_t kMostLines = 1'000;
  if (prints_trace) fmt::print(stderr, "{}\n", line);
  trace_.push_back(std::move(line));
  if (trace_.size() > kMostLines) trace_.pop_front();
}

std::string SimulatedBackend::trace() const {
  std::string text;
  for (const std::string& line : trace_) text += line + "\n";
  return text;
}

SimulatedBackend::Call* SimulatedBackend::running_call() const {
  const auto found = running_.find(fibers_.here());
  return found == running_.end() ? nullptr : found->second.get();
}

bool SimulatedBackend::is_ready(ObjectId object) const {
  const auto found = objects_.find(object.value);
  return found == objects_.end() || found->second.bytes != nullptr;
}

ValueView SimulatedBackend::view_of(ObjectId object) const {
  const auto found = objects_.find(object.value);
  if (found != objects_.end()) return view_of_bytes(found->second.bytes);
  throw UnreconstructableException("Object " + internal::id_text(object.value) +
                                   " is not there: it belongs to another simulation.");
}

ObjectHandle* SimulatedBackend::store(const Encoder& value) {
  const ObjectId id{new_simulated_id()};
  objects_[id.value].handles = 1;
  fill(id, value);
  return new ObjectHandle(id);
}

void SimulatedBackend::fill(ObjectId id, const Encoder& value) {
  const auto found = objects_.find(id.value);
  if (found == objects_.end() || found->second.bytes != nullptr) return;  // unreachable
  found->second.bytes = value_bytes(value);
  for (ObjectHandle* handle : value.nested_refs()) {
    handle->retain();
    found->second.nested.push_back(handle);
  }
}

void SimulatedBackend::fill_with_error(Call& call, ErrorKind kind, const std::string& text) {
  if (std::exchange(call.is_over, true)) return;
  trace("  " + call.text() + " fails: " + text);
  Encoder error;
  encode_error(error, kind, {.message = text, .function = std::string(call.options.function_name)});
  if (const auto found = streams_.find(call.returns.empty() ? 0 : call.returns[0].value);
      found != streams_.end()) {
    found->second->items.push_back(store(error));
    found->second->is_over = true;
    error.clear();
    error.write_nil();
  }
  for (const ObjectId returned : call.returns) fill(returned, error);
}

// ---- calls

void SimulatedBackend::add_call(const CallOptions& options, Encoder& arguments, CallMode mode, ActorId actor,
                                std::span<ObjectHandle*> returns) {
  if (mode != CallMode::kMakeActor) crash_if_it_happens("where it calls");
  auto call = std::make_shared<Call>();
  call->number = ++last_call_;
  call->mode = mode;
  call->options = options;
  call->actor = actor;
  call->retries_left = mode == CallMode::kTask ? options.max_retries : 0;
  if (Call* const parent = running_call()) {
    call->caller = parent->process->number;
    call->parent = parent->number;
  }
  call->arguments = value_bytes(arguments);
  for (ObjectHandle* handle : arguments.argument_refs()) call->refs.push_back(handle->id());
  for (const auto handles : {arguments.argument_refs(), arguments.nested_refs()}) {
    for (ObjectHandle* handle : handles) {
      handle->retain();
      call->held.push_back(handle);
    }
  }
  for (ObjectHandle*& handle : returns) {
    const ObjectId id{new_simulated_id()};
    objects_[id.value].handles = 1;
    objects_[id.value].maker = call->number;
    call->returns.push_back(id);
    handle = new ObjectHandle(id);
  }
  if (options.is_stream) streams_[call->returns[0].value] = std::make_shared<Stream>();
  calls_[call->number] = call;
  if (is_ending_) return;
  trace("  " + call->text() + " is made by " +
        (call->caller == 0 ? "the driver" : fmt::format("process {}", call->caller)));
  if (mode == CallMode::kActorCall) {
    const auto found = actors_.find(actor.value);
    if (found == actors_.end() || found->second->is_dead) {
      return fill_with_error(*call, ErrorKind::kActor,
                             found == actors_.end() ? "There is no such actor." : found->second->death);
    }
    call->retries_left =
        options.max_task_retries.value_or(found->second->options.max_task_retries.value_or(0));
    const auto lane = group_of_call(found->second->groups, options.concurrency_groups, options.function);
    if (!lane) {
      return fill_with_error(*call, ErrorKind::kOther,
                             no_concurrency_group_text(options.function_name, options.concurrency_groups));
    }
    call->lane = *lane;
  }
  if (mode == CallMode::kMakeActor) actors_.at(actor.value)->creation = call;
  on_their_way_.push_back(std::move(call));
}

void SimulatedBackend::submit(const CallOptions& call, Encoder& arguments, std::span<ObjectHandle*> returns) {
  add_call(call, arguments, call.actor ? CallMode::kActorCall : CallMode::kTask, call.actor, returns);
}

ActorId SimulatedBackend::create_actor(const CallOptions& call, Encoder& arguments) {
  crash_if_it_happens("where it calls");  // before the name is taken by an actor that is never made
  auto actor = std::make_shared<Actor>();
  actor->id = {new_simulated_id()};
  actor->name = call.name;
  actor->options = call;
  actor->restarts_left = call.max_retries;
  actor->groups = read_groups(call.concurrency_groups);
  if (!call.name.empty() && !names_.emplace(call.name, actor->id).second)
    throw RayException("The name '" + call.name + "' is taken by another actor; GetActor finds it.");
  const ActorId id = actor->id;
  actors_.emplace(id.value, std::move(actor));
  add_call(call, arguments, CallMode::kMakeActor, id, {});
  return id;
}

void SimulatedBackend::kill_actor(ActorId id, bool no_restart) {
  const auto found = actors_.find(id.value);
  if (found == actors_.end() || found->second->is_dead || is_ending_) return;
  Actor& actor = *found->second;
  if (no_restart || actor.restarts_left == 0) {
    actor.restarts_left = 0;
    if (actor.process == nullptr) end_actor(actor, "it was killed");
  }
  if (actor.process != nullptr) die(actor.process, "it was killed", false);
  check_alive();
}

void SimulatedBackend::crash_actor(ActorId id) {
  const auto found = actors_.find(id.value);
  if (found != actors_.end() && found->second->process != nullptr && !found->second->process->is_dead)
    die(found->second->process, "the program has crashed it");
}

ActorId SimulatedBackend::find_actor(std::string_view name) {
  const auto found = names_.find(name);
  return found == names_.end() ? ActorId{} : found->second;
}

uint64_t SimulatedBackend::pending_calls(ActorId actor) {
  Call* const here = running_call();
  const uint64_t caller = here == nullptr ? 0 : here->process->number;
  return static_cast<uint64_t>(std::ranges::count_if(calls_, [&](const auto& numbered) {
    const std::shared_ptr<Call> call = numbered.second.lock();
    return call != nullptr && call->mode == CallMode::kActorCall && call->actor == actor &&
           call->caller == caller && !call->is_over;
  }));
}

// ---- values

ObjectHandle* SimulatedBackend::put(Encoder& value) { return store(value); }

std::optional<ValueView> SimulatedBackend::get(ObjectId object, internal::Deadline deadline) {
  if (!block([&] { return is_ready(object); }, deadline.has_value())) return std::nullopt;
  return view_of(object);
}

std::vector<bool> SimulatedBackend::wait(std::span<const ObjectId> objects, int count,
                                         internal::Deadline deadline) {
  const auto num_ready = [&] {
    return std::ranges::count_if(objects, [this](ObjectId object) { return is_ready(object); });
  };
  block([&] { return num_ready() >= count; }, deadline.has_value());
  std::vector<bool> ready;
  for (const ObjectId object : objects) ready.push_back(is_ready(object));
  return ready;
}

ObjectHandle* SimulatedBackend::find_object(ObjectId object) {
  return objects_.contains(object.value) ? adopt(object) : nullptr;
}

ObjectHandle* SimulatedBackend::adopt(ObjectId object) {
  if (const auto found = objects_.find(object.value); found != objects_.end()) ++found->second.handles;
  return new ObjectHandle(object);
}

void SimulatedBackend::release(ObjectId object) noexcept {
  const auto found = objects_.find(object.value);
  if (found == objects_.end() || --found->second.handles > 0) return;
  std::vector<ObjectHandle*> held = std::move(found->second.nested);
  const auto maker = calls_.find(found->second.maker);
  const std::shared_ptr<Call> call = maker == calls_.end() ? nullptr : maker->second.lock();
  objects_.erase(found);
  if (const auto stream = streams_.find(object.value); stream != streams_.end()) {
    held.insert(held.end(), stream->second->items.begin(), stream->second->items.end());
    streams_.erase(stream);
    if (call != nullptr && call->options.ends_with_reader) end_cancelled(call);
  }
  for (ObjectHandle* handle : held) handle->release();
}

// ---- values one by one

internal::NextItem SimulatedBackend::next_item(ObjectId object, ObjectHandle** taken,
                                               internal::Deadline deadline) {
  const auto found = streams_.find(object.value);
  if (found == streams_.end()) return internal::NextItem::kEnd;
  const std::shared_ptr<Stream> stream = found->second;
  if (!block([&] { return !stream->items.empty() || stream->is_over; }, deadline.has_value()))
    return internal::NextItem::kNotYet;
  if (stream->items.empty()) return internal::NextItem::kEnd;
  if (taken != nullptr) {
    *taken = stream->items.front();
    stream->items.pop_front();
    ++stream->num_taken;
  }
  return internal::NextItem::kItem;
}

SimulatedBackend::Call& SimulatedBackend::require_call(const internal::CurrentCall& number) {
  check_alive();
  const auto found = calls_.find(number.number);
  const std::shared_ptr<Call> call = found == calls_.end() ? nullptr : found->second.lock();
  if (call == nullptr || call->is_over) throw RayException("The call that gives a value does not run here.");
  return *call;
}

void SimulatedBackend::give_item(const internal::CurrentCall& number, uint64_t index, Encoder& value) {
  const Call& call = require_call(number);
  const auto found = streams_.find(call.returns[0].value);
  if (found == streams_.end() || index < found->second->num_given) return;  // run again, or unreachable
  ++found->second->num_given;
  found->second->items.push_back(store(value));
}

void SimulatedBackend::wait_to_give(const internal::CurrentCall& number, uint64_t given) {
  const Call& call = require_call(number);
  const uint64_t most_ahead = static_cast<uint64_t>(call.options.most_ahead);
  const ObjectId returned = call.returns[0];
  block(
      [&] {
        const auto found = streams_.find(returned.value);
        return most_ahead == 0 || found == streams_.end() || given < found->second->num_taken + most_ahead;
      },
      false);
}

// ---- the call that runs

internal::CurrentCall SimulatedBackend::current_call() {
  const Call* const call = running_call();
  if (call == nullptr) return {};
  return {call->number, call->options.is_stream, static_cast<uint32_t>(call->options.most_ahead), {}};
}

internal::CurrentActor SimulatedBackend::current_actor() {
  const Call* const call = running_call();
  if (call == nullptr) return {};
  return {call->process->actor, call->process->restarts};
}

bool SimulatedBackend::is_cancelled() {
  const Call* const call = running_call();
  return call != nullptr && call->is_cancelled;
}

void SimulatedBackend::fail_for_good() {
  if (Call* const call = running_call()) call->fails_for_good = true;
}

class SimulatedBackend::Later final : public internal::LaterAnswer {
 public:
  Later(SimulatedBackend& backend, std::shared_ptr<Call> call) : backend_(backend), call_(std::move(call)) {}
  ~Later() override {
    if (call_ == nullptr || call_->is_over) return;
    for (Encoder& result : results())
      encode_error(result, ErrorKind::kOther, {.message = "The call ended without an answer."});
    send(false);
  }
  std::span<Encoder> results() noexcept override { return {call_->results.get(), call_->returns.size()}; }
  void send(bool succeeded) override {
    if (call_ == nullptr) throw RayException("A call has been answered before.");
    const auto call = std::move(call_);
    backend_.end(call, {call->results.get(), call->returns.size()}, succeeded);
  }
  void fail_for_good() override { call_->fails_for_good = true; }
  void when_cancelled(std::function<void()> told) override {
    if (call_->is_cancelled) return told();
    call_->told = std::move(told);
  }
  void exit_actor() override {
    const auto call = std::move(call_);
    backend_.actors_.at(call->process->actor.value)->restarts_left = 0;
    backend_.die(call->process, "it ended itself by ExitActor()", false);
  }

 private:
  SimulatedBackend& backend_;
  std::shared_ptr<Call> call_;
};

std::unique_ptr<internal::LaterAnswer> SimulatedBackend::answer_later() {
  const auto found = running_.find(fibers_.here());
  if (found == running_.end())
    throw RayException("No call runs in this thread that could be answered later.");
  if (std::exchange(found->second->is_later, true))
    throw RayException("The call has an answer that comes later already.");
  return std::make_unique<Later>(*this, found->second);
}

std::string SimulatedBackend::await_cancelled_text(const Call& call) {
  return "Task: " + call.text() + " was cancelled. It awaited a value.";
}

std::optional<ValueView> SimulatedBackend::await(ObjectId object, internal::Awaiting& awaiting) {
  const auto found = running_.find(fibers_.here());
  if (found == running_.end() || !found->second->is_later)
    throw RayException("co_await: no coroutine runs here that could go on later.");
  crash_if_it_happens("where it awaits a value");
  const std::shared_ptr<Call>& call = found->second;
  if (call->is_to_be_told()) {
    call->was_told = true;
    throw TaskCancelledException(await_cancelled_text(*call));
  }
  if (is_ready(object)) return view_of(object);
  call->process->awaits.push_back({object, &awaiting, call});
  return std::nullopt;
}

// ---- placement groups: nothing is counted, so that they are there at once

ObjectId SimulatedBackend::create_group(const internal::GroupSpec& group) {
  (void)checked_bundles(group);
  Encoder nothing;
  nothing.write_nil();
  groups_.push_back(group);
  groups_.back().id = store(nothing)->id();
  groups_.back().state = static_cast<uint32_t>(GroupState::kCreated);
  return groups_.back().id;
}

void SimulatedBackend::remove_group(ObjectId id) {
  for (internal::GroupSpec& group : groups_) {
    if (group.id == id) group.state = static_cast<uint32_t>(GroupState::kRemoved);
  }
}

// ---- cancelling

void SimulatedBackend::end_cancelled(const std::shared_ptr<Call>& call) {
  if (call->is_over || std::exchange(call->is_cancelled, true)) return;
  const auto is_it = [&](const std::shared_ptr<Call>& other) { return other == call; };
  const bool has_begun = call->process != nullptr && std::ranges::any_of(call->process->running, is_it);
  if (has_begun) {
    if (call->told) call->told();
    return;
  }
  std::erase_if(on_their_way_, is_it);
  if (call->process != nullptr) std::erase_if(call->process->mailbox, is_it);
  fill_with_error(*call, ErrorKind::kTaskCancelled,
                  "Task: " + std::string(call->options.function_name) + " was cancelled. " +
                      (call->is_late ? call->deadline_text("it had not begun") : "It had not begun."));
}

void SimulatedBackend::cancel(ObjectId object, bool force, bool recursive) {
  const auto found = objects_.find(object.value);
  const auto maker = calls_.find(found == objects_.end() ? 0 : found->second.maker);
  const std::shared_ptr<Call> call = maker == calls_.end() ? nullptr : maker->second.lock();
  if (call == nullptr || call->is_over) return;
  if (force && call->mode == CallMode::kActorCall) {
    throw RayException(
        "force=True is not supported for actor tasks.\n"
        "Cancel the call without force, or end its actor by Kill().");
  }
  cancel(call, force, recursive);
}

void SimulatedBackend::cancel(const std::shared_ptr<Call>& call, bool force, bool recursive) {
  trace("  " + call->text() + " is cancelled");
  std::vector<std::shared_ptr<Call>> cancelled{call};
  for (size_t i = 0; recursive && i < cancelled.size(); ++i) {
    for (const auto& [number, child] : calls_) {
      const std::shared_ptr<Call> made = child.lock();
      if (made != nullptr && made->parent == cancelled[i]->number) cancelled.push_back(made);
    }
  }
  for (const auto& one : cancelled) {
    end_cancelled(one);
    if (force && one->mode == CallMode::kTask && !one->is_over && one->process != nullptr)
      die(one->process, "its process was ended", false);
  }
}

}  // namespace flowray::ray
