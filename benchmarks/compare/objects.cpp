// Values put into the object store and got from it, all in the driver.

#include <flowray/ray.h>

#include <array>

#include "compare/rows.h"

namespace flowray::compare {
namespace {

constexpr int kSmall = 7;
constexpr int kKept = 10;  // objects that the `get` rows read in turn

Array large_value() {
  std::vector<float> values(1 << 20);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1024);
  return Array(values);
}

std::vector<double> results_of(int value) { return {static_cast<double>(value)}; }
std::vector<double> results_of(const Array& value) {
  const auto values = value.span<float>();
  return {static_cast<double>(values.size()), values[0], values[1000], values[values.size() - 1]};
}

template <class T>
class Put final : public Row {
 public:
  explicit Put(T value) : value_(std::move(value)) { need_runtime(); }

  void run(int64_t iterations) override {
    for (int64_t i = 0; i < iterations; ++i) ray::Put(value_);
  }
  std::vector<double> check() override { return results_of(*ray::Get(ray::Put(value_))); }

 private:
  const T value_;
};

template <class T>
class Get final : public Row {
 public:
  explicit Get(const T& value) {
    need_runtime();
    for (ray::ObjectRef<T>& ref : refs_) ref = ray::Put(value);
  }

  void run(int64_t iterations) override {
    for (int64_t i = 0; i < iterations; ++i) {
      ray::Get(refs_[next_]);
      next_ = (next_ + 1) % kKept;
    }
  }
  std::vector<double> check() override { return results_of(*ray::Get(refs_.back())); }

 private:
  std::array<ray::ObjectRef<T>, kKept> refs_;
  size_t next_ = 0;
};

}  // namespace

void need_runtime() {
  if (!ray::IsInitialized()) ray::Init({.num_cpus = 2});  // as the peers' clusters
}

std::unique_ptr<Row> make_put_small(int) { return std::make_unique<Put<int>>(kSmall); }
std::unique_ptr<Row> make_get_small(int) { return std::make_unique<Get<int>>(kSmall); }
std::unique_ptr<Row> make_put_large(int) { return std::make_unique<Put<Array>>(large_value()); }
std::unique_ptr<Row> make_get_large(int) { return std::make_unique<Get<Array>>(large_value()); }

}  // namespace flowray::compare
