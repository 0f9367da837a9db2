"""Initializers by the names of their classes."""

from flowray.tf import _initializers

Zeros, Ones, Constant, Identity = (_initializers.zeros_initializer, _initializers.ones_initializer, _initializers.constant_initializer,
                                   _initializers.identity_initializer)
RandomUniform, RandomNormal = _initializers.random_uniform_initializer, _initializers.random_normal_initializer
TruncatedNormal, UniformUnitScaling = _initializers.truncated_normal_initializer, _initializers.uniform_unit_scaling_initializer
VarianceScaling, Orthogonal = _initializers.variance_scaling_initializer, _initializers.orthogonal_initializer
GlorotUniform, GlorotNormal = _initializers.glorot_uniform_initializer, _initializers.glorot_normal_initializer
Initializer, identity_initializer = _initializers.Initializer, _initializers.identity_initializer
