// Options, items of lists, and arguments of methods that are handles which stand for none: the ValueError
// names them as the header does.
#include "tf/unset_uses.h"

#include <gtest/gtest.h>

namespace flowray::unset_uses {
namespace {

using GradientDescent = tf::train::GradientDescentOptimizer;
using Synced = tf::train::SyncReplicasOptimizer;

// clang-format off
constexpr Use kOptions[] = {
    // arrays
    USE("axis", tf::squeeze(x, {.axis = none})),
    USE("squeeze_dims", tf::squeeze(x, {.squeeze_dims = none})),
    USE("perm", tf::transpose(x, none)),
    USE("perm", tf::transpose(x, {.perm = none})),
    USE("axis", tf::split(x, 2, {.axis = none})),
    USE("axis", tf::split(x, 2, none)),
    USE("axis", tf::gather(x, 1, {.axis = none})),
    USE("constant_values", tf::pad(x, x, {.constant_values = none})),
    USE("on_value", tf::one_hot(x, 1, {.on_value = none})),
    USE("off_value", tf::one_hot(x, 1, {.off_value = none})),
    USE("maxlen", tf::sequence_mask(x, none)),
    USE("maxlen", tf::sequence_mask(x, {.maxlen = none})),
    USE("batch_shape", tf::eye(1, {.batch_shape = none})),
    USE("num_columns", tf::eye(1, none)),
    USE("num_columns", tf::eye(1, {.num_columns = none})),
    USE("axis", tf::norm(x, {.axis = none})),
    USE("axis", tf::linalg::normalize(x, {.axis = none})),
    USE("inputs", tf::einsum("ij,jk->ik", {x, none})),
    USE("axis", tf::reduce_join(x, {.axis = none})),
    USE("periodic", tf::signal::hann_window(1, {.periodic = none})),
    USE("periodic", tf::signal::hamming_window(1, {.periodic = none})),
    USE("fft_length", tf::signal::rfft(x, {.fft_length = none})),
    USE("fft_length", tf::signal::rfft2d(x, {.fft_length = none})),
    USE("fft_length", tf::signal::irfft(x, {.fft_length = none})),
    USE("fft_length", tf::signal::irfft2d(x, {.fft_length = none})),
    // random numbers
    USE("minval", tf::random_uniform({1}, {.minval = none})),
    USE("maxval", tf::random_uniform({1}, {.maxval = none})),
    USE("minval", tf::random_uniform({1}, none, 1)),
    USE("maxval", tf::random_uniform({1}, 0, none)),
    USE("mean", tf::random_normal({1}, {.mean = none})),
    USE("stddev", tf::random_normal({1}, {.stddev = none})),
    USE("mean", tf::random_normal({1}, none, 1)),
    USE("mean", tf::truncated_normal({1}, {.mean = none})),
    USE("stddev", tf::truncated_normal({1}, {.stddev = none})),
    USE("beta", tf::random_gamma({1}, 1, {.beta = none})),
    // math
    USE("axes", tf::clip_by_norm(x, 1, {.axes = none})),
    USE("use_norm", tf::clip_by_global_norm({x}, 1, {.use_norm = none})),
    USE("axis", tf::reduce_sum(x, none)),
    USE("axis", tf::reduce_mean(x, none)),
    USE("axis", tf::reduce_max(x, none)),
    USE("axis", tf::reduce_min(x, none)),
    USE("axis", tf::reduce_prod(x, none)),
    USE("axis", tf::reduce_all(x, none)),
    USE("axis", tf::reduce_any(x, none)),
    USE("axis", tf::reduce_logsumexp(x, none)),
    USE("axis", tf::reduce_sum(x, {.axis = none})),
    USE("axis", tf::reduce_logsumexp(x, {.axis = none})),
    USE("reduction_indices", tf::reduce_sum(x, {.reduction_indices = none})),
    USE("reduction_indices", tf::reduce_mean(x, {.reduction_indices = none})),
    USE("axis", tf::count_nonzero(x, {.axis = none})),
    USE("reduction_indices", tf::count_nonzero(x, {.reduction_indices = none})),
    USE("axis", tf::argmax(x, none)),
    USE("axis", tf::argmin(x, none)),
    USE("axis", tf::argmax(x, {.axis = none})),
    USE("dimension", tf::argmax(x, {.dimension = none})),
    USE("dimension", tf::argmin(x, {.dimension = none})),
    USE("weights", tf::bincount(x, {.weights = none})),
    USE("minlength", tf::bincount(x, {.minlength = none})),
    USE("maxlength", tf::bincount(x, {.maxlength = none})),
    USE("nbins", tf::histogram_fixed_width(x, x, {.nbins = none})),
    USE("nbins", tf::histogram_fixed_width_bins(x, x, {.nbins = none})),
    USE("num_segments", tf::sparse_segment_sum(x, x, x, {.num_segments = none})),
    USE("num_segments", tf::sparse_segment_mean(x, x, x, {.num_segments = none})),
    USE("num_segments", tf::sparse_segment_sqrt_n(x, x, x, {.num_segments = none})),
    USE("axis", tf::math::reduce_variance(x, {.axis = none})),
    USE("axis", tf::math::reduce_std(x, {.axis = none})),
    // checks
    USE("data", tf::assert_equal(x, x, {.data = {{x, none}}})),
    USE("data", tf::assert_none_equal(x, x, {.data = {{x, none}}})),
    USE("data", tf::assert_less(x, x, {.data = {{x, none}}})),
    USE("data", tf::assert_less_equal(x, x, {.data = {{x, none}}})),
    USE("data", tf::assert_greater(x, x, {.data = {{x, none}}})),
    USE("data", tf::assert_greater_equal(x, x, {.data = {{x, none}}})),
    USE("data", tf::assert_positive(x, {.data = {{x, none}}})),
    USE("data", tf::assert_negative(x, {.data = {{x, none}}})),
    USE("data", tf::assert_non_negative(x, {.data = {{x, none}}})),
    USE("data", tf::assert_non_positive(x, {.data = {{x, none}}})),
    USE("data", tf::assert_rank(x, 2, {.data = {{x, none}}})),
    USE("data", tf::assert_rank_at_least(x, 2, {.data = {{x, none}}})),
    USE("data", tf::assert_rank_in(x, {1, 2}, {.data = {{x, none}}})),
    USE("data", tf::assert_near(x, x, {.data = {{x, none}}})),
    USE("rtol", tf::assert_near(x, x, {.rtol = none})),
    USE("atol", tf::assert_near(x, x, {.atol = none})),
    // images
    USE("k", tf::image::rot90(x, {.k = none})),
    USE("offset_height", tf::image::crop_to_bounding_box(x, none, 1, 1, 1)),
    USE("offset_width", tf::image::crop_to_bounding_box(x, 1, none, 1, 1)),
    USE("target_height", tf::image::crop_to_bounding_box(x, 1, 1, none, 1)),
    USE("target_width", tf::image::crop_to_bounding_box(x, 1, 1, 1, none)),
    USE("offset_height", tf::image::pad_to_bounding_box(x, none, 1, 1, 1)),
    USE("offset_width", tf::image::pad_to_bounding_box(x, 1, none, 1, 1)),
    USE("target_height", tf::image::pad_to_bounding_box(x, 1, 1, none, 1)),
    USE("target_width", tf::image::pad_to_bounding_box(x, 1, 1, 1, none)),
    USE("target_height", tf::image::resize_with_crop_or_pad(x, none, 1)),
    USE("target_width", tf::image::resize_with_crop_or_pad(x, 1, none)),
    USE("size", tf::image::resize(x, none)),
    USE("target_height", tf::image::resize_image_with_pad(x, none, 1)),
    USE("target_width", tf::image::resize_image_with_pad(x, 1, none)),
    USE("image", tf::image::random_contrast(none, 0.5, 1)),
    USE("image", tf::image::random_hue(none, 0.5)),
    USE("image", tf::image::random_saturation(none, 0.5, 1)),
    USE("iou_threshold", tf::image::non_max_suppression(x, x, 1, {.iou_threshold = none})),
    USE("score_threshold", tf::image::non_max_suppression(x, x, 1, {.score_threshold = none})),
    // networks
    USE("x", tf::nn::dropout(none, {.rate = 0.5})),
    USE("rate", tf::nn::dropout(x, {.rate = none})),
    USE("keep_prob", tf::nn::dropout(x, {.keep_prob = none})),
    USE("noise_shape", tf::nn::dropout(x, {.noise_shape = none, .rate = 0.5})),
    USE("shift", tf::nn::sufficient_statistics(x, {0}, {.shift = none})),
    USE("shift", tf::nn::normalize_moments(x, x, x, none)),
    USE("offset", tf::nn::batch_normalization(x, x, x, {.offset = none})),
    USE("scale", tf::nn::batch_normalization(x, x, x, {.scale = none})),
    USE("mean", tf::nn::fused_batch_norm(x, x, x, {.mean = none, .variance = x, .is_training = false})),
    USE("variance", tf::nn::fused_batch_norm(x, x, x, {.mean = x, .variance = none, .is_training = false})),
    USE("biases", tf::nn::xw_plus_b(x, x, none)),
    USE("biases", tf::nn::relu_layer(x, x, none)),
    USE("value", tf::nn::conv_transpose(none, x, {1, 1, 1}, {.strides = {1}})),
    USE("filter", tf::nn::conv_transpose(x, none, {1, 1, 1}, {.strides = {1}})),
    USE("labels", tf::nn::softmax_cross_entropy_with_logits_v2({.labels = none, .logits = x})),
    USE("logits", tf::nn::softmax_cross_entropy_with_logits_v2({.labels = x, .logits = none})),
    USE("labels", tf::nn::softmax_cross_entropy_with_logits({.labels = none, .logits = x})),
    USE("logits", tf::nn::softmax_cross_entropy_with_logits({.labels = x, .logits = none})),
    USE("labels", tf::nn::sparse_softmax_cross_entropy_with_logits({.labels = none, .logits = x})),
    USE("logits", tf::nn::sparse_softmax_cross_entropy_with_logits({.labels = x, .logits = none})),
    USE("labels", tf::nn::sigmoid_cross_entropy_with_logits({.labels = none, .logits = x})),
    USE("logits", tf::nn::sigmoid_cross_entropy_with_logits({.labels = x, .logits = none})),
    USE("labels", tf::nn::weighted_cross_entropy_with_logits({.labels = none, .logits = x, .pos_weight = 1})),
    USE("logits", tf::nn::weighted_cross_entropy_with_logits({.labels = x, .logits = none, .pos_weight = 1})),
    USE("pos_weight",
              tf::nn::weighted_cross_entropy_with_logits({.labels = x, .logits = x, .pos_weight = none})),
    USE("sampled_values", tf::nn::nce_loss(x, x, x, x, 1, 1, {.sampled_values = {x, none, x}})),
    USE("sampled_values", tf::nn::sampled_softmax_loss(x, x, x, x, 1, 1, {.sampled_values = {x, none, x}})),
    // layers
    USE("rate", tf::layers::dropout(x, {.rate = none})),
    USE("training", tf::layers::dropout(x, {.training = none})),
    USE("training", tf::layers::batch_normalization(x, {.training = none})),
    USE("keep_prob", tf::contrib::layers::dropout(x, {.keep_prob = none})),
    USE("is_training", tf::contrib::layers::dropout(x, {.is_training = none})),
    USE("weights",
              tf::contrib::layers::apply_regularization(tf::contrib::layers::l2_regularizer(1), {x, none})),
    USE("weights", tf::contrib::layers::l1_regularizer(0.1)(none)),
    USE("weights", tf::contrib::layers::l2_regularizer(0.1)(none)),
    USE("weights", tf::contrib::layers::l2_regularizer(0.0)(none)),
    USE_ALONE("weights", tf::contrib::layers::l2_regularizer(0.1)(no_variable)),
    // losses and metrics
    USE("weights", tf::losses::compute_weighted_loss(x, {.weights = none})),
    USE("weights", tf::losses::absolute_difference(x, x, {.weights = none})),
    USE("weights", tf::losses::mean_squared_error(x, x, {.weights = none})),
    USE("weights", tf::losses::softmax_cross_entropy(x, x, {.weights = none})),
    USE("weights", tf::losses::sparse_softmax_cross_entropy(x, x, {.weights = none})),
    USE("weights", tf::losses::sigmoid_cross_entropy(x, x, {.weights = none})),
    USE("weights", tf::losses::log_loss(x, x, {.weights = none})),
    USE("weights", tf::losses::huber_loss(x, x, {.weights = none})),
    USE("weights", tf::losses::hinge_loss(x, x, {.weights = none})),
    USE("weights", tf::losses::cosine_distance(x, x, 1, {.weights = none})),
    USE("weights", tf::losses::mean_pairwise_squared_error(x, x, {.weights = none})),
    USE("weights", tf::confusion_matrix(x, x, {.weights = none})),
    USE("num_classes", tf::confusion_matrix(x, x, {.num_classes = none})),
    USE("weights", tf::metrics::mean(x, {.weights = none})),
    USE("weights", tf::metrics::mean_tensor(x, {.weights = none})),
    USE("weights", tf::metrics::accuracy(x, x, {.weights = none})),
    USE("weights", tf::metrics::mean_squared_error(x, x, {.weights = none})),
    USE("weights", tf::metrics::root_mean_squared_error(x, x, {.weights = none})),
    USE("weights", tf::metrics::mean_absolute_error(x, x, {.weights = none})),
    USE("weights", tf::metrics::mean_relative_error(x, x, x, {.weights = none})),
    USE("weights", tf::metrics::mean_cosine_distance(x, x, 1, {.weights = none})),
    USE("weights", tf::metrics::percentage_below(x, x, {.weights = none})),
    USE("weights", tf::metrics::true_positives(x, x, {.weights = none})),
    USE("weights", tf::metrics::false_negatives(x, x, {.weights = none})),
    USE("weights", tf::metrics::precision(x, x, {.weights = none})),
    USE("weights", tf::metrics::recall(x, x, {.weights = none})),
    USE("weights", tf::metrics::auc(x, x, {.weights = none})),
    USE("weights", tf::metrics::mean_iou(x, x, 1, {.weights = none})),
    USE("weights", tf::metrics::mean_per_class_accuracy(x, x, 1, {.weights = none})),
    USE("labels", tf::metrics::true_positives_at_thresholds(none, x, {0.5})),
    USE("predictions", tf::metrics::true_positives_at_thresholds(x, none, {0.5})),
    USE("weights", tf::metrics::true_positives_at_thresholds(x, x, {0.5}, {.weights = none})),
    USE("labels", tf::metrics::false_positives_at_thresholds(none, x, {0.5})),
    USE("predictions", tf::metrics::false_positives_at_thresholds(x, none, {0.5})),
    USE("labels", tf::metrics::true_negatives_at_thresholds(none, x, {0.5})),
    USE("predictions", tf::metrics::true_negatives_at_thresholds(x, none, {0.5})),
    USE("labels", tf::metrics::false_negatives_at_thresholds(none, x, {0.5})),
    USE("predictions", tf::metrics::false_negatives_at_thresholds(x, none, {0.5})),
    USE("labels", tf::metrics::precision_at_thresholds(none, x, {0.5})),
    USE("predictions", tf::metrics::precision_at_thresholds(x, none, {0.5})),
    USE("weights", tf::metrics::precision_at_thresholds(x, x, {0.5}, {.weights = none})),
    USE("labels", tf::metrics::recall_at_thresholds(none, x, {0.5})),
    USE("predictions", tf::metrics::recall_at_thresholds(x, none, {0.5})),
    USE("weights", tf::metrics::recall_at_thresholds(x, x, {0.5}, {.weights = none})),
    // training
    USE("end_learning_rate", tf::train::polynomial_decay(1.0, 1, 1, {.end_learning_rate = none})),
    USE("power", tf::train::polynomial_decay(1.0, 1, 1, {.power = none})),
    USE("t_mul", tf::train::cosine_decay_restarts(1.0, 1, 1, {.t_mul = none})),
    USE("m_mul", tf::train::cosine_decay_restarts(1.0, 1, 1, {.m_mul = none})),
    USE("alpha", tf::train::cosine_decay_restarts(1.0, 1, 1, {.alpha = none})),
    USE("num_periods", tf::train::linear_cosine_decay(1.0, 1, 1, {.num_periods = none})),
    USE("alpha", tf::train::linear_cosine_decay(1.0, 1, 1, {.alpha = none})),
    USE("beta", tf::train::linear_cosine_decay(1.0, 1, 1, {.beta = none})),
    USE("initial_variance", tf::train::noisy_linear_cosine_decay(1.0, 1, 1, {.initial_variance = none})),
    USE("variance_decay", tf::train::noisy_linear_cosine_decay(1.0, 1, 1, {.variance_decay = none})),
    USE("num_periods", tf::train::noisy_linear_cosine_decay(1.0, 1, 1, {.num_periods = none})),
    USE("alpha", tf::train::noisy_linear_cosine_decay(1.0, 1, 1, {.alpha = none})),
    USE("beta", tf::train::noisy_linear_cosine_decay(1.0, 1, 1, {.beta = none})),
    USE("learning_rate", GradientDescent(none)),
    USE("learning_rate", tf::train::MomentumOptimizer(none, 0.9)),
    USE("momentum", tf::train::MomentumOptimizer(0.1, none)),
    USE("learning_rate", tf::train::AdamOptimizer(none)),
    USE("learning_rate", tf::train::AdagradOptimizer(none)),
    USE("learning_rate", tf::train::RMSPropOptimizer(none)),
    USE("learning_rate", tf::train::AdadeltaOptimizer(none)),
    USE("learning_rate", tf::train::AdagradDAOptimizer(none, 1)),
    USE("global_step", tf::train::AdagradDAOptimizer(0.1, none)),
    USE("learning_rate", tf::train::FtrlOptimizer(none)),
    USE("learning_rate", tf::train::ProximalGradientDescentOptimizer(none)),
    USE("learning_rate", tf::train::ProximalAdagradOptimizer(none)),
    USE("decay", tf::train::ExponentialMovingAverage(none)),
    USE("num_updates", tf::train::ExponentialMovingAverage(0.9, {.num_updates = none})),
    USE("tensors", tf::train::shuffle_batch({x, none}, 1, 2, 1)),
    USE("batch_size", tf::train::shuffle_batch({x, x}, none, 2, 1)),
    USE("minval", tf::random_uniform_initializer({.minval = none})),
    USE("maxval", tf::random_uniform_initializer({.maxval = none})),
    // variables
    USE("initial_value", tf::Variable(none)),
    USE("initial_value", tf::Variable(none, {.name = "w"})),
    USE("value", v.assign(none)),
    USE("delta", v.assign_add(none)),
    USE("delta", v.assign_sub(none)),
    USE("initializer", tf::get_variable("w", {.initializer = none})),
    USE("initializer", tf::get_variable("w", {2}, {.initializer = none})),
    // queues and arrays of tensors
    USE("components", tf::FIFOQueue(2, {tf::float32, tf::float32}).enqueue({x, none})),
    USE("components", tf::FIFOQueue(2, {tf::float32, tf::float32}).enqueue_many({x, none})),
    USE("n", tf::FIFOQueue(2, {tf::float32}).dequeue_many(none)),
    USE("n", tf::FIFOQueue(2, {tf::float32}).dequeue_up_to(none)),
    USE("size", tf::TensorArray(tf::float32, {.size = none})),
    USE("index", tf::TensorArray(tf::float32, {.size = 2}).read(none)),
    USE("index", tf::TensorArray(tf::float32, {.size = 2}).write(none, 1.0f)),
    USE("value", tf::TensorArray(tf::float32, {.size = 2}).write(0, none)),
    USE("indices", tf::TensorArray(tf::float32, {.size = 2}).gather(none)),
    USE("value", tf::TensorArray(tf::float32, {.size = 2}).unstack(none)),
    USE("indices", tf::TensorArray(tf::float32, {.size = 2}).scatter(none, x)),
    USE("value", tf::TensorArray(tf::float32, {.size = 2}).scatter({0, 1}, none)),
    USE("value", tf::TensorArray(tf::float32, {.size = 2}).split(none, {1, 1})),
    USE("lengths", tf::TensorArray(tf::float32, {.size = 2}).split(x, none)),
    USE("flow", tf::TensorArray(tf::float32, {.size = 2}).with_flow(none)),
    // operators
    USE("x", none + x),
    USE("y", x + none),
    USE_ALONE("x", no_variable + 1.0f),
    USE("y", x - none),
    USE("y", x * none),
    USE("y", x / none),
    USE("x", none % x),
    USE("y", x % none),
    USE("x", -none),
    USE("y", x < none),
    USE("y", x <= none),
    USE("x", none > x),
    USE("y", x >= none),
    USE("y", x & none),
    USE("y", x | none),
    USE("x", none ^ x),
    USE("x", ~none),
    USE("y", x && none),
    USE("y", x || none),
    USE("x", !none),
};

/// What takes no list there, and items whose place is a part of their name.
constexpr Use kPlaces[] = {
    USE_ALONE("index", x[none]),
    USE_ALONE("indices[0]", x[{none, 0}]),
    USE_ALONE("indices[1]", x[{0, none}]),
    USE_ALONE("indices[1]", v[{0, none}]),
    USE_ALONE("index.start", x[tf::Slice{none, 2}]),
    USE_ALONE("index.stop", x[tf::Slice{0, none}]),
    USE_ALONE("index.step", x[tf::Slice{.step = none}]),
    USE_ALONE("indices[1].stop", x[{0, tf::Slice{.stop = none}}]),
    USE_ALONE("index", x[no_variable]),
    USE_ALONE("shape[1]", tf::reshape(x, {2, none})),
    USE_ALONE("tensor[1][0]", tf::reshape({{1.0f, 2.0f}, {none, 2.0f}}, {4})),
    USE_ALONE("t_list[0]", tf::clip_by_global_norm({none}, 1)),
    USE_ALONE("t_list[0]", tf::clip_by_global_norm({none, none}, 1)),
    USE_ALONE("t_list[0]", tf::global_norm({none})),
    USE_ALONE("gradient", tf::indexed_slices(none)),
    USE_ALONE("slices.values", tf::convert_to_tensor(tf::IndexedSlices{none, x, x})),
    USE_ALONE("slices.indices", tf::convert_to_tensor(tf::IndexedSlices{x, none, x})),
    USE_ALONE("ys[0]", tf::gradients(none, {x})),
    USE_ALONE("xs[1]", tf::gradients(x, {x, none})),
    USE_ALONE("xs[0]", tf::gradients(x, {no_variable})),
    USE_ALONE("stop_gradients[0]", tf::gradients(x, {x}, {.stop_gradients = {none}})),
    USE_ALONE("grad_ys[0][1]", tf::gradients(x, {x}, {.grad_ys = {tf::OptionalInput({1.0f, none})}})),
    USE_ALONE("ys[0]", tf::hessians({none}, {x})),
    USE_ALONE("xs[0]", tf::hessians({x}, {none})),
    USE_ALONE("loss", GradientDescent(0.1).minimize(none)),
    USE_ALONE("loss", GradientDescent(0.1).compute_gradients(none)),
    USE_ALONE("var_list[0]", GradientDescent(0.1).minimize(x, {.var_list = {no_variable}})),
    USE_ALONE("var_list[0]", GradientDescent(0.1).compute_gradients(x, {.var_list = {no_variable}})),
    USE_ALONE("variable", tf::train::MomentumOptimizer(0.1, 0.9).get_slot(no_variable, "momentum")),
    USE_ALONE("grads_and_vars[0].variable", GradientDescent(0.1).apply_gradients({{x, no_variable}})),
    USE_ALONE("variables_to_average[0]",
              Synced(GradientDescent(0.1), 1, {.variables_to_average = {no_variable}})),
    USE_ALONE("loss", Synced(GradientDescent(0.1), 1).compute_gradients(none)),
    USE_ALONE("grads_and_vars[0].variable",
              Synced(GradientDescent(0.1), 1).apply_gradients({{x, no_variable}})),
    USE_ALONE("variable", Synced(GradientDescent(0.1), 1).get_slot(no_variable, "momentum")),
    USE_ALONE("var_list[0]", tf::train::Saver({.var_list = {no_variable}})),
    USE_ALONE("named_variables[\"w\"]", tf::train::Saver({.named_variables = {{"w", no_variable}}})),
    USE_ALONE("var_list[1]", tf::train::ExponentialMovingAverage(0.9).apply({v, no_variable})),
    USE_ALONE("of", tf::train::ExponentialMovingAverage(0.9).average(none)),
    USE_ALONE("variable", tf::train::ExponentialMovingAverage(0.9).average_name(no_variable)),
    USE_ALONE("moving_avg_variables[0]",
              tf::train::ExponentialMovingAverage(0.9).variables_to_restore({{no_variable}})),
    USE_ALONE("dependencies[0]", tf::control_dependencies({none})),
    USE_ALONE("dependencies[1]", tf::control_dependencies({x, no_operation})),
    USE_ALONE("inputs[0]", tf::group({no_variable})),
    USE_ALONE("pred", tf::cond(none, [] { return 1; }, [] { return 2; })),
    USE_ALONE("pred_fn_pairs[0]", tf::case_({{none, tf::Branch()}})),
    USE_ALONE("value", tf::add_to_collection("mine", none)),
    USE_ALONE("value", tf::add_to_collections({"mine"}, no_operation)),
    USE_ALONE("value", tf::add_to_collections({}, no_variable)),
    USE_ALONE("item", tf::get_collection_ref("mine").append(none)),
    USE_ALONE("item", tf::get_collection_ref("mine").remove(no_variable)),
    USE_ALONE("variables[0]", tf::variables_initializer({no_variable})),
    USE_ALONE("input_map[\"x\"]", tf::import_graph_def({}, {.input_map = {{"x", none}}})),
};
// clang-format on

TEST(UnsetOptions, AreNamedAsInTheHeader) {
  for (const Use& use : kOptions) EXPECT_EQ(wrong_name(use), "") << use.call;
}

TEST(UnsetOptions, AreNamedByTheirPlaceInAList) {
  for (const Use& use : kOptions) EXPECT_EQ(wrong_name_in_list(use), "") << use.call;
}

TEST(UnsetOptions, AreNamedWithTheirPlace) {
  for (const Use& use : kPlaces) EXPECT_EQ(wrong_name(use), "") << use.call;
}

/// Not in a thread, and not when the queue is to be closed.
TEST(UnsetOptions, OfAQueueAreNamedBeforeItIsFilled) {
  const Handles h;
  const tf::FIFOQueue queue(2, {tf::float32});
  const tf::Operation fill = queue.enqueue({1.0f});
  const tf::Operation close = queue.close();
  tf::Session session(h.graph);
  tf::train::Supervisor supervisor;
  const auto start = [&](const tf::train::FilledQueue& filled) {
    return [&] { return supervisor.start_queue_runners(session, {filled}), true; };
  };
  const tf::Operation none;
  EXPECT_EQ(wrong(start({queue, {fill, none}, close, close}), "'queues[0].enqueue_ops[1]'"), "");
  EXPECT_EQ(wrong(start({queue, {fill}, none, close}), "'queues[0].close_op'"), "");
  EXPECT_EQ(wrong(start({queue, {fill}, close, none}), "'queues[0].cancel_op'"), "");
}

/// The words are TensorFlow's own.
TEST(UnsetOptions, OfATensorArrayAreNoFlowBesideAHandle) {
  const Handles handles;
  const tf::TensorArray other(tf::float32, {.size = 2});
  try {
    tf::TensorArray(tf::float32, {.handle = other.handle()});
    ADD_FAILURE();
  } catch (const tf::ValueError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("flow must not be None if handle is not None."))
        << error.what();
  }
}

}  // namespace
}  // namespace flowray::unset_uses
