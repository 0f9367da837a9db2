#include "graph/kernel/evaluate.h"
#include "ops/variable_testing.h"
#include "ops/variables/training_rules.h"

#include <thread>

namespace flowray::testing {
namespace {

using graph::Endpoint;

/// One step in plain double arithmetic, straight from the formulas of TensorFlow's documentation.
struct Expected {
  std::vector<double> slots;  ///< The variable first.
};

struct Optimizer {
  const char* name;
  int slots;                    ///< The variable included.
  std::vector<double> scalars;  ///< In the op's order.
  int gradient_after;           ///< How many scalars stand before the gradient.
  graph::Attrs attrs;
  Expected (*step)(std::vector<double> s, const std::vector<double>& h, double g);
};

Expected gradient_descent(std::vector<double> s, const std::vector<double>& h, double g) {
  return {{s[0] - h[0] * g}};
}

Expected momentum(std::vector<double> s, const std::vector<double>& h, double g) {
  const double accum = h[1] * s[1] + g;
  return {{s[0] - h[0] * accum, accum}};
}

Expected nesterov(std::vector<double> s, const std::vector<double>& h, double g) {
  const double accum = h[1] * s[1] + g;
  return {{s[0] - h[0] * (g + h[1] * accum), accum}};
}

double adam_rate(const std::vector<double>& h) { return h[2] * std::sqrt(1 - h[1]) / (1 - h[0]); }

Expected adam(std::vector<double> s, const std::vector<double>& h, double g) {
  const double m = h[3] * s[1] + (1 - h[3]) * g;
  const double v = h[4] * s[2] + (1 - h[4]) * g * g;
  return {{s[0] - adam_rate(h) * m / (std::sqrt(v) + h[5]), m, v}};
}

Expected nesterov_adam(std::vector<double> s, const std::vector<double>& h, double g) {
  const double m = h[3] * s[1] + (1 - h[3]) * g;
  const double v = h[4] * s[2] + (1 - h[4]) * g * g;
  return {{s[0] - adam_rate(h) * (h[3] * m + (1 - h[3]) * g) / (std::sqrt(v) + h[5]), m, v}};
}

Expected adagrad(std::vector<double> s, const std::vector<double>& h, double g) {
  const double accum = s[1] + g * g;
  return {{s[0] - h[0] * g / std::sqrt(accum), accum}};
}

Expected adagrad_without_slots(std::vector<double> s, const std::vector<double>& h, double g) {
  return {{s[0] - h[0] * g / std::sqrt(s[1]), s[1]}};
}

Expected adagrad_v2(std::vector<double> s, const std::vector<double>& h, double g) {
  const double accum = s[1] + g * g;
  return {{s[0] - h[0] * g / (std::sqrt(accum) + h[1]), accum}};
}

Expected adadelta(std::vector<double> s, const std::vector<double>& h, double g) {
  const double accum = h[1] * s[1] + (1 - h[1]) * g * g;
  const double update = std::sqrt(s[2] + h[2]) / std::sqrt(accum + h[2]) * g;
  return {{s[0] - h[0] * update, accum, h[1] * s[2] + (1 - h[1]) * update * update}};
}

Expected rms_prop(std::vector<double> s, const std::vector<double>& h, double g) {
  const double ms = h[1] * s[1] + (1 - h[1]) * g * g;
  const double mom = h[2] * s[2] + h[0] * g / std::sqrt(ms + h[3]);
  return {{s[0] - mom, ms, mom}};
}

Expected centered_rms_prop(std::vector<double> s, const std::vector<double>& h, double g) {
  const double mg = h[1] * s[1] + (1 - h[1]) * g;
  const double ms = h[1] * s[2] + (1 - h[1]) * g * g;
  const double mom = h[2] * s[3] + h[0] * g / std::sqrt(ms - mg * mg + h[3]);
  return {{s[0] - mom, mg, ms, mom}};
}

const std::vector<double> kAdam = {0.81, 0.998, 0.1, 0.9, 0.999, 1e-3};
const std::vector<double> kRmsProp = {0.1, 0.9, 0.5, 1e-2};

const std::vector<Optimizer>& optimizers() {
  static const std::vector<Optimizer> kAll = {
      {"GradientDescent", 1, {0.1}, 1, {}, gradient_descent},
      {"Momentum", 2, {0.1, 0.9}, 1, {}, momentum},
      {"Momentum", 2, {0.1, 0.9}, 1, {{"use_nesterov", true}}, nesterov},
      {"Adam", 3, kAdam, 6, {}, adam},
      {"Adam", 3, kAdam, 6, {{"use_nesterov", true}}, nesterov_adam},
      {"Adagrad", 2, {0.1}, 1, {}, adagrad},
      {"Adagrad", 2, {0.1}, 1, {{"update_slots", false}}, adagrad_without_slots},
      {"AdagradV2", 2, {0.1, 0.5}, 2, {}, adagrad_v2},
      {"Adadelta", 3, {0.1, 0.9, 0.5}, 3, {}, adadelta},
      {"RMSProp", 3, kRmsProp, 4, {}, rms_prop},
      {"CenteredRMSProp", 4, kRmsProp, 4, {}, centered_rms_prop},
  };
  return kAll;
}

/// Start values of a slot: positive, and that of squares above that of means.
Array start(DType dtype, const Shape& shape, int slot) {
  Array values = scattered(DType::kFloat64, shape, slot + 2);
  double* out = values.mutable_data<double>();
  for (int64_t i = 0; i < values.size(); ++i)
    out[i] = slot == 0 ? out[i] : 0.25 * (out[i] + 1.5) + (slot == 2 ? 1 : 0);
  return values.astype(dtype);
}

struct Step {
  VariableGraph graph;
  std::vector<Endpoint> variables;
  graph::Node* node = nullptr;

  Step(const Optimizer& optimizer, bool resources, DType dtype, const Array& gradient) : graph(resources) {
    std::vector<Endpoint> inputs;
    for (int i = 0; i < optimizer.slots; ++i) {
      variables.push_back(graph.variable(start(dtype, gradient.shape(), i)));
      inputs.push_back(variables.back());
    }
    for (size_t i = 0; i <= optimizer.scalars.size(); ++i) {
      if (static_cast<int>(i) == optimizer.gradient_after) inputs.push_back(graph.constant(gradient));
      if (i < optimizer.scalars.size())
        inputs.push_back(graph.constant(Array(optimizer.scalars[i]).astype(dtype)));
    }
    node = graph.builder.node((resources ? "ResourceApply" : "Apply") + std::string(optimizer.name), inputs,
                              optimizer.attrs);
  }
};

void expect_steps(const Optimizer& optimizer, bool resources, DType dtype, const Shape& shape,
                  double tolerance) {
  SCOPED_TRACE(optimizer.name);
  const Array gradient = scattered(dtype, shape, 11);
  const Array wide_gradient = gradient.astype(DType::kFloat64);
  Step step(optimizer, resources, dtype, gradient);
  std::vector<Array> expected;
  for (int i = 0; i < optimizer.slots; ++i)
    expected.push_back(start(dtype, shape, i).astype(DType::kFloat64));
  for (int run = 0; run < 2; ++run) {
    step.graph.run(step.node);
    for (int64_t i = 0; i < gradient.size(); ++i) {
      std::vector<double> slots;
      for (const Array& slot : expected) slots.push_back(slot.data<double>()[i]);
      const Expected next = optimizer.step(slots, optimizer.scalars, wide_gradient.data<double>()[i]);
      for (size_t k = 0; k < slots.size(); ++k) expected[k].mutable_data<double>()[i] = next.slots[k];
    }
    for (size_t k = 0; k < expected.size(); ++k) {
      SCOPED_TRACE("slot " + std::to_string(k));
      expect_close(step.graph.value(step.variables[k]), expected[k].astype(dtype), tolerance, tolerance);
    }
  }
}

TEST(Training, StepsAsTheFormulasSay) {
  for (const Optimizer& optimizer : optimizers()) {
    for (bool resources : {false, true}) {
      expect_steps(optimizer, resources, DType::kFloat64, {3, 7}, 1e-14);
      expect_steps(optimizer, resources, DType::kFloat32, {3, 7}, 2e-6);
      expect_steps(optimizer, resources, DType::kFloat32, {}, 2e-6);
      expect_steps(optimizer, resources, DType::kFloat32, {0, 3}, 2e-6);
    }
  }
}

/// A step whose result was recorded from TensorFlow.
void expect_recorded(const char* op, const std::vector<std::vector<double>>& slots,
                     const std::vector<double>& scalars, bool gradient_last, const graph::Attrs& attrs,
                     const std::vector<std::vector<double>>& after) {
  SCOPED_TRACE(op);
  VariableGraph g(false);
  std::vector<Endpoint> variables;
  for (const std::vector<double>& slot : slots) variables.push_back(g.variable(Array(slot)));
  std::vector<Endpoint> inputs = variables;
  const Endpoint gradient = g.constant(Array(std::vector<double>{.5, -.25, .05}));
  if (!gradient_last) inputs.push_back(gradient);
  for (double scalar : scalars) inputs.push_back(g.constant(Array(scalar)));
  if (gradient_last) inputs.push_back(gradient);
  g.run(g.builder.node(op, inputs, attrs));
  for (size_t i = 0; i < after.size(); ++i)
    expect_close(g.value(variables[i]), Array(after[i]), 1e-12, 1e-15);
}

TEST(Training, StepsWithPenaltiesAsTensorFlowDoes) {
  const std::vector<double> v = {.5, -.3, .1};
  const std::vector<double> accum = {.1, .2, .3};
  const std::vector<double> accum_after = {.35, .2625, .3025};
  const std::vector<double> linear = {.4, -.6, .05};
  expect_recorded("ApplyProximalGradientDescent", {v}, {.1, .5, .25}, true, {},
                  {{0.39024390243902446, -0.21951219512195122, 0.04390243902439025}});
  expect_recorded("ApplyProximalGradientDescent", {v}, {.1, 0, .25}, true, {},
                  {{0.4390243902439025, -0.2682926829268293, 0.0926829268292683}});
  expect_recorded("ApplyProximalAdagrad", {v, accum}, {.1, .5, .25}, true, {},
                  {{0.31755020376423415, -0.14646807862688935, 0.0}, accum_after});
  const std::vector<double> root = {.1, .5, .25, -.5};
  const std::vector<double> power = {.1, .5, .25, -.7};
  const graph::Attrs times_lr = {{"multiply_linear_by_lr", true}};
  expect_recorded("ApplyFtrl", {v, accum, linear}, root, false, {},
                  {{0.0, 0.027491570795143156, 0.0},
                   accum_after,
                   {-0.47690106146561806, -0.6545981716059339, 0.09772255750516604}});
  expect_recorded("ApplyFtrl", {v, accum, linear}, root, false, times_lr,
                  {{-0.40883203251988864, 0.9877518426447935, -0.007953759584194338},
                   accum_after,
                   {0.3123098938534382, -0.6054598171605934, 0.054772255750516606}});
  expect_recorded("ApplyFtrl", {v, accum, linear}, power, false, {},
                  {{3.676203543174415e-05, 0.03304975849173201, 0.0},
                   accum_after,
                   {-0.500194678934431, -0.646111094442697, 0.09749181008065069}});
  expect_recorded("ApplyFtrl", {v, accum, linear}, power, false, times_lr,
                  {{-0.49093208573373376, 1.2545086527398075, -0.009832269625547297},
                   accum_after,
                   {0.3099805321065569, -0.6046111094442697, 0.05474918100806507}});
}

/// More elements than one worker takes, and not a multiple of any vector.
TEST(Training, StepsOnLargeVariables) {
  expect_steps(optimizers()[0], false, DType::kFloat32, {100003}, 2e-6);
  expect_steps(optimizers()[3], false, DType::kFloat32, {100003}, 2e-6);
}

TEST(Training, HasTheSameResultOnEveryCpuLevel) {
  const Array gradient = scattered(DType::kFloat32, {1001}, 11);
  std::vector<Array> results;
  for (ops::CpuLevel level : {ops::CpuLevel::kPortable, ops::CpuLevel::kAvx2, ops::CpuLevel::kAvx512}) {
    if (level > ops::highest_cpu_level()) break;
    Array slots[3] = {start(DType::kFloat32, {1001}, 0), start(DType::kFloat32, {1001}, 1),
                      start(DType::kFloat32, {1001}, 2)};
    ops::UpdateStep<float> step{};
    for (int i = 0; i < 3; ++i) step.slots[i] = slots[i].mutable_data<float>();
    for (size_t i = 0; i < kAdam.size(); ++i) step.scalars[i] = static_cast<float>(kAdam[i]);
    step.gradient = gradient.data<float>();
    ops::compiled_loop<ops::AdamRule<float>>(level)(step, 0, 1001);
    results.push_back(slots[0]);
  }
  for (const Array& result : results) expect_close(result, results[0], 1e-6, 1e-6);
}

TEST(Training, DoesNotChangeWhatWasRead) {
  Step step(optimizers()[0], false, DType::kFloat32, Array::full(DType::kFloat32, {2}, 1));
  const Array before = step.graph.value(step.variables[0]);
  const float first = before.data<float>()[0];
  step.graph.run(step.node);
  EXPECT_EQ(before.data<float>()[0], first);
  EXPECT_FLOAT_EQ(step.graph.value(step.variables[0]).data<float>()[0], first - 0.1f);
}

TEST(Training, LosesNoStepOfSeveralThreads) {
  graph::Graph graph(ops::op_table());
  graph::Builder builder(graph);
  const Endpoint variable = builder.op("VariableV2", {}, {{"dtype", DType::kFloat64}, {"shape", Shape{3}}});
  const Endpoint step = builder.op(
      "ApplyGradientDescent",
      {variable, builder.constant(Array(1.0)), builder.constant(Array::full(DType::kFloat64, {3}, -1))});
  graph::Variable storage("v");
  storage.assign(Array(DType::kFloat64, {3}));
  struct NoStates final : graph::NodeStates {
    std::shared_ptr<graph::NodeState> find_or_make(
        const std::string&, const std::function<std::shared_ptr<graph::NodeState>()>& make) override {
      return make();
    }
  } states;
  const auto run = [&] {
    Serial serial;
    const std::vector<graph::NodeInput> inputs = {
        {{}, &storage}, {Array(1.0), nullptr}, {Array::full(DType::kFloat64, {3}, -1), nullptr}};
    for (int i = 0; i < 200; ++i) graph::evaluate(*step.node, inputs, states, serial);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(run);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(storage.read(), Array::full(DType::kFloat64, {3}, 800));
}

std::string step_error(const char* op, const std::vector<Array>& slots, const std::vector<Array>& others) {
  VariableGraph g(false);
  std::vector<Endpoint> inputs;
  for (const Array& slot : slots) inputs.push_back(g.variable(slot));
  for (const Array& other : others) inputs.push_back(g.fed(other));
  graph::Node* node = g.builder.node(op, inputs);
  return error_of<errors::InvalidArgumentError>([&] { g.run(node); });
}

TEST(Training, RefusesShapesInTensorFlowsWords) {
  const Array two = floats({1, 2}, {2});
  const Array three = floats({1, 2, 3}, {3});
  const Array one = Array(0.1f);
  const Array vector = floats({0.1f}, {1});
  EXPECT_EQ(step_error("ApplyGradientDescent", {two}, {one, three}),
            "var and delta do not have the same shape[2] [3]");
  EXPECT_EQ(step_error("ApplyGradientDescent", {two}, {vector, two}), "alpha is not a scalar: [1]");
  EXPECT_EQ(step_error("ApplyMomentum", {two, two}, {one, three, one}),
            "var and grad do not have the same shape[2] [3]");
  EXPECT_EQ(step_error("ApplyMomentum", {two, two}, {one, two, vector}), "momentum is not a scalar: [1]");
  EXPECT_EQ(step_error("ApplyAdam", {two, two, two}, {one, one, vector, one, one, one, two}),
            "lr is not a scalar : [1]");
  EXPECT_EQ(step_error("ApplyAdagrad", {two, two}, {vector, two}), "lr is not a scalar: [1]");
  EXPECT_EQ(step_error("ApplyRMSProp", {two, two, two}, {vector, one, one, one, two}),
            "lr is not a scalar : [1]");
}

/// Its first line.
std::string sparse_error(const Array& gradient, const Array& indices) {
  const Array matrix = floats({1, 2, 3, 4, 5, 6}, {3, 2});
  const std::string message =
      step_error("SparseApplyAdagrad", {matrix, matrix}, {Array(0.1f), gradient, indices});
  return message.substr(0, message.find('\n'));
}

TEST(Training, OfSomeRowsRefusesOthersInTensorFlowsWords) {
  const Array row = floats({1, 1}, {1, 2});
  const auto ints = [](const std::vector<int32_t>& values) { return Array(values); };
  EXPECT_EQ(sparse_error(row, ints({5})), "Index 5 at offset 0 in indices is out of range");
  EXPECT_EQ(sparse_error(row, ints({-1})), "Index -1 at offset 0 in indices is out of range");
  EXPECT_EQ(sparse_error(row, Array(1)), "indices must be one-dimensional");
  EXPECT_EQ(sparse_error(row, ints({1, 2})), "grad must be the same size as indices in the first dimension.");
  EXPECT_EQ(sparse_error(floats({1, 1, 1}, {1, 3}), ints({1})), "var and grad must match in dimension 1");
}

TEST(Training, OfSomeRowsIsThatOfResourcesToo) {
  VariableGraph g(true);
  const Endpoint variable = g.variable(floats({1, 2, 3, 4, 5, 6}, {3, 2}));
  const Endpoint slot = g.variable(floats({1, 1, 1, 1, 1, 1}, {3, 2}));
  graph::Node* step =
      g.builder.node("ResourceSparseApplyMomentum",
                     {variable, slot, g.constant(Array(0.5f)), g.constant(floats({2, 4}, {1, 2})),
                      g.constant(Array(std::vector<int64_t>{2})), g.constant(Array(0.f))});
  g.run(step);
  EXPECT_EQ(g.value(variable), floats({1, 2, 3, 4, 4, 4}, {3, 2}));
  EXPECT_EQ(g.value(slot), floats({1, 1, 1, 1, 2, 4}, {3, 2}));
}

TEST(Training, RefusesShapesThatTheGraphKnows) {
  VariableGraph g(false);
  const Endpoint variable = g.variable(floats({1, 2}, {2}));
  const Endpoint slot = g.variable(floats({1, 2, 3}, {3}));
  const Endpoint rate = g.constant(Array(0.1f));
  const std::string message = error_of<ValueError>([&] {
    g.builder.node("ApplyMomentum", {variable, slot, rate, g.constant(floats({1, 2}, {2})), rate});
  });
  EXPECT_EQ(message.substr(0, message.find(" for '{{node")),
            "Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2] and [3].");
}

TEST(Training, LooksAtTheVariablesThemselves) {
  VariableGraph g(false);
  const Endpoint variable = g.variable(floats({1, 2}, {2}));
  const Endpoint slot = g.variable(floats({1, 2}, {2}));
  const Endpoint rate = g.constant(Array(0.1f));
  graph::Node* step =
      g.builder.node("ApplyMomentum", {variable, slot, rate, g.constant(floats({1, 2}, {2})), rate});
  g.storage(slot).assign(floats({1}, {1}));
  EXPECT_EQ(error_of<errors::InvalidArgumentError>([&] { g.run(step); }),
            "var and accum do not have the same shape[2] [1]");
}

TEST(Training, RefusesVariablesWithoutAValue) {
  VariableGraph g(false);
  const Endpoint variable = g.declare(DType::kFloat32, {2});
  graph::Node* step = g.builder.node("ApplyGradientDescent",
                                     {variable, g.constant(Array(0.1f)), g.constant(floats({1, 2}, {2}))});
  EXPECT_EQ(error_of<errors::FailedPreconditionError>([&] { g.run(step); }),
            "Attempting to use uninitialized value " + variable.node->name());
}

}  // namespace
}  // namespace flowray::testing
