"""tf.distributions: probability distributions of tensors, by the language's functions."""

import hashlib as _hashlib
import math as _math

from flowray import tf as _tf


class ReparameterizationType:
    """Whether gradients flow from samples to the parameters of a distribution."""

    def __init__(self, rep_type):
        self._rep_type = rep_type

    def __repr__(self):
        return "<Reparameterization Type: %s>" % self._rep_type


FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")


def _seed_of_part(seed, salt):
    """The seed of another draw of the same sample, as TensorFlow makes it."""
    return None if seed is None else int(_hashlib.md5((str(seed) + salt).encode()).hexdigest()[:8], 16) & 0x7FFFFFFF


class Distribution:
    """A batch of distributions: `batch_shape` of them, whose samples have the shape `event_shape`."""

    _event_rank = 0
    _parameters_by_shape = None  # the names of those that have the shape of the batch, where param_shapes() is there
    reparameterization_type = NOT_REPARAMETERIZED

    def __init__(self, name, dtype, allow_nan_stats, validate_args, /, **parameters):
        if validate_args:
            raise NotImplementedError("%s(validate_args=True) is not there today: tf.debugging.assert_positive and its siblings check parameters"
                                      % type(self).__name__)
        self.name, self.allow_nan_stats, self.validate_args = name, allow_nan_stats, validate_args
        self._dtype = dtype
        self.parameters = dict(parameters, validate_args=validate_args, allow_nan_stats=allow_nan_stats, name=name)

    @property
    def dtype(self):
        return self._dtype

    def _described(self, words):
        return words.format(kind=type(self).__name__, name=self.name, batch=self.batch_shape, event=self.event_shape, dtype=self.dtype.name)

    def __str__(self):
        return self._described('tfp.distributions.{kind}("{name}", batch_shape={batch}, event_shape={event}, dtype={dtype})')

    def __repr__(self):
        return self._described("<tfp.distributions.{kind} '{name}' batch_shape={batch} event_shape={event} dtype={dtype}>")

    @classmethod
    def param_shapes(cls, sample_shape, name="DistributionParamShapes"):
        """{name of a parameter: its shape as a vector}, so that one draw of each has the shape `sample_shape`."""
        if cls._parameters_by_shape is None:
            raise NotImplementedError("_param_shapes not implemented")
        with _tf.name_scope(name, values=[sample_shape]):
            shape = _tf.reshape(_tf.convert_to_tensor(sample_shape, dtype=_tf.int32), [-1])
            return dict.fromkeys(cls._parameters_by_shape, shape)

    @classmethod
    def param_static_shapes(cls, sample_shape):
        """{name of a parameter: its tf.TensorShape}, so that one draw of each has the shape `sample_shape`. ValueError where that is
        not known."""
        if cls._parameters_by_shape is None:
            raise NotImplementedError("_param_shapes not implemented")
        known = _tf.get_static_value(sample_shape) if isinstance(sample_shape, _tf.Tensor) else sample_shape
        shape = None if known is None else _tf.TensorShape(known)
        if shape is None or not shape.is_fully_defined():
            raise ValueError("sample_shape must be a fully-defined TensorShape or list/tuple")
        return dict.fromkeys(cls._parameters_by_shape, shape)

    # ---- shapes

    def _whole(self):
        """A tensor of the shape of one sample of each."""
        raise NotImplementedError

    def _split(self, shape):
        rank = self._event_rank
        return (shape[:shape.ndims - rank], shape[shape.ndims - rank:]) if rank else (shape, _tf.TensorShape([]))

    @property
    def batch_shape(self):
        return self._split(self._whole().shape)[0]

    @property
    def event_shape(self):
        return self._split(self._whole().shape)[1]

    def batch_shape_tensor(self, name="batch_shape_tensor"):
        shape = _tf.shape(self._whole())
        return _tf.identity(shape[:-1] if self._event_rank else shape, name=name)

    def event_shape_tensor(self, name="event_shape_tensor"):
        shape = _tf.shape(self._whole())
        return _tf.identity(shape[-1:] if self._event_rank else shape[:0], name=name)

    def is_scalar_event(self, name="is_scalar_event"):
        return _tf.constant(self._event_rank == 0, name=name)

    def is_scalar_batch(self, name="is_scalar_batch"):
        return _tf.equal(_tf.size(self.batch_shape_tensor()), 0, name=name)

    # ---- what there is of each

    def _missing(self, what):
        raise NotImplementedError("%s is not implemented: %s" % (what, type(self).__name__))

    def _value(self, value):
        return _tf.convert_to_tensor(value, dtype=self.dtype, name="value")

    def sample(self, sample_shape=(), seed=None, name="sample"):
        """Numbers of the shape `sample_shape` + batch_shape + event_shape."""
        with _tf.name_scope(self.name + name):
            sample_shape = _tf.convert_to_tensor(sample_shape, dtype=_tf.int32, name="sample_shape")
            count = _tf.reduce_prod(sample_shape)
            numbers = self._sample_n(count, seed)
            known = _tf.get_static_value(sample_shape)
            outer = _tf.reshape(sample_shape, [-1])
            result = _tf.reshape(numbers, _tf.concat([outer, _tf.shape(numbers)[1:]], 0))
            if known is not None:
                result.set_shape(_tf.TensorShape([int(n) for n in known.reshape(-1)]).concatenate(numbers.shape[1:]))
            return result

    def _sample_n(self, count, seed):
        self._missing("sample")

    def log_prob(self, value, name="log_prob"):
        with _tf.name_scope(self.name + name):
            return self._log_prob(self._value(value))

    def prob(self, value, name="prob"):
        with _tf.name_scope(self.name + name):
            return _tf.exp(self._log_prob(self._value(value)))

    def _log_prob(self, value):
        return _tf.log(self._prob(value))

    def _prob(self, value):
        self._missing("prob")

    def cdf(self, value, name="cdf"):
        with _tf.name_scope(self.name + name):
            return self._cdf(self._value(value))

    def log_cdf(self, value, name="log_cdf"):
        with _tf.name_scope(self.name + name):
            return self._log_cdf(self._value(value))

    def survival_function(self, value, name="survival_function"):
        return 1.0 - self.cdf(value, name)

    def log_survival_function(self, value, name="log_survival_function"):
        return _tf.log(self.survival_function(value, name))

    def _cdf(self, value):
        self._missing("cdf")

    def _log_cdf(self, value):
        return _tf.log(self._cdf(value))

    def quantile(self, value, name="quantile"):
        """The inverse of cdf."""
        with _tf.name_scope(self.name + name):
            return self._quantile(self._value(value))

    def _quantile(self, value):
        self._missing("quantile")

    def entropy(self, name="entropy"):
        with _tf.name_scope(self.name + name):
            return self._entropy()

    def mean(self, name="mean"):
        with _tf.name_scope(self.name + name):
            return self._mean()

    def mode(self, name="mode"):
        with _tf.name_scope(self.name + name):
            return self._mode()

    def variance(self, name="variance"):
        with _tf.name_scope(self.name + name):
            return self._variance()

    def stddev(self, name="stddev"):
        with _tf.name_scope(self.name + name):
            return self._stddev()

    def covariance(self, name="covariance"):
        """Of the elements of one sample with each other: batch_shape + event_shape + event_shape."""
        with _tf.name_scope(self.name + name):
            return self._covariance()

    def copy(self, **override_parameters_kwargs):
        """One of the same parameters, but for those that are given."""
        return type(self)(**dict(self.parameters, **override_parameters_kwargs))

    def _covariance(self):
        self._missing("covariance")

    def _entropy(self):
        self._missing("entropy")

    def _mean(self):
        self._missing("mean")

    def _mode(self):
        self._missing("mode")

    def _variance(self):
        self._missing("variance")

    def _stddev(self):
        return _tf.sqrt(self._variance())

    def kl_divergence(self, other, name="kl_divergence"):
        return kl_divergence(self, other, name=name)

    def cross_entropy(self, other, name="cross_entropy"):
        with _tf.name_scope(self.name + name):
            return kl_divergence(self, other) + self._entropy()


_divergences = {}


class RegisterKL:
    """A decorator: the function gives the divergence of two kinds of distributions to kl_divergence."""

    def __init__(self, dist_cls_a, dist_cls_b):
        self._key = dist_cls_a, dist_cls_b

    def __call__(self, kl_fn):
        if not callable(kl_fn):
            raise TypeError("kl_fn must be callable, received: %s" % (kl_fn,))
        if self._key in _divergences:
            raise ValueError("KL(%s || %s) has already been registered to: %s" % (self._key[0].__name__, self._key[1].__name__,
                                                                                  _divergences[self._key]))
        _divergences[self._key] = kl_fn
        return kl_fn


def kl_divergence(distribution_a, distribution_b, allow_nan_stats=True, name=None):
    """How far b is from a, in nats. NotImplementedError for kinds that nobody has registered."""
    found = None
    for mro_a in type(distribution_a).__mro__:
        for mro_b in type(distribution_b).__mro__:
            found = found or _divergences.get((mro_a, mro_b))
    if found is None:
        raise NotImplementedError("No KL(distribution_a || distribution_b) registered for distribution_a type %s and distribution_b type %s"
                                  % (type(distribution_a).__name__, type(distribution_b).__name__))
    if not allow_nan_stats:
        raise NotImplementedError("kl_divergence(allow_nan_stats=False) is not there today: tf.check_numerics says where a number is missing")
    with _tf.name_scope("KullbackLeibler" if name is None else name):
        return found(distribution_a, distribution_b, name=name)


def _parameter(value, name, like=None):
    return _tf.convert_to_tensor(value, name=name, dtype=None if like is None else like.dtype)


def _counted(count, tensor):
    return _tf.concat([[count], _tf.shape(tensor)], 0)


class _LocationAndScale(Distribution):
    reparameterization_type = FULLY_REPARAMETERIZED

    _parameters_by_shape = ("loc", "scale")

    def __init__(self, loc, scale, validate_args, allow_nan_stats, name):
        with _tf.name_scope(name) as name:
            self.loc = _parameter(loc, "loc")
            self.scale = _parameter(scale, "scale", self.loc)
        super().__init__(name, self.loc.dtype, allow_nan_stats, validate_args, loc=loc, scale=scale)

    def _whole(self):
        return self.loc + self.scale

    def _spread(self, value):
        return value * _tf.ones_like(self._whole())

    def _mean(self):
        return self._spread(self.loc)

    _mode = _mean


class Normal(_LocationAndScale):
    """The normal distribution of a mean `loc` and a standard deviation `scale`."""

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="Normal"):
        super().__init__(loc, scale, validate_args, allow_nan_stats, name)

    def _z(self, value):
        return (value - self.loc) / self.scale

    def _sample_n(self, count, seed):
        return _tf.random_normal(_counted(count, self._whole()), dtype=self.dtype, seed=seed) * self.scale + self.loc

    def _log_prob(self, value):
        return -0.5 * _tf.square(self._z(value)) - (0.5 * _math.log(2 * _math.pi) + _tf.log(self.scale))

    def _cdf(self, value):
        return 0.5 * _tf.erfc(self._z(value) * -_math.sqrt(0.5))

    def _entropy(self):
        return 0.5 * _math.log(2 * _math.pi * _math.e) + _tf.log(self._spread(self.scale))

    def _stddev(self):
        return self._spread(self.scale)

    def _variance(self):
        return _tf.square(self._stddev())

    def _quantile(self, value):
        return self.loc + self.scale * _tf.math.ndtri(value)


class Laplace(_LocationAndScale):
    """exp(-|x - loc| / scale) / (2 scale)."""

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="Laplace"):
        super().__init__(loc, scale, validate_args, allow_nan_stats, name)

    def _sample_n(self, count, seed):
        import numpy as np
        kind = self.dtype.as_numpy_dtype
        uniform = _tf.random_uniform(_counted(count, self._whole()), minval=np.nextafter(kind(-1.0), kind(0.0)), maxval=1.0, dtype=self.dtype,
                                     seed=seed)
        return self.loc - self.scale * _tf.sign(uniform) * _tf.log1p(-_tf.abs(uniform))

    def _z(self, value):
        return (value - self.loc) / self.scale

    def _log_prob(self, value):
        return -_tf.abs(self._z(value)) - _math.log(2.0) - _tf.log(self.scale)

    def _cdf(self, value):
        z = self._z(value)
        return 0.5 + 0.5 * _tf.sign(z) * (1.0 - _tf.exp(-_tf.abs(z)))

    def _entropy(self):
        return _math.log(2.0) + 1.0 + _tf.log(self._spread(self.scale))

    def _stddev(self):
        return _math.sqrt(2.0) * self._spread(self.scale)

    def _variance(self):
        return _tf.square(self._stddev())


class Uniform(Distribution):
    """The same chance for all numbers from `low` to below `high`."""

    reparameterization_type = FULLY_REPARAMETERIZED

    _parameters_by_shape = ("low", "high")

    def __init__(self, low=0.0, high=1.0, validate_args=False, allow_nan_stats=True, name="Uniform"):
        with _tf.name_scope(name) as name:
            self.low = _parameter(low, "low")
            self.high = _parameter(high, "high", self.low)
        super().__init__(name, self.low.dtype, allow_nan_stats, validate_args, low=low, high=high)

    def _whole(self):
        return self.low + self.high

    def range(self, name="range"):
        return self.high - self.low

    def _sample_n(self, count, seed):
        return self.low + self.range() * _tf.random_uniform(_counted(count, self._whole()), dtype=self.dtype, seed=seed)

    def _log_prob(self, value):
        return _tf.log(self._prob(value))

    def prob(self, value, name="prob"):
        with _tf.name_scope(self.name + name):
            return self._prob(self._value(value))

    def _prob(self, value):
        density = _tf.ones_like(value) / self.range() * _tf.ones_like(value)
        outside = _tf.logical_or(value < self.low, value >= self.high)
        return _tf.where_v2(_tf.is_nan(value), value, _tf.where_v2(outside, _tf.zeros_like(density), density))

    def _cdf(self, value):
        return _tf.clip_by_value((value - self.low) / self.range(), 0.0, 1.0)

    def _entropy(self):
        return _tf.log(self.range())

    def _mean(self):
        return (self.low + self.high) / 2.0

    def _variance(self):
        return _tf.square(self.range()) / 12.0

    def _stddev(self):
        return self.range() / _math.sqrt(12.0)


def _logits_and_probs(logits, probs, several, name):
    if (logits is None) == (probs is None):
        raise ValueError("Must pass probs or logits, but not both.")
    with _tf.name_scope(name) as scope:
        if probs is None:
            logits = _parameter(logits, "logits")
            return scope, logits, _tf.nn.softmax(logits) if several else _tf.sigmoid(logits)
        probs = _parameter(probs, "probs")
        return scope, _tf.log(probs) if several else _tf.log(probs) - _tf.log1p(-probs), probs


class Bernoulli(Distribution):
    """1 with the chance `probs`, or sigmoid of `logits`, else 0."""

    _parameters_by_shape = ("logits",)

    def __init__(self, logits=None, probs=None, dtype=_tf.int32, validate_args=False, allow_nan_stats=True, name="Bernoulli"):
        name, self.logits, self.probs = _logits_and_probs(logits, probs, False, name)
        super().__init__(name, _tf.as_dtype(dtype), allow_nan_stats, validate_args, logits=logits, probs=probs, dtype=dtype)

    def _whole(self):
        return self.probs

    def _sample_n(self, count, seed):
        uniform = _tf.random_uniform(_counted(count, self.probs), seed=seed, dtype=self.probs.dtype)
        return _tf.cast(_tf.less(uniform, self.probs), self.dtype)

    def _value(self, value):
        return _tf.cast(_tf.convert_to_tensor(value, name="value"), self.logits.dtype)

    def _log_prob(self, value):
        return -_tf.nn.sigmoid_cross_entropy_with_logits(labels=value + _tf.zeros_like(self.logits), logits=self.logits + _tf.zeros_like(value))

    def _entropy(self):
        return -self.logits * (_tf.sigmoid(self.logits) - 1.0) + _tf.nn.softplus(-self.logits)

    def _mean(self):
        return _tf.identity(self.probs)

    def _variance(self):
        return self._mean() * (1.0 - self.probs)

    def _mode(self):
        return _tf.cast(self.probs > 0.5, self.dtype)


class Categorical(Distribution):
    """A number from 0 to below the last dimension of `probs`, or of `logits`, whose chances stand there."""

    def __init__(self, logits=None, probs=None, dtype=_tf.int32, validate_args=False, allow_nan_stats=True, name="Categorical"):
        name, self.logits, self.probs = _logits_and_probs(logits, probs, True, name)
        super().__init__(name, _tf.as_dtype(dtype), allow_nan_stats, validate_args, logits=logits, probs=probs, dtype=dtype)

    @property
    def event_size(self):
        size = self.logits.shape[-1].value
        return _tf.constant(size, name="event_size") if size is not None else _tf.shape(self.logits)[-1]

    def _whole(self):
        return self.logits[..., 0]

    def _sample_n(self, count, seed):
        rows = _tf.reshape(self.logits, [-1, self.event_size])
        drawn = _tf.cast(_tf.multinomial(rows, count, seed=seed), self.dtype)
        return _tf.reshape(_tf.transpose(drawn), _counted(count, self._whole()))

    def _log_prob(self, value):
        value = value + _tf.zeros(self.batch_shape_tensor(), value.dtype)
        logits = self.logits + _tf.zeros_like(value, self.logits.dtype)[..., None]
        return -_tf.nn.sparse_softmax_cross_entropy_with_logits(labels=value, logits=logits)

    def _cdf(self, value):
        value = value + _tf.zeros(self.batch_shape_tensor(), value.dtype)
        probs = self.probs + _tf.zeros_like(value, self.probs.dtype)[..., None]
        below = _tf.sequence_mask(value, self.event_size, dtype=self.probs.dtype)
        return _tf.reduce_sum(probs * below, -1)

    def _entropy(self):
        return -_tf.reduce_sum(_tf.nn.log_softmax(self.logits) * self.probs, -1)

    def _mode(self):
        return _tf.cast(_tf.argmax(self.logits, -1), self.dtype)


class Gamma(Distribution):
    """x^(concentration - 1) exp(-x rate), in parts of the whole."""

    reparameterization_type = FULLY_REPARAMETERIZED

    _parameters_by_shape = ("concentration", "rate")

    def __init__(self, concentration, rate, validate_args=False, allow_nan_stats=True, name="Gamma"):
        with _tf.name_scope(name) as name:
            self.concentration = _parameter(concentration, "concentration")
            self.rate = _parameter(rate, "rate", self.concentration)
        super().__init__(name, self.concentration.dtype, allow_nan_stats, validate_args, concentration=concentration, rate=rate)

    def _whole(self):
        return self.concentration + self.rate

    def _sample_n(self, count, seed):
        return _tf.random_gamma([count], alpha=self.concentration, beta=self.rate, dtype=self.dtype, seed=seed)

    def _log_prob(self, value):
        normal = _tf.lgamma(self.concentration) - self.concentration * _tf.log(self.rate)
        return _tf.math.xlogy(self.concentration - 1.0, value) - self.rate * value - normal

    def _cdf(self, value):
        return _tf.igamma(self.concentration, self.rate * value)

    def _entropy(self):
        a = self.concentration
        return a - _tf.log(self.rate) + _tf.lgamma(a) + (1.0 - a) * _tf.digamma(a)

    def _mean(self):
        return self.concentration / self.rate

    def _variance(self):
        return self.concentration / _tf.square(self.rate)

    def _stddev(self):
        return _tf.sqrt(self.concentration) / self.rate

    def _mode(self):
        mode = (self.concentration - 1.0) / self.rate
        return _tf.where_v2(self.concentration > 1.0, mode, _tf.fill(_tf.shape(mode), _tf.constant(float("nan"), self.dtype)))


class Exponential(Gamma):
    """rate * exp(-x rate)."""

    _parameters_by_shape = ("rate",)

    def __init__(self, rate, validate_args=False, allow_nan_stats=True, name="Exponential"):
        rate = _parameter(rate, "rate")
        super().__init__(_tf.ones_like(rate), rate, validate_args, allow_nan_stats, name)
        self.parameters = dict(rate=rate, validate_args=validate_args, allow_nan_stats=allow_nan_stats, name=name)

    def _sample_n(self, count, seed):
        import numpy as np
        least = np.finfo(self.dtype.as_numpy_dtype).tiny
        uniform = _tf.random_uniform(_counted(count, self.rate), minval=least, maxval=1.0, dtype=self.dtype, seed=seed)
        return -_tf.log(uniform) / self.rate


class Beta(Distribution):
    """x^(concentration1 - 1) (1 - x)^(concentration0 - 1), in parts of the whole."""

    reparameterization_type = FULLY_REPARAMETERIZED

    _parameters_by_shape = ("concentration1", "concentration0")

    def __init__(self, concentration1=None, concentration0=None, validate_args=False, allow_nan_stats=True, name="Beta"):
        with _tf.name_scope(name) as name:
            self.concentration1 = _parameter(concentration1, "concentration1")
            self.concentration0 = _parameter(concentration0, "concentration0", self.concentration1)
            self.total_concentration = self.concentration1 + self.concentration0
        super().__init__(name, self.concentration1.dtype, allow_nan_stats, validate_args, concentration1=concentration1,
                         concentration0=concentration0)

    def _whole(self):
        return self.total_concentration

    def _sample_n(self, count, seed):
        ones = _tf.ones_like(self.total_concentration)
        one = _tf.random_gamma([count], alpha=self.concentration1 * ones, dtype=self.dtype, seed=seed)
        other = _tf.random_gamma([count], alpha=self.concentration0 * ones, dtype=self.dtype, seed=_seed_of_part(seed, "beta"))
        return one / (one + other)

    def _normal(self):
        return _tf.lgamma(self.concentration1) + _tf.lgamma(self.concentration0) - _tf.lgamma(self.total_concentration)

    def _log_prob(self, value):
        return _tf.math.xlogy(self.concentration1 - 1.0, value) + (self.concentration0 - 1.0) * _tf.log1p(-value) - self._normal()

    def _cdf(self, value):
        return _tf.betainc(self.concentration1 + _tf.zeros_like(value), self.concentration0 + _tf.zeros_like(value),
                           value + _tf.zeros_like(self.total_concentration))

    def _entropy(self):
        a, b, total = self.concentration1, self.concentration0, self.total_concentration
        return self._normal() - (a - 1.0) * _tf.digamma(a) - (b - 1.0) * _tf.digamma(b) + (total - 2.0) * _tf.digamma(total)

    def _mean(self):
        return self.concentration1 / self.total_concentration

    def _variance(self):
        return self._mean() * (1.0 - self._mean()) / (1.0 + self.total_concentration)

    def _mode(self):
        mode = (self.concentration1 - 1.0) / (self.total_concentration - 2.0)
        defined = _tf.logical_and(self.concentration1 > 1.0, self.concentration0 > 1.0)
        return _tf.where_v2(defined, mode, _tf.fill(_tf.shape(mode), _tf.constant(float("nan"), self.dtype)))


class Dirichlet(Distribution):
    """Numbers that add up to 1: a Beta of several."""

    _event_rank = 1
    reparameterization_type = FULLY_REPARAMETERIZED

    def __init__(self, concentration, validate_args=False, allow_nan_stats=True, name="Dirichlet"):
        with _tf.name_scope(name) as name:
            self.concentration = _parameter(concentration, "concentration")
            self.total_concentration = _tf.reduce_sum(self.concentration, -1)
        super().__init__(name, self.concentration.dtype, allow_nan_stats, validate_args, concentration=concentration)

    def _whole(self):
        return self.concentration

    def _sample_n(self, count, seed):
        drawn = _tf.random_gamma([count], alpha=self.concentration, dtype=self.dtype, seed=seed)
        return drawn / _tf.reduce_sum(drawn, -1, keepdims=True)

    def _log_prob(self, value):
        return _tf.reduce_sum(_tf.math.xlogy(self.concentration - 1.0, value), -1) - _tf.lbeta(self.concentration)

    def _entropy(self):
        size = _tf.cast(_tf.shape(self.concentration)[-1], self.dtype)
        return (_tf.lbeta(self.concentration) + (self.total_concentration - size) * _tf.digamma(self.total_concentration)
                - _tf.reduce_sum((self.concentration - 1.0) * _tf.digamma(self.concentration), -1))

    def _mean(self):
        return self.concentration / self.total_concentration[..., None]

    def _variance(self):
        return self._mean() * (1.0 - self._mean()) / (1.0 + self.total_concentration[..., None])

    def _covariance(self):
        scaled = self._mean() * _tf.rsqrt(1.0 + self.total_concentration[..., None])
        return _with_variance(scaled, self._variance())

    def _mode(self):
        size = _tf.cast(_tf.shape(self.concentration)[-1], self.dtype)
        mode = (self.concentration - 1.0) / (self.total_concentration[..., None] - size)
        return _tf.where_v2(_tf.reduce_all(self.concentration > 1.0, -1, keepdims=True), mode, _tf.constant(float("nan"), self.dtype))


def _with_variance(scaled, variance):
    """The covariances of parts of a whole: minus the products of what is scaled, with the variances on the diagonal."""
    return _tf.linalg.set_diag(-_tf.matmul(scaled[..., None], scaled[..., None, :]), variance)


def _log_of_orders(total, counts):
    """The logarithm of how many orders of `total` draws have these counts."""
    return _tf.lgamma(total + 1.0) - _tf.reduce_sum(_tf.lgamma(counts + 1.0), -1)


class Multinomial(Distribution):
    """How often each of several classes is drawn in `total_count` draws."""

    _event_rank = 1

    def __init__(self, total_count, logits=None, probs=None, validate_args=False, allow_nan_stats=True, name="Multinomial"):
        with _tf.name_scope(name) as name:
            self.total_count = _tf.convert_to_tensor(total_count, name="total_count")
            _, self.logits, self.probs = _logits_and_probs(logits, probs, True, name)
            self._expected = self.total_count[..., None] * self.probs
        super().__init__(name, self.probs.dtype, allow_nan_stats, validate_args, total_count=total_count, logits=logits, probs=probs)

    def _whole(self):
        return self._expected

    def _sample_n(self, count, seed):
        classes = self.event_shape_tensor()[0]
        draws = _tf.cast(self.total_count, _tf.int32) * _tf.ones_like(self.logits[..., 0], dtype=_tf.int32)
        logits = self.logits * _tf.ones_like(draws[..., None], dtype=self.logits.dtype)

        def of_one(row):
            drawn = _tf.reshape(_tf.multinomial(row[0][None], row[1], seed), [count, -1])
            return _tf.reduce_sum(_tf.one_hot(drawn, classes, dtype=self.dtype), -2)
        rows = _tf.reshape(logits, [-1, classes]), count * _tf.reshape(draws, [-1])
        counts = _tf.transpose(_tf.map_fn(of_one, rows, dtype=self.dtype), [1, 0, 2])
        return _tf.reshape(counts, _tf.concat([[count], self.batch_shape_tensor(), [classes]], 0))

    def _log_prob(self, counts):
        return _tf.reduce_sum(counts * _tf.nn.log_softmax(self.logits), -1) + _log_of_orders(self.total_count, counts)

    def _mean(self):
        return _tf.identity(self._expected)

    def _shares(self):
        return self.probs * _tf.ones_like(self.total_count)[..., None]

    def _variance(self):
        return self._expected - self._expected * self._shares()

    def _covariance(self):
        return _tf.linalg.set_diag(-_tf.matmul(self._expected[..., None], self._shares()[..., None, :]), self._variance())


class DirichletMultinomial(Distribution):
    """How often each class is drawn where their probabilities are those of a Dirichlet distribution."""

    _event_rank = 1

    def __init__(self, total_count, concentration, validate_args=False, allow_nan_stats=True, name="DirichletMultinomial"):
        with _tf.name_scope(name) as name:
            self.total_count = _tf.convert_to_tensor(total_count, name="total_count")
            self.concentration = _parameter(concentration, "concentration")
            self.total_concentration = _tf.reduce_sum(self.concentration, -1)
        super().__init__(name, self.concentration.dtype, allow_nan_stats, validate_args, total_count=total_count, concentration=concentration)

    def _whole(self):
        return self.concentration

    def _sample_n(self, count, seed):
        classes = self.event_shape_tensor()[0]
        rates = _tf.random_gamma([count], alpha=self.concentration, dtype=self.dtype, seed=seed)
        drawn = _tf.multinomial(_tf.reshape(_tf.log(rates), [-1, classes]), _tf.cast(self.total_count, _tf.int32),
                                _seed_of_part(seed, "dirichlet_multinomial"))
        counts = _tf.reduce_sum(_tf.one_hot(drawn, classes), -2)
        return _tf.cast(_tf.reshape(counts, _tf.concat([[count], self.batch_shape_tensor(), [classes]], 0)), self.dtype)

    def _log_prob(self, counts):
        return _tf.lbeta(self.concentration + counts) - _tf.lbeta(self.concentration) + _log_of_orders(self.total_count, counts)

    def _mean(self):
        return self.total_count * (self.concentration / self.total_concentration[..., None])

    def _scale(self):
        total = self.total_concentration[..., None]
        return _tf.sqrt((1.0 + total / self.total_count) / (1.0 + total))

    def _variance(self):
        scaled = self._scale() * self._mean()
        return scaled * (self.total_count * self._scale() - scaled)

    def _covariance(self):
        return _with_variance(self._scale() * self._mean(), self._variance())


class StudentT(Distribution):
    """Student's distribution of `df` degrees of freedom, moved by `loc` and stretched by `scale`."""

    reparameterization_type = FULLY_REPARAMETERIZED

    _parameters_by_shape = ("df", "loc", "scale")

    def __init__(self, df, loc, scale, validate_args=False, allow_nan_stats=True, name="StudentT"):
        with _tf.name_scope(name) as name:
            self.df = _parameter(df, "df")
            self.loc, self.scale = _parameter(loc, "loc", self.df), _parameter(scale, "scale", self.df)
        super().__init__(name, self.scale.dtype, allow_nan_stats, validate_args, df=df, loc=loc, scale=scale)

    def _whole(self):
        return self.df + self.loc + self.scale

    def _sample_n(self, count, seed):
        normal = _tf.random_normal(_counted(count, self._whole()), dtype=self.dtype, seed=seed)
        df = self.df * _tf.ones_like(self._whole())
        gamma = _tf.random_gamma([count], 0.5 * df, beta=0.5, dtype=self.dtype, seed=_seed_of_part(seed, "student_t"))
        return normal * _tf.rsqrt(gamma / df) * self.scale + self.loc

    def _log_prob(self, value):
        y = (value - self.loc) / self.scale
        normal = (_tf.log(_tf.abs(self.scale)) + 0.5 * _tf.log(self.df) + 0.5 * _math.log(_math.pi) + _tf.lgamma(0.5 * self.df)
                  - _tf.lgamma(0.5 * (self.df + 1.0)))
        return -0.5 * (self.df + 1.0) * _tf.log1p(y ** 2.0 / self.df) - normal

    def _cdf(self, value):
        y = (value - self.loc) / _tf.abs(self.scale)
        tail = 0.5 * _tf.betainc(0.5 * self.df + _tf.zeros_like(y), 0.5 + _tf.zeros_like(y), self.df / (y ** 2.0 + self.df))
        return _tf.where_v2(y < 0.0, tail, 1.0 - tail)

    def _spread(self, value):
        return value * _tf.ones_like(self._whole())

    def _where_it_is_defined(self, value, what):
        """The value where df > 1, and where it is not NaN, or an error with allow_nan_stats=False."""
        df = self._spread(self.df)
        if self.allow_nan_stats:
            return _tf.where_v2(df > 1.0, value, _tf.fill(_tf.shape(value), _tf.constant(float("nan"), self.dtype)))
        check = _tf.assert_less(_tf.ones([], self.dtype), self.df, message=what + " not defined for components of df <= 1")
        with _tf.control_dependencies([check]):
            return _tf.identity(value)

    def _mean(self):
        return self._where_it_is_defined(self._spread(self.loc), "mean")

    def _variance(self):
        df = self._spread(self.df)
        is_finite = df > 2.0
        finite = self._spread(_tf.square(self.scale)) * df / _tf.where_v2(is_finite, df - 2.0, _tf.ones_like(df))
        infinite = _tf.fill(_tf.shape(df), _tf.constant(float("inf"), self.dtype))
        return self._where_it_is_defined(_tf.where_v2(is_finite, finite, infinite), "variance")

    def _entropy(self):
        half, half_more = 0.5 * self._spread(self.df), 0.5 * (self._spread(self.df) + 1.0)
        log_beta = _tf.lgamma(half) + _math.lgamma(0.5) - _tf.lgamma(half_more)
        return (_tf.log(_tf.abs(self.scale)) + 0.5 * _tf.log(self._spread(self.df)) + log_beta
                + half_more * (_tf.digamma(half_more) - _tf.digamma(half)))

    def _mode(self):
        return _tf.identity(self.loc)


# ---- divergences


@RegisterKL(Normal, Normal)
def _normals(a, b, name=None):
    ratio = _tf.square(a.scale) / _tf.square(b.scale)
    return _tf.square(a.loc - b.loc) / (2.0 * _tf.square(b.scale)) + 0.5 * (ratio - 1.0 - _tf.log(ratio))


@RegisterKL(Bernoulli, Bernoulli)
def _bernoullis(a, b, name=None):
    return (_tf.nn.softplus(-b.logits) - _tf.nn.softplus(-a.logits)) * _tf.sigmoid(a.logits) \
        + (_tf.nn.softplus(b.logits) - _tf.nn.softplus(a.logits)) * _tf.sigmoid(-a.logits)


@RegisterKL(Categorical, Categorical)
def _categoricals(a, b, name=None):
    return _tf.reduce_sum(_tf.nn.softmax(a.logits) * (_tf.nn.log_softmax(a.logits) - _tf.nn.log_softmax(b.logits)), -1)


@RegisterKL(Gamma, Gamma)
def _gammas(a, b, name=None):
    return ((a.concentration - b.concentration) * _tf.digamma(a.concentration) + _tf.lgamma(b.concentration) - _tf.lgamma(a.concentration)
            + b.concentration * _tf.log(a.rate) - b.concentration * _tf.log(b.rate) + a.concentration * (b.rate / a.rate - 1.0))


@RegisterKL(Beta, Beta)
def _betas(a, b, name=None):
    one, other = b.concentration1 - a.concentration1, b.concentration0 - a.concentration0
    return (b._normal() - a._normal() - _tf.digamma(a.concentration1) * one - _tf.digamma(a.concentration0) * other
            + _tf.digamma(a.total_concentration) * (one + other))


@RegisterKL(Dirichlet, Dirichlet)
def _dirichlets(a, b, name=None):
    known = _tf.digamma(a.concentration) - _tf.digamma(a.total_concentration)[..., None]
    return _tf.reduce_sum((a.concentration - b.concentration) * known, -1) - _tf.lbeta(a.concentration) + _tf.lbeta(b.concentration)


@RegisterKL(Uniform, Uniform)
def _uniforms(a, b, name=None):
    inside = _tf.logical_and(b.low <= a.low, a.high <= b.high)
    return _tf.where_v2(inside, _tf.log(b.high - b.low) - _tf.log(a.high - a.low), _tf.constant(float("inf"), a.dtype))
