/// FusedBatchNormGrad gives, of the gradient G of y, with z = (x - mean) r and r = 1 / sqrt(variance +
/// epsilon) of each channel's N elements, where P(w) = w - mean(w) - z mean(w z):
///
///   in training   dx = scale r P(G)    dscale = sum(G z)    doffset = sum(G)
///   otherwise     dx = scale r G       dscale = sum(G z)    doffset = sum(G)
///
/// Let U, a, b be the gradients of dx, dscale, doffset. P is symmetric, and in training mean and variance
/// are those of x, so that d r / dx = -r^2 z / N, and of sum(W z) the gradient is r P(W) for any W. What
/// flows on is
///
///                  in training                                                      otherwise
///   to G           scale r P(U) + a z + b                                           scale r U + a z + b
///   to x           a r P(G) - scale r^2 (mean(G z) P(U) + mean(U z) P(G) + z m)     a r G
///   to scale       N r m, with m = mean(U P(G))                                     N r mean(U G)
///
/// in a dozen nodes of plain ops, where TensorFlow differentiates the formula of the gradient node by node.
#include "ops/neural/batch_norm_gradient.h"

#include "ops/python_nodes/python_math_nodes.h"
#include "ops/python_nodes/python_nodes.h"

#include <string>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;

/// The arithmetic above, on float32 with one value a channel as [1,...,channels,...,1].
class SecondGradient {
 public:
  explicit SecondGradient(GradientContext& g)
      : g_(g),
        format_(g.attrs().get<std::string>("data_format")),
        training_(g.attrs().get<bool>("is_training")) {
    std::vector<int32_t> axes;
    std::vector<int32_t> by_channel(format_.size(), 1);
    for (size_t i = 0; i < format_.size(); ++i) {
      if (format_[i] != 'C') axes.push_back(static_cast<int32_t>(i));
    }
    by_channel[format_.find('C')] = -1;
    axes_ = g_.constant(Array(axes), "reduction_indices");
    by_channel_ = g_.constant(Array(by_channel), "by_channel");
    gradient_ = as_float(g.input(0));
    x_ = as_float(g.input(1));
    scale_ = channels(g.input(2));
    upper_ = as_float(g.grad(0));
    of_scale_ = channels(g.grad(1));
    of_offset_ = channels(g.grad(2));
  }

  std::vector<Endpoint> build() {
    normalise();
    const Endpoint scale_r = mul(scale_, r_);
    Endpoint projected_upper = upper_;
    Endpoint projected = gradient_;
    Endpoint upper_z;
    Endpoint gradient_z;
    if (training_) {
      upper_z = mean(mul(upper_, z_));
      gradient_z = mean(mul(gradient_, z_));
      projected_upper = project(upper_, upper_z);
      projected = project(gradient_, gradient_z);
    }
    const Endpoint both = mean(mul(upper_, projected));
    const Endpoint to_gradient = add(add(mul(scale_r, projected_upper), mul(of_scale_, z_)), of_offset_);
    Endpoint to_x = mul(mul(of_scale_, r_), projected);
    if (training_) {
      const Endpoint bent =
          add(add(mul(gradient_z, projected_upper), mul(upper_z, projected)), mul(z_, both));
      to_x = sub(to_x, mul(mul(scale_r, r_), bent));
    }
    const Endpoint to_scale = mul(mul(r_, both), count());
    std::vector<Endpoint> grads(static_cast<size_t>(g_.num_inputs()));
    grads[0] = python_cast(g_, to_gradient, g_.input(0).dtype());
    grads[1] = python_cast(g_, to_x, g_.input(1).dtype());
    grads[2] = g_.op("Reshape", {to_scale, python_shape(g_, g_.input(2))});
    return grads;
  }

 private:
  Endpoint as_float(Endpoint x) { return python_cast(g_, x, DType::kFloat32); }
  Endpoint channels(Endpoint vector) { return g_.op("Reshape", {as_float(vector), by_channel_}); }
  Endpoint mul(Endpoint a, Endpoint b) { return g_.op("Mul", {a, b}, {}, "mul"); }
  Endpoint add(Endpoint a, Endpoint b) { return g_.op("AddV2", {a, b}, {}, "add"); }
  Endpoint sub(Endpoint a, Endpoint b) { return g_.op("Sub", {a, b}, {}, "sub"); }
  Endpoint mean(Endpoint x) { return g_.op("Mean", {x, axes_}, {{"keep_dims", true}}); }

  /// w - mean(w) - z mean(w z)
  Endpoint project(Endpoint w, Endpoint mean_of_products) {
    return sub(sub(w, mean(w)), mul(z_, mean_of_products));
  }

  void normalise() {
    const Endpoint centre = training_ ? mean(x_) : channels(g_.input(3));
    const Endpoint centred = sub(x_, centre);
    const Endpoint variance = training_ ? mean(g_.op("Square", {centred})) : channels(g_.input(4));
    const Endpoint epsilon = python_number(g_, g_.attrs().get<float>("epsilon"), DType::kFloat32, "epsilon");
    r_ = g_.op("Rsqrt", {add(variance, epsilon)});
    z_ = mul(centred, r_);
  }

  /// How many elements a channel has.
  Endpoint count() {
    const Endpoint elements = g_.op("Size", {x_});
    const Endpoint of_channels = g_.op("Size", {scale_});
    return g_.op("RealDiv", {as_float(elements), as_float(of_channels)}, {}, "truediv");
  }

  GradientContext& g_;
  std::string format_;
  bool training_;
  Endpoint axes_;
  Endpoint by_channel_;
  Endpoint gradient_;  // G
  Endpoint x_;
  Endpoint scale_;
  Endpoint upper_;      // U
  Endpoint of_scale_;   // a
  Endpoint of_offset_;  // b
  Endpoint r_;
  Endpoint z_;
};

}  // namespace

std::vector<Endpoint> batch_norm_second_gradient(GradientContext& g) { return SecondGradient(g).build(); }

}  // namespace flowray::ops
