// Calls of tasks and of an actor, one at a time and many at once.

#include <flowray/ray.h>

#include <algorithm>

#include "compare/rows.h"

namespace flowray::compare {

int plus_one(int x) { return x + 1; }

class Counter {
 public:
  static Counter* create() { return new Counter; }
  int add(int x) { return count_ += x; }
  Array echo(const Array& value) const { return value; }

 private:
  int count_ = 0;
};

RAY_REMOTE(plus_one, Counter::create, &Counter::add, &Counter::echo);

namespace {

constexpr int kCheckCalls = 5;

/// Calls are sent `batch` at a time and then awaited.
class Calls : public Row {
 public:
  explicit Calls(int64_t batch) : batch_(batch) { need_runtime(); }

  void run(int64_t iterations) override {
    while (iterations > 0) {
      refs_.clear();
      for (int64_t i = 0; i < std::min(batch_, iterations); ++i) refs_.push_back(call());
      ray::Get(refs_);
      iterations -= std::min(batch_, iterations);
    }
  }

 protected:
  virtual ray::ObjectRef<int> call() = 0;
  static std::vector<double> results_of(const std::vector<ray::ObjectRef<int>>& refs) {
    std::vector<double> results;
    for (const auto& value : ray::Get(refs)) results.push_back(*value);
    return results;
  }

 private:
  const int64_t batch_;
  std::vector<ray::ObjectRef<int>> refs_;
};

class Tasks final : public Calls {
 public:
  using Calls::Calls;
  std::vector<double> check() override {
    std::vector<ray::ObjectRef<int>> refs;
    for (int i = 0; i < kCheckCalls; ++i) refs.push_back(ray::Task(plus_one).Remote(i));
    return results_of(refs);
  }

 protected:
  ray::ObjectRef<int> call() override { return ray::Task(plus_one).Remote(7); }
};

class ActorCalls final : public Calls {
 public:
  explicit ActorCalls(int64_t batch) : Calls(batch), counter_(ray::Actor(Counter::create).Remote()) {
    counter_.Task(&Counter::add).Remote(0).Get();
  }
  ~ActorCalls() override { counter_.Kill(); }

  std::vector<double> check() override {
    const auto counter = ray::Actor(Counter::create).Remote();
    std::vector<ray::ObjectRef<int>> refs;
    for (int i = 0; i < kCheckCalls; ++i) refs.push_back(counter.Task(&Counter::add).Remote(i));
    const auto results = results_of(refs);
    counter.Kill();
    return results;
  }

 protected:
  ray::ObjectRef<int> call() override { return counter_.Task(&Counter::add).Remote(1); }

 private:
  const ray::ActorHandle<Counter> counter_;
};

/// A call of one actor, then one of another.
class TwoActors final : public Row {
 public:
  TwoActors() {
    need_runtime();
    for (ray::ActorHandle<Counter>& counter : counters_) {
      counter = ray::Actor(Counter::create).Remote();
      counter.Task(&Counter::add).Remote(0).Get();
    }
  }
  ~TwoActors() override {
    for (const auto& counter : counters_) counter.Kill();
  }

  void run(int64_t iterations) override {
    for (int64_t i = 0; i < iterations; ++i) counters_[i % 2].Task(&Counter::add).Remote(1).Get();
  }
  std::vector<double> check() override {
    std::vector<double> results;
    const auto counter = ray::Actor(Counter::create).Remote();
    for (int i = 0; i < kCheckCalls; ++i) results.push_back(*counter.Task(&Counter::add).Remote(i).Get());
    counter.Kill();
    return results;
  }

 private:
  ray::ActorHandle<Counter> counters_[2];
};

/// 4 MB to an actor and back. Each answer is let go before the next call, whose copy lies in its place then:
/// two places that are written in turn do not stay in the caches with what is copied.
class Echo final : public Row {
 public:
  Echo() : counter_((need_runtime(), ray::Actor(Counter::create).Remote())) { run(1); }
  ~Echo() override { counter_.Kill(); }

  void run(int64_t iterations) override {
    for (int64_t i = 0; i < iterations; ++i) {
      echoed_.reset();
      echoed_ = counter_.Task(&Counter::echo).Remote(large()).Get();
    }
  }
  std::vector<double> check() override {
    const auto* const numbers = echoed_->data<float>();
    return {static_cast<double>(echoed_->size()), numbers[0], numbers[1000], numbers[echoed_->size() - 1]};
  }

 private:
  static const Array& large() {
    static const Array kLarge = [] {
      std::vector<float> numbers(size_t{1} << 20);
      for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 1024);
      return Array(std::move(numbers));
    }();
    return kLarge;
  }

  const ray::ActorHandle<Counter> counter_;
  std::shared_ptr<Array> echoed_;
};

}  // namespace

std::unique_ptr<Row> make_two_actors(int) { return std::make_unique<TwoActors>(); }
std::unique_ptr<Row> make_echo(int) { return std::make_unique<Echo>(); }
std::unique_ptr<Row> make_task(int) { return std::make_unique<Tasks>(1); }
std::unique_ptr<Row> make_pipelined_tasks(int) { return std::make_unique<Tasks>(100); }
std::unique_ptr<Row> make_actor_call(int) { return std::make_unique<ActorCalls>(1); }
std::unique_ptr<Row> make_pipelined_actor_calls(int) { return std::make_unique<ActorCalls>(1000); }

}  // namespace flowray::compare
