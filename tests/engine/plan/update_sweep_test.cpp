// Which updates of variables become one, worked out by hand, and what they leave behind.
#include "engine/plan/update_sweep.h"

#include "engine/fuse_fixture.h"

namespace flowray::engine {
namespace {

using graph::Endpoint;

class UpdateSweeps : public FuseTest {
 protected:
  static bool has(const std::string& listed, const std::string& part) {
    return listed.find(part) != std::string::npos;
  }
};

TEST_F(UpdateSweeps, UpdateAllVariablesInOneSweep) {
  const auto v = variable("v", Array({1.0f, 2.0f}));
  const auto w = variable("w", Array({10.0f, 20.0f, 30.0f}));
  const Fed dv{placeholder(DType::kFloat32, {2}), Array({1.0f, 1.0f})};
  const Fed dw{placeholder(DType::kFloat32, {3}), Array({1.0f, 2.0f, 3.0f})};
  const auto rate = builder.constant(0.5f);
  graph::Node* const a = builder.node("ApplyGradientDescent", {v, rate, dv.endpoint}, {}, "a");
  graph::Node* const b = builder.node("ApplyGradientDescent", {w, rate, dw.endpoint}, {}, "b");
  // %0 and %1 are fed, %2 and %3 the variables, %4 the rate.
  EXPECT_EQ(text({}, {dv, dw}, true, {a, b}),
            "arena 0 bytes\n"
            "fuse ApplyGradientDescent a + ApplyGradientDescent b(%2, %4, %0, %3, %4, %1) -> "
            "%2 float32[2] resource, %3 float32[3] resource\n");
  (void)run({}, {dv, dw}, {a, b});
  const std::vector<Array> both = run({builder.op("Identity", {v}), builder.op("Identity", {w})});
  EXPECT_EQ(both[0], Array({0.5f, 1.5f}));
  EXPECT_EQ(both[1], Array({9.5f, 19.0f, 28.5f}));
}

TEST_F(UpdateSweeps, KeepTheOrderOfUpdatesOfOneVariable) {
  const auto v = variable("v", Array({1.0f, 2.0f}));
  const auto accum = variable("accum", Array({0.0f, 0.0f}));
  const auto rate = builder.constant(0.5f);
  const Fed d{placeholder(DType::kFloat32, {2}), Array({2.0f, 4.0f})};
  graph::Node* const a = builder.node("ApplyGradientDescent", {v, rate, d.endpoint}, {}, "a");
  graph::Node* const b =
      builder.node("ApplyMomentum", {v, accum, rate, d.endpoint, builder.constant(0.5f)}, {}, "b");
  b->add_control_input(a);
  EXPECT_EQ(text({}, {d}, true, {b}), text({}, {d}, false, {b}));
}

/// What was read before stays as it was, also where it is what another variable is changed by.
TEST_F(UpdateSweeps, SweepOverVariablesThatAreReadByOneAnother) {
  const auto v = variable("v", Array({1.0f, 2.0f}));
  const auto w = variable("w", Array({10.0f, 20.0f}));
  const auto rate = builder.constant(1.0f);
  const auto of_v = builder.op("Identity", {v});
  const auto of_w = builder.op("Identity", {w});
  graph::Node* const a = builder.node("ApplyGradientDescent", {v, rate, of_w});
  graph::Node* const b = builder.node("ApplyGradientDescent", {w, rate, of_v});
  a->add_control_input(of_v.node);
  EXPECT_TRUE(has(text({}, {}, true, {a, b}), "fuse ApplyGradientDescent"));
  (void)run({}, {}, {a, b});
  const std::vector<Array> both = run({builder.op("Identity", {v}), builder.op("Identity", {w})});
  EXPECT_EQ(both[0], Array({-9.0f, -18.0f}));
  EXPECT_EQ(both[1], Array({9.0f, 18.0f}));
}

TEST_F(UpdateSweeps, ASweepThatFailsChangesNothingAndNamesTheNode) {
  interpreter_can_follow_ = false;  // which updates one by one
  const auto v = variable("v", Array({1.0f, 2.0f}));
  const auto w = builder.op("VariableV2", {}, {{"dtype", DType::kFloat32}, {"shape", Shape{2}}}, "w");
  const Fed d{placeholder(DType::kFloat32, {2}), Array({1.0f, 1.0f})};
  const auto rate = builder.constant(0.5f);
  graph::Node* const a = builder.node("ApplyGradientDescent", {v, rate, d.endpoint}, {}, "a");
  graph::Node* const b = builder.node("ApplyGradientDescent", {w, rate, d.endpoint}, {}, "b");
  try {
    (void)run({}, {d}, {a, b});
    FAIL() << "w has no value";
  } catch (const errors::FailedPreconditionError& error) {
    EXPECT_EQ(error.node_name(), "b");
    EXPECT_TRUE(has(error.message(), "Attempting to use uninitialized value w")) << error.message();
  }
  EXPECT_EQ(run({builder.op("Identity", {v})})[0], Array({1.0f, 2.0f}));
}

/// Large enough for several threads, with pieces that end in the middle of variables.
TEST_F(UpdateSweeps, SweepManyVariablesOnSeveralThreads) {
  std::vector<graph::Node*> updates;
  std::vector<Endpoint> values;
  std::vector<Fed> feeds;
  const auto rate = builder.constant(0.25f);
  for (int i = 0; i < 40; ++i) {
    const int64_t size = 5000 + 37 * i;
    const std::string name = "v" + std::to_string(i);
    const auto v = variable(name, Array::full(DType::kFloat32, {size}, 1.0f));
    feeds.push_back(fed({size}));
    updates.push_back(builder.node("ApplyGradientDescent", {v, rate, feeds.back().endpoint}));
    values.push_back(builder.op("Identity", {v}));
  }
  (void)run({}, feeds, updates);
  const std::vector<Array> after = run(values);
  for (size_t i = 0; i < after.size(); ++i) {
    const float* gradient = feeds[i].value.data<float>();
    for (int64_t k = 0; k < after[i].size(); ++k)
      ASSERT_EQ(after[i].data<float>()[k], 1.0f - gradient[k] * 0.25f) << i;
  }
}

}  // namespace
}  // namespace flowray::engine
