// Activation functions and their gradients: Relu, Relu6, Elu, Selu, LeakyRelu, Softplus, Softsign.

#include "graph/gradient_context.h"
#include "graph/shape_context.h"
#include "ops/elements/elementwise_kernels.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/elements/shape_merging.h"
#include "ops/loops/compiled_loop.h"
#include "ops/neural/register.h"
#include "ops/python_nodes/python_nodes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::OpRow;
using graph::PrepareContext;

// ---- the functions; `alpha` is LeakyRelu's attribute. NaN stays NaN, -0 stays -0, as in TensorFlow.

/// Smaller integers go through int32 (graph/kernel/widened_kernel.h).
using ActivationNumbers = TypeList<float, double, int32_t, int64_t, uint64_t>;

struct Relu {
  template <class T>
  FLOWRAY_ALWAYS_INLINE static T apply(T x, T) {
    return x < T(0) ? T(0) : x;
  }
};
struct Relu6 {
  template <class T>
  FLOWRAY_ALWAYS_INLINE static T apply(T x, T) {
    const T positive = x < T(0) ? T(0) : x;
    return positive > T(6) ? T(6) : positive;
  }
};
struct LeakyRelu {
  template <class T>
  FLOWRAY_ALWAYS_INLINE static T apply(T x, T alpha) {
    return x > T(0) ? x : x * alpha;
  }
};
struct Elu {
  template <class T>
  static T apply(T x, T) {
    return x < T(0) ? std::expm1(x) : x;
  }
};
// Klambauer, Unterthiner, Mayr, Hochreiter: "Self-normalizing neural networks", 2017.
constexpr double kSeluScale = 1.0507009873554804934193349852946;
constexpr double kSeluScaleAlpha = 1.7580993408473768599402175208123;
struct Selu {
  template <class T>
  static T apply(T x, T) {
    return x < T(0) ? static_cast<T>(kSeluScaleAlpha) * std::expm1(x) : static_cast<T>(kSeluScale) * x;
  }
};
struct Softplus {
  template <class T>
  static T apply(T x, T) {
    // Beyond this exp(x) does not change 1 + exp(x), or is all of it.
    const T limit = -std::log(std::numeric_limits<T>::epsilon()) - T(2);
    if (x > limit) return x;
    return x < -limit ? std::exp(x) : std::log1p(std::exp(x));
  }
};
struct Softsign {
  template <class T>
  FLOWRAY_ALWAYS_INLINE static T apply(T x, T) {
    return x / (T(1) + std::abs(x));
  }
};

// ---- the gradients: `d` is the gradient of the result. TensorFlow multiplies by 0 or 1, so that an infinite
// one becomes NaN.

struct ReluGrad {
  template <class T>
  FLOWRAY_ALWAYS_INLINE static T apply(T d, T feature, T) {
    return d * static_cast<T>(feature > T(0));
  }
};
struct Relu6Grad {
  template <class T>
  FLOWRAY_ALWAYS_INLINE static T apply(T d, T feature, T) {
    return d * (static_cast<T>(feature > T(0)) * static_cast<T>(feature < T(6)));
  }
};
struct LeakyReluGrad {
  template <class T>
  FLOWRAY_ALWAYS_INLINE static T apply(T d, T feature, T alpha) {
    return feature > T(0) ? d : d * alpha;
  }
};
struct EluGrad {
  template <class T>
  FLOWRAY_ALWAYS_INLINE static T apply(T d, T output, T) {
    return output < T(0) ? (output + T(1)) * d : d;
  }
};
struct SeluGrad {
  template <class T>
  FLOWRAY_ALWAYS_INLINE static T apply(T d, T output, T) {
    return output < T(0) ? d * (output + static_cast<T>(kSeluScaleAlpha)) : d * static_cast<T>(kSeluScale);
  }
};
struct SoftsignGrad {
  template <class T>
  FLOWRAY_ALWAYS_INLINE static T apply(T d, T feature, T) {
    const T denominator = T(1) + std::abs(feature);
    return d / (denominator * denominator);
  }
};

// ---- kernels

template <class Function, class T>
struct UnaryLoop {
  FLOWRAY_ALWAYS_INLINE static void run(const T* x, T* y, int64_t count, T alpha) {
    FLOWRAY_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) y[i] = Function::template apply<T>(x[i], alpha);
  }
};
template <class Function, class T>
struct BinaryLoop {
  FLOWRAY_ALWAYS_INLINE static void run(const T* d, const T* x, T* y, int64_t count, T alpha) {
    FLOWRAY_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) y[i] = Function::template apply<T>(d[i], x[i], alpha);
  }
};

constexpr int64_t kMinActivationsPerWorker = 32 * 1024;

/// body(begin, count) over [0, count), on several threads where there is enough to do.
template <class Body>
void for_pieces(Parallel& parallel, int64_t count, Body body) {
  if (count < 2 * kMinActivationsPerWorker) return body(0, count);
  parallel.for_range(count, kMinActivationsPerWorker,
                     [&](int64_t begin, int64_t end, int) { body(begin, end - begin); });
}

template <class T>
T alpha_of(const PrepareContext& context) {
  return context.attrs().contains("alpha") ? static_cast<T>(context.attrs().get<float>("alpha")) : T(0);
}

/// `Loop` takes pointers to T, one for each input and one for the output, the count and alpha.
template <class T, class Loop>
std::optional<graph::ElementwiseLoop> elementwise_with_alpha(const PrepareContext& context, Loop loop) {
  auto elementwise = elementwise_walks(context, kMinActivationsPerWorker);
  if (!elementwise) return elementwise;
  const T alpha = alpha_of<T>(context);
  elementwise->typed = reinterpret_cast<void (*)()>(loop);
  std::memcpy(elementwise->parameter.data(), &alpha, sizeof(alpha));
  elementwise->any = [](const graph::ElementwiseLoop& self, const void* const* in, void* out, int64_t count) {
    T given;
    std::memcpy(&given, self.parameter.data(), sizeof(given));
    T* const y = static_cast<T*>(out);
    const auto x = [&](int k) { return static_cast<const T*>(in[k]); };
    if constexpr (std::is_invocable_v<Loop, const T*, T*, int64_t, T>) {
      reinterpret_cast<Loop>(self.typed)(x(0), y, count, given);
    } else {
      reinterpret_cast<Loop>(self.typed)(x(0), x(1), y, count, given);
    }
  };
  return elementwise;
}

template <class Function, class Types>
std::unique_ptr<Kernel> prepare_activation(PrepareContext& context) {
  const int64_t count = context.input_shape(0).num_elements();
  return kernel_for_dtype<Types>(context, context.input_dtype(0), [&]<class T>() {
    const auto loop = compiled_loop<UnaryLoop<Function, T>>();
    return graph::make_kernel(
        [loop, count, alpha = alpha_of<T>(context)](const KernelCall& call) {
          for_pieces(call.parallel(), count, [&](int64_t begin, int64_t size) {
            loop(call.in<T>(0) + begin, call.out<T>(0) + begin, size, alpha);
          });
        },
        {.in_place = {{0, 0}}, .elementwise = elementwise_with_alpha<T>(context, loop)});
  });
}

template <class Function, class Types>
std::unique_ptr<Kernel> prepare_activation_grad(PrepareContext& context) {
  const int64_t count = context.input_shape(0).num_elements();
  return kernel_for_dtype<Types>(context, context.input_dtype(0), [&]<class T>() {
    const auto loop = compiled_loop<BinaryLoop<Function, T>>();
    return graph::make_kernel(
        [loop, count, alpha = alpha_of<T>(context)](const KernelCall& call) {
          for_pieces(call.parallel(), count, [&](int64_t begin, int64_t size) {
            loop(call.in<T>(0) + begin, call.in<T>(1) + begin, call.out<T>(0) + begin, size, alpha);
          });
        },
        {.in_place = {{0, 0}, {1, 0}}, .elementwise = elementwise_with_alpha<T>(context, loop)});
  });
}

// ---- gradients

std::vector<Endpoint> relu_gradient(GradientContext& g) {
  return {g.op("ReluGrad", {g.grad(), g.output(0)})};
}
std::vector<Endpoint> relu6_gradient(GradientContext& g) {
  return {g.op("Relu6Grad", {g.grad(), g.output(0)})};
}
std::vector<Endpoint> elu_gradient(GradientContext& g) { return {g.op("EluGrad", {g.grad(), g.output(0)})}; }
std::vector<Endpoint> selu_gradient(GradientContext& g) {
  return {g.op("SeluGrad", {g.grad(), g.output(0)})};
}
std::vector<Endpoint> softsign_gradient(GradientContext& g) {
  return {g.op("SoftsignGrad", {g.grad(), g.input(0)})};
}

std::vector<Endpoint> leaky_relu_gradient(GradientContext& g) {
  return {g.op("LeakyReluGrad", {g.grad(), g.input(0)}, {{"alpha", g.attrs().get<float>("alpha")}})};
}

std::vector<Endpoint> softplus_gradient(GradientContext& g) {
  const Endpoint sigmoid = g.op("Sigmoid", {g.input(0)});
  return {g.op("Mul", {g.grad(), sigmoid}, {}, "mul")};
}

std::vector<Endpoint> relu_grad_gradient(GradientContext& g) {
  const Endpoint of_gradient = g.op("ReluGrad", {g.grad(), g.input(1)});
  return {of_gradient, python_zeros_like(g, g.input(1))};
}
std::vector<Endpoint> relu6_grad_gradient(GradientContext& g) {
  const Endpoint of_gradient = g.op("Relu6Grad", {g.grad(), g.input(1)});
  return {of_gradient, python_zeros_like(g, g.input(1))};
}
std::vector<Endpoint> leaky_relu_grad_gradient(GradientContext& g) {
  const Endpoint of_gradient =
      g.op("LeakyReluGrad", {g.grad(), g.input(1)}, {{"alpha", g.attrs().get<float>("alpha")}});
  return {of_gradient, python_zeros_like(g, g.input(1))};
}

/// The gradient of EluGrad and SeluGrad: where(output < 0, grad * gradients, 0).
std::vector<Endpoint> exponential_grad_gradient(GradientContext& g) {
  const Endpoint output = g.input(1);
  const Endpoint of_gradient = g.op(g.node().op(), {g.grad(), output});
  Endpoint negative;
  {
    const graph::NameScope scope(g.graph(), "Less");
    const Endpoint zero = g.constant(Array(base_dtype(output.dtype()), Shape()), "y");
    negative = g.op("Less", {output, zero}, {}, scope.path());
  }
  const Endpoint product = g.op("Mul", {g.grad(), g.input(0)}, {}, "mul");
  const Endpoint zeros = python_zeros_like(g, output);
  return {of_gradient, g.op("Select", {negative, product, zeros})};
}

// ---- rows

constexpr OpRow activation(std::string_view name, std::string_view attrs, graph::GradientFunction gradient,
                           graph::PrepareFunction prepare) {
  return {.name = name,
          .inputs = "features:T",
          .outputs = "activations:T",
          .attrs = attrs,
          .elementwise = true,
          .shape = graph::unchanged_shape,
          .gradient = gradient,
          .prepare = prepare};
}

constexpr OpRow activation_grad(std::string_view name, std::string_view inputs, std::string_view attrs,
                                graph::GradientFunction gradient, graph::PrepareFunction prepare) {
  return {.name = name,
          .inputs = inputs,
          .outputs = "backprops:T",
          .attrs = attrs,
          .elementwise = true,
          .shape = same_shape,
          .gradient = gradient,
          .prepare = prepare};
}

constexpr std::string_view kByFeatures = "gradients:T, features:T";
constexpr std::string_view kByOutputs = "gradients:T, outputs:T";
constexpr std::string_view kFloats = "T:type{floats}";
constexpr std::string_view kNumbers = "T:type{real_numbers}";
// Relu also takes qint8.
constexpr std::string_view kReluAttrs =
    "T:type{[float32,float64,int32,uint8,int16,int8,int64,bfloat16,uint16,float16,uint32,uint64,qint8]}";

constexpr OpRow kActivations[] = {
    activation("Relu", kReluAttrs, relu_gradient, prepare_activation<Relu, ActivationNumbers>),
    activation("Relu6", kNumbers, relu6_gradient, prepare_activation<Relu6, ActivationNumbers>),
    activation("Elu", kFloats, elu_gradient, prepare_activation<Elu, FloatTypes>),
    activation("Selu", kFloats, selu_gradient, prepare_activation<Selu, FloatTypes>),
    activation("LeakyRelu", "alpha:float=0.20000000298023224; T:type=float32{floats}", leaky_relu_gradient,
               prepare_activation<LeakyRelu, FloatTypes>),
    activation("Softplus", kFloats, softplus_gradient, prepare_activation<Softplus, FloatTypes>),
    activation("Softsign", kFloats, softsign_gradient, prepare_activation<Softsign, FloatTypes>),
    activation_grad("ReluGrad", kByFeatures, kNumbers, relu_grad_gradient,
                    prepare_activation_grad<ReluGrad, ActivationNumbers>),
    activation_grad("Relu6Grad", kByFeatures, kNumbers, relu6_grad_gradient,
                    prepare_activation_grad<Relu6Grad, ActivationNumbers>),
    activation_grad("EluGrad", kByOutputs, kFloats, exponential_grad_gradient,
                    prepare_activation_grad<EluGrad, FloatTypes>),
    activation_grad("SeluGrad", kByOutputs, kFloats, exponential_grad_gradient,
                    prepare_activation_grad<SeluGrad, FloatTypes>),
    activation_grad("LeakyReluGrad", kByFeatures, "alpha:float=0.20000000298023224; T:type=float32{floats}",
                    leaky_relu_grad_gradient, prepare_activation_grad<LeakyReluGrad, FloatTypes>),
    activation_grad("SoftsignGrad", kByFeatures, kFloats, nullptr,
                    prepare_activation_grad<SoftsignGrad, FloatTypes>),
};

}  // namespace

void register_activation_ops(graph::OpTable& table) {
  for (const OpRow& row : kActivations) table.add(row);
}

}  // namespace flowray::ops
