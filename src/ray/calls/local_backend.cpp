#include "ray/calls/local_backend.h"

#include <flowray/ray/errors.h>
#include <flowray/ray/object_ref.h>
#include <fmt/format.h>

#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "core/buffer.h"
#include "core/guarded.h"
#include "core/mutex.h"
#include "ray/functions/run_function.h"
#include "ray/transport/call_spec.h"
#include "ray/values/value.h"

namespace flowray::ray {

using internal::CallOptions;
using internal::ObjectHandle;
using internal::ValueView;

namespace {

/// Never the same again in this process: a handle that outlives one runtime means nothing in the next, be
/// that one with workers, whose ids are smaller.
uint64_t new_id() {
  static std::atomic<uint64_t> last{uint64_t{1} << 63};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

struct Object {
  BufferRef bytes;
  size_t handles = 0;
  std::vector<ObjectHandle*> nested;  // held as long as the object
  bool is_actor = false;              // who holds it holds the actor of the same id
};

ValueView view_of(const BufferRef& bytes) {
  ValueView view;
  view.bytes = {bytes->data(), bytes->size_bytes()};
  view.buffer = BufferRef(bytes).leave();
  view.in_place = true;
  view.is_error = is_error_value(view.bytes);
  return view;
}

BufferRef written(const Encoder& value) {
  BufferRef bytes = Buffer::allocate(encoded_size_bytes(value));
  write_value(value, bytes->data());
  return bytes;
}

}  // namespace

struct LocalBackend::Call {
  ValueView values;
  std::vector<ValueView> references;
};

/// How an actor is made, and made again.
struct LocalBackend::Creation {
  FunctionId function;
  std::string class_name;
  Call arguments;
  bool runs_several = false;
  std::vector<ConcurrencyGroup> groups;
};

struct LocalBackend::Actor {
  /// Methods run one at a time, unless the actor has a max_concurrency; one may call another of its own
  /// actor, which a mutex would wait for without end.
  RecursiveMutex running;
  ActorObject object;
  std::atomic<bool> killed{false};
  std::string failure;  // of the factory
  std::shared_ptr<const Creation> creation;
  int restarts_left = 0;  // -1: no end
  bool runs_several = false;
  internal::CurrentActor self;
};

/// Of a call that is answered later: its caller waits for it.
struct LocalBackend::Answer {
  enum class Outcome { kMissing, kSucceeded, kFailed, kExited };
  explicit Answer(size_t count) : results(std::make_unique<Encoder[]>(count)), num_results(count) {}
  std::span<Encoder> span() const { return {results.get(), num_results}; }
  Outcome wait() {
    const MutexLock lock(mutex);
    sent.wait(mutex, [this]() FLOWRAY_REQUIRES(mutex) { return outcome != Outcome::kMissing; });
    return outcome;
  }
  void send(Outcome what) {
    const MutexLock lock(mutex);
    outcome = what;
    sent.notify_all();
  }

  const std::unique_ptr<Encoder[]> results;
  const size_t num_results;
  Mutex mutex;
  CondVar sent;
  Outcome outcome FLOWRAY_GUARDED_BY(mutex) = Outcome::kMissing;
};

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
  void when_cancelled(std::function<void()> /*told*/) override {}  // nobody has a reference to it yet
  void exit_actor() override {
    const auto answer = std::move(answer_);
    answer->send(Answer::Outcome::kExited);
  }

 private:
  std::shared_ptr<Answer> answer_;
};

/// Of the call that runs in this thread: how many results it has, and where its later answer goes.
struct LocalBackend::RunningHere {
  size_t num_results = 0;
  std::shared_ptr<Answer> answer;
  internal::CurrentActor actor;
  internal::CurrentCall call;
  bool fails_for_good = false;

  static thread_local RunningHere* here;
};
thread_local LocalBackend::RunningHere* LocalBackend::RunningHere::here = nullptr;

namespace {
std::string exit_text(std::string_view class_name) {
  return "The actor " + std::string(class_name) + " is dead: it ended itself by ExitActor().";
}
}  // namespace

struct LocalBackend::State {
  Guarded<std::vector<internal::GroupSpec>> groups;
  /// What calls have given one by one, by the numbers of these, and then by their returns.
  Guarded<std::unordered_map<uint64_t, std::deque<ObjectHandle*>>> given;
  Guarded<std::unordered_map<ObjectId, Object>> objects;
  Guarded<std::unordered_map<uint64_t, std::shared_ptr<Actor>>> actors;
  Guarded<std::map<std::string, ActorId, std::less<>>> names;
};

LocalBackend::LocalBackend(std::string ray_namespace, std::string resources)
    : state_(std::make_unique<State>()),
      ray_namespace_(std::move(ray_namespace)),
      resources_(std::move(resources)) {}

LocalBackend::~LocalBackend() {
  // Actors may hold references, so they go first; the objects' own references go outside of the lock.
  std::unordered_map<uint64_t, std::shared_ptr<Actor>> actors;
  actors.swap(*state_->actors.lock());
  actors.clear();
  std::unordered_map<ObjectId, Object> objects;
  objects.swap(*state_->objects.lock());
  for (auto& [id, object] : objects) {
    for (ObjectHandle* handle : object.nested) handle->release();
  }
}

size_t LocalBackend::num_objects() const { return state_->objects.lock()->size(); }

ObjectHandle* LocalBackend::store(const Encoder& value) {
  Object object;
  object.bytes = written(value);
  object.handles = 1;
  for (ObjectHandle* handle : value.nested_refs()) {
    handle->retain();
    object.nested.push_back(handle);
  }
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
  RunningHere* const outer = std::exchange(RunningHere::here, &here);
  bool has_exited = false;
  bool succeeded = false;
  here.answer = nullptr;
  try {
    succeeded = run_function(call.function, arguments.values, arguments.references, actor, results);
  } catch (const internal::ActorExit&) {
    has_exited = true;
  }
  RunningHere::here = outer;
  if (here.answer != nullptr) {
    const Answer::Outcome outcome = here.answer->wait();
    has_exited = outcome == Answer::Outcome::kExited;
    succeeded = outcome == Answer::Outcome::kSucceeded;
    results = here.answer->span();
  }
  if (!has_exited) return succeeded;
  kill_actor(here.actor.id, true);
  const RemoteFailure failure{.message = exit_text(call.class_name)};
  for (Encoder& result : results) encode_error(result, ErrorKind::kActor, failure);
  return false;
}

void LocalBackend::fail_for_good() {
  if (RunningHere::here != nullptr) RunningHere::here->fails_for_good = true;
}

/// Runs the call, again where it fails and may be, and stores what it returns.
void LocalBackend::run(const CallOptions& call, const Call& arguments, ActorObject& actor,
                       const internal::CurrentActor& self, std::span<ObjectHandle*> returns) {
  const auto results = std::make_unique<Encoder[]>(returns.size());
  const std::span<Encoder> encoders(results.get(), returns.size());
  RunningHere here{returns.size(), nullptr, self, {new_id(), call.is_stream, 0}};
  int retries = call.retry_exceptions ? call.max_retries : 0;
  while (!run_once(call, arguments, actor, here, encoders) && retries != 0 && !here.fails_for_good) {
    if (retries > 0) --retries;
  }
  const std::span<Encoder> filled = here.answer != nullptr ? here.answer->span() : encoders;
  if (call.is_stream) end_stream(here.call.number, filled[0]);
  store_results(filled, returns);
  if (!call.is_stream) return;
  auto given = state_->given.lock();
  (*given)[returns[0]->id().value] = std::move((*given)[here.call.number]);
  given->erase(here.call.number);
}

/// An error that ends the call is the last of its values.
void LocalBackend::end_stream(uint64_t call, Encoder& outcome) {
  if (outcome.is_error()) {
    ObjectHandle* const item = store(outcome);
    (*state_->given.lock())[call].push_back(item);
    outcome.clear();
    outcome.write_nil();
  } else {
    (void)(*state_->given.lock())[call];
  }
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

void LocalBackend::give_item(const internal::CurrentCall& call, uint64_t index, Encoder& value) {
  // A call that is run again gives what is there once more.
  if (const auto given = state_->given.lock(); index < (*given)[call.number].size()) return;
  ObjectHandle* const item = store(value);
  (*state_->given.lock())[call.number].push_back(item);
}

internal::NextItem LocalBackend::next_item(ObjectId stream, ObjectHandle** taken,
                                           internal::Deadline /*deadline*/) {
  auto given = state_->given.lock();
  const auto found = given->find(stream.value);
  if (found == given->end() || found->second.empty()) return internal::NextItem::kEnd;
  if (taken != nullptr) {
    *taken = found->second.front();
    found->second.pop_front();
  }
  return internal::NextItem::kItem;
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
  call.values = view_of(written(arguments));
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

}  // namespace

void LocalBackend::submit(const CallOptions& call, Encoder& arguments, std::span<ObjectHandle*> returns) {
  tell_of_environment(call);
  const Call taken = take_arguments(arguments);
  if (!call.actor) {
    ActorObject none;
    return run(call, taken, none, {}, returns);
  }
  const std::shared_ptr<Actor> actor = actor_of(call.actor);
  RemoteFailure failure;
  ErrorKind kind = ErrorKind::kActor;
  if (actor == nullptr || actor->killed) {
    failure.message = "The actor " + std::string(call.class_name) + " is dead: it was killed.";
  } else if (!actor->failure.empty()) {
    failure.message = actor->failure;
  } else if (!group_of_call(actor->creation->groups, call.concurrency_groups, call.function)) {
    kind = ErrorKind::kOther;
    failure.message = no_concurrency_group_text(call.function_name, call.concurrency_groups);
  } else if (actor->runs_several) {
    return run(call, taken, actor->object, actor->self, returns);
  } else {
    const RecursiveLock running(actor->running);
    return run(call, taken, actor->object, actor->self, returns);
  }
  for (ObjectHandle*& returned : returns) {
    Encoder encoder;
    encode_error(encoder, kind, failure);
    returned = store(encoder);
  }
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
  auto actor = make_actor(std::move(creation), call.max_retries, {id, 0});
  state_->actors.lock()->emplace(id.value, std::move(actor));
  if (call.is_counted) {
    Object share;
    share.is_actor = true;
    share.handles = 1;
    Encoder nothing;
    nothing.write_nil();
    share.bytes = written(nothing);
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
  RunningHere* const outer = std::exchange(RunningHere::here, &here);
  try {
    if (!run_function(creation->function, arguments.values, arguments.references, actor->object,
                      {&result, 1})) {
      actor->failure = "The actor " + creation->class_name + " is dead: it could not be made. " +
                       text_of(decode_error(view_of(written(result))));
    }
  } catch (const internal::ActorExit&) {
    actor->failure = exit_text(creation->class_name);
  }
  RunningHere::here = outer;
  actor->creation = std::move(creation);
  return actor;
}

/// As what a process has kept goes to the next one.
void LocalBackend::hand_on_state(const Actor& from, Actor& to) {
  if (!from.object || !to.object || from.object.factory().checkpoint == nullptr) return;
  try {
    Encoder encoder;
    from.object.factory().checkpoint(from.object.object(), encoder);
    to.object.factory().restore(to.object.object(), view_of(written(encoder)));
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

std::optional<ValueView> LocalBackend::get(ObjectId id, internal::Deadline /*deadline*/) {
  auto objects = state_->objects.lock();
  const auto found = objects->find(id);
  if (found == objects->end()) {
    throw UnreconstructableException("Object " + internal::id_text(id.value) +
                                     " is not there: it belongs to a runtime that was shut down.");
  }
  return view_of(found->second.bytes);
}

std::vector<bool> LocalBackend::wait(std::span<const ObjectId> objects, int /*count*/,
                                     internal::Deadline /*deadline*/) {
  return std::vector<bool>(objects.size(), true);
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
  bool is_actor = false;
  {
    auto objects = state_->objects.lock();
    const auto found = objects->find(id);
    if (found == objects->end() || --found->second.handles > 0) return;
    nested = std::move(found->second.nested);
    bytes = std::move(found->second.bytes);
    is_actor = found->second.is_actor;
    objects->erase(found);
  }
  if (is_actor) kill_actor({id.value}, true);
  {
    auto given = state_->given.lock();
    if (const auto found = given->find(id.value); found != given->end()) {
      nested.insert(nested.end(), found->second.begin(), found->second.end());
      given->erase(found);
    }
  }
  for (ObjectHandle* handle : nested) handle->release();
}

}  // namespace flowray::ray
