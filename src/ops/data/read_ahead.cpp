#include "ops/data/read_ahead.h"

#include "core/quiet_thread.h"
#include "core/thread_pool.h"
#include "graph/exchange/attr_message.h"
#include "wire/graph_def.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace flowray::ops {
namespace {

/// Reading on is of no use when so much is ready, whatever buffer a graph asks for.
constexpr size_t kMostBytes = size_t{256} << 20;

size_t bytes_of(const Element& element) {
  size_t bytes = 0;
  for (const Array& component : element) bytes += component.size_bytes();
  return bytes;
}

}  // namespace

ReadAhead::ReadAhead(const IterationContext& context, const Dataset& input, const Options& options)
    : asked_(context),
      most_elements_(options.most_elements),
      own_{context.functions, context.library, {.cancellation = &ended_, .nested = context.limits.nested}},
      walk_(input.iterate(own_)) {
  for (size_t i = 0; i < options.threads; ++i) {
    Function& function = functions_.emplace_back();
    if (options.map != nullptr) function.emplace(own_, *options.map);
  }
}

ReadAhead::~ReadAhead() {
  ended_.cancel();
  std::vector<std::thread> threads;
  {
    const MutexLock lock(mutex_);
    is_ending_ = true;
    threads.swap(threads_);
  }
  changed_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

void ReadAhead::begin() {
  while (threads_.size() < functions_.size())
    threads_.push_back(start_quiet_thread("flowray-data", [this, i = threads_.size()] { work(i); }));
}

bool ReadAhead::has_room() const {
  return places_.empty() || (places_.size() < most_elements_ && bytes_ < kMostBytes);
}

bool ReadAhead::is_answered() const { return places_.empty() ? has_read_all_ : places_.front()->is_ready; }

/// The next place in the order, with what was read for it. Null: there is nothing more to read, or this ends.
std::shared_ptr<ReadAhead::Place> ReadAhead::read(Element& arguments) {
  const MutexLock reading(reading_);
  auto place = std::make_shared<Place>();
  {
    MutexLock lock(mutex_);
    changed_.wait(mutex_,
                  [this]() FLOWRAY_REQUIRES(mutex_) { return is_ending_ || has_read_all_ || has_room(); });
    if (is_ending_ || has_read_all_) return nullptr;
  }
  try {
    place->is_end = !walk_->next(arguments);
  } catch (...) {
    place->error = std::current_exception();
    place->is_ready = true;
  }
  const MutexLock lock(mutex_);
  if (place->is_end) {
    has_read_all_ = true;
    changed_.notify_all();
    return nullptr;
  }
  places_.push_back(place);
  if (place->is_ready) changed_.notify_all();
  return place;
}

void ReadAhead::map(size_t thread, Element arguments, Place& place) {
  if (!functions_[thread].has_value()) {
    place.element = std::move(arguments);
    return;
  }
  try {
    place.is_end = !(*functions_[thread])(std::move(arguments), place.element);
  } catch (...) {
    place.error = std::current_exception();
  }
}

void ReadAhead::work(size_t thread) noexcept {
  try {
    work_on(thread);
  } catch (...) {  // no memory for a place
    const MutexLock lock(mutex_);
    if (failure_ == nullptr) failure_ = std::current_exception();
    has_read_all_ = true;
    changed_.notify_all();
  }
}

void ReadAhead::work_on(size_t thread) {
  while (true) {
    Element arguments;
    const std::shared_ptr<Place> place = read(arguments);
    if (place == nullptr) return;
    if (place->error != nullptr) continue;
    Place made;
    map(thread, std::move(arguments), made);
    const MutexLock lock(mutex_);
    place->element = std::move(made.element);
    place->error = made.error;
    place->is_end = made.is_end;
    place->bytes = bytes_of(place->element);
    bytes_ += place->bytes;
    place->is_ready = true;
    if (place->is_end) has_read_all_ = true;
    changed_.notify_all();
  }
}

/// Returns with an answer; throws at a cancellation or the caller's deadline.
void ReadAhead::wait_for_an_answer() {
  const graph::CallLimits& limits = asked_.limits;
  const auto wake = [this] {
    const MutexLock lock(mutex_);
    changed_.notify_all();
  };
  std::vector<std::unique_ptr<Cancellation::Listening>> listening;
  for (Cancellation* const wish : {limits.cancellation, limits.closing, limits.given_up})
    if (wish != nullptr) listening.push_back(std::make_unique<Cancellation::Listening>(*wish, wake));
  {
    MutexLock lock(mutex_);
    const auto ready = [&]() FLOWRAY_REQUIRES(mutex_) { return is_answered() || limits.is_cancelled(); };
    if (limits.deadline == graph::CallLimits::Clock::time_point::max()) {
      changed_.wait(mutex_, ready);
    } else {
      changed_.wait_until(mutex_, limits.deadline, ready);
    }
    if (is_answered()) return;
  }
  limits.check();
}

bool ReadAhead::advance(Element& element) {
  {
    const MutexLock lock(mutex_);
    begin();
  }
  std::shared_ptr<Place> place;
  while (place == nullptr) {
    {
      const MutexLock lock(mutex_);
      if (is_answered()) {
        if (places_.empty()) {
          if (failure_ != nullptr) std::rethrow_exception(failure_);
          return false;
        }
        place = places_.front();
        if (place->is_end) {  // and stays there: what comes after it is not wanted
          places_.erase(places_.begin() + 1, places_.end());
          return false;
        }
        places_.pop_front();
        bytes_ -= place->bytes;
        changed_.notify_all();
        continue;
      }
    }
    wait_for_an_answer();
  }
  if (place->error != nullptr) std::rethrow_exception(place->error);
  element = std::move(place->element);
  return true;
}

bool is_stateful(const graph::FunctionRequest& function, const graph::FunctionLibrary& library) {
  const auto attr = wire::decode<wire::AttrValue>(function.attr);
  const auto* named = std::get_if<wire::AttrValue::kFunc>(&attr.value);
  if (named == nullptr) return true;
  const graph::LibraryFunction* const found = library.find((*named)->name.str());
  return found == nullptr || found->schema.row.stateful;
}

size_t threads_for(int64_t num_parallel_calls) {
  constexpr int64_t kMost = 64;
  const int64_t wanted = num_parallel_calls < 0 ? default_threads() : num_parallel_calls;
  return static_cast<size_t>(std::clamp<int64_t>(wanted, 1, kMost));
}

}  // namespace flowray::ops
