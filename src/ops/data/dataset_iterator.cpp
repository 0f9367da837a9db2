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
#include <vector>

namespace flowray::ops {
namespace {

using graph::BlockingCall;
using graph::OpTable;
using GiveUp = std::function<void()>;

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

}  // namespace

Iterator::Iterator(std::string name, graph::FunctionRunner& functions, const graph::FunctionLibrary& library)
    : Resource(std::move(name)), handle_(new_handle()), functions_(functions), context_{functions, library} {}

Iterator::~Iterator() {
  const MutexLock lock(known().mutex);
  known().iterators.erase(handle_);
}

std::shared_ptr<graph::Resource> Iterator::find(const std::string& handle) {
  const MutexLock lock(known().mutex);
  const auto found = known().iterators.find(handle);
  return found == known().iterators.end() ? nullptr : found->second.lock();
}

void Iterator::enter(const std::shared_ptr<Iterator>& iterator) {
  iterator->functions_.tell_end_to(iterator);
  const MutexLock lock(known().mutex);
  known().iterators[iterator->handle()] = iterator;
}

void Iterator::set(Array dataset) {
  const DatasetInput input(dataset);
  const MutexLock lock(walk_mutex_);
  if (is_over_) throw errors::CancelledError("The session of the iterator has ended");
  walk_ = input->iterate(context_);
  dataset_ = std::move(dataset);
}

void Iterator::set_factory(graph::FunctionRequest factory) {
  const MutexLock lock(walk_mutex_);
  factory_ = std::move(factory);
}

std::function<void()> Iterator::next(Done done, const graph::CallLimits& limits) {
  {
    const MutexLock lock(mutex_);
    if (is_serving_) {
      auto given_up = std::make_shared<Cancellation>();
      Request& request = requests_.emplace_back(std::move(done), limits, given_up);
      request.limits.given_up = given_up.get();
      return [this, given_up] { give_up(given_up); };
    }
    is_serving_ = true;  // so nobody stands before this one
  }
  serve({std::move(done), limits, nullptr});
  return {};
}

/// Those who stand behind it are served elsewhere, so that whoever has got his element, or has no more time,
/// goes on.
void Iterator::serve(const Request& request) {
  const std::shared_ptr<Iterator> kept = shared_from_this();  // who is served last may be the last to hold it
  request.done(take(request.limits));
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

/// One that is served just now hears of it in the functions that it calls.
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

void Iterator::functions_end() {
  const MutexLock lock(walk_mutex_);
  is_over_ = true;
  walk_ = nullptr;
  dataset_ = Array();
}

Iterator::Outcome Iterator::take(const graph::CallLimits& limits) {
  const MutexLock lock(walk_mutex_);
  if (is_over_) return {Code::kCancelled, "The session of the iterator has ended", {}};
  context_.limits = limits;
  try {
    if (walk_ == nullptr && !factory_.attr.empty()) {
      Element results = context_.functions.make_function(factory_, context_.library)->call({}, limits);
      dataset_ = results.at(0);
      walk_ = DatasetInput(dataset_)->iterate(context_);
    }
    if (walk_ == nullptr) {
      return {Code::kFailedPrecondition,
              "GetNext() failed because the iterator has not been initialized. Ensure that you have run the "
              "initializer "
              "operation for this iterator before getting the next element.",
              {}};
    }
    Outcome outcome;
    if (walk_->next(outcome.element)) return outcome;
    return {Code::kOutOfRange, "End of sequence", {}};
  } catch (const errors::OpError& error) {
    return {error.code(), error.message(), {}};
  } catch (const Error& error) {
    return {Code::kInternal, error.message(), {}};
  } catch (const std::exception& error) {  // no memory: who waits must hear of it
    return {Code::kResourceExhausted, error.what(), {}};
  }
}

namespace {

/// Its own session's, whatever it is called: the functions that it calls run there.
std::shared_ptr<Iterator> own_iterator(graph::ResourceContext& context) {
  return context.find_or_make_own<Iterator>([&](const std::string& name) {
    auto iterator = std::make_shared<Iterator>(name, graph::function_runner(context.states()),
                                               graph::FunctionLibrary::of(context.node().graph()));
    Iterator::enter(iterator);
    if (context.attrs().contains("dataset_factory")) {
      iterator->set_factory({context.attrs().get<graph::OpaqueAttr>("dataset_factory").message, {}});
    }
    return iterator;
  });
}
std::shared_ptr<graph::Resource> make_iterator_resource(graph::ResourceContext& context) {
  return own_iterator(context);
}

GiveUp start_make_iterator(BlockingCall& call) {
  call.resource<Iterator>(1).set(call.in(0));
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
