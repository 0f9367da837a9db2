// tf.distributions.kl_divergence.
#include <flowray/tf/array.h>
#include <flowray/tf/distributions.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/ops/math_ops.h>
#include <flowray/tf/ops/matrix_ops.h>

#include "tf/nn/distribution_parts.h"

#include <limits>

namespace flowray::tf::distributions {
namespace {

/// The scope of a divergence, in the graph of the parameter.
Composite in_graph_of(const Tensor& parameter, const NameOption& options) {
  return Composite({{"distribution_a", Input(parameter)}}, options.name, "KullbackLeibler", {});
}

}  // namespace

Tensor kl_divergence(const Normal& a, const Normal& b, const NameOption& options) {
  const Composite call = in_graph_of(a.loc(), options);
  const Tensor ratio = square(a.scale()) / square(b.scale());
  return square(a.loc() - b.loc()) / (2.0 * square(b.scale())) + 0.5 * (ratio - 1.0 - log(ratio));
}

Tensor kl_divergence(const Uniform& a, const Uniform& b, const NameOption& options) {
  const Composite call = in_graph_of(a.low(), options);
  const Tensor is_inside = (b.low() <= a.low()) & (a.high() <= b.high());
  const Tensor infinite = constant(std::numeric_limits<double>::infinity(), a.dtype());
  return where_v2(is_inside, log(b.range()) - log(a.range()), infinite);
}

Tensor kl_divergence(const Bernoulli& a, const Bernoulli& b, const NameOption& options) {
  const Composite call = in_graph_of(a.logits(), options);
  const Tensor of_one = nn::softplus(-b.logits()) - nn::softplus(-a.logits());
  const Tensor of_zero = nn::softplus(b.logits()) - nn::softplus(a.logits());
  return of_one * sigmoid(a.logits()) + of_zero * sigmoid(-a.logits());
}

Tensor kl_divergence(const Categorical& a, const Categorical& b, const NameOption& options) {
  const Composite call = in_graph_of(a.logits(), options);
  const Tensor differences = nn::log_softmax(a.logits()) - nn::log_softmax(b.logits());
  return reduce_sum(nn::softmax(a.logits()) * differences, -1);
}

Tensor kl_divergence(const Gamma& a, const Gamma& b, const NameOption& options) {
  const Composite call = in_graph_of(a.rate(), options);
  const Tensor normals = raw_ops::Lgamma(b.concentration()) - raw_ops::Lgamma(a.concentration());
  return (a.concentration() - b.concentration()) * raw_ops::Digamma(a.concentration()) + normals +
         b.concentration() * (log(a.rate()) - log(b.rate())) +
         a.concentration() * (b.rate() / a.rate() - 1.0);
}

Tensor kl_divergence(const Beta& a, const Beta& b, const NameOption& options) {
  const Composite call = in_graph_of(a.concentration1(), options);
  const Tensor one = b.concentration1() - a.concentration1();
  const Tensor other = b.concentration0() - a.concentration0();
  return b.log_normalization() - a.log_normalization() - raw_ops::Digamma(a.concentration1()) * one -
         raw_ops::Digamma(a.concentration0()) * other +
         raw_ops::Digamma(a.total_concentration()) * (one + other);
}

Tensor kl_divergence(const Dirichlet& a, const Dirichlet& b, const NameOption& options) {
  const Composite call = in_graph_of(a.concentration(), options);
  const Tensor known =
      raw_ops::Digamma(a.concentration()) - with_last_dimension(raw_ops::Digamma(a.total_concentration()));
  return reduce_sum((a.concentration() - b.concentration()) * known, -1) - lbeta(a.concentration()) +
         lbeta(b.concentration());
}

Tensor kl_divergence(const MultivariateNormalTriL& a, const MultivariateNormalTriL& b,
                     const NameOption& options) {
  const Composite call = in_graph_of(a.loc(), options);
  // Of batches that broadcast, as MatrixTriangularSolve does: columns for the scale, and one for the means.
  const Tensor scaled = raw_ops::MatrixTriangularSolve(b.scale_tril(), a.scale_tril());
  const Tensor distance = with_last_dimension(b.loc() - a.loc());
  const Tensor means = raw_ops::MatrixTriangularSolve(b.scale_tril(), distance);
  const Tensor squares = reduce_sum(square(scaled), {-2, -1}) + reduce_sum(square(means), {-2, -1});
  const Tensor size = cast(shape(a.loc())[-1], a.dtype());
  return b.log_determinant() - a.log_determinant() + 0.5 * (squares - size);
}

}  // namespace flowray::tf::distributions
