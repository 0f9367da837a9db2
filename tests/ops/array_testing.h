#pragma once
/// What the tests of array ops share: shapes inferred while a graph is built, and errors by their
/// first words.

#include "graph/builder.h"
#include "graph/graph.h"
#include "ops/all_ops.h"
#include "support/op_runner.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace flowray::testing {

/// An input of a node under test: a placeholder of a perhaps partly known shape, or a constant.
struct TestInput {
  TestInput(DType input_dtype, Shape input_shape) : dtype(input_dtype), shape(std::move(input_shape)) {}
  TestInput(Array constant)
      : dtype(constant.dtype()), value(std::move(constant)) {}  // NOLINT: implicit by design
  DType dtype;
  Shape shape;
  Array value;
};

inline const Shape kUnknownRank = Shape::unknown_rank();

inline TestInput floats(const Shape& shape) { return {DType::kFloat32, shape}; }
inline TestInput ints(const Shape& shape) { return {DType::kInt32, shape}; }
inline Array int_vector(const std::vector<int32_t>& values) { return Array(values); }

/// The shapes that TensorFlow's form "[2,?]" shows, of all outputs of a new node.
inline std::vector<std::string> built_shapes(const std::string& op, const std::vector<TestInput>& inputs,
                                             graph::Attrs attrs = {}) {
  graph::Graph graph(ops::op_table());
  graph::Builder builder(graph);
  std::vector<graph::Endpoint> endpoints;
  for (const TestInput& input : inputs) {
    endpoints.push_back(
        input.value.has_value()
            ? builder.constant(input.value)
            : builder.op("Placeholder", {}, {{"dtype", input.dtype}, {"shape", input.shape}}));
  }
  const graph::Node* node = builder.node(op, endpoints, std::move(attrs));
  std::vector<std::string> shapes;
  for (int i = 0; i < node->num_outputs(); ++i) shapes.push_back(node->output_shape(i).to_string());
  return shapes;
}

inline std::string built_shape(const std::string& op, const std::vector<TestInput>& inputs,
                               graph::Attrs attrs = {}) {
  return built_shapes(op, inputs, std::move(attrs)).at(0);
}

/// EXPECTs that building the node throws ValueError whose message begins with `text`.
inline void expect_build_error(const std::string& text, const std::string& op,
                               const std::vector<TestInput>& inputs, graph::Attrs attrs = {}) {
  try {
    const std::string shape = built_shape(op, inputs, std::move(attrs));
    ADD_FAILURE() << op << " was built with shape " << shape << " instead of failing with: " << text;
  } catch (const ValueError& error) {
    EXPECT_EQ(error.message().substr(0, text.size()), text) << op;
  }
}

/// EXPECTs that a step in which all inputs are fed throws InvalidArgumentError whose message begins
/// with `text`.
inline void expect_run_error(const std::string& text, const std::string& op, const std::vector<Array>& inputs,
                             graph::Attrs attrs = {}) {
  try {
    run_op_all(op, inputs, {.attrs = std::move(attrs), .unknown_shapes = true});
    ADD_FAILURE() << op << " ran instead of failing with: " << text;
  } catch (const errors::InvalidArgumentError& error) {
    EXPECT_EQ(error.message().substr(0, text.size()), text) << op;
  }
}

/// first, first + 1, ... in row-major order.
template <class T = float>
Array counting(const Shape& shape, T first = T(0)) {
  std::vector<T> values(static_cast<size_t>(shape.num_elements()));
  std::iota(values.begin(), values.end(), first);
  return Array::from(values, shape);
}

inline Array zeros(const Shape& shape) { return Array(DType::kFloat32, shape); }

}  // namespace flowray::testing
