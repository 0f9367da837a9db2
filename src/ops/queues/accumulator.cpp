#include "ops/queues/accumulator.h"

#include "core/checked_size.h"
#include "core/dtype_dispatch.h"
#include "core/invalid_argument.h"
#include "core/mutex.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace flowray::ops {
namespace {

using Floats = TypeList<float16, float, double>;

template <class T>
void add_to(T* sum, const T* values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) sum[i] = static_cast<T>(sum[i] + values[i]);
}

template <class T>
void divide(T* values, int64_t count, int64_t by) {
  for (int64_t i = 0; i < count; ++i)
    values[i] = static_cast<T>(values[i] / static_cast<T>(static_cast<float>(by)));
}

/// Elements of one row of an array of [n, ...].
int64_t row_size(const Array& rows) {
  CheckedSize size(1);  // of no rows the other dimensions may be of any size
  for (int i = 1; i < rows.rank(); ++i) size *= rows.dim(i);
  return size;
}

}  // namespace

void Accumulator::apply(int64_t local_step, const std::vector<Array>& gradient) {
  MutexLock lock(mutex_);
  if (local_step < step_) return;
  check(gradient);
  count_ == 0 ? begin(gradient) : add(gradient);
  ++count_;
  std::optional<Served> served = serve();
  lock.unlock();
  if (served) served->done(std::move(served->taken));
}

int64_t Accumulator::num_accumulated() const {
  const MutexLock lock(mutex_);
  return count_;
}

void Accumulator::set_global_step(int64_t step) {
  const MutexLock lock(mutex_);
  step_ = step;
}

Accumulator::Attempt Accumulator::take(int64_t count, Done done) {
  if (count <= 0) invalid_argument(fmt::format("Argument num_required must be positive, but was {}", count));
  MutexLock lock(mutex_);
  const Attempt id = ++last_attempt_;
  takings_.push_back({id, count, std::move(done)});
  std::optional<Served> served = serve();
  lock.unlock();
  if (served) served->done(std::move(served->taken));
  return id;
}

std::optional<Accumulator::Served> Accumulator::serve() {
  if (takings_.empty() || count_ < takings_.front().count) return std::nullopt;
  Taking taking = std::move(takings_.front());
  takings_.pop_front();
  TakenGradient taken{Code::kOk, {}, result(count_)};
  count_ = 0;
  ++step_;
  return Served{std::move(taking.done), std::move(taken)};
}

void Accumulator::cancel(Attempt attempt) {
  Done done;
  {
    const MutexLock lock(mutex_);
    for (auto taking = takings_.begin(); taking != takings_.end(); ++taking) {
      if (taking->id != attempt) continue;
      done = std::move(taking->done);
      takings_.erase(taking);
      break;
    }
  }
  if (done) done({Code::kCancelled, "TakeGrad operation was cancelled", {}});
}

// ---- dense

void DenseAccumulator::check(const std::vector<Array>& gradient) const {
  const Shape& got = gradient[0].shape();
  const Shape expected = sum_.has_value() ? sum_.shape() : spec().shape;
  if (spec().shape.is_compatible_with(got) && expected.is_compatible_with(got)) return;
  invalid_argument(fmt::format("Shape mismatch: expected {}, got {}",
                               (spec().shape.is_compatible_with(got) ? expected : spec().shape).to_string(),
                               got.to_string()));
}

void DenseAccumulator::begin(const std::vector<Array>& gradient) { sum_ = gradient[0]; }

void DenseAccumulator::add(const std::vector<Array>& gradient) {
  (void)dispatch<Floats>(sum_.dtype(), [&]<class T>() {
    mutex_.assert_held();
    add_to(sum_.mutable_data<T>(), gradient[0].data<T>(), sum_.size());
  });
}

std::vector<Array> DenseAccumulator::result(int64_t count) {
  Array result = std::exchange(sum_, Array());
  if (spec().is_mean && count != 1) {
    (void)dispatch<Floats>(result.dtype(),
                           [&]<class T>() { divide(result.mutable_data<T>(), result.size(), count); });
  }
  return {std::move(result)};
}

// ---- sparse

void SparseAccumulator::check(const std::vector<Array>& gradient) const {
  const Array& indices = gradient[0];
  const Array& rows = gradient[1];
  const Array& shape = gradient[2];
  if (indices.rank() != 1) {
    invalid_argument(
        fmt::format("Input indices should be vector but received shape: {}", indices.shape().to_string()));
  }
  if (rows.rank() < 1) {
    invalid_argument(
        fmt::format("Values cannot be 0-dimensional, but received shape: {}", rows.shape().to_string()));
  }
  if (rows.dim(0) != indices.dim(0)) {
    invalid_argument(fmt::format("Expected number of indices to be equal to number of values: {} vs {}",
                                 indices.dim(0), rows.dim(0)));
  }
  const Shape& wanted = spec().shape;
  const int rank = wanted.has_rank() ? wanted.rank() : 0;
  if (gradient.size() > 3) {  // whether the shape is told
    if (rank > shape.size()) {
      invalid_argument(
          fmt::format("Shape mismatch: expected shape rank at least {}, got {}", rank, shape.size()));
    }
    const auto told = shape.span<int64_t>();
    for (int i = 0; i < rank; ++i) {
      if (wanted.dim(i) >= 0 && wanted.dim(i) != told[static_cast<size_t>(i)]) {
        invalid_argument(fmt::format("Shape mismatch: expected shape dim {} to be {}, got {}", i,
                                     wanted.dim(i), told[static_cast<size_t>(i)]));
      }
    }
  }
  const auto places = indices.span<int64_t>();
  for (size_t i = 0; rank > 0 && wanted.dim(0) >= 0 && i < places.size(); ++i) {
    if (places[i] < wanted.dim(0)) continue;
    invalid_argument(
        fmt::format("Shape mismatch: index of slice {} exceeded limits of shape; index is {} exceeded {}", i,
                    places[i], wanted.dim(0)));
  }
  check_rows(rows.shape());
}

/// The rows are like those that were added before; the first ones may have further dimensions.
void SparseAccumulator::check_rows(const Shape& got) const {
  const bool is_first = !rows_.has_value();
  const Shape& expected = is_first ? spec().shape : rows_.shape();
  if (!expected.has_rank()) return;
  if (is_first ? got.rank() < expected.rank() : got.rank() != expected.rank()) {
    invalid_argument(fmt::format("Shape mismatch: expected values rank {}{}, got {}",
                                 is_first ? "at least " : "", expected.rank(), got.rank()));
  }
  for (int i = 1; i < expected.rank(); ++i) {
    if (expected.dim(i) >= 0 && expected.dim(i) != got.dim(i)) {
      invalid_argument(fmt::format("Shape mismatch: expected values dim {} to be {}, got {}", i,
                                   expected.dim(i), got.dim(i)));
    }
  }
}

void SparseAccumulator::begin(const std::vector<Array>& gradient) {
  const auto indices = gradient[0].span<int64_t>();
  indices_.assign(indices.begin(), indices.end());
  counts_.assign(indices_.size(), 1);
  rows_ = gradient[1];
}

/// Merges two rising lists of rows.
void SparseAccumulator::add(const std::vector<Array>& gradient) {
  const auto more = gradient[0].span<int64_t>();
  const int64_t width = row_size(rows_);
  std::vector<int64_t> indices;
  std::vector<int64_t> counts;
  std::vector<std::pair<int64_t, int64_t>> sources;  // rows of the sum and of the gradient; -1: none
  size_t a = 0;
  size_t b = 0;
  while (a < indices_.size() || b < more.size()) {
    const bool takes_a = b == more.size() || (a < indices_.size() && indices_[a] <= more[b]);
    const bool takes_b = a == indices_.size() || (b < more.size() && more[b] <= indices_[a]);
    indices.push_back(takes_a ? indices_[a] : more[b]);
    counts.push_back((takes_a ? counts_[a] : 0) + (takes_b ? 1 : 0));
    sources.emplace_back(takes_a ? static_cast<int64_t>(a) : -1, takes_b ? static_cast<int64_t>(b) : -1);
    a += takes_a ? 1 : 0;
    b += takes_b ? 1 : 0;
  }
  Shape shape = rows_.shape();
  shape.set_dim(0, std::ssize(indices));
  Array rows(rows_.dtype(), shape);
  (void)dispatch<Floats>(rows.dtype(), [&]<class T>() {
    mutex_.assert_held();
    T* out = rows.mutable_data<T>();
    for (const auto& [mine, theirs] : sources) {
      if (mine >= 0) add_to(out, rows_.data<T>() + mine * width, width);
      if (theirs >= 0) add_to(out, gradient[1].data<T>() + theirs * width, width);
      out += width;
    }
  });
  rows_ = std::move(rows);
  indices_ = std::move(indices);
  counts_ = std::move(counts);
}

std::vector<Array> SparseAccumulator::result(int64_t /*count*/) {
  Array rows = std::move(rows_);
  rows_ = Array();
  const int64_t width = row_size(rows);
  if (spec().is_mean) {
    (void)dispatch<Floats>(rows.dtype(), [&]<class T>() {
      mutex_.assert_held();
      T* values = rows.mutable_data<T>();
      for (size_t i = 0; i < counts_.size(); ++i)
        divide(values + static_cast<int64_t>(i) * width, width, counts_[i]);
    });
  }
  std::vector<int64_t> shape(rows.shape().begin(), rows.shape().end());
  shape[0] = spec().shape.rank() > 0 ? spec().shape.dim(0) : -1;
  Array indices(indices_);
  return {std::move(indices), std::move(rows), Array(shape)};
}

}  // namespace flowray::ops
