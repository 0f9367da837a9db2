#include "ray/calls/local_backend.h"

#include <flowray/ray/errors.h>
#include <flowray/ray/object_ref.h>
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "ray/calls/local_state.h"
#include "ray/calls/local_threads.h"
#include "ray/functions/function_registry.h"
#include "ray/values/value.h"

namespace flowray::ray {
namespace {

/// Never the same again in this process: a handle that outlives one runtime means nothing in the next, be
/// that one with workers, whose ids are smaller.
uint64_t new_id() {
  static std::atomic<uint64_t> last{uint64_t{1} << 63};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

class LocalBackend::Later final : public internal::LaterAnswer {
 public:
  explicit Later(std::shared_ptr<Answer> answer) : answer_(std::move(answer)) {}
  ~Later() override {
    if (answer_ == nullptr) return;
    for (Encoder& result : results())
      encode_error(result, ErrorKind::kOther, {.message = "The call ended without an answer."});
    send(false);
  }
  std::span<Encoder> results() noexcept override { return answer_->span(); }
  void send(bool succeeded) override {
    if (answer_ == nullptr) throw RayException("A call has been answered before.");
    const auto answer = std::move(answer_);
    answer->send(succeeded ? Answer::Outcome::kSucceeded : Answer::Outcome::kFailed);
  }
  void fail_for_good() override { answer_->fails_for_good.store(true, std::memory_order_relaxed); }
  void when_cancelled(std::function<void()> /*told*/) override {}  // no reference to it exists yet
  void exit_actor() override {
    const auto answer = std::move(answer_);
    answer->send(Answer::Outcome::kExited);
  }

 private:
  std::shared_ptr<Answer> answer_;
};

thread_local LocalBackend::RunningHere* LocalBackend::RunningHere::here = nullptr;

std::string ended_itself_text(std::string_view class_name) {
  return "The actor " + std::string(class_name) + " is dead: it ended itself by ExitActor().";
}

LocalBackend::LocalBackend(std::string ray_namespace, std::string resources, size_t local_threads)
    : state_(std::make_unique<State>()),
      threads_(local_threads == 0 ? nullptr : std::make_unique<LocalThreads>(local_threads)),
      ray_namespace_(std::move(ray_namespace)),
      resources_(std::move(resources)) {}

LocalBackend::~LocalBackend() {
  // Functions and actors may hold references, so they go first;
  // the objects' own references go outside of the lock.
  std::unordered_map<uint64_t, std::shared_ptr<Stream>> streams;
  streams.swap(*state_->streams.lock());
  streams.clear();
  std::unordered_map<uint64_t, std::shared_ptr<Actor>> actors;
  actors.swap(*state_->actors.lock());
  actors.clear();
  std::unordered_map<ObjectId, Object> objects;
  objects.swap(*state_->objects.lock());
  for (auto& [id, object] : objects) {
    for (ObjectHandle* handle : object.nested) handle->release();
  }
}

std::string LocalBackend::actor_names() const {
  std::string text;
  for (const auto& [name, id] : *state_->names.lock()) text.append(name).push_back('\0');
  return text;
}

size_t LocalBackend::num_objects() const { return state_->objects.lock()->size(); }

LocalBackend::Object LocalBackend::object_of(const Encoder& value) {
  Object object;
  object.bytes = value_bytes(value);
  object.handles = 1;
  for (ObjectHandle* handle : value.nested_refs()) {
    handle->retain();
    object.nested.push_back(handle);
  }
  return object;
}

ObjectHandle* LocalBackend::store(const Encoder& value) {
  Object object = object_of(value);
  const ObjectId id{new_id()};
  state_->objects.lock()->emplace(id, std::move(object));
  return new ObjectHandle(id);
}

void LocalBackend::store_results(std::span<Encoder> results, std::span<ObjectHandle*> returns) {
  for (size_t i = 0; i < results.size(); ++i) returns[i] = store(results[i]);
}

/// Whether it succeeded, now or later. What it returns is in `results`, or in the later answer.
bool LocalBackend::run_once(const CallOptions& call, const Call& arguments, ActorObject& actor,
                            RunningHere& here, std::span<Encoder> results) {
  here.outer = std::exchange(RunningHere::here, &here);
  bool has_exited = false;
  bool succeeded = false;
  here.answer = nullptr;
  try {
    succeeded = run_function(call.function, arguments.values, arguments.references, actor, results);
  } catch (const internal::ActorExit&) {
    has_exited = true;
  }
  RunningHere::here = here.outer;
  if (here.answer != nullptr) {
    const Answer::Outcome outcome = here.answer->wait();
    has_exited = outcome == Answer::Outcome::kExited;
    succeeded = outcome == Answer::Outcome::kSucceeded;
    if (here.answer->fails_for_good.load(std::memory_order_relaxed)) here.fails_for_good = true;
    results = here.answer->span();
  }
  if (!has_exited) return succeeded;
  kill_actor(here.actor.id, true);
  const RemoteFailure failure{.message = ended_itself_text(call.class_name)};
  for (Encoder& result : results) encode_error(result, ErrorKind::kActor, failure);
  return false;
}

void LocalBackend::fail_for_good() {
  if (RunningHere::here != nullptr) RunningHere::here->fails_for_good = true;
}

/// How often a call of an actor is made again where it fails.
int LocalBackend::task_retries(const CallOptions& call) {
  if (call.max_task_retries) return *call.max_task_retries;
  const std::shared_ptr<Actor> actor = actor_of(call.actor);
  return actor == nullptr ? 0 : actor->creation->task_retries;
}

/// Runs the call, again where it fails and may be.
LocalBackend::Ran LocalBackend::run_to_end(const CallOptions& call, const Call& arguments,
                                           const std::shared_ptr<Actor>& actor, size_t num_returns,
                                           std::atomic<bool>* is_cancelled) {
  Ran ran{std::make_unique<Encoder[]>(num_returns),
          num_returns,
          {num_returns,
           nullptr,
           actor == nullptr ? internal::CurrentActor{} : actor->self,
           {new_id(), call.is_stream, 0}}};
  ran.here.is_cancelled = is_cancelled;
  ActorObject none;
  ActorObject& object = actor == nullptr ? none : actor->object;
  int& retries = ran.retries;
  retries = !call.retry_exceptions ? 0 : !call.actor ? call.max_retries : task_retries(call);
  while (!run_once(call, arguments, object, ran.here, {ran.results.get(), num_returns}) && retries != 0 &&
         !ran.here.fails_for_good) {
    if (retries > 0) --retries;
  }
  return ran;
}

/// The same, and stores what it returns.
void LocalBackend::run(const CallOptions& call, const std::shared_ptr<const Call>& arguments,
                       const std::shared_ptr<Actor>& actor, std::span<ObjectHandle*> returns) {
  Ran ran = run_to_end(call, *arguments, actor, returns.size(), nullptr);
  RunningHere& here = ran.here;
  if (!call.is_stream) return store_results(ran.filled(), returns);
  const std::shared_ptr<Stream> stream = stream_of_call(here.call.number);
  stream->call = call;
  stream->arguments = arguments;
  stream->actor = actor;
  stream->retries = ran.retries;
  stream->rest = std::move(here.kept);
  stream->here = {1, nullptr, here.actor, here.call, false, nullptr, &stream->is_cancelled};
  if (stream->rest == nullptr) end_stream(*stream, ran.filled()[0]);
  store_results(ran.filled(), returns);
  auto streams = state_->streams.lock();
  streams->erase(here.call.number);
  streams->emplace(returns[0]->id().value, stream);
}

/// Nothing is set aside, as nothing is counted: it is there at once.
ObjectId LocalBackend::create_group(const internal::GroupSpec& group) {
  (void)checked_bundles(group);
  Encoder nothing;
  nothing.write_nil();
  internal::GroupSpec made = group;
  made.id = store(nothing)->id();
  made.state = static_cast<uint32_t>(GroupState::kCreated);
  const ObjectId id = made.id;
  state_->groups.lock()->push_back(std::move(made));
  return id;
}

void LocalBackend::remove_group(ObjectId id) {
  for (internal::GroupSpec& group : *state_->groups.lock()) {
    if (group.id == id) group.state = static_cast<uint32_t>(GroupState::kRemoved);
  }
}

std::vector<internal::GroupSpec> LocalBackend::groups() { return *state_->groups.lock(); }

internal::CurrentCall LocalBackend::current_call() {
  return RunningHere::here == nullptr ? internal::CurrentCall{} : RunningHere::here->call;
}

internal::CurrentActor LocalBackend::current_actor() {
  return RunningHere::here == nullptr ? internal::CurrentActor{} : RunningHere::here->actor;
}

/// Names in the runtime's own namespace stand without it.
std::string LocalBackend::resolved(std::string_view name) const {
  return std::string(without_namespace(name, ray_namespace_));
}

std::unique_ptr<internal::LaterAnswer> LocalBackend::answer_later() {
  if (RunningHere::here == nullptr)
    throw RayException("No call runs in this thread that could be answered later.");
  if (RunningHere::here->answer != nullptr)
    throw RayException("The call has an answer that comes later already.");
  auto answer = std::make_shared<Answer>(RunningHere::here->num_results);
  RunningHere::here->answer = answer;
  return std::make_unique<Later>(std::move(answer));
}

std::optional<ValueView> LocalBackend::await(ObjectId object, internal::Awaiting& /*awaiting*/) {
  return get(object, std::nullopt);
}

LocalBackend::Call LocalBackend::take_arguments(Encoder& arguments) {
  Call call;
  call.values = view_of_bytes(value_bytes(arguments));
  for (ObjectHandle* handle : arguments.argument_refs()) {
    call.references.push_back(std::move(get(handle->id(), std::nullopt).value()));
  }
  return call;
}

std::shared_ptr<LocalBackend::Actor> LocalBackend::actor_of(ActorId id) {
  auto actors = state_->actors.lock();
  const auto found = actors->find(id.value);
  return found == actors->end() ? nullptr : found->second;
}

namespace {

void tell_of_environment(const CallOptions& call) {
  static std::once_flag is_told;
  if (call.environment.empty()) return;
  std::call_once(is_told, [] {
    fmt::print(stderr, "flowray: RuntimeEnv: in local_mode calls have the program's own environment.\n");
  });
}

void tell_of_deadline(const CallOptions& call) {
  static std::once_flag is_told;
  if (call.deadline_ms == 0) return;
  std::call_once(is_told, [] {
    fmt::print(stderr, "flowray: SetDeadline has no effect in local_mode, which runs calls to their end.\n");
  });
}

}  // namespace

namespace {

/// Refuses back-pressure for Python's generators, whose values are all made before the first is taken.
void refuse_back_pressure(const CallOptions& call) {
  if (!call.is_stream || call.most_ahead == 0 || registered_functions().find(call.function) != nullptr)
    return;
  throw RayException(
      "local_mode runs a generator of Python's to its end, so that it cannot wait until values are taken.\n"
      "Leave _generator_backpressure_num_objects out, or local_mode.");
}

}  // namespace

void LocalBackend::submit(const CallOptions& call, Encoder& arguments, std::span<ObjectHandle*> returns) {
  tell_of_environment(call);
  tell_of_deadline(call);
  refuse_back_pressure(call);
  if (submit_to_threads(call, arguments, returns)) return;
  call_now(call, std::make_shared<const Call>(take_arguments(arguments)), returns);
}

std::optional<LocalBackend::Refusal> LocalBackend::refusal_of(const CallOptions& call, const Actor* actor) {
  if (actor == nullptr || actor->killed) {
    return Refusal{ErrorKind::kActor,
                   {.message = "The actor " + std::string(call.class_name) + " is dead: it was killed."}};
  }
  if (!actor->failure.empty()) return Refusal{ErrorKind::kActor, {.message = actor->failure}};
  if (!group_of_call(actor->creation->groups, call.concurrency_groups, call.function)) {
    return Refusal{ErrorKind::kOther,
                   {.message = no_concurrency_group_text(call.function_name, call.concurrency_groups)}};
  }
  return std::nullopt;
}

void LocalBackend::refuse(const Refusal& refusal, std::span<ObjectHandle*> returns) {
  for (ObjectHandle*& returned : returns) {
    Encoder encoder;
    encode_error(encoder, refusal.kind, refusal.failure);
    returned = store(encoder);
  }
}

void LocalBackend::call_now(const CallOptions& call, const std::shared_ptr<const Call>& arguments,
                            std::span<ObjectHandle*> returns) {
  if (!call.actor) return run(call, arguments, nullptr, returns);
  const std::shared_ptr<Actor> actor = actor_of(call.actor);
  if (const auto refusal = refusal_of(call, actor.get())) return refuse(*refusal, returns);
  if (actor->runs_several) return run(call, arguments, actor, returns);
  const RecursiveLock running(actor->running);
  end_open_streams(*actor);
  run(call, arguments, actor, returns);
  if (call.is_stream) actor->open.push_back(state_->streams.lock()->at(returns[0]->id().value));
}

ActorId LocalBackend::create_actor(const CallOptions& call, Encoder& arguments) {
  tell_of_environment(call);
  auto creation = std::make_shared<Creation>();
  creation->function = call.function;
  creation->class_name = call.class_name;
  creation->arguments = take_arguments(arguments);
  const ActorId id{new_id()};
  if (!call.name.empty() && !state_->names.lock()->emplace(resolved(call.name), id).second) {
    throw RayException("The name '" + call.name + "' is taken by another actor; GetActor finds it.");
  }
  creation->groups = read_groups(call.concurrency_groups);
  creation->runs_several = call.max_concurrency > 1 || !creation->groups.empty();
  creation->task_retries = call.max_task_retries.value_or(0);
  auto actor = make_actor(std::move(creation), call.max_retries, {id, 0});
  state_->actors.lock()->emplace(id.value, std::move(actor));
  if (call.is_counted) {
    Object share;
    share.is_actor = true;
    share.handles = 1;
    Encoder nothing;
    nothing.write_nil();
    share.bytes = value_bytes(nothing);
    state_->objects.lock()->emplace(ObjectId{id.value}, std::move(share));
  }
  return id;
}

std::shared_ptr<LocalBackend::Actor> LocalBackend::make_actor(std::shared_ptr<const Creation> creation,
                                                              int restarts_left,
                                                              const internal::CurrentActor& self) {
  auto actor = std::make_shared<Actor>();
  actor->self = self;
  actor->restarts_left = restarts_left;
  actor->runs_several = creation->runs_several;
  const Call& arguments = creation->arguments;
  Encoder result;
  RunningHere here{1, nullptr, self};
  here.outer = std::exchange(RunningHere::here, &here);
  try {
    if (!run_function(creation->function, arguments.values, arguments.references, actor->object,
                      {&result, 1})) {
      actor->failure = "The actor " + creation->class_name + " is dead: it could not be made. " +
                       text_of(decode_error(view_of_bytes(value_bytes(result))));
    }
  } catch (const internal::ActorExit&) {
    actor->failure = ended_itself_text(creation->class_name);
  }
  RunningHere::here = here.outer;
  actor->creation = std::move(creation);
  return actor;
}

/// As what a process has kept goes to the next one.
void LocalBackend::hand_on_state(const Actor& from, Actor& to) {
  if (!from.object || !to.object || from.object.factory().checkpoint == nullptr) return;
  try {
    Encoder encoder;
    from.object.factory().checkpoint(from.object.object(), encoder);
    to.object.factory().restore(to.object.object(), view_of_bytes(value_bytes(encoder)));
  } catch (const std::exception& error) {
    to.failure =
        "The actor " + to.creation->class_name + " is dead: it could not be restored. " + error.what();
  }
}

void LocalBackend::kill_actor(ActorId id, bool no_restart) {
  std::shared_ptr<Actor> actor = actor_of(id);
  if (actor == nullptr) return;
  actor->killed = true;
  if (!no_restart && actor->restarts_left != 0 && actor->failure.empty()) {
    // Methods that run go on with the old object.
    auto made_again = make_actor(actor->creation, actor->restarts_left < 0 ? -1 : actor->restarts_left - 1,
                                 {id, actor->self.restarts + 1});
    made_again->line = actor->line;
    if (actor->object && actor->object.factory().checkpoint != nullptr) {
      const RecursiveLock running(actor->running);  // between two methods, as in a process
      hand_on_state(*actor, *made_again);
    }
    (*state_->actors.lock())[id.value] = std::move(made_again);
    return;
  }
  std::erase_if(*state_->names.lock(), [id](const auto& named) { return named.second == id; });
  state_->actors.lock()->erase(id.value);
}

ActorId LocalBackend::find_actor(std::string_view name) {
  auto names = state_->names.lock();
  const auto found = names->find(resolved(name));
  return found == names->end() ? ActorId{} : found->second;
}

ObjectHandle* LocalBackend::put(Encoder& value) { return store(value); }

std::optional<ValueView> LocalBackend::get(ObjectId id, internal::Deadline deadline) {
  if (!make_all(id, deadline) || !wait_for_value(id, deadline)) return std::nullopt;
  auto objects = state_->objects.lock();
  const auto found = objects->find(id);
  if (found == objects->end()) {
    throw UnreconstructableException("Object " + internal::id_text(id.value) +
                                     " is not there: it belongs to a runtime that was shut down.");
  }
  return view_of_bytes(found->second.bytes);
}

std::vector<bool> LocalBackend::wait(std::span<const ObjectId> objects, int count,
                                     internal::Deadline deadline) {
  std::vector<bool> ready;
  for (const ObjectId object : objects) ready.push_back(make_all(object, deadline));
  if (threads_ == nullptr) return ready;
  const auto made = [this](ObjectId object) { return is_made(object); };
  (void)wait_until([&] { return std::ranges::count_if(objects, made) >= count; }, deadline);
  for (size_t i = 0; i < objects.size(); ++i) ready[i] = ready[i] && is_made(objects[i]);
  return ready;
}

ObjectHandle* LocalBackend::find_object(ObjectId id) {
  return state_->objects.lock()->contains(id) ? adopt(id) : nullptr;
}

ObjectHandle* LocalBackend::adopt(ObjectId id) {
  auto objects = state_->objects.lock();
  // An object that is gone is told of where its value is asked for.
  if (const auto found = objects->find(id); found != objects->end()) ++found->second.handles;
  return new ObjectHandle(id);
}

void LocalBackend::release(ObjectId id) noexcept {
  std::vector<ObjectHandle*> nested;
  BufferRef bytes;  // freed outside of the lock
  std::shared_ptr<Job> job;
  bool is_actor = false;
  {
    auto objects = state_->objects.lock();
    const auto found = objects->find(id);
    if (found == objects->end() || --found->second.handles > 0) return;
    nested = std::move(found->second.nested);
    bytes = std::move(found->second.bytes);
    job = std::move(found->second.job);
    is_actor = found->second.is_actor;
    objects->erase(found);
  }
  if (is_actor) kill_actor({id.value}, true);
  forget_stream(id);
  for (ObjectHandle* handle : nested) handle->release();
}

}  // namespace flowray::ray
