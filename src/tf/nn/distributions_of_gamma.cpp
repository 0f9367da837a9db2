// tf.distributions: those that are made of gamma functions, and normal vectors.
#include <flowray/tf/array.h>
#include <flowray/tf/distributions.h>
#include <flowray/tf/linalg.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/ops/math_ops.h>
#include <flowray/tf/ops/matrix_ops.h>
#include <flowray/tf/random.h>

#include "tf/nn/distribution_parts.h"

#include <cmath>
#include <numbers>

namespace flowray::tf::distributions {

Gamma::Gamma(const Input& concentration, const Input& rate, const DistributionOptions& options)
    : Distribution("Gamma", 0) {
  Composite call({{"concentration", concentration}, {"rate", rate}}, options.name, "Gamma",
                 concentration.where());
  concentration_ = parameter(call, concentration, "concentration");
  rate_ = parameter(call, rate, "rate", &concentration_);
  begin(call.result_name(), base_dtype(concentration_.dtype()), concentration_ + rate_);
}

Tensor Gamma::draw(const Tensor& count, std::optional<int64_t> seed) const {
  return random_gamma(reshape(count, {1}), concentration_, {.beta = rate_, .dtype = dtype(), .seed = seed});
}
Tensor Gamma::log_prob_of(const Tensor& value) const {
  const Tensor normal = raw_ops::Lgamma(concentration_) - concentration_ * log(rate_);
  return raw_ops::Xlogy(concentration_ - 1.0, value) - rate_ * value - normal;
}
Tensor Gamma::cdf_of(const Tensor& value) const { return raw_ops::Igamma(concentration_, rate_ * value); }
Tensor Gamma::compute_entropy() const {
  return concentration_ - log(rate_) + raw_ops::Lgamma(concentration_) +
         (1.0 - concentration_) * raw_ops::Digamma(concentration_);
}
Tensor Gamma::compute_mean() const { return concentration_ / rate_; }
Tensor Gamma::compute_mode() const {
  return where_v2(concentration_ > 1.0, (concentration_ - 1.0) / rate_, not_a_number(rate_));
}
Tensor Gamma::compute_variance() const { return concentration_ / square(rate_); }

Beta::Beta(const Input& concentration1, const Input& concentration0, const DistributionOptions& options)
    : Distribution("Beta", 0) {
  Composite call({{"concentration1", concentration1}, {"concentration0", concentration0}}, options.name,
                 "Beta", concentration1.where());
  concentration1_ = parameter(call, concentration1, "concentration1");
  concentration0_ = parameter(call, concentration0, "concentration0", &concentration1_);
  total_ = concentration1_ + concentration0_;
  begin(call.result_name(), base_dtype(total_.dtype()), total_);
}

Tensor Beta::log_normalization() const {
  return raw_ops::Lgamma(concentration1_) + raw_ops::Lgamma(concentration0_) - raw_ops::Lgamma(total_);
}
Tensor Beta::draw(const Tensor& count, std::optional<int64_t> seed) const {
  const Tensor counts = reshape(count, {1});
  const Tensor ones = ones_like(total_);
  // Another stream than the first one's, and than that of the next seed.
  constexpr int64_t kOther = 0x2545F491;
  const std::optional<int64_t> other_seed = seed.has_value() ? std::optional(*seed ^ kOther) : std::nullopt;
  const Tensor one = random_gamma(counts, concentration1_ * ones, {.dtype = dtype(), .seed = seed});
  const Tensor other = random_gamma(counts, concentration0_ * ones, {.dtype = dtype(), .seed = other_seed});
  return one / (one + other);
}
Tensor Beta::log_prob_of(const Tensor& value) const {
  return raw_ops::Xlogy(concentration1_ - 1.0, value) + (concentration0_ - 1.0) * log1p(-value) -
         log_normalization();
}
Tensor Beta::cdf_of(const Tensor& value) const {
  const Tensor zeros = zeros_like(value + total_);
  return raw_ops::Betainc(concentration1_ + zeros, concentration0_ + zeros, value + zeros);
}
Tensor Beta::compute_entropy() const {
  return log_normalization() - (concentration1_ - 1.0) * raw_ops::Digamma(concentration1_) -
         (concentration0_ - 1.0) * raw_ops::Digamma(concentration0_) +
         (total_ - 2.0) * raw_ops::Digamma(total_);
}
Tensor Beta::compute_mean() const { return concentration1_ / total_; }
Tensor Beta::compute_mode() const {
  const Tensor is_defined = (concentration1_ > 1.0) & (concentration0_ > 1.0);
  return where_v2(is_defined, (concentration1_ - 1.0) / (total_ - 2.0), not_a_number(total_));
}
Tensor Beta::compute_variance() const {
  const Tensor mean = compute_mean();
  return mean * (1.0 - mean) / (1.0 + total_);
}

Dirichlet::Dirichlet(const Input& concentration, const DistributionOptions& options)
    : Distribution("Dirichlet", 1) {
  Composite call({{"concentration", concentration}}, options.name, "Dirichlet", concentration.where());
  concentration_ = parameter(call, concentration, "concentration");
  total_ = reduce_sum(concentration_, -1);
  begin(call.result_name(), base_dtype(concentration_.dtype()), concentration_);
}

Tensor Dirichlet::draw(const Tensor& count, std::optional<int64_t> seed) const {
  const Tensor drawn = random_gamma(reshape(count, {1}), concentration_, {.dtype = dtype(), .seed = seed});
  return drawn / reduce_sum(drawn, -1, {.keepdims = true});
}
Tensor Dirichlet::log_prob_of(const Tensor& value) const {
  return reduce_sum(raw_ops::Xlogy(concentration_ - 1.0, value), -1) - lbeta(concentration_);
}
Tensor Dirichlet::compute_entropy() const {
  const Tensor size = cast(shape(concentration_)[-1], dtype());
  return lbeta(concentration_) + (total_ - size) * raw_ops::Digamma(total_) -
         reduce_sum((concentration_ - 1.0) * raw_ops::Digamma(concentration_), -1);
}
Tensor Dirichlet::compute_mean() const { return concentration_ / with_last_dimension(total_); }
Tensor Dirichlet::compute_mode() const {
  const Tensor size = cast(shape(concentration_)[-1], dtype());
  const Tensor mode = (concentration_ - 1.0) / (with_last_dimension(total_) - size);
  return where_v2(reduce_all(concentration_ > 1.0, -1, {.keepdims = true}), mode, not_a_number(total_));
}
Tensor Dirichlet::compute_variance() const {
  const Tensor mean = compute_mean();
  return mean * (1.0 - mean) / (1.0 + with_last_dimension(total_));
}

// ---- normal vectors

namespace {

Tensor times(const Tensor& matrix, const Tensor& vector) {
  return squeeze(matmul(matrix, with_last_dimension(vector)), -1);
}

/// x of matrix * x = vector, for a lower triangular matrix.
Tensor solved(const Tensor& matrix, const Tensor& vectors) {
  return raw_ops::MatrixTriangularSolve(matrix, vectors);
}

}  // namespace

MultivariateNormalTriL::MultivariateNormalTriL(const Input& loc, const Input& scale_tril,
                                               const DistributionOptions& options)
    : Distribution("MultivariateNormalTriL", 1) {
  Composite call({{"loc", loc}, {"scale_tril", scale_tril}}, options.name, "MultivariateNormalTriL",
                 loc.where());
  loc_ = parameter(call, loc, "loc");
  scale_ = parameter(call, scale_tril, "scale_tril", &loc_);
  begin(call.result_name(), base_dtype(loc_.dtype()), loc_ + reduce_max(scale_, -1));
}

Tensor MultivariateNormalTriL::covariance(const NameOption& options) const {
  return matmul(scale_, scale_, {.adjoint_b = true, .name = options.name});
}
Tensor MultivariateNormalTriL::log_determinant() const {
  return reduce_sum(log(raw_ops::MatrixDiagPart(scale_)), -1);
}
Tensor MultivariateNormalTriL::draw(const Tensor& count, std::optional<int64_t> seed) const {
  const Tensor standard = random_normal(counted(count, whole()), {.dtype = dtype(), .seed = seed});
  return loc_ + times(scale_, standard);
}
Tensor MultivariateNormalTriL::log_prob_of(const Tensor& value) const {
  const Tensor distance = value - loc_ + zeros_like(whole());
  const Tensor matrices = scale_ + with_last_dimension(zeros_like(distance));
  const Tensor z = squeeze(solved(matrices, with_last_dimension(distance)), -1);
  const Tensor size = cast(shape(whole())[-1], dtype());
  return reduce_sum(square(z), -1) * -0.5 - log_determinant() - size * (0.5 * std::log(2 * std::numbers::pi));
}
Tensor MultivariateNormalTriL::compute_entropy() const {
  const Tensor size = cast(shape(whole())[-1], dtype());
  const Tensor entropy = log_determinant() + size * (0.5 * std::log(2 * std::numbers::pi * std::numbers::e));
  return entropy + zeros_like(reduce_sum(whole(), -1));
}
Tensor MultivariateNormalTriL::compute_mean() const { return loc_ + zeros_like(whole()); }
Tensor MultivariateNormalTriL::compute_mode() const { return compute_mean(); }
Tensor MultivariateNormalTriL::compute_variance() const {
  return reduce_sum(square(scale_), -1) + zeros_like(whole());
}

}  // namespace flowray::tf::distributions
