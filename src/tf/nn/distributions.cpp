// tf.distributions: what all have, and those of single numbers and classes.
#include <flowray/tf/array.h>
#include <flowray/tf/distributions.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/ops/math_ops.h>
#include <flowray/tf/ops/random_ops.h>
#include <flowray/tf/random.h>

#include "tf/build/random_seed.h"
#include "tf/build/unset.h"
#include "tf/nn/distribution_parts.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace flowray::tf::distributions {

Tensor parameter(Composite& call, const Input& value, std::string_view name, const Tensor* like) {
  const Tensor tensor = like == nullptr ? Tensor(call.convert(value, name))
                                        : Tensor(call.convert(value, name, base_dtype(like->dtype())));
  const DType dtype = base_dtype(tensor.dtype());
  if (!is_floating(dtype)) {
    throw TypeError(
        fmt::format("Expected floating point type, got <dtype: '{}'>.\n'{}' is a parameter of a "
                    "distribution: write 1.0, not 1.",
                    dtype_name(dtype), name));
  }
  return tensor;
}

Tensor counted(const Tensor& count, const Tensor& tensor) {
  return concat({reshape(count, {1}), shape(tensor)}, 0);
}

Tensor not_a_number(const Tensor& like) {
  return constant(std::numeric_limits<double>::quiet_NaN(), base_dtype(like.dtype()));
}

Tensor with_last_dimension(const Tensor& tensor) { return expand_dims(tensor, -1); }

// ---- what all have

Distribution::Distribution(const char* kind, int event_rank) : kind_(kind), event_rank_(event_rank) {}

void Distribution::begin(std::string name, DType dtype, Tensor whole) {
  name_ = std::move(name);
  dtype_ = dtype;
  whole_ = std::move(whole);
}

void Distribution::missing(const char* what) const {
  throw errors::UnimplementedError(fmt::format("{} is not implemented: {}", what, kind_));
}

Tensor Distribution::in_scope(const std::string& name, const char* otherwise, const Input* value,
                              const std::function<Tensor(const Tensor&)>& compute) const {
  const Input::Where where = value != nullptr ? value->where() : Input::Where();
  if (value != nullptr) check_set(*value, "value");
  Composite call({{"distribution", Input(whole_)}}, name_ + (name.empty() ? otherwise : name), otherwise,
                 where);
  if (value == nullptr) return compute({});
  return compute(call.convert(*value, "value", dtype_of_values()));
}

TensorShape Distribution::batch_shape() const {
  const TensorShape& all = whole_.shape();
  return all.has_rank() ? TensorShape(all.dims().first(static_cast<size_t>(all.rank() - event_rank_))) : all;
}

TensorShape Distribution::event_shape() const {
  if (event_rank_ == 0) return {};
  const TensorShape& all = whole_.shape();
  return all.has_rank() ? TensorShape(all.dims().last(static_cast<size_t>(event_rank_))) : TensorShape{-1};
}

Tensor Distribution::batch_shape_tensor() const {
  return in_scope({}, "batch_shape_tensor", nullptr, [&](const Tensor&) {
    const Tensor all = shape(whole_);
    return event_rank_ == 0 ? all : Tensor(all[Slice{.stop = -event_rank_}]);
  });
}

Tensor Distribution::event_shape_tensor() const {
  return in_scope({}, "event_shape_tensor", nullptr, [&](const Tensor&) {
    const Tensor all = shape(whole_);
    return event_rank_ == 0 ? Tensor(all[Slice{.stop = 0}]) : Tensor(all[Slice{.start = -event_rank_}]);
  });
}

Tensor Distribution::sample(const Input& sample_shape, const DrawOptions& options) const {
  check_set(sample_shape, "sample_shape");
  const auto drawn = [&](const Tensor&) {
    const Tensor outer = cast(reshape(sample_shape, {-1}), DType::kInt32);
    const Tensor numbers = draw(reduce_prod(outer), options.seed);
    return reshape(numbers, concat({outer, shape(numbers)[Slice{.start = 1}]}, 0));
  };
  return in_scope(options.name, "sample", nullptr, drawn);
}

Tensor Distribution::sample(const DrawOptions& options) const {
  return sample(Array(std::vector<int32_t>{}), options);
}

Tensor Distribution::log_prob(const Input& value, const NameOption& options) const {
  return in_scope(options.name, "log_prob", &value, [&](const Tensor& x) { return log_prob_of(x); });
}
Tensor Distribution::prob(const Input& value, const NameOption& options) const {
  return in_scope(options.name, "prob", &value, [&](const Tensor& x) { return prob_of(x); });
}
Tensor Distribution::cdf(const Input& value, const NameOption& options) const {
  return in_scope(options.name, "cdf", &value, [&](const Tensor& x) { return cdf_of(x); });
}
Tensor Distribution::entropy(const NameOption& options) const {
  return in_scope(options.name, "entropy", nullptr, [&](const Tensor&) { return compute_entropy(); });
}
Tensor Distribution::mean(const NameOption& options) const {
  return in_scope(options.name, "mean", nullptr, [&](const Tensor&) { return compute_mean(); });
}
Tensor Distribution::mode(const NameOption& options) const {
  return in_scope(options.name, "mode", nullptr, [&](const Tensor&) { return compute_mode(); });
}
Tensor Distribution::variance(const NameOption& options) const {
  return in_scope(options.name, "variance", nullptr, [&](const Tensor&) { return compute_variance(); });
}
Tensor Distribution::stddev(const NameOption& options) const {
  return in_scope(options.name, "stddev", nullptr, [&](const Tensor&) { return sqrt(compute_variance()); });
}

Tensor Distribution::prob_of(const Tensor& value) const { return exp(log_prob_of(value)); }
Tensor Distribution::cdf_of(const Tensor&) const { missing("cdf"); }

// ---- numbers

Normal::Normal(const Input& loc, const Input& scale, const DistributionOptions& options)
    : Distribution("Normal", 0) {
  Composite call({{"loc", loc}, {"scale", scale}}, options.name, "Normal", loc.where());
  loc_ = parameter(call, loc, "loc");
  scale_ = parameter(call, scale, "scale", &loc_);
  begin(call.result_name(), base_dtype(loc_.dtype()), loc_ + scale_);
}

Tensor Normal::draw(const Tensor& count, std::optional<int64_t> seed) const {
  return random_normal(counted(count, whole()), {.dtype = dtype(), .seed = seed}) * scale_ + loc_;
}
Tensor Normal::log_prob_of(const Tensor& value) const {
  const Tensor z = (value - loc_) / scale_;
  return square(z) * -0.5 - (log(scale_) + 0.5 * std::log(2 * std::numbers::pi));
}
Tensor Normal::cdf_of(const Tensor& value) const {
  return raw_ops::Erfc((value - loc_) / scale_ * -std::sqrt(0.5)) * 0.5;
}
Tensor Normal::compute_entropy() const {
  return log(scale_ * ones_like(whole())) + 0.5 * std::log(2 * std::numbers::pi * std::numbers::e);
}
Tensor Normal::compute_mean() const { return loc_ * ones_like(whole()); }
Tensor Normal::compute_mode() const { return compute_mean(); }
Tensor Normal::compute_variance() const { return square(scale_ * ones_like(whole())); }

Uniform::Uniform(const Input& low, const Input& high, const DistributionOptions& options)
    : Distribution("Uniform", 0) {
  Composite call({{"low", low}, {"high", high}}, options.name, "Uniform", low.where());
  low_ = parameter(call, low, "low");
  high_ = parameter(call, high, "high", &low_);
  begin(call.result_name(), base_dtype(low_.dtype()), low_ + high_);
}

Tensor Uniform::range() const { return high_ - low_; }
Tensor Uniform::draw(const Tensor& count, std::optional<int64_t> seed) const {
  return low_ + range() * random_uniform(counted(count, whole()), {.dtype = dtype(), .seed = seed});
}
Tensor Uniform::log_prob_of(const Tensor& value) const { return log(prob_of(value)); }
Tensor Uniform::prob_of(const Tensor& value) const {
  const Tensor density = ones_like(value) / range();
  const Tensor is_outside = (value < low_) | (value >= high_);
  return where_v2(is_nan(value), value, where_v2(is_outside, zeros_like(density), density));
}
Tensor Uniform::cdf_of(const Tensor& value) const {
  return clip_by_value((value - low_) / range(), 0.0, 1.0);
}
Tensor Uniform::compute_entropy() const { return log(range()); }
Tensor Uniform::compute_mean() const { return (low_ + high_) / 2.0; }
Tensor Uniform::compute_mode() const { missing("mode"); }
Tensor Uniform::compute_variance() const { return square(range()) / 12.0; }

// ---- chances

namespace {

void check_one_given(const ChancesOptions& options) {
  if (options.logits.has_value() == options.probs.has_value())
    throw ValueError("Must pass probs or logits, but not both.");
}

const Input& given_chances(const ChancesOptions& options) {
  check_one_given(options);
  return options.logits.has_value() ? *options.logits : *options.probs;
}

}  // namespace

Bernoulli::Bernoulli(const ChancesOptions& options) : Distribution("Bernoulli", 0) {
  const Input& given = given_chances(options);
  Composite call({{"probs", given}}, options.name, "Bernoulli", given.where());
  const bool are_logits = options.logits.has_value();
  const Tensor chances = parameter(call, given, are_logits ? "logits" : "probs");
  logits_ = are_logits ? chances : log(chances) - log1p(-chances);
  probs_ = are_logits ? sigmoid(chances) : chances;
  begin(call.result_name(), options.dtype, probs_);
}

DType Bernoulli::dtype_of_values() const { return DType::kInvalid; }
Tensor Bernoulli::draw(const Tensor& count, std::optional<int64_t> seed) const {
  const Tensor uniform =
      random_uniform(counted(count, probs_), {.dtype = base_dtype(probs_.dtype()), .seed = seed});
  return cast(uniform < probs_, dtype());
}
Tensor Bernoulli::log_prob_of(const Tensor& value) const {
  const Tensor labels = cast(value, base_dtype(logits_.dtype()));
  return -nn::sigmoid_cross_entropy_with_logits(
      {.labels = labels + zeros_like(logits_), .logits = logits_ + zeros_like(labels)});
}
Tensor Bernoulli::compute_entropy() const {
  return nn::softplus(-logits_) - logits_ * (sigmoid(logits_) - 1.0);
}
Tensor Bernoulli::compute_mean() const { return identity(probs_); }
Tensor Bernoulli::compute_mode() const { return cast(probs_ > 0.5, dtype()); }
Tensor Bernoulli::compute_variance() const { return probs_ * (1.0 - probs_); }

Categorical::Categorical(const ChancesOptions& options) : Distribution("Categorical", 0) {
  const Input& given = given_chances(options);
  Composite call({{"probs", given}}, options.name, "Categorical", given.where());
  const bool are_logits = options.logits.has_value();
  const Tensor chances = parameter(call, given, are_logits ? "logits" : "probs");
  logits_ = are_logits ? chances : log(chances);
  probs_ = are_logits ? nn::softmax(chances) : chances;
  begin(call.result_name(), options.dtype, reduce_max(logits_, -1));
}

Tensor Categorical::draw(const Tensor& count, std::optional<int64_t> seed) const {
  const Tensor classes = shape(logits_)[-1];
  const Tensor rows = reshape(logits_, stack({-1, classes}));
  const Seeds seeds = seeds_of(node_of(whole(), "distribution").graph(), seed);
  const Tensor drawn = raw_ops::Multinomial(rows, count, {.seed = seeds.seed, .seed2 = seeds.seed2});
  return reshape(cast(transpose(drawn), dtype()), counted(count, whole()));
}
Tensor Categorical::log_prob_of(const Tensor& value) const {
  const Tensor labels = value + zeros_like(whole(), base_dtype(value.dtype()));
  const Tensor logits = logits_ + with_last_dimension(zeros_like(labels, base_dtype(logits_.dtype())));
  return -nn::sparse_softmax_cross_entropy_with_logits({.labels = labels, .logits = logits});
}
Tensor Categorical::compute_entropy() const { return -reduce_sum(nn::log_softmax(logits_) * probs_, -1); }
Tensor Categorical::compute_mean() const { missing("mean"); }
Tensor Categorical::compute_mode() const { return cast(argmax(logits_, -1), dtype()); }
Tensor Categorical::compute_variance() const { missing("variance"); }

}  // namespace flowray::tf::distributions
