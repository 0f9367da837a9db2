"""Functions of tf.image and tf.nn."""

CALLS = """
tf.image.non_max_suppression(boxes, scores, k, threshold, score_threshold)
tf.image.non_max_suppression(boxes, scores, 2)
tf.image.non_max_suppression_with_scores(boxes, scores, k, threshold, score_threshold, other_scalar)
tf.image.non_max_suppression_with_scores(boxes, scores, 2)
tf.nn.max_pool_with_argmax(images, [1, 2, 2, 1], [1, 1, 1, 1], 'SAME', Targmax=tf.int32, include_batch_in_index=True)
tf.nn.max_pool_with_argmax(images, [1, 2, 2, 1], [1, 1, 1, 1], 'SAME')
tf.nn.max_pool_with_argmax(images, [1, 2, 2, 1], [1, 1, 1, 1], 'SAME', output_dtype=tf.int32)
tf.nn.uniform_candidate_sampler(classes, 1, 2, True, 5, 3)
tf.nn.log_uniform_candidate_sampler(classes, 1, 2, True, 5, 3)
tf.nn.compute_accidental_hits(classes, candidates, 1, 3)
tf.nn.conv2d_backprop_filter(images, sizes4, out, [1, 1, 1, 1], 'SAME')
tf.nn.conv2d_backprop_input(image_sizes, kernel, out, [1, 1, 1, 1], 'SAME')
tf.nn.conv3d(volumes, kernel3d, [1, 1, 1, 1, 1], 'SAME')
tf.nn.depthwise_conv2d_native(images, kernel, [1, 1, 1, 1], 'SAME')
tf.nn.depthwise_conv2d_backprop_filter(images, sizes4, out, [1, 1, 1, 1], 'SAME')
tf.nn.depthwise_conv2d_backprop_input(image_sizes, kernel, out, [1, 1, 1, 1], 'SAME')
"""
