#pragma once
/// tf.losses: what is minimised, collected under "losses". Each multiplies the losses of the elements by
/// weights and makes one number of them.

#include <flowray/tf/input.h>

#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::losses {

/// tf.losses.Reduction: how the weighted losses of the elements become the loss.
struct Reduction {
  /// They stay as they are.
  static constexpr const char* NONE = "none";
  static constexpr const char* SUM = "weighted_sum";
  /// The sum, divided by that of the weights.
  static constexpr const char* MEAN = "weighted_mean";
  /// The sum, divided by the number of elements.
  static constexpr const char* SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size";
  /// The sum, divided by how many elements have a weight that is not zero.
  static constexpr const char* SUM_OVER_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights";
  static constexpr const char* SUM_BY_NONZERO_WEIGHTS = SUM_OVER_NONZERO_WEIGHTS;
};

struct LossOptions {
  /// One for all elements, or one for each: of the losses' rank, each dimension theirs or 1. Throws
  /// ValueError for others, UnimplementedError where the shapes do not tell before the step runs.
  Input weights = 1.0;
  std::string scope = {};
  /// Empty: none.
  std::string loss_collection = "losses";
  /// Of `Reduction`; ValueError for another word.
  std::string reduction = Reduction::SUM_BY_NONZERO_WEIGHTS;
};

struct SmoothedLossOptions {
  Input weights = 1.0;
  /// Where greater than 0 the labels are moved so much towards what tells nothing: all classes alike.
  double label_smoothing = 0.0;
  std::string scope = {};
  std::string loss_collection = "losses";
  std::string reduction = Reduction::SUM_BY_NONZERO_WEIGHTS;
};

Tensor compute_weighted_loss(const Input& losses, const LossOptions& options = {});
/// |predictions - labels|
Tensor absolute_difference(const Input& labels, const Input& predictions, const LossOptions& options = {});
/// (predictions - labels)^2
Tensor mean_squared_error(const Input& labels, const Input& predictions, const LossOptions& options = {});
/// Of rows of probabilities and logits, [N,classes]; no gradient flows into labels.
Tensor softmax_cross_entropy(const Input& onehot_labels, const Input& logits,
                             const SmoothedLossOptions& options = {});
/// Of numbers of classes [N] or [N,1] and logits [N,classes].
Tensor sparse_softmax_cross_entropy(const Input& labels, const Input& logits,
                                    const LossOptions& options = {});
Tensor sigmoid_cross_entropy(const Input& multi_class_labels, const Input& logits,
                             const SmoothedLossOptions& options = {});

/// Adds a loss that was made otherwise to the collection; "" is none.
void add_loss(const Tensor& loss, const std::string& loss_collection = "losses");
/// The losses of the default graph's collection at the beginning of whose names the regular expression
/// `scope` is.
std::vector<Tensor> get_losses(const std::string& scope = {}, const std::string& loss_collection = "losses");
/// Those of "regularization_losses".
std::vector<Tensor> get_regularization_losses(const std::string& scope = {});

struct RegularizationLossOptions {
  std::string scope = {};
  std::string name = "total_regularization_loss";
};
/// Their sum; 0 where there are none.
Tensor get_regularization_loss(const RegularizationLossOptions& options = {});

struct TotalLossOptions {
  bool add_regularization_losses = true;
  std::string name = "total_loss";
  std::string scope = {};
};
/// The sum of the losses. Throws ValueError where there are none.
Tensor get_total_loss(const TotalLossOptions& options = {});

}  // namespace flowray::tf::losses

#pragma GCC visibility pop
