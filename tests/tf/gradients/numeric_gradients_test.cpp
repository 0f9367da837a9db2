// Gradients that one op alone does not show, against finite differences: of branches and loops, of functions
// that are called, of complex numbers, and of ops that have no kernel for doubles.

#include "tf/gradients/numeric_gradients.h"

#include <flowray/tf.h>
#include <flowray/tf/graph_def.h>
#include <gtest/gtest.h>

#include "tf/build/apply_op.h"
#include "wire/graph_def.h"

namespace flowray::tf {
namespace {

using testing::Differences;
using testing::expect_gradient;

Tensor output(std::string_view op, std::vector<OpArg> args, graph::Attrs attrs = {}) {
  return tensor_of(apply_op_node({.op = op, .args = std::move(args), .attrs = std::move(attrs)})->output(0));
}

Array ints(std::vector<int32_t> values) { return {values}; }

/// A scalar to which each element contributes in its own way.
Tensor weighted(const Tensor& values) {
  const Tensor flat = reshape(cast(values, DType::kFloat64), {-1});
  const Tensor place = cast(range(size(flat)), DType::kFloat64);
  return reduce_sum(flat * sin(place * 1.7 + 0.3));
}

// ---- control flow

TEST(NumericFlowGradients, GoThroughTheBranchThatIsTaken) {
  for (const double limit : {-100.0, 100.0}) {
    expect_gradient([&](const Tensor& x) {
      const Tensor scaled = x * 3.0;
      return weighted(
          cond(reduce_sum(x) > limit, [&] { return square(scaled) * x; }, [&] { return sin(scaled) + x; }));
    });
  }
}

TEST(NumericFlowGradients, GoThroughABranchInABranch) {
  expect_gradient([](const Tensor& x) {
    const Tensor first = x[0];
    return weighted(cond(
        reduce_sum(x) > 0.0,
        [&] { return cond(reduce_max(x) > 1.0, [&] { return exp(first); }, [&] { return first * 2.0; }); },
        [&] { return first; }));
  });
}

TEST(NumericFlowGradients, GoThroughALoop) {
  expect_gradient([](const Tensor& x) {
    const auto last = while_loop(
        [](const Tensor& i, const Tensor&) { return i < 4; },
        [&](const Tensor& i, const Tensor& y) { return std::vector<Input>{i + 1, tanh(y * x + 0.5)}; },
        {Input(0), Input(x)});
    return weighted(last[1]);
  });
}

TEST(NumericFlowGradients, GoThroughALoopInALoopAndABranchInIt) {
  expect_gradient([](const Tensor& x) {
    const auto last = while_loop(
        [](const Tensor& i, const Tensor&) { return i < 3; },
        [&](const Tensor& i, const Tensor& y) {
          const auto inner = while_loop(
              [&](const Tensor& j, const Tensor&) { return j < i; },
              [&](const Tensor& j, const Tensor& z) { return std::vector<Input>{j + 1, sin(z * x) + y}; },
              {Input(0), Input(y)});
          return std::vector<Input>{
              i + 1, cond(equal(i, 1), [&] { return inner[1] * 0.5; }, [&] { return inner[1] + square(x); })};
        },
        {Input(0), Input(x)});
    return weighted(last[1]);
  });
}

// ---- functions that are called

std::string one_double(const std::string& attr) {
  return "attr { key: '" + attr + "' value { list { type: DT_DOUBLE } } } ";
}

/// A function of one [3, 2] tensor of doubles.
std::string function(const std::string& name, const std::string& nodes, const std::string& result,
                     const std::string& result_type = "DT_DOUBLE") {
  return "function { signature { name: '" + name + "' input_arg { name: 'a' type: DT_DOUBLE } " +
         "output_arg { name: 'r' type: " + result_type + " } } " + nodes + " ret { key: 'r' value: '" +
         result + "' } } ";
}

std::string node_def(const std::string& name, const std::string& op, const std::string& inputs) {
  return "node_def { name: '" + name + "' op: '" + op + "' " + inputs +
         " attr { key: 'T' value { type: DT_DOUBLE } } } ";
}

std::string function_attr(const std::string& attr, const std::string& function) {
  return "attr { key: '" + attr + "' value { func { name: '" + function + "' } } } ";
}

/// Sine(a) = sin(a), Cube(a) = a a a, Wave(a) = sin(a a), Small(a) = max(a) < 3.
const std::string kLibrary =
    "library { " + function("Sine", node_def("s", "Sin", "input: 'a'"), "s:y:0") +
    function("Cube",
             node_def("square", "Mul", "input: 'a' input: 'a'") +
                 node_def("cube", "Mul", "input: 'square:z:0' input: 'a'"),
             "cube:z:0") +
    function("Wave",
             node_def("square", "Mul", "input: 'a' input: 'a'") + node_def("s", "Sin", "input: 'square:z:0'"),
             "s:y:0") +
    function(
        "Small",
        "node_def { name: 'axes' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } attr { key: "
        "'value' "
        "value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: 0 int_val: 1 } } } } "
        "node_def { name: 'limit' op: 'Const' attr { key: 'dtype' value { type: DT_DOUBLE } } attr { key: "
        "'value' value { tensor { dtype: DT_DOUBLE tensor_shape { } double_val: 1.15 } } } } " +
            node_def("max", "Max", "input: 'a' input: 'axes:output:0'") +
            node_def("small", "Less", "input: 'max:output:0' input: 'limit:output:0'"),
        "small:z:0", "DT_BOOL") +
    "} ";

/// One node of `op` in the default graph, which calls functions of kLibrary with `inputs`, named "in0",
/// "in1", ....
Tensor call(const std::string& op, const std::vector<Tensor>& inputs, const std::string& attrs) {
  std::map<std::string, Tensor> map;
  std::string text = kLibrary;
  std::string names;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = "in" + std::to_string(i);
    const std::string dtype = inputs[i].dtype() == DType::kFloat64 ? "DT_DOUBLE"
                              : inputs[i].dtype() == DType::kBool  ? "DT_BOOL"
                                                                   : "DT_INT32";
    text += "node { name: '" + name + "' op: 'Placeholder' attr { key: 'dtype' value { type: " + dtype +
            " } } } ";
    names += "input: '" + name + "' ";
    map[name] = inputs[i];
  }
  text += "node { name: 'y' op: '" + op + "' " + names + attrs + "} ";
  const GraphDef message = GraphDef::from_string(wire::encode(wire::from_text_format<wire::GraphDef>(text)));
  return import_graph_def(message, {.input_map = map, .return_elements = {"y:0"}})[0].tensor();
}

TEST(NumericFlowGradients, GoThroughCalledFunctions) {
  for (const char* op : {"PartitionedCall", "StatefulPartitionedCall"}) {
    expect_gradient([&](const Tensor& x) {
      return weighted(
          call(op, {x * 2.0}, one_double("Tin") + one_double("Tout") + function_attr("f", "Wave")));
    });
  }
}

TEST(NumericFlowGradients, GoThroughFunctionalBranches) {
  for (const char* op : {"If", "StatelessIf"}) {
    for (const bool way : {false, true}) {
      expect_gradient([&](const Tensor& x) {
        const Tensor y =
            call(op, {logical_and(reduce_max(x) > 0.0, way), x * 2.0},
                 "attr { key: 'Tcond' value { type: DT_BOOL } } " + one_double("Tin") + one_double("Tout") +
                     function_attr("then_branch", "Wave") + function_attr("else_branch", "Cube"));
        return weighted(y);
      });
    }
  }
}

TEST(NumericFlowGradients, GoThroughFunctionalCases) {
  for (const char* op : {"Case", "StatelessCase"}) {
    for (const int branch : {0, 1, 2, 7}) {  // 7: the last one
      expect_gradient([&](const Tensor& x) {
        return weighted(call(op, {cast(reduce_max(x) * 0.0, DType::kInt32) + branch, x},
                             one_double("Tin") + one_double("Tout") +
                                 "attr { key: 'branches' value { list { func { name: 'Sine' } func { name: "
                                 "'Cube' } func { name: 'Wave' } } } } "));
      });
    }
  }
}

TEST(NumericFlowGradients, GoThroughFunctionalLoops) {
  for (const char* op : {"While", "StatelessWhile"}) {
    expect_gradient([&](const Tensor& x) {
      return weighted(
                 call(op, {x + 0.04},
                      one_double("T") + function_attr("cond", "Small") + function_attr("body", "Cube"))) +
             weighted(x);
    });
  }
}

// ---- complex numbers

TEST(NumericComplexGradients, OfPartsAndLengths) {
  const graph::Attrs to_complex{{"Tout", DType::kComplex128}};
  const graph::Attrs to_real{{"Tout", DType::kFloat64}};
  expect_gradient([&](const Tensor& x) {
    const Tensor z = output("Complex", {x + 2.0, square(x)}, to_complex);
    const Tensor product = output("Mul", {z, output("Conj", {output("Exp", {z})})});
    return weighted(output("Real", {product}, to_real)) + weighted(output("Imag", {product}, to_real) * x) +
           weighted(output("ComplexAbs", {product}, to_real)) +
           weighted(output("Angle", {output("Sqrt", {z})}, to_real));
  });
}

TEST(NumericComplexGradients, OfFourierTransforms) {
  const graph::Attrs to_complex{{"Tout", DType::kComplex128}};
  const graph::Attrs to_real{{"Tout", DType::kFloat64}};
  for (const char* op : {"FFT", "IFFT", "FFT2D", "IFFT2D", "FFT3D", "IFFT3D"}) {
    SCOPED_TRACE(op);
    expect_gradient([&](const Tensor& x) {
      const Tensor z =
          output(op, {output("Complex", {reshape(x, {1, 3, 2}), reshape(sin(x), {1, 3, 2})}, to_complex)});
      return weighted(square(output("Real", {z}, to_real)) * output("Imag", {z}, to_real));
    });
  }
}

TEST(NumericComplexGradients, OfFourierTransformsOfRealNumbers) {
  const graph::Attrs to_real{{"Tout", DType::kFloat64}};
  const graph::Attrs forth{{"Tcomplex", DType::kComplex128}};
  const graph::Attrs back{{"Treal", DType::kFloat64}};
  const auto both_parts = [&](const Tensor& z) {
    return weighted(square(output("Real", {z}, to_real))) + weighted(output("Imag", {z}, to_real));
  };
  for (const int32_t length : {2, 3, 6}) {  // the length of a row, as TensorFlow's gradient needs it
    expect_gradient([&](const Tensor& x) {
      return both_parts(output("RFFT", {reshape(x, {6 / length, length}), Input(ints({length}))}, forth));
    });
  }
  expect_gradient([&](const Tensor& x) {
    const Tensor z = output("RFFT2D", {reshape(x, {2, 3}), Input(ints({2, 3}))}, forth);
    const Tensor cube = output("Mul", {z, output("Mul", {z, z})});
    return both_parts(z) + weighted(output("IRFFT2D", {cube, Input(ints({2, 3}))}, back));
  });
  expect_gradient([&](const Tensor& x) {
    const Tensor z = output("RFFT", {reshape(x, {6}), Input(ints({6}))}, forth);
    return weighted(output("IRFFT", {output("Mul", {z, z}), Input(ints({6}))}, back));
  });
}

// ---- kernels of float32 alone

constexpr Differences kOfFloats{.step = 1e-2, .tolerance = 2e-3};

/// x as float32 in the form of one image of 3 x 2 pixels, or of one with `channels`.
Tensor image_of(const Tensor& x, int64_t height, int64_t width, int64_t channels) {
  return reshape(cast(x, DType::kFloat32), {1, height, width, channels});
}

TEST(NumericFloatGradients, OfLocalResponseNormalisation) {
  expect_gradient(
      [](const Tensor& x) {
        return weighted(
            output("LRN", {image_of(x, 1, 1, 6)},
                   {{"depth_radius", int64_t{2}}, {"alpha", 0.7f}, {"beta", 0.75f}, {"bias", 1.5f}}));
      },
      kOfFloats);
}

TEST(NumericFloatGradients, OfResizedImages) {
  for (const char* op : {"ResizeBilinear", "ResizeBicubic"}) {
    for (const bool align : {false, true}) {
      for (const bool half : {false, true}) {
        if (align && half) continue;
        const graph::Attrs attrs{{"align_corners", align}, {"half_pixel_centers", half}};
        expect_gradient(
            [&](const Tensor& x) {
              return weighted(output(op, {image_of(x, 3, 2, 1), Input(ints({5, 4}))}, attrs)) +
                     weighted(square(output(op, {image_of(x, 3, 2, 1), Input(ints({2, 3}))}, attrs)));
            },
            kOfFloats);
      }
    }
  }
}

TEST(NumericFloatGradients, OfFusedBatchNormalisation) {
  const Array two_ones = Array::from(std::vector<float>{0.4f, 1.6f}, Shape{2});
  for (const char* op : {"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"}) {
    for (const bool training : {false, true}) {
      SCOPED_TRACE(op);
      expect_gradient(
          [&](const Tensor& x) {
            const Tensor floats = cast(x, DType::kFloat32);
            const Tensor statistics = training ? constant(Array(DType::kFloat32, {0})) : constant(two_ones);
            // The scale and the offset depend on x, too.
            return weighted(output(op, {image_of(x, 3, 1, 2), floats[0], floats[1], statistics, statistics},
                                   {{"is_training", training}, {"epsilon", 0.1f}}));
          },
          kOfFloats);
    }
  }
}

TEST(NumericFloatGradients, OfTheLargestInEachVolume) {
  const std::vector<int64_t> window = {1, 2, 1, 1, 1};
  expect_gradient(
      [&](const Tensor& x) {
        const Tensor volume = reshape(cast(x, DType::kFloat32), {1, 3, 2, 1, 1});
        return weighted(square(output("MaxPool3D", {volume},
                                      {{"ksize", window},
                                       {"strides", std::vector<int64_t>{1, 1, 1, 1, 1}},
                                       {"padding", std::string("VALID")}})));
      },
      kOfFloats);
}

}  // namespace
}  // namespace flowray::tf
