#pragma once
/// Gradients of many workers, gathered until there are enough of them for their mean to be taken: what
/// synchronous training waits for.

#include "core/mutex.h"
#include "graph/resource/resource.h"

#include <flowray/array.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::ops {

struct AccumulatorSpec {
  DType dtype = DType::kInvalid;  // float16, float32 or float64
  Shape shape = Shape::unknown_rank();
  bool is_mean = true;  // else the sum

  bool operator==(const AccumulatorSpec&) const = default;
};

/// How an attempt to take ended.
struct TakenGradient {
  Code code = Code::kOk;
  std::string text;
  std::vector<Array> outputs;
};

/// TensorFlow's conditional accumulator: counts the gradients that it got, leaves out those of steps before
/// its own, and gives one away when there are enough. Each taking is a step. Thread-safe; callbacks come from
/// the thread that makes the attempt possible, with no lock held.
class Accumulator : public graph::Resource {
 public:
  static constexpr std::string_view kKind = "tensorflow::ConditionalAccumulatorBase";
  using Done = std::function<void(TakenGradient)>;
  using Attempt = uint64_t;

  Accumulator(std::string name, AccumulatorSpec spec) : Resource(std::move(name)), spec_(std::move(spec)) {}
  std::string_view kind() const override { return kKind; }
  const AccumulatorSpec& spec() const { return spec_; }

  /// Leaves it out where `local_step` is before the accumulator's, whatever it is, as TensorFlow does. Throws
  /// errors::InvalidArgumentError where it does not fit.
  void apply(int64_t local_step, const std::vector<Array>& gradient);
  int64_t num_accumulated() const;
  void set_global_step(int64_t step);
  /// Waits for `count` gradients.
  Attempt take(int64_t count, Done done);
  /// Ends an attempt that still waits with CANCELLED. Else does nothing.
  void cancel(Attempt attempt);

 protected:
  virtual void check(const std::vector<Array>& gradient) const FLOWRAY_REQUIRES(mutex_) = 0;
  virtual void begin(const std::vector<Array>& gradient) FLOWRAY_REQUIRES(mutex_) = 0;
  virtual void add(const std::vector<Array>& gradient) FLOWRAY_REQUIRES(mutex_) = 0;
  /// The sum, divided where the mean is asked for.
  virtual std::vector<Array> result(int64_t count) FLOWRAY_REQUIRES(mutex_) = 0;

  mutable Mutex mutex_;

 private:
  struct Taking {
    Attempt id;
    int64_t count;
    Done done;
  };
  /// The first pending take gets all that is there, when it is enough, and is completed outside of the lock.
  struct Served {
    Done done;
    TakenGradient taken;
  };
  std::optional<Served> serve() FLOWRAY_REQUIRES(mutex_);

  const AccumulatorSpec spec_;
  int64_t step_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  int64_t count_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  Attempt last_attempt_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  std::deque<Taking> takings_ FLOWRAY_GUARDED_BY(mutex_);
};

/// Accumulates arrays of one shape: a gradient is {array}.
class DenseAccumulator final : public Accumulator {
 public:
  using Accumulator::Accumulator;

 protected:
  void check(const std::vector<Array>& gradient) const override FLOWRAY_REQUIRES(mutex_);
  void begin(const std::vector<Array>& gradient) override FLOWRAY_REQUIRES(mutex_);
  void add(const std::vector<Array>& gradient) override FLOWRAY_REQUIRES(mutex_);
  std::vector<Array> result(int64_t count) override FLOWRAY_REQUIRES(mutex_);

 private:
  Array sum_ FLOWRAY_GUARDED_BY(mutex_);
};

/// Of some rows of arrays: a gradient is {indices, rows, shape}, and so is what is taken. A row's mean is
/// that of the gradients that had it. Indices rise, as TensorFlow's gradients give them.
class SparseAccumulator final : public Accumulator {
 public:
  using Accumulator::Accumulator;

 protected:
  void check(const std::vector<Array>& gradient) const override FLOWRAY_REQUIRES(mutex_);
  void begin(const std::vector<Array>& gradient) override FLOWRAY_REQUIRES(mutex_);
  void add(const std::vector<Array>& gradient) override FLOWRAY_REQUIRES(mutex_);
  std::vector<Array> result(int64_t count) override FLOWRAY_REQUIRES(mutex_);

 private:
  void check_rows(const Shape& got) const FLOWRAY_REQUIRES(mutex_);

  std::vector<int64_t> indices_ FLOWRAY_GUARDED_BY(mutex_);
  std::vector<int64_t> counts_ FLOWRAY_GUARDED_BY(mutex_);  // by row
  Array rows_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::ops
