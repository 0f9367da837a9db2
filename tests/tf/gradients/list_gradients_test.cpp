// Gradients that go through TensorArrays, lists of tensors and rows of variables, against finite differences.

#include <flowray/tf.h>
#include <gtest/gtest.h>

#include "tf/build/apply_op.h"
#include "tf/gradients/numeric_gradients.h"

namespace flowray::tf {
namespace {

using testing::expect_gradient;

const graph::Attrs kDoubles{{"dtype", DType::kFloat64}};
const graph::Attrs kListOfDoubles{{"element_dtype", DType::kFloat64}};

std::vector<Tensor> outputs(std::string_view op, std::vector<OpArg> args, graph::Attrs attrs = {}) {
  graph::Node* const node = apply_op_node({.op = op, .args = std::move(args), .attrs = std::move(attrs)});
  std::vector<Tensor> all;
  for (int i = 0; i < node->num_outputs(); ++i) all.push_back(tensor_of(node->output(i)));
  return all;
}

Tensor output(std::string_view op, std::vector<OpArg> args, graph::Attrs attrs = {}) {
  return outputs(op, std::move(args), std::move(attrs))[0];
}

Array ints(std::vector<int32_t> values) { return {values}; }
Array doubles(const std::vector<double>& values, const Shape& shape) { return Array::from(values, shape); }
Array longs(std::vector<int64_t> values) { return {values}; }

struct FlowingList {
  Tensor handle;
  Tensor flow;
};

FlowingList list_of_three(bool clear_after_read = true) {
  graph::Attrs attrs = kDoubles;
  attrs.set("clear_after_read", clear_after_read);
  const std::vector<Tensor> made = outputs("TensorArrayV3", {Input(3)}, attrs);
  return {made[0], made[1]};
}

Tensor read(const FlowingList& list, const Input& index) {
  return output("TensorArrayReadV3", {list.handle, index, list.flow}, kDoubles);
}

void write(FlowingList& list, const Input& index, const Tensor& value) {
  list.flow = output("TensorArrayWriteV3", {list.handle, index, value, list.flow});
}

TEST(ListGradients, AddWhatIsReadOfATensorArrayTwice) {
  expect_gradient([](const Tensor& x) {
    FlowingList list = list_of_three(/*clear_after_read=*/false);
    list.flow = output("TensorArrayScatterV3", {list.handle, Input(ints({2, 0, 1})), x, list.flow});
    const Tensor gathered =
        output("TensorArrayGatherV3", {list.handle, Input(ints({1, 2})), list.flow}, kDoubles);
    return reduce_sum(square(read(list, 0)) * read(list, 2)) + reduce_sum(pow(gathered, 3.0));
  });
}

TEST(ListGradients, GoThroughWritingAndConcatenating) {
  expect_gradient([](const Tensor& x) {
    FlowingList list = list_of_three();
    write(list, 0, x * 2.0);
    write(list, 1, square(x));
    write(list, 2, sin(x));
    const Tensor all = output("TensorArrayConcatV3", {list.handle, list.flow}, kDoubles);
    return reduce_sum(square(all));
  });
}

TEST(ListGradients, GoThroughSplitting) {
  expect_gradient([](const Tensor& x) {
    FlowingList list = list_of_three();
    list.flow = output("TensorArraySplitV3", {list.handle, x, Input(longs({1, 0, 2})), list.flow});
    return reduce_sum(pow(read(list, 2), 3.0)) + reduce_sum(square(read(list, 0)));
  });
}

// What recurrent networks do: rows go in and out of a loop by TensorArrays.
TEST(ListGradients, GoThroughALoopThatReadsAndWritesTensorArrays) {
  expect_gradient([](const Tensor& x) {
    FlowingList in = list_of_three();
    in.flow = output("TensorArrayScatterV3", {in.handle, Input(ints({0, 1, 2})), x, in.flow});
    const FlowingList out = list_of_three();
    const auto done = while_loop([](const Tensor& i, const Tensor&, const Tensor&) { return i < 3; },
                                 [&](const Tensor& i, const Tensor& state, const Tensor& flow) {
                                   const Tensor next = tanh(state * 0.5 + reshape(read(in, i), {2}));
                                   FlowingList written{out.handle, flow};
                                   write(written, i, next * state);
                                   return std::vector<Input>{i + 1, next, written.flow};
                                 },
                                 {Input(0), Input(doubles({0.1, 0.2}, {2})), Input(out.flow)});
    const Tensor all = output("TensorArrayGatherV3", {out.handle, Input(ints({0, 1, 2})), done[2]}, kDoubles);
    return reduce_sum(square(all)) + reduce_sum(done[1]);
  });
}

// A second call of gradients has lists of its own: nothing is counted twice.
TEST(ListGradients, OfTwoCallsAreApart) {
  const Graph graph;
  const GraphScope scope = graph.as_default();
  const Tensor x = placeholder(DType::kFloat64, Shape{3, 2});
  FlowingList list = list_of_three();
  list.flow = output("TensorArrayScatterV3", {list.handle, Input(ints({0, 1, 2})), x, list.flow});
  const Tensor loss = reduce_sum(square(read(list, 1)));
  const Tensor first = gradients(loss, {x})[0];
  const Tensor second = gradients(loss, {x})[0];
  Session session;
  const Array value = doubles({1, 2, 3, 4, 5, 6}, {3, 2});
  const auto both = session.run({first, second}, {{x, value}});
  EXPECT_EQ(both[0], doubles({0, 0, 6, 8, 0, 0}, {3, 2}));
  EXPECT_EQ(both[1], both[0]);
}

TEST(ListGradients, OfATensorArrayNeedTheirScope) {
  const Graph graph;
  const GraphScope scope = graph.as_default();
  const Tensor x = placeholder(DType::kFloat64, Shape{3, 2});
  FlowingList list = list_of_three();
  list.flow = output("TensorArrayScatterV3", {list.handle, Input(ints({0, 1, 2})), x, list.flow});
  try {
    gradients(read(list, 1), {x}, {.name = "slopes"});
    ADD_FAILURE() << "no error";
  } catch (const ValueError& error) {
    EXPECT_TRUE(std::string(error.what())
                    .starts_with("Expected op/tensor name to start with gradients (excluding scope)"))
        << error.what();
  }
}

// ---- lists of tensors

Tensor list_of(const Tensor& rows) { return output("TensorListFromTensor", {rows, Input(-1)}); }
Tensor stack(const Tensor& list) {
  return output("TensorListStack", {list, Input(ints({2}))}, kListOfDoubles);
}
Tensor get(const Tensor& list, int index) {
  return output("TensorListGetItem", {list, Input(index), Input(ints({2}))}, kListOfDoubles);
}

TEST(ListGradients, GoThroughChangedLists) {
  expect_gradient([](const Tensor& x) {
    const Tensor rows = list_of(x);
    const Tensor first = get(rows, 0);
    const Tensor changed = output("TensorListSetItem", {rows, Input(1), square(first)});
    const Tensor longer = output("TensorListPushBack", {changed, first * 3.0});
    const Tensor resized = output("TensorListResize", {longer, Input(5)});
    const auto popped = outputs("TensorListPopBack", {longer, Input(ints({2}))}, kListOfDoubles);
    return reduce_sum(pow(stack(resized), 3.0)) + reduce_sum(square(stack(popped[0]))) +
           reduce_sum(sin(popped[1]));
  });
}

TEST(ListGradients, GoThroughAListThatGrows) {
  expect_gradient([](const Tensor& x) {
    const Tensor rows = list_of(x);
    const Tensor grown = output("TensorListSetItem", {rows, Input(4), square(get(rows, 2))},
                                {{"resize_if_index_out_of_bounds", true}});
    return reduce_sum(pow(stack(grown), 3.0));
  });
}

TEST(ListGradients, GoThroughGatheredAndScatteredLists) {
  expect_gradient([](const Tensor& x) {
    const Tensor rows = list_of(x);
    const Tensor gathered =
        output("TensorListGather", {rows, Input(ints({2, 0})), Input(ints({2}))}, kListOfDoubles);
    const Tensor old = output("TensorListScatter", {x, Input(ints({1, 0, 2})), Input(-1)});
    const Tensor scattered = output("TensorListScatterV2", {x, Input(ints({1, 0, 3})), Input(-1), Input(5)});
    const Tensor into =
        output("TensorListScatterIntoExistingList", {rows, gathered * gathered, Input(ints({1, 2}))});
    return reduce_sum(pow(gathered, 3.0)) + reduce_sum(sin(get(old, 0)) * get(old, 1)) +
           reduce_sum(square(stack(scattered))) + reduce_sum(pow(stack(into), 3.0));
  });
}

TEST(ListGradients, GoThroughSplitAndConcatenatedLists) {
  expect_gradient([](const Tensor& x) {
    const Tensor parts = output("TensorListSplit", {x, Input(ints({-1, 2})), Input(longs({1, 2}))});
    const Tensor one = output("TensorListConcat", {parts}, kListOfDoubles);
    const Tensor two =
        output("TensorListConcatV2", {parts, Input(ints({-1, 2})), Input(Array(DType::kInt64, {0}))},
               kListOfDoubles);
    return reduce_sum(pow(one, 3.0)) + reduce_sum(square(two));
  });
}

TEST(ListGradients, GoThroughOptionals) {
  expect_gradient([](const Tensor& x) {
    const Tensor optional = output("OptionalFromValue", {std::vector<Input>{square(x), x}});
    const auto values = [&] {
      return outputs("OptionalGetValue", {optional},
                     {{"output_types", std::vector<DType>{DType::kFloat64, DType::kFloat64}},
                      {"output_shapes", std::vector<Shape>{{3, 2}, {3, 2}}}});
    };
    const std::vector<Tensor> once = values();
    return reduce_sum(sin(once[0]) * once[1]) + reduce_sum(values()[1]);
  });
}

// ---- rows of variables

TEST(ListGradients, OfRowsOfAVariableAreSummedByRow) {
  const Graph graph;
  const GraphScope scope = graph.as_default();
  const Tensor handle = output("VarHandleOp", {}, {{"dtype", DType::kFloat64}, {"shape", Shape{4, 2}}});
  const auto rows = [&](std::vector<int32_t> of) {
    return output("ResourceGather", {handle, Input(ints(std::move(of)))}, kDoubles);
  };
  const Tensor loss = reduce_sum(square(rows({3, 1, 3}))) + reduce_sum(rows({1, 0}) * 5.0);
  const Tensor gradient = gradients(loss, {handle})[0];
  EXPECT_EQ(gradient.shape().to_string(), "[4,2]");
  graph::Node* const assign = apply_op_node(
      {.op = "AssignVariableOp", .args = {handle, Input(doubles({1, 2, 3, 4, 5, 6, 7, 8}, {4, 2}))}});
  Session session;
  session.run(Operation(assign));
  // d(v3^2 + v1^2 + v3^2)/dv and 5 for each row of the second
  EXPECT_EQ(session.run(gradient), doubles({5, 5, 11, 13, 0, 0, 28, 32}, {4, 2}));
}

}  // namespace
}  // namespace flowray::tf
