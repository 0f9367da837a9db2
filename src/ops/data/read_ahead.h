#pragma once
/// Elements made in threads of their own before they are asked for.

#include "core/cancellation.h"
#include "core/mutex.h"
#include "ops/data/dataset.h"
#include "ops/data/user_function.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

namespace flowray::ops {

/// A walk through `input` that is ahead of its consumers: threads of its own read it, one at a time, and map
/// what they have read, side by side; elements keep their order. The threads begin with the first request,
/// sleep while as many elements are ready as there may be, and end with the walk.
class ReadAhead final : public DatasetIterator {
 public:
  struct Options {
    size_t threads = 1;
    /// Elements that are ready or being made at most; at least 1.
    size_t most_elements = 1;
    const Mapping* map = nullptr;  // read by the constructor; null: elements stay as they are
  };

  /// Throws errors::OpError where the walk through `input` cannot begin.
  ReadAhead(const IterationContext& context, const Dataset& input, const Options& options);
  ~ReadAhead() override;

 private:
  bool advance(Element& element) override;
  /// An element, the end of all, or an error in its place.
  struct Place {
    bool is_ready = false;
    bool is_end = false;
    Element element;
    std::exception_ptr error;
    size_t bytes = 0;
  };
  using Function = std::optional<MapFunction>;
  /// While one lives no thread begins to read.
  class Pause {
   public:
    explicit Pause(ReadAhead& ahead) : ahead_(ahead) { set(true); }
    ~Pause() { set(false); }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    void set(bool is_pausing);
    ReadAhead& ahead_;
  };

  std::string_view kind() const override { return functions_[0].has_value() ? "ParallelMap" : "Prefetch"; }
  void keep(WalkState& state) override;
  void keep_places(WalkState& state) FLOWRAY_REQUIRES(mutex_);
  void begin() FLOWRAY_REQUIRES(mutex_);
  void work(size_t thread) noexcept;
  void work_on(size_t thread);
  std::shared_ptr<Place> read(Element& arguments);
  std::shared_ptr<Place> read_one(Element& arguments) FLOWRAY_REQUIRES(reading_);
  void map(size_t thread, Element arguments, Place& place);
  bool has_room() const FLOWRAY_REQUIRES(mutex_);
  bool is_answered() const FLOWRAY_REQUIRES(mutex_);
  bool is_still() const FLOWRAY_REQUIRES(mutex_);
  void wait_until(bool (ReadAhead::*is_so)() const);

  const IterationContext& asked_;  // its limits are the caller's
  const size_t most_elements_;
  Cancellation ended_;
  IterationContext own_;             // changed while the threads pause only
  std::vector<Function> functions_;  // one for each thread; none inside: elements stay as they are

  Mutex reading_;  // held while an element is read; before mutex_
  std::unique_ptr<DatasetIterator> walk_ FLOWRAY_GUARDED_BY(reading_);

  Mutex mutex_;
  CondVar changed_;
  std::deque<std::shared_ptr<Place>> places_ FLOWRAY_GUARDED_BY(mutex_);  // in the elements' order
  size_t bytes_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  bool has_read_all_ FLOWRAY_GUARDED_BY(mutex_) = false;
  bool is_pausing_ FLOWRAY_GUARDED_BY(mutex_) = false;
  bool is_reading_ FLOWRAY_GUARDED_BY(mutex_) = false;
  std::exception_ptr failure_ FLOWRAY_GUARDED_BY(mutex_);  // of a thread that cannot go on
  bool is_ending_ FLOWRAY_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_ FLOWRAY_GUARDED_BY(mutex_);
};

/// Whether a function keeps or changes something beside what it gives:
/// its calls must come one after the other.
bool is_stateful(const graph::FunctionRequest& function, const graph::FunctionLibrary& library);

inline constexpr int64_t kMostThreads = 64;
/// How many threads stand for `num_parallel_calls`, which is at least 1, or -1: as many as there are cores.
size_t threads_for(int64_t num_parallel_calls);

}  // namespace flowray::ops
