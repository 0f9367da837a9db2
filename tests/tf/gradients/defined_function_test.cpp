// tests/oracle/programs/defined_function.py in C++, but for switch_case, and what such functions compute
// and refuse.
#include "support/golden_graph.h"
#include "tf/eager/expect_error.h"

#include <flowray/tf/array.h>
#include <flowray/tf/function.h>
#include <flowray/tf/gradients.h>
#include <flowray/tf/graph_def.h>
#include <flowray/tf/initializers.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/session.h>
#include <flowray/tf/variable.h>
#include <flowray/tf/variable_scope.h>

#include <string>
#include <vector>

namespace flowray {
namespace {

using tf::function::Defun;
using Tensors = std::vector<tf::Tensor>;

tf::Tensor floats(const tf::TensorShape& shape, const std::string& name = "x") {
  return tf::placeholder(tf::float32, shape, {.name = name});
}

// ---- recorded programs

GOLDEN_PROGRAM(defun_of_one_value) {
  const auto cube =
      Defun({tf::float32}, [](const Tensors& args) { return Tensors{args[0] * args[0] * args[0]}; },
            {.func_name = "Cube"});
  auto x = floats({2});
  cube({x});
  auto inner = cube({x}, {.name = "inner"})[0];
  cube({inner});
}

GOLDEN_PROGRAM(defun_of_two_values) {
  const auto both = Defun({tf::float32, tf::float32},
                          [](const Tensors& args) {
                            auto sum = args[0] + args[1];
                            return Tensors{sum, args[0] - args[1]};
                          },
                          {.func_name = "SumAndDifference", .out_names = {"sum", "difference"}});
  auto x = floats({2});
  const Tensors values = both({x, 1.0});
  tf::multiply(values[0], values[1]);
}

GOLDEN_PROGRAM(defun_that_captures) {
  auto w = floats({2}, "w");
  const auto scaled = Defun({tf::float32}, [&](const Tensors& args) { return Tensors{args[0] * w}; },
                            {.func_name = "Scaled"});
  auto x = floats({2});
  auto y = scaled({x})[0];
  tf::gradients(y, {x, w});
}

GOLDEN_PROGRAM(defun_with_a_shape_function) {
  const auto doubled = Defun({tf::float32}, [](const Tensors& args) { return Tensors{args[0] * 2.0}; },
                             {.func_name = "Doubled", .shape_func = [](const tf::Operation& op) {
                                return std::vector<tf::TensorShape>{op.inputs()[0].shape()};
                              }});
  auto x = floats({2, 3});
  doubled({x});
}

GOLDEN_PROGRAM(defun_gradient) {
  const auto product = Defun({tf::float32, tf::float32},
                             [](const Tensors& args) {
                               auto tanh = tf::tanh(args[0]);
                               return Tensors{tanh * args[1]};
                             },
                             {.func_name = "Product"});
  auto x = floats({2});
  auto y = floats({2}, "y");
  auto z = product({x, y})[0];
  tf::gradients(z, {x, y});
}

GOLDEN_PROGRAM(defun_gradient_of_one_of_two_values) {
  const auto two = Defun({tf::float32},
                         [](const Tensors& args) {
                           auto exp = tf::exp(args[0]);
                           auto number = tf::cast(args[0], tf::int32);
                           return Tensors{exp, number, tf::sin(args[0])};
                         },
                         {.func_name = "TwoValues"});
  auto x = floats({2});
  auto y = two({x})[2];
  tf::gradients(y, {x});
}

GOLDEN_PROGRAM(defun_with_a_python_gradient) {
  const auto square =
      Defun({tf::float32}, [](const Tensors& args) { return Tensors{tf::square(args[0])}; },
            {.func_name = "OwnSquare", .python_grad_func = [](const tf::Operation& op, const Tensors& grads) {
               auto twice = grads[0] * 2.0;
               return Tensors{twice * op.inputs()[0]};
             }});
  auto x = floats({2});
  auto y = square({x})[0];
  tf::gradients(y, {x});
}

GOLDEN_PROGRAM(defun_with_a_gradient_function) {
  const auto gradient = Defun({tf::float32, tf::float32},
                              [](const Tensors& args) {
                                auto exp = tf::exp(args[0]);
                                return Tensors{args[1] * exp};
                              },
                              {.func_name = "ExpGradient"});
  const auto exponential = Defun({tf::float32}, [](const Tensors& args) { return Tensors{tf::exp(args[0])}; },
                                 {.func_name = "OwnExp", .grad_func = gradient});
  auto x = floats({2});
  auto y = exponential({x})[0];
  tf::gradients(y, {x});
}

GOLDEN_PROGRAM(defun_that_calls_another) {
  const auto inner = Defun({tf::float32}, [](const Tensors& args) { return Tensors{tf::square(args[0])}; },
                           {.func_name = "Inner"});
  const auto outer = Defun({tf::float32},
                           [&](const Tensors& args) {
                             auto square = inner({args[0]})[0];
                             return Tensors{square + 1.0};
                           },
                           {.func_name = "Outer"});
  auto x = floats({2});
  auto y = outer({x})[0];
  tf::gradients(y, {x});
}

// ---- what they compute

TEST(DefinedFunction, ComputesWithItsGradient) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  auto w = tf::constant(5.0f);
  const auto scaled = Defun({tf::float32}, [&](const Tensors& args) {
    auto square = args[0] * args[0];
    return Tensors{square * w};
  });
  auto x = floats({});
  auto y = scaled({x})[0];
  auto slopes = tf::gradients(y, {x, w});
  auto bend = tf::gradients(slopes[0], {x})[0];
  tf::Session session;
  const auto [value, by_x, by_w, twice] = session.run({y, slopes[0], slopes[1], bend}, {{x, 3}});
  EXPECT_EQ(value, Array(45.0f));
  EXPECT_EQ(by_x, Array(30.0f));
  EXPECT_EQ(by_w, Array(9.0f));
  EXPECT_EQ(twice, Array(10.0f));
}

TEST(DefinedFunction, NamesOfWhatItCapturesAreNotThoseOfItsArguments) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  auto k = floats({}, "k");
  auto l = floats({}, "l");
  // Without names they would be arg0, arg1 and arg2.
  const auto f = Defun({tf::float32},
                       [&](const Tensors& args) {
                         auto product = args[0] * k;
                         return Tensors{product - l};
                       },
                       {.func_name = "Captures", .arg_names = {"arg1"}});
  auto x = floats({});
  auto y = f({x})[0];
  tf::Session session;
  EXPECT_EQ(session.run(y, {{x, 2.0f}, {k, 5.0f}, {l, 3.0f}}), Array(7.0f));
}

TEST(DefinedFunction, HasItsOwnGradientWhateverOthersOfItsBodyHave) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto square = [](const Tensors& args) { return Tensors{args[0] * args[0]}; };
  const auto times = [](float factor) {
    return [factor](const tf::Operation&, const Tensors& grads) { return Tensors{grads[0] * factor}; };
  };
  const auto gradient =
      Defun({tf::float32, tf::float32}, [](const Tensors& args) { return Tensors{args[1] * 30.0f}; });
  const auto before = Defun({tf::float32}, square);
  const auto ten = Defun({tf::float32}, square, {.python_grad_func = times(10)});
  const auto twenty = Defun({tf::float32}, square, {.python_grad_func = times(20)});
  const auto thirty = Defun({tf::float32}, square, {.grad_func = gradient});
  const auto same = Defun({tf::float32}, square, {.grad_func = gradient});
  const auto after = Defun({tf::float32}, square);
  EXPECT_EQ(before.name(), after.name());
  auto x = floats({});
  Tensors slopes;
  for (const auto& f : {before, ten, twenty, thirty, same, after})
    slopes.push_back(tf::gradients(f({x})[0], {x})[0]);
  EXPECT_EQ(thirty.name(), same.name());
  tf::Session session;
  const auto values = session.run(slopes, {{x, 3.0f}});
  const std::vector<float> expected = {6, 10, 20, 30, 30, 6};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(values[i], Array(expected[i])) << i;
}

TEST(DefinedFunction, HasItsVariablesInTheProgramAround) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto layer = Defun({tf::float32}, [](const Tensors& args) {
    auto w = tf::get_variable("w", {.initializer = 2.0, .use_resource = true});
    return Tensors{args[0] * w};
  });
  tf::Tensor y;
  {
    const auto inner = tf::variable_scope("net");
    y = layer({1.5})[0];
  }
  ASSERT_EQ(tf::global_variables().size(), 1U);
  EXPECT_EQ(tf::global_variables()[0].name(), "net/w:0");
  tf::Session session;
  session.run(tf::global_variables_initializer());
  EXPECT_EQ(session.run(y), Array(3.0f));
}

TEST(DefinedFunction, IsImportedWithItsGraph) {
  tf::GraphDef def;
  {
    const tf::Graph graph;
    const auto scope = graph.as_default();
    const auto cube = Defun({tf::float32}, [](const Tensors& args) {
      auto square = args[0] * args[0];
      return Tensors{square * args[0]};
    });
    auto x = floats({});
    auto y = cube({x}, {.name = "y"})[0];
    tf::gradients(y, {x}, {.name = "slope"});
    def = graph.as_graph_def();
  }
  const tf::Graph other;
  const auto scope = other.as_default();
  tf::import_graph_def(def, {.name = ""});
  tf::Session session;
  const auto [y, slope] = session.run({"y:0", "slope/y_grad/SymbolicGradient:0"}, {{"x:0", 2.0f}});
  EXPECT_EQ(y, Array(8.0f));
  EXPECT_EQ(slope, Array(12.0f));
}

// ---- what they refuse

TEST(DefinedFunction, RefusesWhatItCannotBeGiven) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto same = Defun({tf::float32}, [](const Tensors& args) { return args; }, {.func_name = "Same"});
  expect_error<tf::ValueError>([&] { same({1.0, 2.0}); }, "Expected 1 arguments, got 2.");
  expect_error<tf::ValueError>(
      [&] {
        Defun({tf::float32}, [](const Tensors& args) { return args; },
              {.grad_func = same,
               .python_grad_func = [](const tf::Operation&, const Tensors& grads) { return grads; }});
      },
      "At most one of grad_func and python_grad_func can be specified.");
  const auto misnamed =
      Defun({tf::float32}, [](const Tensors& args) { return args; }, {.out_names = {"a", "b"}});
  expect_error<errors::InvalidArgumentError>(
      [&] { misnamed({1.0}); },
      "Expected number of output_names (2) to be equal to the number of outputs (1), or none");
  expect_error<tf::ValueError>([] { tf::function::DefinedFunction()({1.0}); }, "DefinedFunction");
}

TEST(DefinedFunction, RefusesToCallItselfInItsBody) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  tf::function::DefinedFunction again;
  again = Defun({tf::float32}, [&again](const Tensors& args) { return again({args[0]}); });
  expect_error<tf::ValueError>([&] { again({floats({2})}); }, "calls the Defun itself");
}

}  // namespace
}  // namespace flowray
