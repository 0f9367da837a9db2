// Gradients through nodes that call functions, as TensorFlow's tf.gradients gives them where such a graph is
// imported: tests/golden/function_gradients.json. Then what it is wrong about or does not say.

#include <flowray/tf.h>
#include <flowray/tf/graph_def.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/hexadecimal.h"
#include "support/json.h"
#include "support/op_runner.h"
#include "tf/build/apply_op.h"
#include "wire/graph_def.h"
#include "wire/tensor_value.h"

namespace flowray::tf {
namespace {

using testing::from_hexadecimal;
using testing::Json;

const Json& recorded() {
  static const Json kJson = testing::read_golden("function_gradients");
  return kJson;
}

Array array_of(const Json& hexadecimal) {
  const std::string bytes = from_hexadecimal(hexadecimal.text);
  return wire::to_array(wire::decode<wire::TensorProto>(bytes));
}

std::vector<Tensor> tensors_named(const Graph& graph, const Json& names) {
  std::vector<Tensor> tensors;
  for (const Json& name : names.items) tensors.push_back(graph.get_tensor_by_name(name.text));
  return tensors;
}

std::vector<Tensor> gradients_of(const std::vector<Tensor>& ys, const std::vector<Tensor>& xs) {
  std::vector<Tensor> given;
  for (const Tensor& y : ys) {
    if (y.has_value()) given.push_back(y);
  }
  return gradients(given, {xs.begin(), xs.end()});
}

class FunctionGradients : public ::testing::TestWithParam<std::string> {
 protected:
  static void expect_all(const std::vector<Tensor>& tensors, const Json& expected,
                         const std::vector<Array>& values, size_t first) {
    ASSERT_EQ(tensors.size(), expected.items.size());
    for (size_t i = 0; i < tensors.size(); ++i) {
      SCOPED_TRACE(i);
      ASSERT_EQ(tensors[i].has_value(), expected.items[i].kind != Json::Kind::kNull);
      if (tensors[i].has_value())
        testing::expect_close(values[first++], array_of(expected.items[i]), 2e-5, 1e-6);
    }
  }
};

TEST_P(FunctionGradients, AreTensorFlows) {
  const Json& program = recorded().at(GetParam());
  const Graph graph;
  const GraphScope scope = graph.as_default();
  import_graph_def(GraphDef::from_string(from_hexadecimal(program.at("graph").text)), {.name = ""});
  const std::vector<Tensor> ys = tensors_named(graph, program.at("ys"));
  const std::vector<Tensor> xs = tensors_named(graph, program.at("xs"));
  const std::vector<Tensor> first = gradients_of(ys, xs);
  const bool has_second = !program.at("runs").items[0].at("second").items.empty();
  const std::vector<Tensor> second = has_second ? gradients_of(first, xs) : std::vector<Tensor>();
  Session session;
  for (const Json& name : program.at("initializers").items)
    session.run(graph.get_operation_by_name(name.text));
  std::vector<Fetch> fetches;
  for (const auto* tensors : {&ys, &first, &second}) {
    for (const Tensor& tensor : *tensors) {
      if (tensor.has_value()) fetches.emplace_back(tensor);
    }
  }
  for (const Json& run : program.at("runs").items) {
    FeedDict feeds;
    for (const auto& [name, value] : run.at("feeds").members)
      feeds.add(graph.get_tensor_by_name(name), array_of(value));
    const std::vector<Array> values = session.run(fetches, feeds);
    const auto count = [](const std::vector<Tensor>& tensors) {
      return static_cast<size_t>(
          std::ranges::count_if(tensors, [](const Tensor& t) { return t.has_value(); }));
    };
    {
      SCOPED_TRACE("y");
      expect_all(ys, run.at("ys"), values, 0);
    }
    {
      SCOPED_TRACE("first");
      expect_all(first, run.at("first"), values, ys.size());
    }
    if (!has_second) continue;
    SCOPED_TRACE("second");
    expect_all(second, run.at("second"), values, ys.size() + count(first));
  }
}

std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const auto& [name, program] : recorded().members) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Recorded, FunctionGradients, ::testing::ValuesIn(programs()),
                         [](const auto& which) { return which.param; });

// ---- what no recording shows

/// y = x * (a random number), or -x; each run of the first counts in v. `way` is a bool or a number.
std::string noisy_or_not(const std::string& dtype_of_way) {
  return R"(
library {
  function {
    signature {
      name: "Noisy" is_stateful: true
      input_arg { name: "x" type: DT_FLOAT } input_arg { name: "v" type: DT_RESOURCE }
      output_arg { name: "y" type: DT_FLOAT } control_output: "count"
    }
    node_def {
      name: "one" op: "Const"
      attr { key: "dtype" value { type: DT_FLOAT } }
      attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 1 } } }
    }
    node_def {
      name: "count" op: "AssignAddVariableOp" input: "v" input: "one:output:0"
      attr { key: "dtype" value { type: DT_FLOAT } }
    }
    node_def {
      name: "shape" op: "Const"
      attr { key: "dtype" value { type: DT_INT32 } }
      attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 0 } } } } }
    }
    node_def {
      name: "r" op: "RandomUniform" input: "shape:output:0"
      attr { key: "T" value { type: DT_INT32 } } attr { key: "dtype" value { type: DT_FLOAT } }
    }
    node_def { name: "xr" op: "Mul" input: "x" input: "r:output:0"
      attr { key: "T" value { type: DT_FLOAT } } }
    ret { key: "y" value: "xr:z:0" } control_ret { key: "count" value: "count" }
  }
  function {
    signature {
      name: "Negative"
      input_arg { name: "x" type: DT_FLOAT } input_arg { name: "v" type: DT_RESOURCE }
      output_arg { name: "y" type: DT_FLOAT }
    }
    node_def { name: "neg" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
    ret { key: "y" value: "neg:y:0" }
  }
}
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { } } } }
node { name: "way" op: "Placeholder" attr { key: "dtype" value { type: )" +
         dtype_of_way + R"( } } attr { key: "shape" value { shape { } } } }
node {
  name: "v" op: "VarHandleOp"
  attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { } } }
  attr { key: "shared_name" value { s: "v" } }
}
node {
  name: "zero" op: "Const"
  attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 0 } } }
}
node { name: "begin" op: "AssignVariableOp" input: "v" input: "zero"
  attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "counted" op: "ReadVariableOp" input: "v" attr { key: "dtype" value { type: DT_FLOAT } } }
node {
  name: "y" op: "If" input: "way" input: "x" input: "v"
  attr { key: "Tcond" value { type: )" +
         dtype_of_way + R"( } }
  attr { key: "Tin" value { list { type: DT_FLOAT type: DT_RESOURCE } } }
  attr { key: "Tout" value { list { type: DT_FLOAT } } }
  attr { key: "then_branch" value { func { name: "Noisy" } } }
  attr { key: "else_branch" value { func { name: "Negative" } } }
  attr { key: "output_shapes" value { list { shape { } } } }
})";
}

GraphDef message_of(const std::string& text) {
  return GraphDef::from_string(wire::encode(wire::from_text_format<wire::GraphDef>(text)));
}

/// What the gradient needs of a function comes from the one run of it that the step makes, so that it is that
/// of the same random numbers, and what the function does happens once.
void expect_one_run(const Graph& graph, const std::string& prefix, const Tensor& first,
                    const Tensor& second) {
  Session session(graph);
  session.run(graph.get_operation_by_name(prefix + "begin"));
  const auto named = [&](const std::string& name) { return graph.get_tensor_by_name(prefix + name); };
  for (int run = 1; run < 4; ++run) {
    const auto [y, dy, ddy] =
        session.run({named("y:0"), first, second}, {{named("x:0"), 3.0f}, {named("way:0"), true}});
    EXPECT_FLOAT_EQ(dy.item<float>() * 3, y.item<float>());
    EXPECT_EQ(ddy.item<float>(), dy.item<float>());
    EXPECT_EQ(session.run(named("counted:0")), Array(static_cast<float>(run)));
  }
  EXPECT_EQ(session.run(first, {{named("x:0"), 3.0f}, {named("way:0"), false}}), Array(-1.0f));
}

TEST(FunctionGradient, IsOfTheRunThatTheStepMakes) {
  const Graph graph;
  const GraphScope scope = graph.as_default();
  import_graph_def(message_of(noisy_or_not("DT_BOOL")), {.name = ""});
  const Tensor x = graph.get_tensor_by_name("x:0");
  const Tensor y = graph.get_tensor_by_name("y:0");
  const Tensor first = gradients(y, {x})[0];
  const Tensor second = gradients(y, {x})[0];  // another gradient of the same node
  expect_one_run(graph, "", first, second);

  const Graph copy;
  const GraphScope copy_scope = copy.as_default();
  import_graph_def(graph.as_graph_def(), {.name = "copy"});
  expect_one_run(copy, "copy/", copy.get_tensor_by_name("copy/" + first.name()),
                 copy.get_tensor_by_name("copy/" + second.name()));
}

// TensorFlow 2.21 fails here: it hands the number to a Switch.
TEST(FunctionGradient, OfAnIfByANumberTakesTheSameBranch) {
  const Graph graph;
  const GraphScope scope = graph.as_default();
  import_graph_def(message_of(noisy_or_not("DT_INT32")), {.name = ""});
  const Tensor x = graph.get_tensor_by_name("x:0");
  const Tensor y = graph.get_tensor_by_name("y:0");
  const Tensor slope = gradients(y, {x})[0];
  Session session(graph);
  session.run(graph.get_operation_by_name("begin"));
  EXPECT_EQ(session.run(slope, {{x, 3.0f}, {"way:0", 0}}), Array(-1.0f));
  const auto [value, of_seven] = session.run({y, slope}, {{x, 3.0f}, {"way:0", 7}});
  EXPECT_FLOAT_EQ(of_seven.item<float>() * 3, value.item<float>());
}

// TensorFlow 2.21 fails here: it takes the row to have the same length in all iterations. Nor does it need a
// counter among the variables.
TEST(FunctionGradient, OfAWhileWhoseVariableGrowsIsExact) {
  const Graph graph;
  const GraphScope scope = graph.as_default();
  const std::string floats = "attr { key: 'T' value { type: DT_FLOAT } } ";
  const std::string args =
      "input_arg { name: 'n' type: DT_INT32 } input_arg { name: 'row' type: DT_FLOAT } "
      "input_arg { name: 'x' type: DT_FLOAT } ";
  const auto constant = [](const std::string& field, const std::string& name, int value) {
    return field + " { name: '" + name +
           "' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } attr { key: 'value' value { tensor "
           "{ "
           "dtype: DT_INT32 tensor_shape { } int_val: " +
           std::to_string(value) + " } } } } ";
  };
  import_graph_def(
      message_of(
          "library { function { signature { name: 'Goes' " + args +
          "output_arg { name: 'on' type: DT_BOOL } } " + constant("node_def", "none", 0) +
          "node_def { name: 'more' op: 'Greater' input: 'n' input: 'none:output:0' attr { key: 'T' value { "
          "type: "
          "DT_INT32 } } } ret { key: 'on' value: 'more:z:0' } } function { signature { name: 'Grow' " +
          args +
          "output_arg { name: 'n1' type: DT_INT32 } output_arg { name: 'row1' type: DT_FLOAT } output_arg { "
          "name: "
          "'x1' type: DT_FLOAT } } " +
          constant("node_def", "one", 1) + constant("node_def", "axis", 0) +
          "node_def { name: 'less' op: 'Sub' input: 'n' input: 'one:output:0' attr { key: 'T' value { type: "
          "DT_INT32 } } } node_def { name: 'times' op: 'Mul' input: 'row' input: 'x' " +
          floats +
          "} node_def { name: 'longer' op: 'ConcatV2' input: 'row' input: 'times:z:0' input: 'axis:output:0' "
          "attr { "
          "key: 'N' value { i: 2 } } attr { key: 'Tidx' value { type: DT_INT32 } } " +
          floats +
          "} ret { key: 'n1' value: 'less:z:0' } ret { key: 'row1' value: 'longer:output:0' } ret { key: "
          "'x1' "
          "value: 'x' } } } node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } "
          "} attr { "
          "key: 'shape' value { shape { dim { size: 1 } } } } } " +
          constant("node", "n", 2) +
          "node { name: 'loop' op: 'StatelessWhile' input: 'n' input: 'x' input: 'x' attr { key: 'T' value { "
          "list { "
          "type: DT_INT32 type: DT_FLOAT type: DT_FLOAT } } } attr { key: 'cond' value { func { name: 'Goes' "
          "} } } "
          "attr { key: 'body' value { func { name: 'Grow' } } } attr { key: 'output_shapes' value { list { "
          "shape { } "
          "shape { dim { size: -1 } } shape { dim { size: 1 } } } } } }"),
      {.name = ""});
  const Tensor x = graph.get_tensor_by_name("x:0");
  const Tensor y = reduce_sum(graph.get_tensor_by_name("loop:1"));
  const Tensor slope = gradients(y, {x})[0];
  const Tensor bend = gradients(slope, {x})[0];
  Session session(graph);
  // The sum of x, x^2, x^2, x^3.
  const auto [value, first, second] = session.run({y, slope, bend}, {{x, Array({1.5f})}});
  EXPECT_FLOAT_EQ(value.item<float>(), 1.5f + 2 * 2.25f + 3.375f);
  EXPECT_FLOAT_EQ(first.item<float>(), 1 + 4 * 1.5f + 3 * 2.25f);
  EXPECT_FLOAT_EQ(second.item<float>(), 4 + 6 * 1.5f);
}

}  // namespace
}  // namespace flowray::tf
