#pragma once
/// tf.losses: what is minimised, collected under "losses". Each multiplies the losses of the elements by
/// weights and makes one number of them.
///
/// Unless it says otherwise labels and predictions have one shape, [batch, ...], and any number dtype, cast
/// to float32; weights have that shape, or sizes of 1 in it, or are a number. The result is a scalar, unless
/// Reduction::NONE asks for the losses of the elements. Throws ValueError for shapes that do not fit, where
/// the function is called as far as they are known there, else errors::InvalidArgumentError in the step; and
/// TypeError for dtypes other than numbers.

#include <flowray/tf/input.h>

#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::losses {

/// tf.losses.Reduction: how the weighted losses of the elements become the loss.
struct Reduction {
  /// They stay as they are.
  static constexpr const char* NONE = "none";
  /// The sum.
  static constexpr const char* SUM = "weighted_sum";
  /// The sum, divided by that of the weights.
  static constexpr const char* MEAN = "weighted_mean";
  /// The sum, divided by the number of elements.
  static constexpr const char* SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size";
  /// The sum, divided by how many elements have a weight that is not zero.
  static constexpr const char* SUM_OVER_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights";
  /// SUM_OVER_NONZERO_WEIGHTS by its other name.
  static constexpr const char* SUM_BY_NONZERO_WEIGHTS = SUM_OVER_NONZERO_WEIGHTS;
};

struct LossOptions {
  /// One for all elements, or one for each: of the losses' rank, each dimension theirs or 1. Throws
  /// ValueError for others; where the shapes say too little, the step is an InvalidArgumentError.
  Input weights = 1.0;
  /// The name scope of its nodes; empty: the loss's own.
  std::string scope = {};
  /// The collection that the loss is added to; empty: none.
  std::string loss_collection = "losses";
  /// Of `Reduction`; ValueError for another word.
  std::string reduction = Reduction::SUM_BY_NONZERO_WEIGHTS;
};

/// LossOptions of the cross entropies.
struct SmoothedLossOptions {
  /// How much each element counts: one number for all, or of the losses' rank with sizes that are theirs
  /// or 1.
  Input weights = 1.0;
  /// Where greater than 0 the labels are moved so much towards what tells nothing: all classes alike.
  double label_smoothing = 0.0;
  /// The name scope of its nodes; empty: the loss's own.
  std::string scope = {};
  /// The collection that the loss is added to; empty: none.
  std::string loss_collection = "losses";
  /// Of `Reduction`; ValueError for another word.
  std::string reduction = Reduction::SUM_BY_NONZERO_WEIGHTS;
};

/// The loss of elements' losses that are given, float32 while it is computed: weighted, made one number by
/// `reduction`, and added to the collection. A scalar, or the losses' shape for Reduction::NONE.
Tensor compute_weighted_loss(const Input& losses, const LossOptions& options = {});
/// The weighted loss of |predictions - labels|.
Tensor absolute_difference(const Input& labels, const Input& predictions, const LossOptions& options = {});
/// The weighted loss of (predictions - labels)^2.
Tensor mean_squared_error(const Input& labels, const Input& predictions, const LossOptions& options = {});
/// The cross entropy of rows of probabilities and logits, [N,classes]; no gradient flows into labels.
Tensor softmax_cross_entropy(const Input& onehot_labels, const Input& logits,
                             const SmoothedLossOptions& options = {});
/// The cross entropy of numbers of classes [N] or [N,1] and logits [N,classes].
Tensor sparse_softmax_cross_entropy(const Input& labels, const Input& logits,
                                    const LossOptions& options = {});
/// The cross entropy of probabilities and logits of one shape, each element a decision of its own;
/// label_smoothing moves labels towards 1/2.
Tensor sigmoid_cross_entropy(const Input& multi_class_labels, const Input& logits,
                             const SmoothedLossOptions& options = {});

struct LogLossOptions {
  /// How much each element counts: one number for all, or of the losses' rank with sizes that are theirs
  /// or 1.
  Input weights = 1.0;
  /// Added to what a logarithm is taken of.
  double epsilon = 1e-7;
  /// The name scope of its nodes; empty: the loss's own.
  std::string scope = {};
  /// The collection that the loss is added to; empty: none.
  std::string loss_collection = "losses";
  /// Of `Reduction`; ValueError for another word.
  std::string reduction = Reduction::SUM_BY_NONZERO_WEIGHTS;
};
/// -labels * log(predictions) - (1 - labels) * log(1 - predictions)
Tensor log_loss(const Input& labels, const Input& predictions, const LogLossOptions& options = {});

struct HuberLossOptions {
  /// How much each element counts: one number for all, or of the losses' rank with sizes that are theirs
  /// or 1.
  Input weights = 1.0;
  /// Where it goes over from squares to absolute values.
  double delta = 1.0;
  /// The name scope of its nodes; empty: the loss's own.
  std::string scope = {};
  /// The collection that the loss is added to; empty: none.
  std::string loss_collection = "losses";
  /// Of `Reduction`; ValueError for another word.
  std::string reduction = Reduction::SUM_BY_NONZERO_WEIGHTS;
};
/// (predictions - labels)^2 / 2 up to a distance of delta, delta * |predictions - labels| - delta^2 / 2
/// from there.
Tensor huber_loss(const Input& labels, const Input& predictions, const HuberLossOptions& options = {});

/// max(0, 1 - (2 * labels - 1) * logits), for labels 0 and 1.
Tensor hinge_loss(const Input& labels, const Input& logits, const LossOptions& options = {});
/// 1 - the sum of labels * predictions along `axis`, which stays with size 1; both have length 1 along it.
Tensor cosine_distance(const Input& labels, const Input& predictions, int64_t axis,
                       const LossOptions& options = {});

struct PairwiseLossOptions {
  /// A scalar, or [N,1,..]: one for each row.
  Input weights = 1.0;
  /// The name scope of its nodes; empty: the loss's own.
  std::string scope = {};
  /// The collection that the loss is added to; empty: none.
  std::string loss_collection = "losses";
};
/// The mean over all pairs of elements of a row of the squared difference of their errors, summed over the
/// rows [N,..].
Tensor mean_pairwise_squared_error(const Input& labels, const Input& predictions,
                                   const PairwiseLossOptions& options = {});

/// Adds a loss that was made otherwise to the collection; "": to none.
void add_loss(const Tensor& loss, const std::string& loss_collection = "losses",
              Input::Where where = Input::Where::current());
/// The losses of the default graph's collection at the beginning of whose names the regular expression
/// `scope` is.
std::vector<Tensor> get_losses(const std::string& scope = {}, const std::string& loss_collection = "losses",
                               Input::Where where = Input::Where::current());
/// The losses of "regularization_losses" at the beginning of whose names the regular expression `scope` is.
std::vector<Tensor> get_regularization_losses(const std::string& scope = {},
                                              Input::Where where = Input::Where::current());

struct RegularizationLossOptions {
  /// Only losses at the beginning of whose names this regular expression is; empty: all.
  std::string scope = {};
  /// The name of its node, or of the scope of its nodes.
  std::string name = "total_regularization_loss";
};
/// The sum of the losses of "regularization_losses"; 0 where there are none.
Tensor get_regularization_loss(const RegularizationLossOptions& options = {},
                               Input::Where where = Input::Where::current());

struct TotalLossOptions {
  /// Whether those of "regularization_losses" are added; false to watch how well the model fits, without
  /// them.
  bool add_regularization_losses = true;
  /// The name of its node, or of the scope of its nodes.
  std::string name = "total_loss";
  /// Only losses at the beginning of whose names this regular expression is; empty: all.
  std::string scope = {};
};
/// The sum of the losses. Throws ValueError where there are none.
Tensor get_total_loss(const TotalLossOptions& options = {}, Input::Where where = Input::Where::current());

}  // namespace flowray::tf::losses

#pragma GCC visibility pop
