#pragma once
/// The records that the LocalBackend keeps; for its own sources only.

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/buffer.h"
#include "core/guarded.h"
#include "core/mutex.h"
#include "ray/calls/local_backend.h"
#include "ray/functions/run_function.h"
#include "ray/transport/call_spec.h"

namespace flowray::ray {

using internal::CallOptions;
using internal::ObjectHandle;
using internal::ValueView;

/// A value, and its references.
struct LocalBackend::Object {
  BufferRef bytes;
  size_t handles = 0;
  std::vector<ObjectHandle*> nested;  // held as long as the object
  bool is_actor = false;              // its handles are the actor's of the same id
  std::shared_ptr<Job> job;           // what is to make it; null: it is made
};

/// The arguments of a call.
struct LocalBackend::Call {
  ValueView values;
  std::vector<ValueView> references;
};

/// A call that runs in a thread of its own, or when its turn in an actor's line comes.
struct LocalBackend::Job {
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job() {
    for (ObjectHandle* handle : held) handle->release();
  }

  CallOptions call;
  BufferRef values;
  std::vector<ObjectId> references;
  std::vector<ObjectHandle*> held;  // what the arguments refer to
  std::vector<ObjectId> returns;
  /// By the thread that runs it, or by Cancel.
  std::atomic<bool> is_taken{false};
  std::atomic<bool> is_cancelled{false};
};

/// The calls of one actor that wait for their turn, in order.
struct LocalBackend::Line {
  struct Calls {
    std::deque<std::shared_ptr<Job>> waiting;
    bool is_busy = false;  // one runs, or a thread is about to take the next
  };
  Guarded<Calls> calls;
};

/// Why a call is not run.
struct LocalBackend::Refusal {
  ErrorKind kind;
  RemoteFailure failure;
};

/// How an actor is made, and made again.
struct LocalBackend::Creation {
  FunctionId function;
  std::string class_name;
  Call arguments;
  bool runs_several = false;
  std::vector<ConcurrencyGroup> groups;
  int task_retries = 0;
};

struct LocalBackend::Actor {
  std::shared_ptr<Line> line = std::make_shared<Line>();  // of those that are made again, too
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
  /// Generators that have begun and may have values left: they end before another method of the actor begins.
  std::vector<std::weak_ptr<Stream>> open;  // of the thread that holds `running`
};

/// The answer of a call that is answered later: its caller waits for it.
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
  std::atomic<bool> fails_for_good{false};  // read when it was sent
  Mutex mutex;
  CondVar sent;
  Outcome outcome FLOWRAY_GUARDED_BY(mutex) = Outcome::kMissing;
};

/// The call that runs in this thread: how many results it has, and where its later answer goes.
struct LocalBackend::RunningHere {
  size_t num_results = 0;
  std::shared_ptr<Answer> answer;
  internal::CurrentActor actor;
  internal::CurrentCall call;
  bool fails_for_good = false;
  std::unique_ptr<internal::GivenValues> kept = nullptr;  // of a generator: what is not asked for yet
  std::atomic<bool>* is_cancelled = nullptr;
  bool was_told_of_cancel = false;
  RunningHere* outer = nullptr;  // that goes on in this thread when this one is done

  static thread_local RunningHere* here;
};

/// A call that has come to its end.
struct LocalBackend::Ran {
  std::unique_ptr<Encoder[]> results;
  size_t num_results;
  RunningHere here;
  int retries = 0;  // that are left

  /// What it returns.
  std::span<Encoder> filled() const {
    return here.answer != nullptr ? here.answer->span() : std::span<Encoder>(results.get(), num_results);
  }
};

std::string ended_itself_text(std::string_view class_name);

/// What a call gives one by one. A C++ generator's function goes on when its next value is asked for;
/// one of Python's has run to its end.
struct LocalBackend::Stream {
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    for (ObjectHandle* item : *items.lock()) item->release();
  }

  /// Held while the function goes on, which may ask for values of other calls.
  RecursiveMutex asking;
  CallOptions call;
  std::shared_ptr<const Call> arguments;
  std::shared_ptr<Actor> actor;                 // null: a task's
  std::unique_ptr<internal::GivenValues> rest;  // refers to the arguments and the actor's object
  RunningHere here;
  int retries = 0;
  uint64_t num_made = 0;
  bool is_running = false;
  std::atomic<bool> is_cancelled{false};
  Guarded<std::deque<ObjectHandle*>> items;  // not taken yet
};

struct LocalBackend::State {
  Guarded<std::vector<internal::GroupSpec>> groups;
  /// What calls have given one by one, by the numbers of these, and then by their returns.
  Guarded<std::unordered_map<uint64_t, std::shared_ptr<Stream>>> streams;
  Guarded<std::unordered_map<ObjectId, Object>> objects;
  Guarded<std::unordered_map<uint64_t, std::shared_ptr<Actor>>> actors;
  Guarded<std::map<std::string, ActorId, std::less<>>> names;
  /// Told when an object is made, a call cancelled, or all ends; who waits looks with the mutex held.
  Mutex mutex;
  CondVar changed;
  bool has_ended FLOWRAY_GUARDED_BY(mutex) = false;
};

}  // namespace flowray::ray
