"""tensorflow.compat.v2, as far as what it names is what version 1 has by that name."""

import importlib
import types

# Of these version 2 has others: other defaults, another meaning of the same arguments, or eager execution.
OTHERS = frozenset("""
    DeviceSpec assert_equal assert_greater assert_less assert_rank batch_to_space boolean_mask debugging.assert_all_finite
    debugging.assert_equal debugging.assert_greater debugging.assert_greater_equal debugging.assert_integer
    debugging.assert_less debugging.assert_less_equal debugging.assert_near debugging.assert_negative
    debugging.assert_non_negative debugging.assert_non_positive debugging.assert_none_equal debugging.assert_positive
    debugging.assert_rank debugging.assert_rank_at_least debugging.assert_rank_in debugging.assert_shapes
    image.crop_and_resize image.draw_bounding_boxes image.extract_glimpse image.extract_patches image.resize
    image.sample_distorted_bounding_box initializers io.decode_csv io.decode_raw io.parse_example io.parse_single_example
    io.serialize_many_sparse io.serialize_sparse linalg.diag linalg.diag_part linalg.matrix_transpose linalg.norm
    linalg.tensor_diag_part losses math.bincount math.confusion_matrix math.count_nonzero math.in_top_k metrics
    nn.batch_norm_with_global_normalization nn.conv1d nn.conv2d nn.conv2d_transpose nn.conv3d nn.conv3d_transpose
    nn.convolution nn.ctc_beam_search_decoder nn.ctc_loss nn.depth_to_space nn.depthwise_conv2d nn.dilation2d nn.dropout
    nn.embedding_lookup_sparse nn.erosion2d nn.fractional_avg_pool nn.fractional_max_pool nn.in_top_k
    nn.max_pool_with_argmax nn.nce_loss nn.pool nn.safe_embedding_lookup_sparse nn.sampled_softmax_loss nn.separable_conv2d
    nn.softmax_cross_entropy_with_logits nn.space_to_batch nn.space_to_depth nn.sufficient_statistics
    nn.weighted_cross_entropy_with_logits nn.weighted_moments norm pad random.poisson random_normal_initializer
    random_uniform_initializer reverse_sequence space_to_batch sparse.add sparse.concat sparse.reduce_max sparse.reduce_sum
    sparse.segment_mean sparse.segment_sqrt_n sparse.segment_sum sparse.split strings.reduce_join strings.split
    strings.substr strings.to_hash_bucket strings.to_number test.assert_equal_graph_def test.compute_gradient
    train.Checkpoint tuple variable_creator_scope where
""".split())


class Version2(types.ModuleType):
    """Version 1's names but those of which version 2 has something else."""

    def __init__(self, path=""):
        super().__init__("tensorflow.compat.v2" + ("." + path if path else ""))
        self.__dict__.update(_prefix=path + "." if path else "", __path__=[])

    def __getattr__(self, name):
        from flowray import tf
        place = self._prefix + name
        if place in OTHERS:
            raise AttributeError("tf.compat.v2.%s is another one than tf.%s, which is what Flowray has" % (place, place))
        if name.startswith("_"):
            raise AttributeError(name)
        value = tf
        for part in place.split("."):
            value = getattr(value, part)
        if isinstance(value, types.ModuleType):
            value = importlib.import_module("flowray.tf._inner").module("compat.v2." + place)
        setattr(self, name, value)
        return value
