#include "ops/data/dataset_iterator.h"
#include "core/mutex.h"
#include "ops/data/dataset_row.h"
#include "ops/data/register.h"

#include "core/job_queue.h"
#include "graph/graph.h"
#include "graph/op_schema.h"
#include "graph/resource/resource_value.h"
#include "graph/shape_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <vector>

namespace flowray::ops {
namespace {

using graph::BlockingCall;
using graph::OpTable;
using GiveUp = std::function<void()>;

constexpr const char* kEnded = "The session of the iterator has ended";

struct Known {
  Mutex mutex;
  std::map<std::string, std::weak_ptr<Iterator>> iterators FLOWRAY_GUARDED_BY(mutex);
};
Known& known() {
  static auto* const all = new Known();  // never destroyed: sessions may outlive main
  return *all;
}

std::string new_handle() {
  static std::atomic<uint64_t> number{0};
  return fmt::format("flowray-iterator-{}", number.fetch_add(1, std::memory_order_relaxed));
}

constexpr SessionWalk::Wanted kNext = {.call = "GetNext()", .purpose = "getting the next element"};
constexpr SessionWalk::Wanted kSave = {.call = "Save()", .purpose = "saving it"};
constexpr SessionWalk::Wanted kRestore = {.call = "Restore()", .purpose = "restoring it"};

Iterator::Outcome not_initialized(const SessionWalk::Wanted& wanted) {
  return {Code::kFailedPrecondition,
          fmt::format("{} failed because the iterator has not been initialized. Ensure that you have run the "
                      "initializer operation for this iterator before {}.",
                      wanted.call, wanted.purpose),
          {}};
}

/// The limits of a request, as long as it is served.
class Lent {
 public:
  Lent(graph::CallLimits& place, const graph::CallLimits& limits) : place_(place) { place_ = limits; }
  ~Lent() { place_ = {}; }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

 private:
  graph::CallLimits& place_;
};

}  // namespace

/// Runs functions elsewhere than in the session whose they are, but for those that need its resources.
class LastingFunctions final : public graph::FunctionRunner {
 public:
  explicit LastingFunctions(graph::FunctionRunner& session)
      : session_(session), own_(session.make_independent()) {}

  std::unique_ptr<graph::CallableFunction> make_function(const graph::FunctionRequest& request,
                                                         const graph::FunctionLibrary& library) override {
    const bool needs_handle = std::ranges::any_of(
        request.captured, [](const Array& value) { return value.dtype() == DType::kResource; });
    if (!needs_handle) return own_->make_function(request, library);
    // The end of the session sets and reads these two in the other order, so that one of both sees the other.
    needs_session_ = true;
    if (session_has_ended_) throw errors::CancelledError(kEnded);
    return session_.make_function(request, library);
  }
  std::unique_ptr<graph::FunctionRunner> make_independent() override { return own_->make_independent(); }

  /// Another dataset comes, whose functions may need no handle.
  void begin_anew() { needs_session_ = false; }

  /// The session ends; whether that is the end of its functions.
  bool end_session() {
    session_has_ended_ = true;
    return needs_session_;
  }

 private:
  graph::FunctionRunner& session_;
  const std::unique_ptr<graph::FunctionRunner> own_;
  std::atomic<bool> needs_session_{false};
  std::atomic<bool> session_has_ended_{false};
};

SessionWalk::SessionWalk(const Functions& session, bool lasts, graph::FunctionRequest factory)
    : session_(session.runner),
      lasting_(lasts ? std::make_unique<LastingFunctions>(session.runner) : nullptr),
      functions_(lasts ? *lasting_ : session.runner),
      factory_(std::move(factory)),
      context_{functions_, library_} {
  library_.share(session.library);
}

SessionWalk::~SessionWalk() = default;

bool SessionWalk::set(const Array& dataset, const graph::FunctionLibrary& library,
                      const graph::CallLimits& limits) {
  const DatasetInput input(dataset);
  const MutexLock lock(mutex_);
  if (is_over()) return false;
  library_.share(library);
  walk_ = nullptr;
  if (lasting_ != nullptr) lasting_->begin_anew();
  const Lent lent(context_.limits, limits);
  walk_ = input->iterate(context_);
  dataset_ = dataset;
  return true;
}

void SessionWalk::functions_end() {
  has_session_.store(false, std::memory_order_release);
  if (lasting_ == nullptr || lasting_->end_session()) end();
}

void SessionWalk::end() {
  ending_.cancel();
  const MutexLock lock(mutex_);
  is_over_.store(true, std::memory_order_release);
  walk_ = nullptr;
  dataset_ = Array();
}

template <class Act>
SessionWalk::Outcome SessionWalk::with_walk(const Wanted& wanted, const graph::CallLimits& limits,
                                            const Act& act) {
  const MutexLock lock(mutex_);
  if (is_over()) return {Code::kCancelled, kEnded, {}};
  // What lasts may be ended by another session than the one that asks.
  Cancellation given_up;
  std::optional<Cancellation::Listening> to_end;
  std::optional<Cancellation::Listening> to_caller;
  const Lent lent(context_.limits, limits);
  if (lasting_ != nullptr) {
    context_.limits.given_up = &given_up;
    to_end.emplace(ending_, [&given_up] { given_up.cancel(); });
    if (limits.given_up != nullptr) to_caller.emplace(*limits.given_up, [&given_up] { given_up.cancel(); });
  }
  try {
    if (walk_ == nullptr && !factory_.attr.empty()) {
      Element results = functions_.make_function(factory_, context_.library)->call({}, context_.limits);
      dataset_ = results.at(0);
      walk_ = DatasetInput(dataset_)->iterate(context_);
    }
    if (walk_ == nullptr) return not_initialized(wanted);
    return act(walk_, dataset_, context_);
  } catch (const errors::OpError& error) {
    return {error.code(), error.message(), {}};
  } catch (const Error& error) {
    return {Code::kInternal, error.message(), {}};
  } catch (const std::exception& error) {  // out of memory: completes the request with it
    return {Code::kResourceExhausted, error.what(), {}};
  }
}

SessionWalk::Outcome SessionWalk::take(const graph::CallLimits& limits) {
  return with_walk(kNext, limits, [](Walk& walk, const Array&, const IterationContext&) -> Outcome {
    Outcome outcome;
    if (walk->next(outcome.element)) return outcome;
    return {Code::kOutOfRange, "End of sequence", {}};
  });
}

SessionWalk::Outcome SessionWalk::save(const Saving& saving, const graph::CallLimits& limits) {
  return with_walk(kSave, limits,
                   [&saving](Walk& walk, const Array& dataset, const IterationContext&) -> Outcome {
                     return {Code::kOk, {}, {saved_walk(*DatasetInput(dataset), *walk, saving)}};
                   });
}

SessionWalk::Outcome SessionWalk::restore(const Array& saved, const graph::CallLimits& limits) {
  return with_walk(kRestore, limits,
                   [&saved](Walk& walk, const Array& dataset, const IterationContext& context) -> Outcome {
                     Walk restored = DatasetInput(dataset)->iterate(context);
                     const auto share = restore_walk(*DatasetInput(dataset), *restored, saved);
                     walk = std::move(restored);  // and the threads of the one before have ended
                     share();
                     return {};
                   });
}

Iterator::Iterator(std::string name, bool is_shared)
    : Resource(std::move(name)), is_shared_(is_shared), handle_(new_handle()) {}

Iterator::~Iterator() {
  {
    const MutexLock lock(known().mutex);
    known().iterators.erase(handle_);
  }
  if (const std::shared_ptr<SessionWalk> last = walk()) last->end();
}

std::shared_ptr<graph::Resource> Iterator::find(const std::string& handle) {
  const MutexLock lock(known().mutex);
  const auto found = known().iterators.find(handle);
  return found == known().iterators.end() ? nullptr : found->second.lock();
}

void Iterator::enter(const std::shared_ptr<Iterator>& iterator) {
  const MutexLock lock(known().mutex);
  known().iterators[iterator->handle()] = iterator;
}

std::shared_ptr<SessionWalk> Iterator::walk() {
  const MutexLock lock(mutex_);
  return walk_;
}

void Iterator::set(const Array& dataset, const SessionWalk::Functions& session,
                   const graph::CallLimits& limits) {
  const DatasetInput input(dataset);  // before anything ends for it
  if (const auto own = walk(); own != nullptr && own->is_of(session.runner)) {
    if (own->set(dataset, session.library, limits)) return;
    // Another session has replaced it in between.
    if (!own->is_of(session.runner)) throw errors::CancelledError(kEnded);
  }
  // Others see the walk only with its dataset: requests that come meanwhile take from the one before.
  const auto walk = std::make_shared<SessionWalk>(session, is_shared_);
  session.runner.tell_end_to(walk);
  if (!walk->set(dataset, session.library, limits)) throw errors::CancelledError(kEnded);
  std::shared_ptr<SessionWalk> ended;  // while it is held: its session's end waits for that
  {
    const MutexLock lock(mutex_);
    ended = std::exchange(walk_, walk);
  }
  if (ended != nullptr) ended->end();
}

void Iterator::offer_factory(graph::FunctionRequest factory, const SessionWalk::Functions& session) {
  const MutexLock lock(mutex_);
  if (walk_ != nullptr && !walk_->is_over()) return;
  walk_ = std::make_shared<SessionWalk>(session, is_shared_, std::move(factory));
  session.runner.tell_end_to(walk_);
}

std::function<void()> Iterator::next(Done done, const graph::CallLimits& limits) {
  return ask(
      kNext, [](SessionWalk& walk, const graph::CallLimits& allowed) { return walk.take(allowed); },
      std::move(done), limits);
}

std::function<void()> Iterator::save(const Saving& saving, Done done, const graph::CallLimits& limits) {
  return ask(
      kSave,
      [saving](SessionWalk& walk, const graph::CallLimits& allowed) { return walk.save(saving, allowed); },
      std::move(done), limits);
}

std::function<void()> Iterator::restore(const Array& saved, Done done, const graph::CallLimits& limits) {
  return ask(
      kRestore,
      [saved](SessionWalk& walk, const graph::CallLimits& allowed) { return walk.restore(saved, allowed); },
      std::move(done), limits);
}

std::function<void()> Iterator::ask(const SessionWalk::Wanted& wanted, Act act, Done done,
                                    const graph::CallLimits& limits) {
  {
    const MutexLock lock(mutex_);
    if (is_serving_) {
      auto given_up = std::make_shared<Cancellation>();
      Request& request = requests_.emplace_back(wanted, std::move(act), std::move(done), limits, given_up);
      request.limits.given_up = given_up.get();
      return [this, given_up] { give_up(given_up); };
    }
    is_serving_ = true;  // so this call is the first in line
  }
  serve({wanted, std::move(act), std::move(done), limits, nullptr});
  return {};
}

/// Calls in line behind it are served by another thread, so that a caller that has its element, or whose
/// deadline has passed, returns.
void Iterator::serve(const Request& request) {
  const std::shared_ptr<Iterator> kept = shared_from_this();  // a request may hold the last reference
  request.done(answer(request));
  {
    const MutexLock lock(mutex_);
    if (requests_.empty()) {
      is_serving_ = false;
      return;
    }
  }
  default_jobs().post([kept] { kept->serve_next(); });
}

/// The first one, unless all have been given up.
void Iterator::serve_next() {
  Request request;
  {
    const MutexLock lock(mutex_);
    if (requests_.empty()) {
      is_serving_ = false;
      return;
    }
    request = std::move(requests_.front());
    requests_.pop_front();
  }
  serve(request);
}

/// A request that is being served notices in the functions that it calls.
void Iterator::give_up(const std::shared_ptr<Cancellation>& request) {
  MutexLock lock(mutex_);
  const auto found = std::ranges::find(requests_, request, &Request::given_up);
  if (found == requests_.end()) {
    lock.unlock();
    return request->cancel();
  }
  const Done done = std::move(found->done);
  requests_.erase(found);
  lock.unlock();
  done({Code::kCancelled, "GetNext was cancelled", {}});
}

Iterator::Outcome Iterator::answer(const Request& request) {
  for (std::shared_ptr<SessionWalk> asked = walk(); asked != nullptr;) {
    Outcome outcome = request.act(*asked, request.limits);
    const std::shared_ptr<SessionWalk> latest = walk();
    // Where another session has set it meanwhile, what that one has is asked for.
    if (latest == asked || outcome.code != Code::kCancelled || !asked->is_ending()) return outcome;
    asked = latest;
  }
  return not_initialized(request.wanted);
}

namespace {

/// The one that sessions share by its name, or the session's own.
std::shared_ptr<Iterator> iterator_of(graph::ResourceContext& context) {
  const bool is_shared = !context.attrs().get<std::string>("shared_name").empty();
  auto iterator = context.find_or_make<Iterator>([is_shared](const std::string& name) {
    auto made = std::make_shared<Iterator>(name, is_shared);
    Iterator::enter(made);
    return made;
  });
  if (context.attrs().contains("dataset_factory")) {
    iterator->offer_factory(
        {context.attrs().get<graph::OpaqueAttr>("dataset_factory").message, {}},
        {graph::function_runner(context.states()), graph::FunctionLibrary::of(context.node().graph())});
  }
  return iterator;
}

std::shared_ptr<graph::Resource> make_iterator_resource(graph::ResourceContext& context) {
  return iterator_of(context);
}

GiveUp start_make_iterator(BlockingCall& call) {
  call.resource<Iterator>(1).set(
      call.in(0), {graph::function_runner(call.states()), graph::FunctionLibrary::of(call.node().graph())},
      call.limits());
  call.done();
  return {};
}

/// What an element may not be, said as TensorFlow says it.
std::string misfit(const Element& element, const graph::Attrs& attrs) {
  const auto& types = attrs.get<std::vector<DType>>("output_types");
  const auto& shapes = attrs.get<std::vector<Shape>>("output_shapes");
  if (element.size() != types.size()) {
    return fmt::format("Number of components does not match: expected {} types but got {}.", types.size(),
                       element.size());
  }
  for (size_t i = 0; i < element.size(); ++i) {
    if (element[i].dtype() != types[i]) {
      return fmt::format("Data type mismatch at component {}: expected {} but got {}.", i,
                         dtype_kernel_name(types[i]), dtype_kernel_name(element[i].dtype()));
    }
    if (i < shapes.size() && !shapes[i].is_compatible_with(element[i].shape())) {
      return fmt::format("Incompatible shapes at component {}: expected {} but got {}.", i,
                         shapes[i].to_string(), element[i].shape().to_string());
    }
  }
  return {};
}

GiveUp start_get_next(BlockingCall& call) {
  const auto end = [&call](Iterator::Outcome outcome) {
    if (outcome.code != Code::kOk) return call.fail(outcome.code, std::move(outcome.text));
    std::string wrong = misfit(outcome.element, call.attrs());
    if (!wrong.empty()) return call.fail(Code::kInvalidArgument, std::move(wrong));
    call.done(std::move(outcome.element));
  };
  return call.resource<Iterator>(0).next(end, call.limits());
}

GiveUp start_serialize(BlockingCall& call) {
  const auto end = [&call](Iterator::Outcome outcome) {
    if (outcome.code != Code::kOk) return call.fail(outcome.code, std::move(outcome.text));
    call.done(std::move(outcome.element));
  };
  const auto policy = call.attrs().get<int64_t>("external_state_policy");
  if (policy < 0 || policy > static_cast<int64_t>(ExternalState::kFails)) {
    throw errors::InvalidArgumentError(
        fmt::format("external_state_policy must be 0 (warn), 1 (ignore) or 2 (fail), not {}", policy));
  }
  return call.resource<Iterator>(0).save(
      {.policy = static_cast<ExternalState>(policy), .ops = call.node().graph().ops()}, end, call.limits());
}

/// The words of a failure, with our advice on the lines behind the first one.
std::string not_restored(std::string_view reason) {
  const size_t end = std::min(reason.find('\n'), reason.size());
  return fmt::format(
      "Failed to restore dataset iterator from checkpoint: {}. Make sure the dataset definition has not "
      "changed "
      "between the process that saved the checkpoint and the process that is restoring it.{}",
      reason.substr(0, end), reason.substr(end));
}

GiveUp start_deserialize(BlockingCall& call) {
  const auto end = [&call](const Iterator::Outcome& outcome) {
    if (outcome.code != Code::kOk) return call.fail(outcome.code, not_restored(outcome.text));
    call.done();
  };
  auto& iterator = call.resource<Iterator>(0);
  (void)saved_walk_of(call.in(1));
  return iterator.restore(call.in(1), end, call.limits());
}

void serialize_shape(graph::ShapeContext& context) { context.set_output(0, Shape{Shape::kUnknownDim}); }

GiveUp start_to_string_handle(BlockingCall& call) {
  call.done({Array(call.resource<Iterator>(0).handle())});
  return {};
}

GiveUp start_from_string_handle(BlockingCall& call) {
  const auto handle = scalar_argument<std::string>(call, 0, "string_handle");
  std::shared_ptr<graph::Resource> iterator = Iterator::find(handle);
  if (iterator == nullptr) {
    throw errors::InvalidArgumentError(fmt::format(
        "Could not parse string_handle as a valid ResourceHandle\n'{}' names no iterator of this process",
        handle));
  }
  call.done({graph::resource_value(std::move(iterator))});
  return {};
}

constexpr graph::OpRow iterator_row(std::string_view name) {
  return {
      .name = name,
      .outputs = "handle:resource",
      .attrs =
          "shared_name:string; container:string; output_types:list(type)>=1; output_shapes:list(shape)>=1",
      .stateful = true,
      .shape = graph::scalar_shape,
      .resource = make_iterator_resource};
}

constexpr graph::OpRow get_next_row(std::string_view name) {
  return {.name = name,
          .inputs = "iterator:resource",
          .outputs = "components:[output_types]",
          .attrs = "output_types:list(type)>=1; output_shapes:list(shape)>=1",
          .stateful = true,
          .shape = components_shape,
          .start = start_get_next};
}

constexpr graph::OpRow from_string_handle_row(std::string_view name) {
  return {.name = name,
          .inputs = "string_handle:string",
          .outputs = "resource_handle:resource",
          .attrs = "output_types:list(type)=[]; output_shapes:list(shape)=[]",
          .stateful = true,
          .shape = graph::scalar_shape,
          .start = start_from_string_handle};
}

constexpr graph::OpRow kDatasetIteratorOps[] = {
    iterator_row("Iterator"),
    iterator_row("IteratorV2"),
    {.name = "OneShotIterator",
     .outputs = "handle:resource",
     .attrs = "dataset_factory:func; output_types:list(type)>=1; output_shapes:list(shape)>=1; "
              "container:string=\"\"; shared_name:string=\"\"",
     .stateful = true,
     .shape = graph::scalar_shape,
     .resource = make_iterator_resource},
    {.name = "MakeIterator",
     .inputs = "dataset:variant, iterator:resource",
     .stateful = true,
     .shape = graph::no_outputs,
     .start = start_make_iterator},
    get_next_row("IteratorGetNext"),
    get_next_row("IteratorGetNextSync"),
    {.name = "SerializeIterator",
     .inputs = "resource_handle:resource",
     .outputs = "serialized:variant",
     .attrs = "external_state_policy:int=0",
     .stateful = true,
     .shape = serialize_shape,
     .start = start_serialize},
    {.name = "DeserializeIterator",
     .inputs = "resource_handle:resource, serialized:variant",
     .stateful = true,
     .shape = graph::no_outputs,
     .start = start_deserialize},
    {.name = "IteratorToStringHandle",
     .inputs = "resource_handle:resource",
     .outputs = "string_handle:string",
     .stateful = true,
     .shape = graph::scalar_shape,
     .start = start_to_string_handle},
    from_string_handle_row("IteratorFromStringHandle"),
    from_string_handle_row("IteratorFromStringHandleV2"),
};

}  // namespace

void register_dataset_iterator_ops(OpTable& table) {
  for (const graph::OpRow& row : kDatasetIteratorOps) table.add(row);
}

}  // namespace flowray::ops
