#include "support/op_runner.h"

#include "graph/builder.h"
#include "graph/gradient_context.h"
#include "ops/all_ops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace flowray::testing {
namespace {

using graph::Endpoint;
using graph::Node;

bool contains(const std::vector<int>& list, int item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

/// A graph around one node, with the arrays that feed it.
struct OneOp {
  graph::Graph graph{ops::op_table()};
  graph::Builder builder{graph};
  std::vector<Endpoint> inputs;
  Node* node = nullptr;

  OneOp(const std::string& op, const std::vector<Array>& values, const RunOptions& options) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (contains(options.constants, static_cast<int>(i))) {
        inputs.push_back(builder.constant(values[i]));
      } else {
        const Shape shape = options.unknown_shapes ? Shape::unknown_rank() : values[i].shape();
        inputs.push_back(builder.op("Placeholder", {}, {{"dtype", values[i].dtype()}, {"shape", shape}}));
      }
    }
    node = builder.node(op, inputs, options.attrs);
  }

  std::vector<Interpreter::Feed> feeds(const std::vector<Array>& values) const {
    std::vector<Interpreter::Feed> feeds;
    for (size_t i = 0; i < values.size(); ++i) {
      if (inputs[i].node->op() == "Placeholder") feeds.push_back({inputs[i], values[i]});
    }
    return feeds;
  }
};

/// Fixed values in [0.5, 1.5) that differ from element to element, so that no error cancels out.
Array weights_like(const Array& array) {
  Array weights(DType::kFloat64, array.shape());
  double* out = weights.mutable_data<double>();
  for (int64_t i = 0; i < weights.size(); ++i)
    out[i] = 0.5 + static_cast<double>((i * 7919 + 13) % 101) / 101.0;
  return weights;
}

double weighted_sum(const std::vector<Array>& outputs) {
  double sum = 0;
  for (const Array& output : outputs) {
    const Array weights = weights_like(output);
    for (int64_t i = 0; i < output.size(); ++i) sum += output.data<double>()[i] * weights.data<double>()[i];
  }
  return sum;
}

std::vector<Endpoint> make_gradient(OneOp& one, const std::vector<Array>& outputs,
                                    const std::vector<int>& of) {
  const auto gradient = one.node->schema().row.gradient;
  if (gradient == nullptr) throw errors::InternalError("op has no gradient: " + one.node->op());
  std::vector<Endpoint> grads(static_cast<size_t>(one.node->num_outputs()));
  for (size_t k = 0; k < of.size(); ++k) {
    grads[static_cast<size_t>(of[k])] = one.builder.constant(weights_like(outputs[k]));
  }
  // Outputs nobody looks at have gradient zero, as tf.gradients passes them.
  for (int i = 0; i < one.node->num_outputs(); ++i) {
    if (!grads[static_cast<size_t>(i)])
      grads[static_cast<size_t>(i)] = one.builder.op("ZerosLike", {one.node->output(i)});
  }
  graph::GradientContext context(*one.node, grads);
  return gradient(context);
}

}  // namespace

std::vector<Array> run_op_all(const std::string& op, const std::vector<Array>& inputs,
                              const RunOptions& options) {
  OneOp one(op, inputs, options);
  std::vector<Endpoint> outputs;
  for (int i = 0; i < one.node->num_outputs(); ++i) outputs.push_back(one.node->output(i));
  return Interpreter().run(outputs, one.feeds(inputs), {one.node});
}

Array run_op(const std::string& op, const std::vector<Array>& inputs, graph::Attrs attrs) {
  return run_op_all(op, inputs, {.attrs = std::move(attrs)}).at(0);
}

void check_gradient(const std::string& op, const std::vector<Array>& inputs, const GradientOptions& options) {
  RunOptions run_options{.attrs = options.attrs};
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].dtype() != DType::kFloat64) run_options.constants.push_back(static_cast<int>(i));
  }
  OneOp one(op, inputs, run_options);
  std::vector<Endpoint> fetches;
  for (int k : options.outputs) fetches.push_back(one.node->output(k));
  const std::vector<Array> at_inputs = Interpreter().run(fetches, one.feeds(inputs));
  const std::vector<Endpoint> gradients = make_gradient(one, at_inputs, options.outputs);
  ASSERT_EQ(gradients.size(), inputs.size()) << op << ": one gradient for each input";

  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].dtype() != DType::kFloat64 || contains(options.skip, static_cast<int>(i))) continue;
    ASSERT_TRUE(gradients[i]) << op << ": no gradient for input " << i;
    const Array symbolic = Interpreter().run(gradients[i], one.feeds(inputs));
    ASSERT_EQ(symbolic.shape(), inputs[i].shape()) << op << ": gradient of input " << i;
    for (int64_t j = 0; j < inputs[i].size(); ++j) {
      std::vector<Array> moved = inputs;
      moved[i].mutable_data<double>()[j] += options.step;
      const double above = weighted_sum(Interpreter().run(fetches, one.feeds(moved)));
      moved[i].mutable_data<double>()[j] -= 2 * options.step;
      const double below = weighted_sum(Interpreter().run(fetches, one.feeds(moved)));
      const double numeric = (above - below) / (2 * options.step);
      EXPECT_NEAR(symbolic.data<double>()[j], numeric, options.tolerance * std::max(1.0, std::abs(numeric)))
          << op << ": input " << i << ", element " << j;
    }
  }
}

void expect_close(const Array& actual, const Array& expected, double relative, double absolute) {
  ASSERT_EQ(actual.dtype(), expected.dtype());
  ASSERT_EQ(actual.shape(), expected.shape());
  if (!is_floating(expected.dtype())) {
    EXPECT_EQ(actual, expected);
    return;
  }
  const Array a = actual.astype(DType::kFloat64);
  const Array e = expected.astype(DType::kFloat64);
  for (int64_t i = 0; i < e.size(); ++i) {
    const double want = e.data<double>()[i];
    const double got = a.data<double>()[i];
    if (std::isnan(want) || std::isinf(want)) {
      EXPECT_TRUE((std::isnan(want) && std::isnan(got)) || want == got)
          << "element " << i << ": " << got << " vs " << want;
    } else {
      EXPECT_NEAR(got, want, absolute + relative * std::abs(want)) << "element " << i;
    }
  }
}

}  // namespace flowray::testing
