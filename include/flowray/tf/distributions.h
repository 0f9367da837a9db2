#pragma once
/// tf.distributions: batches of probability distributions, as tensors that a graph computes with.
///
///     tf::distributions::Normal prior({0.0, 1.0}, 2.0);      // two of them
///     auto x = prior.sample(100, {.seed = 1});               // [100, 2]
///     auto loss = -tf::reduce_mean(prior.log_prob(x)) + tf::distributions::kl_divergence(posterior, prior);
///
/// Of all of these: parameters are floats, which broadcast to the batch's shape; a sample has the shape
/// sample_shape + batch_shape + event_shape. A number that no distribution can have (the mode of a gamma
/// distribution of concentration 1) is NaN. For a seed samples are those of
/// TensorFlow's Python, but Beta's.

#include <flowray/tf/input.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#pragma GCC visibility push(default)

namespace flowray::tf::distributions {

struct DistributionOptions {
  /// The scope of its nodes; empty: the name of the class.
  std::string name = {};
};

struct DrawOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = {};
  /// The name of the scope of its nodes; empty: "sample".
  std::string name = {};
};

/// A batch of distributions: what all have. Which of the methods a kind of them has not, it says by
/// UnimplementedError.
class Distribution {
 public:
  virtual ~Distribution() = default;
  Distribution(const Distribution&) = default;
  Distribution& operator=(const Distribution&) = default;

  /// The scope of its nodes, with the '/' at the end.
  const std::string& name() const { return name_; }
  /// Of samples.
  DType dtype() const { return dtype_; }
  /// How many distributions there are, as far as it is known.
  TensorShape batch_shape() const;
  /// The shape of one sample of one distribution, as far as it is known: [] of numbers, [n] of vectors.
  TensorShape event_shape() const;
  /// The same as tensors.
  Tensor batch_shape_tensor() const;
  /// The shape of one sample of one distribution.
  Tensor event_shape_tensor() const;

  /// Numbers of the shape `sample_shape` + batch_shape + event_shape.
  Tensor sample(const Input& sample_shape, const DrawOptions& options = {}) const;
  /// One sample of each.
  Tensor sample(const DrawOptions& options = {}) const;
  /// The logarithm of the density, or of the probability, at `value`, which broadcasts with the batch.
  Tensor log_prob(const Input& value, const NameOption& options = {}) const;
  /// The density or the probability.
  Tensor prob(const Input& value, const NameOption& options = {}) const;
  /// The probability of numbers up to `value`.
  Tensor cdf(const Input& value, const NameOption& options = {}) const;
  /// In nats.
  Tensor entropy(const NameOption& options = {}) const;
  /// The mean of each.
  Tensor mean(const NameOption& options = {}) const;
  /// The value with the greatest density or probability.
  Tensor mode(const NameOption& options = {}) const;
  /// Of each element of a sample.
  Tensor variance(const NameOption& options = {}) const;
  /// The square root of variance().
  Tensor stddev(const NameOption& options = {}) const;

 protected:
  /// `kind`: the name of the class; samples of one distribution have so many dimensions.
  Distribution(const char* kind, int event_rank);
  /// `name`: the scope of its nodes; `whole`: a tensor of the shape of one sample of each.
  void begin(std::string name, DType dtype, Tensor whole);
  const Tensor& whole() const { return whole_; }
  [[noreturn]] void missing(const char* what) const;

 private:
  /// A sample has `count` of them before the batch's dimensions.
  virtual Tensor draw(const Tensor& count, std::optional<int64_t> seed) const = 0;
  virtual Tensor log_prob_of(const Tensor& value) const = 0;
  virtual Tensor prob_of(const Tensor& value) const;
  virtual Tensor cdf_of(const Tensor& value) const;
  virtual Tensor compute_entropy() const = 0;
  virtual Tensor compute_mean() const = 0;
  virtual Tensor compute_mode() const = 0;
  virtual Tensor compute_variance() const = 0;
  /// What the argument of log_prob and its siblings becomes; kInvalid: it keeps its own.
  virtual DType dtype_of_values() const { return dtype_; }

  Tensor in_scope(const std::string& name, const char* otherwise, const Input* value,
                  const std::function<Tensor(const Tensor&)>& compute) const;

  std::string kind_;
  int event_rank_;
  std::string name_;
  DType dtype_ = DType::kFloat32;
  Tensor whole_;
};

/// The normal distribution of a mean and a standard deviation.
class Normal final : public Distribution {
 public:
  /// `scale` is above 0.
  Normal(const Input& loc, const Input& scale, const DistributionOptions& options = {});
  /// The mean.
  const Tensor& loc() const { return loc_; }
  /// The standard deviation.
  const Tensor& scale() const { return scale_; }

 private:
  Tensor draw(const Tensor& count, std::optional<int64_t> seed) const override;
  Tensor log_prob_of(const Tensor& value) const override;
  Tensor cdf_of(const Tensor& value) const override;
  Tensor compute_entropy() const override;
  Tensor compute_mean() const override;
  Tensor compute_mode() const override;
  Tensor compute_variance() const override;

  Tensor loc_;
  Tensor scale_;
};

/// The same chance for all numbers from `low` to below `high`.
class Uniform final : public Distribution {
 public:
  /// `low` is below `high`.
  explicit Uniform(const Input& low = 0.0, const Input& high = 1.0, const DistributionOptions& options = {});
  /// The least number.
  const Tensor& low() const { return low_; }
  /// The upper limit, which is not reached.
  const Tensor& high() const { return high_; }
  /// high - low
  Tensor range() const;

 private:
  Tensor draw(const Tensor& count, std::optional<int64_t> seed) const override;
  Tensor log_prob_of(const Tensor& value) const override;
  Tensor prob_of(const Tensor& value) const override;
  Tensor cdf_of(const Tensor& value) const override;
  Tensor compute_entropy() const override;
  Tensor compute_mean() const override;
  Tensor compute_mode() const override;
  Tensor compute_variance() const override;

  Tensor low_;
  Tensor high_;
};

/// One of the two must be given, else the constructor throws ValueError.
struct ChancesOptions {
  /// The logarithms of the odds; of several classes: of their weights.
  OptionalInput logits = {};
  /// The probabilities.
  OptionalInput probs = {};
  /// Of samples.
  DType dtype = DType::kInt32;
  /// The scope of its nodes; empty: the name of the class.
  std::string name = {};
};

/// 1 with the probability `probs`, else 0.
class Bernoulli final : public Distribution {
 public:
  /// Of one distribution for each number.
  explicit Bernoulli(const ChancesOptions& options);
  /// log(probs / (1 - probs))
  const Tensor& logits() const { return logits_; }
  /// The probability of 1.
  const Tensor& probs() const { return probs_; }

 private:
  Tensor draw(const Tensor& count, std::optional<int64_t> seed) const override;
  Tensor log_prob_of(const Tensor& value) const override;
  Tensor compute_entropy() const override;
  Tensor compute_mean() const override;
  Tensor compute_mode() const override;
  Tensor compute_variance() const override;
  DType dtype_of_values() const override;

  Tensor logits_;
  Tensor probs_;
};

/// A class, from 0 to below the last dimension of `probs`, where the probability of each stands. It has no
/// mean and no variance.
class Categorical final : public Distribution {
 public:
  /// Of one distribution for each row, [..., classes].
  explicit Categorical(const ChancesOptions& options);
  /// log(probs), up to a constant.
  const Tensor& logits() const { return logits_; }
  /// The probability of each class.
  const Tensor& probs() const { return probs_; }

 private:
  Tensor draw(const Tensor& count, std::optional<int64_t> seed) const override;
  Tensor log_prob_of(const Tensor& value) const override;
  Tensor compute_entropy() const override;
  Tensor compute_mean() const override;
  Tensor compute_mode() const override;
  Tensor compute_variance() const override;

  Tensor logits_;
  Tensor probs_;
};

/// Of the density x^(concentration - 1) exp(-rate x), up to a constant.
class Gamma final : public Distribution {
 public:
  /// Both are above 0.
  Gamma(const Input& concentration, const Input& rate, const DistributionOptions& options = {});
  /// The shape parameter.
  const Tensor& concentration() const { return concentration_; }
  /// The inverse scale.
  const Tensor& rate() const { return rate_; }

 private:
  Tensor draw(const Tensor& count, std::optional<int64_t> seed) const override;
  Tensor log_prob_of(const Tensor& value) const override;
  Tensor cdf_of(const Tensor& value) const override;
  Tensor compute_entropy() const override;
  Tensor compute_mean() const override;
  Tensor compute_mode() const override;
  Tensor compute_variance() const override;

  Tensor concentration_;
  Tensor rate_;
};

/// Of the density x^(concentration1 - 1) (1 - x)^(concentration0 - 1), up to a constant.
class Beta final : public Distribution {
 public:
  /// Both are above 0.
  Beta(const Input& concentration1, const Input& concentration0, const DistributionOptions& options = {});
  /// That of x.
  const Tensor& concentration1() const { return concentration1_; }
  /// That of 1 - x.
  const Tensor& concentration0() const { return concentration0_; }
  /// Their sum.
  const Tensor& total_concentration() const { return total_; }

 private:
  friend Tensor kl_divergence(const Beta& a, const Beta& b, const NameOption& options);
  Tensor log_normalization() const;
  Tensor draw(const Tensor& count, std::optional<int64_t> seed) const override;
  Tensor log_prob_of(const Tensor& value) const override;
  Tensor cdf_of(const Tensor& value) const override;
  Tensor compute_entropy() const override;
  Tensor compute_mean() const override;
  Tensor compute_mode() const override;
  Tensor compute_variance() const override;

  Tensor concentration1_;
  Tensor concentration0_;
  Tensor total_;
};

/// Vectors of numbers that add up to 1: a Beta of several. Their last dimension is `concentration`'s.
class Dirichlet final : public Distribution {
 public:
  /// All are above 0.
  explicit Dirichlet(const Input& concentration, const DistributionOptions& options = {});
  /// One for each element of a sample.
  const Tensor& concentration() const { return concentration_; }
  /// Their sum.
  const Tensor& total_concentration() const { return total_; }

 private:
  Tensor draw(const Tensor& count, std::optional<int64_t> seed) const override;
  Tensor log_prob_of(const Tensor& value) const override;
  Tensor compute_entropy() const override;
  Tensor compute_mean() const override;
  Tensor compute_mode() const override;
  Tensor compute_variance() const override;

  Tensor concentration_;
  Tensor total_;
};

/// The normal distribution of vectors: loc + scale_tril * z, where z is of standard normal numbers. The
/// covariance is scale_tril * transpose(scale_tril) (tf.contrib.distributions.MultivariateNormalTriL).
class MultivariateNormalTriL final : public Distribution {
 public:
  /// `loc` is [..., n]; `scale_tril` is [..., n, n], lower triangular, with a diagonal above 0, as
  /// tf::cholesky(covariance) is.
  MultivariateNormalTriL(const Input& loc, const Input& scale_tril, const DistributionOptions& options = {});
  /// The mean.
  const Tensor& loc() const { return loc_; }
  /// The Cholesky factor of the covariance.
  const Tensor& scale_tril() const { return scale_; }
  /// scale_tril * transpose(scale_tril)
  Tensor covariance(const NameOption& options = {}) const;

 private:
  friend Tensor kl_divergence(const MultivariateNormalTriL& a, const MultivariateNormalTriL& b,
                              const NameOption& options);
  Tensor log_determinant() const;
  Tensor draw(const Tensor& count, std::optional<int64_t> seed) const override;
  Tensor log_prob_of(const Tensor& value) const override;
  Tensor compute_entropy() const override;
  Tensor compute_mean() const override;
  Tensor compute_mode() const override;
  Tensor compute_variance() const override;

  Tensor loc_;
  Tensor scale_;
};

/// How far `b` is from `a`, in nats: the mean of log(a(x) / b(x)) for x of a.
Tensor kl_divergence(const Normal& a, const Normal& b, const NameOption& options = {});
/// The same; infinite where `a` has numbers that `b` has not.
Tensor kl_divergence(const Uniform& a, const Uniform& b, const NameOption& options = {});
/// The same of chances.
Tensor kl_divergence(const Bernoulli& a, const Bernoulli& b, const NameOption& options = {});
/// The same of classes, of which both have as many.
Tensor kl_divergence(const Categorical& a, const Categorical& b, const NameOption& options = {});
/// The same of gamma distributions.
Tensor kl_divergence(const Gamma& a, const Gamma& b, const NameOption& options = {});
/// The same of beta distributions.
Tensor kl_divergence(const Beta& a, const Beta& b, const NameOption& options = {});
/// The same of Dirichlet distributions of as many numbers.
Tensor kl_divergence(const Dirichlet& a, const Dirichlet& b, const NameOption& options = {});
/// The same of vectors of as many numbers.
Tensor kl_divergence(const MultivariateNormalTriL& a, const MultivariateNormalTriL& b,
                     const NameOption& options = {});

}  // namespace flowray::tf::distributions

#pragma GCC visibility pop
