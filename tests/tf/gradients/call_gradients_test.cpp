// Gradients of calls where several meet: functions that others call too, graphs that are exported with their
// gradients and imported again, threads, functions with a gradient of their own. What is expected is written
// by hand beside the function.

#include <flowray/tf.h>
#include <flowray/tf/graph_def.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "support/op_runner.h"
#include "wire/graph_def.h"

namespace flowray::tf {
namespace {

// ---- graphs, as text

const std::string kFloat = "attr { key: 'T' value { type: DT_FLOAT } } ";

/// "name: 'y' op: 'Mul' input: 'a' input: 'b' ...", to stand in a node or node_def.
std::string node(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                 const std::string& attrs = kFloat) {
  std::string text = "{ name: '" + name + "' op: '" + op + "' ";
  for (const std::string& input : inputs) text += "input: '" + input + "' ";
  return text + attrs + "} ";
}

std::string in_function(const std::string& name, const std::string& op,
                        const std::vector<std::string>& inputs, const std::string& attrs = kFloat) {
  return "node_def " + node(name, op, inputs, attrs);
}

std::string in_graph(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                     const std::string& attrs = kFloat) {
  return "node " + node(name, op, inputs, attrs);
}

std::string placeholder_of(const std::string& name, const std::string& dtype = "DT_FLOAT") {
  return in_graph(
      name, "Placeholder", {},
      "attr { key: 'dtype' value { type: " + dtype + " } } attr { key: 'shape' value { shape { } } } ");
}

/// Arguments and results are scalars.
std::string function(const std::string& name, const std::vector<std::string>& args,
                     const std::vector<std::string>& results, const std::string& nodes) {
  std::string text = "function { signature { name: '" + name + "' ";
  for (const std::string& arg : args) text += "input_arg { name: '" + arg + "' type: DT_FLOAT } ";
  for (size_t i = 0; i < results.size(); ++i)
    text += "output_arg { name: 'r" + std::to_string(i) + "' type: DT_FLOAT } ";
  text += "} " + nodes;
  for (size_t i = 0; i < results.size(); ++i)
    text += "ret { key: 'r" + std::to_string(i) + "' value: '" + results[i] + "' } ";
  return text + "} ";
}

std::string dtypes(const std::string& attr, size_t count) {
  std::string text = "attr { key: '" + attr + "' value { list { ";
  for (size_t i = 0; i < count; ++i) text += "type: DT_FLOAT ";
  return text + "} } } ";
}

std::string call_of(const std::string& function, size_t num_args, size_t num_results) {
  return "attr { key: 'f' value { func { name: '" + function + "' } } } " + dtypes("Tin", num_args) +
         dtypes("Tout", num_results);
}

GraphDef message_of(const std::string& text) {
  return GraphDef::from_string(wire::encode(wire::from_text_format<wire::GraphDef>(text)));
}

void import_text(const std::string& text) { import_graph_def(message_of(text), {.name = ""}); }

Tensor named(const std::string& name) { return get_default_graph().get_tensor_by_name(name); }
Tensor gradient(const std::string& y, const std::string& x) { return gradients(named(y), {named(x)})[0]; }

/// Two results: sin(exp(a)), cos(tanh(a)).
const std::string kPair =
    function("Pair", {"a"}, {"sin:y:0", "cos:y:0"},
             in_function("exp", "Exp", {"a"}) + in_function("sin", "Sin", {"exp:y:0"}) +
                 in_function("tanh", "Tanh", {"a"}) + in_function("cos", "Cos", {"tanh:y:0"}));
const std::string kPairGraph = "library { " + kPair + "} " + placeholder_of("x") +
                               in_graph("pair", "PartitionedCall", {"x"}, call_of("Pair", 1, 2)) +
                               in_graph("y", "Identity", {"pair"}) + in_graph("z", "Identity", {"pair:1"});

float slope_of_y(float x) { return std::cos(std::exp(x)) * std::exp(x); }
float slope_of_z(float x) {
  const float t = std::tanh(x);
  return -std::sin(t) * (1 - t * t);
}

// ---- branches that call one function

/// If(p, g(x)[0], g(x)[1]).
std::string one_of_two(const std::string& results_of_g) {
  const std::string call = in_function("g", "PartitionedCall", {"x"}, call_of("G", 1, 2));
  return "library { " + results_of_g + function("Then", {"x"}, {"g:output:0"}, call) +
         function("Else", {"x"}, {"g:output:1"}, call) + "} " + placeholder_of("x") +
         placeholder_of("p", "DT_BOOL") +
         in_graph("y", "If", {"p", "x"},
                  "attr { key: 'Tcond' value { type: DT_BOOL } } " + dtypes("Tin", 1) + dtypes("Tout", 1) +
                      "attr { key: 'then_branch' value { func { name: 'Then' } } } "
                      "attr { key: 'else_branch' value { func { name: 'Else' } } } "
                      "attr { key: 'output_shapes' value { list { shape { } } } } ");
}

TEST(CallGradient, OfBranchesThatCallOneFunctionIsOfEachBranch) {
  const Graph graph;
  const GraphScope scope = graph.as_default();
  import_text(one_of_two(function("G", {"a"}, {"sin:y:0", "cos:y:0"},
                                  in_function("sin", "Sin", {"a"}) + in_function("cos", "Cos", {"a"}))));
  const Tensor first = gradient("y:0", "x:0");
  const Tensor second = gradients(first, {named("x:0")})[0];
  Session session;
  const auto run = [&](bool way) {
    return session.run({first, second}, {{named("x:0"), .8f}, {named("p:0"), way}});
  };
  const auto then = run(true);
  EXPECT_FLOAT_EQ(then[0].item<float>(), std::cos(.8f));
  EXPECT_FLOAT_EQ(then[1].item<float>(), -std::sin(.8f));
  const auto other = run(false);
  EXPECT_FLOAT_EQ(other[0].item<float>(), -std::sin(.8f));
  EXPECT_FLOAT_EQ(other[1].item<float>(), -std::cos(.8f));
}

// The gradients read other values of g: sin(a) a or exp(a) a a.
TEST(CallGradient, OfBranchesThatReadDifferentValuesOfOneFunctionIsOfEachBranch) {
  const Graph graph;
  const GraphScope scope = graph.as_default();
  import_text(
      one_of_two(function("G", {"a"}, {"sa:z:0", "eaa:z:0"},
                          in_function("s", "Sin", {"a"}) + in_function("sa", "Mul", {"s:y:0", "a"}) +
                              in_function("e", "Exp", {"a"}) + in_function("ea", "Mul", {"e:y:0", "a"}) +
                              in_function("eaa", "Mul", {"ea:z:0", "a"}))));
  const Tensor first = gradient("y:0", "x:0");
  const Tensor second = gradients(first, {named("x:0")})[0];
  Session session;
  const auto run = [&](bool way) {
    return session.run({first, second}, {{named("x:0"), 1.0f}, {named("p:0"), way}});
  };
  const auto then = run(true);
  EXPECT_NEAR(then[0].item<float>(), std::sin(1.0) + std::cos(1.0), 1e-5);
  EXPECT_NEAR(then[1].item<float>(), 2 * std::cos(1.0) - std::sin(1.0), 1e-5);
  const auto other = run(false);
  EXPECT_NEAR(other[0].item<float>(), 3 * std::exp(1.0), 1e-5);
  EXPECT_NEAR(other[1].item<float>(), 7 * std::exp(1.0), 1e-5);
}

// ---- graphs that come with gradients

TEST(CallGradient, OfAnImportedGraphStandsBesideTheGradientThatCameWithIt) {
  const Graph graph;
  std::string came;
  GraphDef exported;
  {
    const GraphScope scope = graph.as_default();
    import_text(kPairGraph);
    came = gradient("y:0", "x:0").name();
    exported = graph.as_graph_def();
  }
  const Graph copy;
  const GraphScope scope = copy.as_default();
  import_graph_def(exported, {.name = "copy"});
  const Tensor of_y = named("copy/" + came);
  const Tensor of_z = gradient("copy/z:0", "copy/x:0");
  const Tensor again = gradient("copy/y:0", "copy/x:0");
  Session session;
  const FeedDict feeds = {{named("copy/x:0"), .8f}};
  EXPECT_NEAR(session.run(of_y, feeds).item<float>(), slope_of_y(.8f), 1e-5);
  EXPECT_NEAR(session.run(of_z, feeds).item<float>(), slope_of_z(.8f), 1e-5);
  const auto all = session.run({of_y, of_z, again}, feeds);
  EXPECT_NEAR(all[0].item<float>(), slope_of_y(.8f), 1e-5);
  EXPECT_NEAR(all[1].item<float>(), slope_of_z(.8f), 1e-5);
  EXPECT_NEAR(all[2].item<float>(), slope_of_y(.8f), 1e-5);
}

TEST(CallGradient, OfOneGraphIsNotThatOfAnotherGraphsFunctionOfTheSameName) {
  GraphDef with_slope_of_y;
  std::string came;
  {
    const Graph graph;
    const GraphScope scope = graph.as_default();
    import_text(kPairGraph);
    came = gradient("y:0", "x:0").name();
    with_slope_of_y = graph.as_graph_def();
  }
  const Graph graph;
  const GraphScope scope = graph.as_default();
  import_graph_def(message_of(kPairGraph), {.name = "b"});
  const Tensor of_z = gradient("b/z:0", "b/x:0");
  import_graph_def(with_slope_of_y, {.name = "c"});
  Session session;
  const auto both = session.run({named("c/" + came), of_z}, {{named("b/x:0"), .8f}, {named("c/x:0"), .3f}});
  EXPECT_NEAR(both[0].item<float>(), slope_of_y(.3f), 1e-5);
  EXPECT_NEAR(both[1].item<float>(), slope_of_z(.8f), 1e-5);
}

TEST(CallGradient, OfALargeGraphMakesFunctionsOnlyOnce) {
  const Graph graph;
  const GraphScope scope = graph.as_default();
  std::string text = kPairGraph;
  for (int i = 0; i < 20; ++i)
    text += in_graph("call" + std::to_string(i), "PartitionedCall", {"x"}, call_of("Pair", 1, 2));
  import_text(text);
  std::vector<Tensor> slopes;
  for (int i = 0; i < 20; ++i) slopes.push_back(gradient("call" + std::to_string(i) + ":0", "x:0"));
  const std::string bytes = graph.as_graph_def().serialize_to_string();
  // Pair, with its exp and cos as further results, and its gradient.
  EXPECT_EQ(wire::decode<wire::GraphDef>(bytes).library->function.size(), 3u);
  Session session;
  EXPECT_NEAR(session.run(slopes[19], {{named("x:0"), .8f}}).item<float>(), slope_of_y(.8f), 1e-5);
}

// ---- what the program may do with the call's own results

/// y = exp(tanh(a)), whose gradient reads y, and tanh(a) inside. `result` is the function's.
std::string exp_tanh(const std::string& result) {
  return "library { " +
         function("F", {"a"}, {result},
                  in_function("tanh", "Tanh", {"a"}) + in_function("exp", "Exp", {"tanh:y:0"}) +
                      in_function("same", "Identity", {"exp:y:0"})) +
         "} " + placeholder_of("x") + in_graph("y", "PartitionedCall", {"x"}, call_of("F", 1, 1));
}

TEST(CallGradient, DependsOnTheResultsOfTheCall) {
  for (const std::string result : {"exp:y:0", "same:output:0"}) {
    SCOPED_TRACE(result);
    const Graph graph;
    const GraphScope scope = graph.as_default();
    import_text(exp_tanh(result));
    const Tensor slope = gradient("y:0", "x:0");
    const Tensor by_y = gradients(slope, {named("y:0")})[0];
    ASSERT_TRUE(by_y.has_value());
    Session session;
    const float t = std::tanh(1.0f);
    const auto values = session.run({slope, by_y}, {{named("x:0"), 1.0f}});
    EXPECT_NEAR(values[0].item<float>(), std::exp(t) * (1 - t * t), 1e-5);
    EXPECT_NEAR(values[1].item<float>(), 1 - t * t, 1e-5);
    const Array fed = session.run(slope, {{named("x:0"), 1.0f}, {named("y:0"), 10.0f}});
    EXPECT_NEAR(fed.item<float>(), 10 * (1 - t * t), 1e-5);
  }
}

TEST(CallGradient, OfAGradientCountsWhatItReadsOfTheCallOnce) {
  const Graph graph;
  const GraphScope scope = graph.as_default();
  import_text(exp_tanh("same:output:0"));
  const Tensor x = named("x:0");
  const Tensor first = gradient("y:0", "x:0");
  const Tensor second = gradients(first, {x})[0];
  const Tensor third = gradients(second, {x})[0];
  Session session;
  const auto values = session.run({second, third}, {{x, .4f}});
  const double t = std::tanh(.4);
  const double s = 1 - t * t;  // of tanh
  EXPECT_NEAR(values[0].item<float>(), std::exp(t) * s * (s - 2 * t), 1e-5);
  EXPECT_NEAR(values[1].item<float>(),
              std::exp(t) * s * (s * (s - 2 * t) - 2 * t * (s - 2 * t) - 2 * t * s - 2 * s), 1e-5);
}

// ---- names

TEST(CallGradient, OfAFunctionWhoseNodesAreNamedLikeArgumentsIsItsOwn) {
  const Graph graph;
  const GraphScope scope = graph.as_default();
  import_text("library { " +
              function("F", {"a", "b"}, {"sin:y:0"},
                       in_function("ab", "Mul", {"a", "b"}) + in_function("arg1", "Exp", {"ab:z:0"}) +
                           in_function("arg0", "Mul", {"arg1:y:0", "a"}) +
                           in_function("sin", "Sin", {"arg0:z:0"})) +
              "} " + placeholder_of("x") + placeholder_of("z") +
              in_graph("y", "PartitionedCall", {"x", "z"}, call_of("F", 2, 1)));
  const std::vector<Tensor> slopes = gradients(named("y:0"), {named("x:0"), named("z:0")});
  Session session;
  const auto values =
      session.run({named("y:0"), slopes[0], slopes[1]}, {{named("x:0"), 1.0f}, {named("z:0"), .5f}});
  const double u = std::exp(.5);
  EXPECT_NEAR(values[0].item<float>(), std::sin(u), 1e-5);
  EXPECT_NEAR(values[1].item<float>(), std::cos(u) * 1.5 * u, 1e-5);
  EXPECT_NEAR(values[2].item<float>(), std::cos(u) * u, 1e-5);
}

// ---- gradients that are given

/// F(a) = a a, whose gradient G is 100 times too large.
std::string with_given_gradient(const std::string& call) {
  return "library { " + function("F", {"a"}, {"aa:z:0"}, in_function("aa", "Mul", {"a", "a"})) +
         function("G", {"a", "da"}, {"much:z:0"},
                  in_function("hundred", "Const", {},
                              "attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' value { "
                              "tensor { dtype: DT_FLOAT tensor_shape { } float_val: 100 } } } ") +
                      in_function("ada", "Mul", {"a", "da"}) +
                      in_function("much", "Mul", {"ada:z:0", "hundred:output:0"})) +
         "gradient { function_name: 'F' gradient_func: 'G' } } " + placeholder_of("x") + call;
}

TEST(CallGradient, IsTheOneThatTheLibraryNames) {
  for (const std::string& call :
       {in_graph("y", "F", {"x"}, ""), in_graph("y", "PartitionedCall", {"x"}, call_of("F", 1, 1))}) {
    const Graph graph;
    const GraphScope scope = graph.as_default();
    import_text(with_given_gradient(call));
    const Tensor slope = gradient("y:0", "x:0");
    const Tensor bend = gradients(slope, {named("x:0")})[0];
    Session session;
    const auto values = session.run({slope, bend}, {{named("x:0"), 3.0f}});
    EXPECT_EQ(values[0], Array(300.0f));
    EXPECT_EQ(values[1], Array(100.0f));
  }
}

// As TensorFlow: a call of a function then has that of the function, another op has none.
TEST(CallGradient, OfAnOpThatNamesAnotherOneIsOfThatOne) {
  const auto marked = [](const std::string& op, const std::string& attrs, const std::string& of) {
    return in_graph("y", op, {"x"}, attrs + "attr { key: '_gradient_op_type' value { s: '" + of + "' } } ");
  };
  const std::string call = call_of("F", 1, 1);
  const auto slope_at_3 = [](const std::string& y) {
    const Graph graph;
    const GraphScope scope = graph.as_default();
    import_text("library { " + function("F", {"a"}, {"aa:z:0"}, in_function("aa", "Mul", {"a", "a"})) + "} " +
                placeholder_of("x") + y);
    const Tensor slope = gradient("y:0", "x:0");
    Session session;
    return session.run(slope, {{named("x:0"), 3.0f}}).item<float>();
  };
  EXPECT_EQ(slope_at_3(marked("PartitionedCall", call, "CustomGradient-7")), 6);
  EXPECT_EQ(slope_at_3(marked("PartitionedCall", call, "Neg")), -1);
  EXPECT_EQ(slope_at_3(marked("Square", kFloat, "Neg")), -1);
  EXPECT_THROW(slope_at_3(marked("Square", kFloat, "CustomGradient-7")), KeyError);
}

// ---- threads

TEST(CallGradient, MayBeMadeByManyThreads) {
  const Graph graph;
  {
    const GraphScope scope = graph.as_default();
    import_text(kPairGraph);
  }
  constexpr size_t kThreads = 8;
  std::vector<Tensor> slopes(kThreads);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const GraphScope scope = graph.as_default();
      for (int round = 0; round < 5; ++round) slopes[i] = gradient(i % 2 == 0 ? "y:0" : "z:0", "x:0");
    });
  }
  for (std::thread& thread : threads) thread.join();
  Session session(graph);
  const std::vector<Array> values =
      session.run(std::vector<Fetch>(slopes.begin(), slopes.end()), {{graph.get_tensor_by_name("x:0"), .8f}});
  for (size_t i = 0; i < kThreads; ++i)
    EXPECT_NEAR(values[i].item<float>(), i % 2 == 0 ? slope_of_y(.8f) : slope_of_z(.8f), 1e-5) << i;
}

}  // namespace
}  // namespace flowray::tf
