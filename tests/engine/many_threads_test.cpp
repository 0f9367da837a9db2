// One session, many threads: one step by all of them, updates of one variable, a graph that grows meanwhile.

#include "engine/engine_fixture.h"

#include <atomic>
#include <functional>
#include <latch>
#include <string>
#include <thread>
#include <vector>

namespace flowray::engine {
namespace {

constexpr int kThreads = 16;
constexpr int kRuns = 100;

class ManyThreads : public EngineTest {
 protected:
  ManyThreads() { interpreter_can_follow_ = false; }
  /// `work(number)` in each of kThreads threads, which begin together.
  static void in_all_threads(const std::function<void(int)>& work) {
    std::latch all_here(kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        all_here.arrive_and_wait();
        work(t);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  graph::Endpoint resource_variable(const std::string& name, const Array& value) {
    const auto handle =
        builder.op("VarHandleOp", {}, {{"dtype", value.dtype()}, {"shape", value.shape()}}, name);
    run_targets({builder.node("AssignVariableOp", {handle, builder.constant(value)})});
    return handle;
  }

  /// Runs `update`, which adds one to each element of what `read` gives, from all threads, while every run
  /// also checks that all elements of what it reads are of one age.
  void expect_no_update_lost(graph::Node* update, graph::Endpoint read) {
    std::atomic<int> torn{0};
    in_all_threads([&](int) {
      for (int i = 0; i < kRuns; ++i) {
        run_targets({update});
        const Array seen = run({read})[0];
        const auto* elements = seen.data<float>();
        for (int64_t k = 1; k < seen.size(); ++k) torn += elements[k] != elements[0];
      }
    });
    EXPECT_EQ(torn, 0);
    EXPECT_EQ(run({read})[0], Array::full(DType::kFloat32, {kSize}, static_cast<float>(kThreads * kRuns)));
  }

  static constexpr int64_t kSize = 500;
  const Array zeros = Array::full(DType::kFloat32, {kSize}, 0.0f);
  const Array ones = Array::full(DType::kFloat32, {kSize}, 1.0f);
};

TEST_F(ManyThreads, ReadInOneStepEachWithItsOwnFeeds) {
  const auto w = variable("w", Array::full(DType::kFloat32, {kSize}, 0.5f));
  const auto x = placeholder(DType::kFloat32, {kSize});
  const auto product = builder.op("Mul", {builder.op("Identity", {w}), x});
  const auto total = builder.op("Sum", {product, builder.constant(Array(std::vector<int32_t>{0}))});
  const std::vector<graph::Endpoint> feeds{x};
  const std::vector<graph::Endpoint> fetches{product, total};
  Step& step = session.step({feeds, fetches, {}});
  in_all_threads([&](int t) {
    // Halves of whole numbers: sums are exact in any order.
    const Array fed = Array::full(DType::kFloat32, {kSize}, static_cast<float>(t));
    const Array* const values[] = {&fed};
    const Array expected = Array::full(DType::kFloat32, {kSize}, static_cast<float>(t) / 2);
    for (int i = 0; i < kRuns; ++i) {
      std::vector<Array> results(2);
      step.run(values, results);
      EXPECT_EQ(results[0], expected);
      EXPECT_EQ(results[1].item<float>(), static_cast<float>(t * kSize) / 2);
    }
  });
  EXPECT_EQ(step.num_programs_made(), 1u);
  EXPECT_GE(step.num_free_states(), 1u);
  EXPECT_LE(step.num_free_states(), static_cast<size_t>(kThreads));
}

TEST_F(ManyThreads, RunOneStepWithShapesThatPushEachOtherOut) {
  const auto x = placeholder(DType::kFloat32, {Shape::kUnknownDim});
  const auto doubled = builder.op("AddV2", {x, x});
  const std::vector<graph::Endpoint> feeds{x};
  const std::vector<graph::Endpoint> fetches{doubled};
  Step& step = session.step({feeds, fetches, {}});
  in_all_threads([&](int t) {
    for (int i = 0; i < kRuns; ++i) {
      const auto size = static_cast<int64_t>((7 * i + t) % (2 * Step::kMaxPrograms));
      const Array fed = Array::full(DType::kFloat32, {size}, static_cast<float>(i));
      const Array* const values[] = {&fed};
      Array result;
      step.run(values, {&result, 1});
      EXPECT_EQ(result, Array::full(DType::kFloat32, {size}, static_cast<float>(2 * i)));
    }
  });
}

TEST_F(ManyThreads, AddToAReferenceVariable) {
  const auto w = variable("w", zeros);
  expect_no_update_lost(builder.node("AssignAdd", {w, builder.constant(ones)}, {{"use_locking", true}}),
                        builder.op("Identity", {w}));
}

TEST_F(ManyThreads, ApplyGradientsToAReferenceVariable) {
  const auto w = variable("w", zeros);
  graph::Node* update = builder.node(
      "ApplyGradientDescent", {w, builder.constant(-1.0f), builder.constant(ones)}, {{"use_locking", true}});
  expect_no_update_lost(update, builder.op("Identity", {w}));
}

TEST_F(ManyThreads, AddToAResourceVariable) {
  const auto w = resource_variable("w", zeros);
  expect_no_update_lost(builder.node("AssignAddVariableOp", {w, builder.constant(ones)}),
                        builder.op("ReadVariableOp", {w}, {{"dtype", DType::kFloat32}}));
}

TEST_F(ManyThreads, ApplyGradientsToAResourceVariable) {
  const auto w = resource_variable("w", zeros);
  graph::Node* update =
      builder.node("ResourceApplyGradientDescent", {w, builder.constant(-1.0f), builder.constant(ones)});
  expect_no_update_lost(update, builder.op("ReadVariableOp", {w}, {{"dtype", DType::kFloat32}}));
}

TEST_F(ManyThreads, TrainSideBySideWithoutLocking) {
  // Hogwild: each reads, computes a gradient and applies it. An update adds a hundredth of what was missing
  // to 1 when it was read, so w passes 1 by 16 hundredths at most, and in the end all have pulled it there.
  const auto w = variable("w", zeros);
  const auto gradient = builder.op("Sub", {builder.op("Identity", {w}), builder.constant(ones)});
  graph::Node* update = builder.node("ApplyGradientDescent", {w, builder.constant(0.01f), gradient});
  const auto read = builder.op("Identity", {w});
  in_all_threads([&](int) {
    for (int i = 0; i < kRuns; ++i) {
      run_targets({update});
      const Array seen = run({read})[0];
      for (int64_t k = 0; k < seen.size(); ++k) {
        EXPECT_GE(seen.data<float>()[k], 0.0f);
        EXPECT_LE(seen.data<float>()[k], 1.2f);
      }
    }
  });
  EXPECT_NEAR(run({read})[0].data<float>()[0], 1.0f, 0.1f);
}

TEST_F(ManyThreads, RunStepsOfAGraphThatGrows) {
  const auto x = placeholder(DType::kFloat32, {});
  const auto first = builder.op("AddV2", {x, builder.constant(1.0f)});
  const std::vector<graph::Endpoint> feeds{x};
  const std::vector<graph::Endpoint> fetches{first};
  Step& step = session.step({feeds, fetches, {}});
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const Array fed(static_cast<float>(t));
      const Array* const values[] = {&fed};
      while (!is_over) {
        Array result;
        step.run(values, {&result, 1});
        EXPECT_EQ(result, Array(static_cast<float>(t + 1)));
      }
    });
  }
  graph::Endpoint last = first;
  for (int i = 2; i <= 200; ++i) {
    last = builder.op("AddV2", {last, builder.constant(1.0f)});
    EXPECT_EQ(run({last}, {{x, Array(5.0f)}})[0], Array(static_cast<float>(5 + i)));
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  // The step from before is the same, with the program that it had; a new one is made of what it needs alone.
  EXPECT_EQ(&session.step({feeds, fetches, {}}), &step);
  EXPECT_EQ(step.num_programs_made(), 1u);
  const std::vector<graph::Endpoint> beside{builder.op("Neg", {x})};
  EXPECT_EQ(session.step({feeds, beside, {}}).graph().nodes.size(), 1u);
}

}  // namespace
}  // namespace flowray::engine
