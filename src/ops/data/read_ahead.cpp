#include "ops/data/read_ahead.h"

#include "core/quiet_thread.h"
#include "core/thread_pool.h"
#include "graph/exchange/attr_message.h"
#include "ops/data/walk_state.h"
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

/// Whether nothing is being made.
bool ReadAhead::is_still() const {
  return failure_ != nullptr ||
         (!is_reading_ && std::ranges::all_of(places_, [](const auto& place) { return place->is_ready; }));
}

/// The next place in the order, with what was read for it. Null: there is nothing more to read, or this ends.
std::shared_ptr<ReadAhead::Place> ReadAhead::read(Element& arguments) {
  while (true) {
    {
      MutexLock lock(mutex_);
      changed_.wait(mutex_, [this]() FLOWRAY_REQUIRES(mutex_) { return is_ending_ || !is_pausing_; });
    }
    const MutexLock reading(reading_);
    {
      MutexLock lock(mutex_);
      changed_.wait(mutex_, [this]() FLOWRAY_REQUIRES(mutex_) {
        return is_ending_ || has_read_all_ || is_pausing_ || has_room();
      });
      if (is_ending_ || has_read_all_) return nullptr;
      if (is_pausing_) continue;
      is_reading_ = true;
    }
    return read_one(arguments);
  }
}

std::shared_ptr<ReadAhead::Place> ReadAhead::read_one(Element& arguments) {
  auto place = std::make_shared<Place>();
  try {
    place->is_end = !walk_->next(arguments);
  } catch (...) {
    place->error = std::current_exception();
    place->is_ready = true;
  }
  const MutexLock lock(mutex_);
  is_reading_ = false;
  if (place->is_end) {
    has_read_all_ = true;
    changed_.notify_all();
    return nullptr;
  }
  places_.push_back(place);
  if (place->is_ready || is_pausing_) changed_.notify_all();
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

/// Returns when it is; throws at a cancellation or the caller's deadline.
void ReadAhead::wait_until(bool (ReadAhead::*is_so)() const) {
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
    const auto ready = [&]() FLOWRAY_REQUIRES(mutex_) { return (this->*is_so)() || limits.is_cancelled(); };
    if (limits.deadline == graph::CallLimits::Clock::time_point::max()) {
      changed_.wait(mutex_, ready);
    } else {
      changed_.wait_until(mutex_, limits.deadline, ready);
    }
    if ((this->*is_so)()) return;
  }
  limits.check();
}

void ReadAhead::Pause::set(bool is_pausing) {
  {
    const MutexLock lock(ahead_.mutex_);
    ahead_.is_pausing_ = is_pausing;
  }
  ahead_.changed_.notify_all();
}

/// With the elements that are ready; those that are being made are waited for.
void ReadAhead::keep(WalkState& state) {
  if (functions_[0].has_value()) functions_[0]->keep(state);
  state.hold(std::make_shared<const Pause>(*this));
  wait_until(&ReadAhead::is_still);
  const MutexLock reading(reading_);
  {
    const MutexLock lock(mutex_);
    if (failure_ != nullptr) std::rethrow_exception(failure_);
    keep_places(state);
  }
  const graph::CallLimits limits = std::exchange(own_.limits, asked_.limits);
  try {
    state.walk("input", *walk_);
  } catch (...) {
    own_.limits = limits;
    throw;
  }
  own_.limits = limits;
}

namespace {

/// What stands for an element in the list of codes; else the code of an error.
constexpr int64_t kIsElement = 0;
constexpr int64_t kIsEnd = -1;

/// Code and words of an error.
std::pair<int64_t, std::string> told_error(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const errors::OpError& told) {
    return {static_cast<int64_t>(told.code()), told.message()};
  } catch (const std::exception& told) {
    return {static_cast<int64_t>(Code::kInternal), told.what()};
  }
}

std::exception_ptr error_of(int64_t code, const std::string& text) {
  try {
    errors::throw_error(static_cast<Code>(code), text);
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

void ReadAhead::keep_places(WalkState& state) {
  std::vector<int64_t> codes;
  std::vector<std::string> texts;
  std::vector<Element> elements;
  for (const std::shared_ptr<Place>& place : places_) {
    auto [code, text] = place->error != nullptr
                            ? told_error(place->error)
                            : std::pair(place->is_end ? kIsEnd : kIsElement, std::string());
    codes.push_back(code);
    texts.push_back(std::move(text));
    elements.push_back(place->element);
  }
  state.numbers("codes", codes);
  state.texts("errors", texts);
  state.elements("elements", elements);
  state.flag("has_read_all", has_read_all_);
  if (!state.is_read()) return;
  if (texts.size() != codes.size() || elements.size() != codes.size())
    state.damaged("codes", "are not as many as the elements");
  for (size_t i = 0; i < codes.size(); ++i) {
    if (codes[i] < kIsEnd || codes[i] > static_cast<int64_t>(Code::kUnauthenticated))
      state.damaged("codes", "has a number that is not an error code");
    auto place = std::make_shared<Place>();
    place->is_ready = true;
    place->is_end = codes[i] == kIsEnd;
    if (codes[i] > kIsElement) place->error = error_of(codes[i], texts[i]);
    place->element = std::move(elements[i]);
    place->bytes = bytes_of(place->element);
    bytes_ += place->bytes;
    places_.push_back(std::move(place));
  }
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
    wait_until(&ReadAhead::is_answered);
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
  const int64_t wanted = num_parallel_calls < 0 ? default_threads() : num_parallel_calls;
  return static_cast<size_t>(std::clamp<int64_t>(wanted, 1, kMostThreads));
}

}  // namespace flowray::ops
