// A graph of 1,000 ops: what it costs to make it, and to run it for the first time.

#include <flowray/tf.h>

#include <chrono>

#include "compare/rows.h"

namespace flowray::compare {
namespace {

constexpr int kLayers = 333;  // of three ops; with the placeholder there are 1,000

struct LargeGraph {
  tf::Graph graph;
  tf::Tensor x, y;

  LargeGraph() {
    const auto scope = graph.as_default();
    x = tf::placeholder(tf::float32, {4});
    y = x;
    for (int i = 0; i < kLayers; ++i) y = tf::tanh(y + tf::constant(0.001f * static_cast<float>(i)));
  }
};

class LargeGraphRow : public Row {
 public:
  explicit LargeGraphRow(int threads) : options_{.intra_op_parallelism_threads = threads} {}

  std::vector<double> check() override {
    LargeGraph made;
    tf::Session session(made.graph, options_);
    const Array last = session.run(made.y, {{made.x, given_}});
    return {last.data<float>(), last.data<float>() + last.size()};
  }

 protected:
  const tf::SessionConfig options_;
  const Array given_ = Array({-1.0f, 0.0f, 0.5f, 2.0f});
};

class BuildLargeGraph final : public LargeGraphRow {
 public:
  using LargeGraphRow::LargeGraphRow;
  void run(int64_t iterations) override {
    for (int64_t i = 0; i < iterations; ++i) LargeGraph();
  }
};

/// A new session's first step; the graph is made outside of the clock.
class FirstRunOfLargeGraph final : public LargeGraphRow {
 public:
  using LargeGraphRow::LargeGraphRow;

  void run(int64_t iterations) override {
    for (int64_t i = 0; i < iterations; ++i) (void)timed_run();
  }

  Measurement measure(double seconds) override {
    Measurement sum;
    while (sum.seconds < seconds) {
      sum.seconds += timed_run();
      ++sum.iterations;
    }
    return sum;
  }

 private:
  double timed_run() {
    using Clock = std::chrono::steady_clock;
    LargeGraph made;
    const auto begin = Clock::now();
    tf::Session session(made.graph, options_);
    (void)session.run(made.y, {{made.x, given_}});
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
};

}  // namespace

std::unique_ptr<Row> make_build_large_graph(int threads) {
  return std::make_unique<BuildLargeGraph>(threads);
}
std::unique_ptr<Row> make_first_run_of_large_graph(int threads) {
  return std::make_unique<FirstRunOfLargeGraph>(threads);
}

}  // namespace flowray::compare
