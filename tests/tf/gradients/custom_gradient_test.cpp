// tests/oracle/programs/custom_gradient.py in C++, and what such gradients compute and refuse.
#include "support/golden_graph.h"
#include "tf/eager/expect_error.h"

#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/gradients.h>
#include <flowray/tf/graph_def.h>
#include <flowray/tf/initializers.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/session.h>
#include <flowray/tf/train.h>
#include <flowray/tf/variable.h>
#include <flowray/tf/variable_scope.h>

#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace flowray {
namespace {

using Tensors = std::vector<tf::Tensor>;
using tf::AggregationMethod;

tf::Tensor floats(const tf::TensorShape& shape, const std::string& name = "x") {
  return tf::placeholder(tf::float32, shape, {.name = name});
}

const tf::RegisterGradient kClipped("OwnClipped", [](const tf::Operation&, const Tensors& grads) {
  return Tensors{tf::clip_by_value(grads[0], -1.0, 1.0)};
});
const tf::RegisterGradient kPassedOn("OwnPassedOn",
                                     [](const tf::Operation&, const Tensors& grads) { return grads; });
const tf::RegisterGradient kByInputs("OwnByInputs", [](const tf::Operation& op, const Tensors& grads) {
  const Tensors inputs = op.inputs();
  const tf::Tensor first = grads[0] * inputs[1];
  const tf::Tensor tanh = tf::tanh(inputs[0]);
  const tf::Tensor product = grads[0] * tanh * op.output(0);
  return Tensors{first, tf::reduce_sum(product, 0)};
});
const tf::RegisterGradient kNone("OwnNone", [](const tf::Operation& op, const Tensors&) {
  return Tensors(op.inputs().size());
});
const tf::RegisterGradient kSplit("OwnSplit", [](const tf::Operation&, const Tensors& grads) {
  return Tensors{tf::Tensor(), tf::concat(grads, 0) * 2.0};
});

// ---- gradients that are registered

GOLDEN_PROGRAM(own_gradient_of_one_op) {
  auto x = floats({2, 3});
  tf::Tensor y;
  {
    auto scope = tf::gradient_override_map({{"Identity", "OwnClipped"}});
    y = tf::identity(x, {.name = "y"});
  }
  auto z = tf::identity(y);
  tf::gradients(tf::square(z), {x});
}

GOLDEN_PROGRAM(own_gradient_of_what_has_none) {
  auto x = floats({3});
  tf::Tensor y;
  {
    auto scope = tf::gradient_override_map({{"Sign", "OwnPassedOn"}, {"Round", "OwnPassedOn"}});
    auto sign = tf::sign(x);
    y = sign + tf::round(x);
  }
  EXPECT_TRUE(tf::gradients(y, {x})[0].has_value());
}

GOLDEN_PROGRAM(own_gradient_with_inputs_and_outputs) {
  auto x = floats({tf::None, 3}), y = floats({3}, "y");
  tf::Tensor z;
  {
    auto scope = tf::gradient_override_map({{"Mul", "OwnByInputs"}});
    z = x * y;
  }
  tf::gradients(tf::reduce_sum(z), {x, y});
}

GOLDEN_PROGRAM(own_gradient_of_none) {
  auto x = floats({2});
  tf::Tensor y;
  {
    auto scope = tf::gradient_override_map({{"Exp", "OwnNone"}});
    y = tf::exp(x);
  }
  tf::gradients(y + x, {x});
  EXPECT_FALSE(tf::gradients(y, {x})[0].has_value());
}

GOLDEN_PROGRAM(own_gradient_of_several_outputs) {
  auto x = floats({4});
  Tensors halves;
  {
    auto scope = tf::gradient_override_map({{"Split", "OwnSplit"}});
    halves = tf::split(x, 2);
  }
  tf::gradients(tf::square(halves[0]), {x});
}

GOLDEN_PROGRAM(own_gradients_nested) {
  auto x = floats({2});
  tf::Tensor c;
  {
    auto scope = tf::gradient_override_map({{"Tanh", "OwnClipped"}, {"Exp", "OwnNone"}});
    auto a = tf::tanh(x);
    tf::Tensor b;
    {
      auto inner = tf::gradient_override_map({{"Tanh", "OwnPassedOn"}});
      b = tf::tanh(a);
    }
    c = tf::tanh(b);
  }
  tf::gradients(tf::tanh(c), {x});
}

GOLDEN_PROGRAM(own_gradient_of_a_variable) {
  auto v = tf::Variable({1.f, 2.f}, {.name = "v"});
  tf::Tensor loss;
  {
    auto scope = tf::gradient_override_map({{"Square", "OwnPassedOn"}});
    loss = tf::reduce_sum(tf::square(v));
  }
  tf::train::GradientDescentOptimizer(0.1).minimize(loss);
}

GOLDEN_PROGRAM(own_gradient_in_a_loop) {
  auto x = floats({2});
  auto [i, y] = tf::while_loop([](auto n, auto) { return n < 3; },
                               [](auto n, auto a) {
                                 auto scope = tf::gradient_override_map({{"Tanh", "OwnClipped"}});
                                 auto next = n + 1;
                                 return std::vector<tf::Input>{next, tf::tanh(a)};
                               },
                               {0, x});
  tf::gradients(y, {x});
}

GOLDEN_PROGRAM(own_gradient_in_a_branch) {
  auto x = floats({2});
  auto p = tf::placeholder(tf::boolean, {}, {.name = "p"});
  auto y = tf::cond(
      p,
      [&] {
        auto scope = tf::gradient_override_map({{"Mul", "OwnByInputs"}});
        return x * 3.0;
      },
      [&] { return tf::exp(x); });
  tf::gradients(y, {x});
}

GOLDEN_PROGRAM(own_gradient_in_scopes) {
  auto x = floats({2});
  auto layer = tf::name_scope("layer");
  auto device = tf::device("/cpu:0");
  tf::Tensor y;
  {
    auto scope = tf::gradient_override_map({{"Relu", "OwnClipped"}});
    y = tf::nn::relu(x);
  }
  tf::gradients(y, {x}, {.colocate_gradients_with_ops = true});
}

// ---- custom_gradient

tf::Tensor one_of(const std::function<tf::ValuesAndGradient(const Tensors&)>& function,
                  const tf::Input& argument) {
  return tf::custom_gradient(function, {tf::convert_to_tensor(argument)})[0];
}

GOLDEN_PROGRAM(custom_gradient_of_one_value) {
  const auto log1pexp = [](const Tensors& arguments) {
    const tf::Tensor e = tf::exp(arguments[0]);
    return tf::ValuesAndGradient{{tf::log(1 + e)}, [e](const Tensors& grads) {
                                   const tf::Tensor sum = 1 + e;
                                   return Tensors{grads[0] * (1 - 1 / sum)};
                                 }};
  };
  auto x = floats({3});
  tf::gradients(one_of(log1pexp, x), {x});
}

GOLDEN_PROGRAM(custom_gradient_of_two_values) {
  const auto both = [](const Tensors& arguments) {
    const tf::Tensor x = arguments[0];
    const tf::Tensor y = arguments[1];
    const tf::Tensor product = x * y;
    return tf::ValuesAndGradient{{product, x - y}, [x, y](const Tensors& grads) {
                                   const tf::Tensor first = grads[0] * y;
                                   const tf::Tensor of_x = first + grads[1];
                                   const tf::Tensor second = grads[0] * x;
                                   return Tensors{of_x, second - grads[1]};
                                 }};
  };
  auto x = floats({2}), y = floats({2}, "y");
  auto results = tf::custom_gradient(both, {x, y});
  tf::gradients(results[0] + results[1], {x, y});
  tf::gradients(results[0], {x, y});
}

GOLDEN_PROGRAM(custom_gradient_of_structures) {
  const auto of = [](const Tensors& pair) {
    const tf::Tensor a = tf::exp(pair[0]);
    return tf::ValuesAndGradient{{a, tf::tanh(pair[1])}, [](const Tensors& grads) {
                                   const tf::Tensor first = grads[0] * 2.0;
                                   return Tensors{first, grads[1] * 3.0};
                                 }};
  };
  auto x = floats({2}), y = floats({2}, "y");
  auto results = tf::custom_gradient(of, {x, y});
  tf::gradients(results[0] * results[1], {x, y});
}

GOLDEN_PROGRAM(custom_gradient_of_numbers) {
  const auto scaled = [](const Tensors& arguments) {
    const tf::Tensor by = arguments[1];
    return tf::ValuesAndGradient{{arguments[0] * by},
                                 [by](const Tensors& grads) { return Tensors{grads[0] * by, tf::Tensor()}; }};
  };
  auto x = floats({2});
  tf::gradients(tf::custom_gradient(scaled, {x, tf::convert_to_tensor(2.0)})[0], {x});
}

GOLDEN_PROGRAM(custom_gradient_nested) {
  const auto outer = [](const Tensors& arguments) {
    const tf::Tensor x = arguments[0];
    return tf::ValuesAndGradient{{tf::square(x)}, [x](const Tensors& grads) {
                                   const auto inner = [x](const Tensors&) {
                                     return tf::ValuesAndGradient{{2.0 * x}, [](const Tensors& seconds) {
                                                                    return Tensors{seconds[0] * 2.0};
                                                                  }};
                                   };
                                   return Tensors{grads[0] * one_of(inner, x)};
                                 }};
  };
  auto x = floats({2});
  auto y = one_of(outer, x);
  auto first = tf::gradients(y, {x})[0];
  tf::gradients(first, {x});
}

GOLDEN_PROGRAM(custom_gradient_inside_of_another) {
  const auto inner = [](const Tensors& arguments) {
    return tf::ValuesAndGradient{{tf::exp(arguments[0])}, [](const Tensors& grads) { return grads; }};
  };
  const auto outer = [&](const Tensors& arguments) {
    return tf::ValuesAndGradient{{one_of(inner, arguments[0]) + 1.0},
                                 [](const Tensors& grads) { return Tensors{grads[0] * 5.0}; }};
  };
  auto x = floats({2});
  tf::gradients(one_of(outer, x), {x});
}

GOLDEN_PROGRAM(custom_gradient_of_a_method) {
  struct Scale {
    double by = 3.0;
    tf::ValuesAndGradient operator()(const Tensors& arguments) const {
      return {{arguments[0] * by}, [by_ = by](const Tensors& grads) { return Tensors{grads[0] / by_}; }};
    }
  };
  auto x = floats({2});
  tf::gradients(one_of(Scale(), x), {x});
}

GOLDEN_PROGRAM(custom_gradient_with_a_variable) {
  auto v = tf::get_variable("v", {2}, {.initializer = tf::ones_initializer()});
  const auto times = [&](const Tensors& arguments) {
    const tf::Tensor x = arguments[0];
    return tf::ValuesAndGradient{
        .values = {x * v},
        .gradient_with_variables = [x, v](const Tensors& grads, const std::vector<tf::Variable>& used) {
          EXPECT_EQ(used.size(), 1U);
          const tf::Tensor of_x = grads[0] * v;
          return Tensors{of_x, grads[0] * x};
        }};
  };
  auto x = floats({2});
  tf::gradients(one_of(times, x), {x, v});
}

GOLDEN_PROGRAM(custom_gradient_with_variables_trained) {
  tf::Variable w;
  tf::Variable b;
  {
    auto net = tf::variable_scope("net");
    w = tf::get_variable("w", {3, 2}, {.initializer = tf::zeros_initializer()});
    b = tf::get_variable("b", {2}, {.initializer = tf::zeros_initializer()});
  }
  const auto layer = [&](const Tensors& arguments) {
    const tf::Tensor x = arguments[0];
    const tf::Tensor product = tf::matmul(x, w);
    return tf::ValuesAndGradient{
        .values = {tf::tanh(product + b)},
        .gradient_with_variables = [x, w](const Tensors& grads, const std::vector<tf::Variable>& used) {
          EXPECT_EQ(used.at(0).name(), "net/b:0");
          EXPECT_EQ(used.at(1).name(), "net/w:0");
          const tf::Tensor of_x = tf::matmul(grads[0], w, {.transpose_b = true});
          const tf::Tensor of_b = tf::reduce_sum(grads[0], 0);
          return Tensors{of_x, of_b, tf::matmul(x, grads[0], {.transpose_a = true})};
        }};
  };
  auto x = floats({tf::None, 3});
  auto loss = tf::reduce_mean(one_of(layer, x));
  tf::train::GradientDescentOptimizer(0.5).minimize(loss);
}

GOLDEN_PROGRAM(custom_gradient_of_a_variable_as_argument) {
  auto v = tf::Variable({1.f, 2.f}, {.name = "v"});
  const auto twice = [](const Tensors& arguments) {
    return tf::ValuesAndGradient{{arguments[0] * 2.0},
                                 [](const Tensors& grads) { return Tensors{grads[0] * 4.0}; }};
  };
  tf::gradients(one_of(twice, v), {v});
}

GOLDEN_PROGRAM(custom_gradient_in_a_loop) {
  const auto clipped = [](const Tensors& arguments) {
    return tf::ValuesAndGradient{{tf::identity(arguments[0])}, [](const Tensors& grads) {
                                   return Tensors{tf::clip_by_value(grads[0], -1.0, 1.0)};
                                 }};
  };
  auto x = floats({2});
  auto [i, y] = tf::while_loop([](auto n, auto) { return n < 2; },
                               [&](auto n, auto a) {
                                 auto next = n + 1;
                                 return std::vector<tf::Input>{next, one_of(clipped, a * 3.0)};
                               },
                               {0, x});
  tf::gradients(y, {x});
}

// ---- sums of gradients

GOLDEN_PROGRAM(gradients_added_two_at_a_time) {
  auto x = floats({2});
  auto y = tf::identity(x, {.name = "shared"});
  auto a = tf::exp(y);
  auto b = tf::tanh(y);
  auto ab = a + b;
  auto c = y * 2.0;
  auto abc = ab + c;
  auto loss = abc + tf::sin(y);
  for (const AggregationMethod method :
       {AggregationMethod::EXPERIMENTAL_TREE, AggregationMethod::EXPERIMENTAL_ACCUMULATE_N,
        AggregationMethod::ADD_N, AggregationMethod::DEFAULT})
    tf::gradients(loss, {x}, {.aggregation_method = method});
}

GOLDEN_PROGRAM(gradients_added_two_at_a_time_for_variables) {
  auto v = tf::Variable({1.f, 2.f}, {.name = "v"});
  auto square = v * v;
  auto loss = tf::reduce_sum(square + tf::exp(v));
  tf::train::GradientDescentOptimizer optimizer(0.1);
  optimizer.minimize(loss, {.aggregation_method = AggregationMethod::EXPERIMENTAL_TREE});
  optimizer.compute_gradients(loss, {.aggregation_method = AggregationMethod::EXPERIMENTAL_ACCUMULATE_N});
}

GOLDEN_PROGRAM(gradients_added_by_device) {
  auto x = floats({2});
  Tensors parts;
  for (const char* const device : {"/cpu:1", "/cpu:0", "/cpu:1", "/cpu:0"}) {
    auto there = tf::device(device);
    parts.push_back(tf::tanh(x));
  }
  parts.push_back(tf::tanh(x));
  tf::gradients(parts, {x}, {.colocate_gradients_with_ops = true});
  tf::gradients(parts, {x});
}

GOLDEN_PROGRAM(gradients_added_and_colocated) {
  auto x = floats({2});
  auto y = tf::identity(x, {.name = "shared"});
  for (const AggregationMethod method : {AggregationMethod::DEFAULT, AggregationMethod::EXPERIMENTAL_TREE}) {
    auto e = tf::exp(y);
    auto loss = e * tf::tanh(y);
    tf::gradients(loss, {x}, {.colocate_gradients_with_ops = true, .aggregation_method = method});
  }
}

GOLDEN_PROGRAM(hessians_added_two_at_a_time) {
  auto x = floats({2});
  auto square = x * x;
  tf::hessians({tf::reduce_sum(square * tf::exp(x))}, {x},
               {.aggregation_method = AggregationMethod::EXPERIMENTAL_TREE});
}

GOLDEN_PROGRAM(gradients_stopped_at_several) {
  auto x = floats({2}), y = floats({2}, "y");
  auto v = tf::Variable({1.f, 2.f}, {.name = "v"});
  auto a = tf::exp(x) * v;
  auto b = tf::tanh(y);
  tf::gradients(a * b, {x, y, v, a}, {.stop_gradients = {a}});
  tf::gradients(a * b, {x, y, v}, {.stop_gradients = {a, b}});
  tf::gradients(a * b, {x, v}, {.stop_gradients = {v.ref()}});
  tf::gradients(a * b, {a, b}, {.stop_gradients = {a, x}});
}

GOLDEN_PROGRAM(gradients_stopped_at_one_output) {
  auto x = floats({4});
  auto halves = tf::split(x, 2);
  auto sum = tf::exp(halves[0]) + halves[1];
  tf::gradients(sum, {x}, {.stop_gradients = {halves[0]}});
}

// ---- what they compute

TEST(OwnGradients, AreComputed) {
  tf::Graph graph;
  auto scope = graph.as_default();
  auto x = floats({3});
  tf::Tensor y;
  {
    auto overrides = tf::gradient_override_map({{"Sign", "OwnPassedOn"}});
    y = tf::sign(x) * 5.0;
  }
  auto grad = tf::gradients(y, {x})[0];
  tf::Session session;
  EXPECT_EQ(session.run(grad, {{x, {1.f, -2.f, 0.f}}}), Array({5.f, 5.f, 5.f}));
}

TEST(OwnGradients, AreThoseOfImportedNodesToo) {
  tf::GraphDef definition;
  {
    tf::Graph graph;
    auto scope = graph.as_default();
    auto x = floats({2});
    auto overrides = tf::gradient_override_map({{"Round", "OwnPassedOn"}});
    tf::round(x, {.name = "y"});
    definition = graph.as_graph_def();
  }
  tf::Graph graph;
  auto scope = graph.as_default();
  tf::import_graph_def(definition, {.name = ""});
  auto x = graph.get_tensor_by_name("x:0");
  auto grad = tf::gradients(graph.get_tensor_by_name("y:0"), {x})[0];
  ASSERT_TRUE(grad.has_value());
  tf::Session session;
  EXPECT_EQ(session.run(grad, {{x, {1.5f, 2.f}}}), Array({1.f, 1.f}));
}

TEST(OwnGradients, AreGivenToWhatIsImportedInTheirScope) {
  tf::GraphDef definition;
  {
    tf::Graph graph;
    auto scope = graph.as_default();
    tf::exp(floats({2}), {.name = "y"});
    definition = graph.as_graph_def();
  }
  tf::Graph graph;
  auto scope = graph.as_default();
  {
    auto overrides = tf::gradient_override_map({{"Exp", "OwnNone"}});
    tf::import_graph_def(definition, {.name = ""});
  }
  EXPECT_FALSE(
      tf::gradients(graph.get_tensor_by_name("y:0"), {graph.get_tensor_by_name("x:0")})[0].has_value());
}

TEST(OwnGradients, OfOneGraphAreNoneOfAnother) {
  tf::Graph graph;
  auto scope = graph.as_default();
  auto overrides = tf::gradient_override_map({{"Exp", "OwnNone"}});
  const tf::Graph other;
  auto inner = other.as_default();
  auto x = floats({2});
  EXPECT_TRUE(tf::gradients(tf::exp(x), {x})[0].has_value());
}

TEST(OwnGradients, MayBeRegisteredAfterTheirNodesAreMade) {
  tf::Graph graph;
  auto scope = graph.as_default();
  auto x = floats({2});
  auto overrides = tf::gradient_override_map({{"Exp", "OwnLate"}});
  auto y = tf::exp(x);
  expect_error<tf::KeyError>([&] { tf::gradients(y, {x}); },
                             "No gradient defined for operation'Exp' (op type: Exp).");
  const int before = static_cast<int>(graph.get_operations().size());
  const tf::RegisterGradient late("OwnLate",
                                  [](const tf::Operation&, const Tensors& grads) { return grads; });
  EXPECT_TRUE(tf::gradients(y, {x})[0].has_value());
  EXPECT_GT(static_cast<int>(graph.get_operations().size()), before);
}

TEST(OwnGradients, ThatAreNoneOnPurposeStopWithoutAnError) {
  tf::NotDifferentiable("OwnNothing");
  tf::Graph graph;
  auto scope = graph.as_default();
  auto x = floats({2});
  auto overrides = tf::gradient_override_map({{"Exp", "OwnNothing"}});
  EXPECT_FALSE(tf::gradients(tf::exp(x), {x})[0].has_value());
}

TEST(OwnGradients, AreRegisteredOnce) {
  expect_error<tf::KeyError>(
      [] {
        const tf::RegisterGradient again("OwnNone", [](const tf::Operation&, const Tensors& g) { return g; });
      },
      "Registering two gradient with name 'OwnNone'! (Previous registration was in ");
  expect_error<tf::KeyError>(
      [] {
        const tf::RegisterGradient again("Square", [](const tf::Operation&, const Tensors& g) { return g; });
      },
      "Registering two gradient with name 'Square'!");
  expect_error<tf::KeyError>([] { tf::NotDifferentiable("OwnClipped"); },
                             "Registering two gradient with name 'OwnClipped'!");
  expect_error<tf::TypeError>([] { const tf::RegisterGradient none("OwnUnset", nullptr); },
                              "'function' must be callable.");
}

TEST(OwnGradients, MustFitTheInputs) {
  const tf::RegisterGradient two(
      "TestOfTwo", [](const tf::Operation&, const Tensors& grads) { return Tensors{grads[0], grads[0]}; });
  const tf::RegisterGradient longer("OwnLonger", [](const tf::Operation&, const Tensors& grads) {
    return Tensors{tf::concat(Tensors{grads[0], grads[0]}, 0)};
  });
  tf::Graph graph;
  auto scope = graph.as_default();
  auto x = floats({2});
  const auto of = [&](const char* name) {
    auto overrides = tf::gradient_override_map({{"Exp", name}});
    return tf::exp(x);
  };
  auto with_two = of("TestOfTwo"), with_longer = of("OwnLonger");
  expect_error<tf::ValueError>([&] { tf::gradients(with_two, {x}); }, "Num gradients 2 generated for op ");
  expect_error<tf::ValueError>(
      [&] { tf::gradients(with_longer, {x}); },
      "Incompatible shapes between op input and calculated input gradient. Forward operation: Exp_1. Input "
      "index: 0. Original input shape: (2,). Calculated input gradient shape: (4,)");
  tf::Session session;  // the graph is as good as before
  EXPECT_EQ(session.run(x + 1.0, {{x, {1.f, 2.f}}}), Array({2.f, 3.f}));
  EXPECT_EQ(tf::constant(1.f).name(), "Const:0");
}

TEST(CustomGradientInGraph, IsComputed) {
  tf::Graph graph;
  auto scope = graph.as_default();
  auto x = floats({});
  const auto of = [](const Tensors& arguments) {
    return tf::ValuesAndGradient{{arguments[0] * 2.0},
                                 [](const Tensors& grads) { return Tensors{grads[0] * 100.0}; }};
  };
  auto y = one_of(of, x) * 3.0;
  auto grad = tf::gradients(y, {x})[0];
  tf::Session session;
  auto [value, slope] = session.run({y, grad}, {{x, 1.f}});
  EXPECT_EQ(value, Array(6.f));
  EXPECT_EQ(slope, Array(300.f));
}

TEST(CustomGradientInGraph, RefusesVariablesThatItsGradientDoesNotTake) {
  tf::Graph graph;
  auto scope = graph.as_default();
  auto v = tf::get_variable("v", {2}, {.initializer = tf::ones_initializer()});
  auto x = floats({2});
  expect_error<tf::TypeError>(
      [&] {
        one_of(
            [&](const Tensors& arguments) {
              return tf::ValuesAndGradient{{arguments[0] * v}, [](const Tensors& grads) { return grads; }};
            },
            x);
      },
      "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses "
      "variables: ");
  expect_error<tf::TypeError>(
      [&] {
        one_of(
            [&](const Tensors& arguments) {
              auto w = tf::get_variable("w", {2}, {.initializer = tf::ones_initializer()});
              return tf::ValuesAndGradient{{arguments[0] * w}, [](const Tensors& grads) { return grads; }};
            },
            x);
      },
      "All variables used by a function wrapped with @custom_gradient must be `ResourceVariable`s.");
}

TEST(AggregationMethod, OfNoKnownNumberIsRefused) {
  tf::Graph graph;
  auto scope = graph.as_default();
  auto x = floats({2});
  auto y = x * x;
  expect_error<tf::ValueError>(
      [&] { tf::gradients(y, {x}, {.aggregation_method = static_cast<AggregationMethod>(7)}); },
      "Invalid `aggregation_method` specified 7. Accepted values are [0, 1, 2].");
}

}  // namespace
}  // namespace flowray
