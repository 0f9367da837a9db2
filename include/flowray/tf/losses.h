#pragma once
/// tf.losses: what is minimised, collected under "losses". Each is the sum of the weighted losses of the
/// elements, divided by how many of them have a weight other than zero.

#include <flowray/tf/input.h>

#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::losses {

struct LossOptions {
  /// One for all elements. Throws UnimplementedError for a tensor of another rank than 0.
  Input weights = 1.0;
  std::string scope = {};
  /// Empty: none.
  std::string loss_collection = "losses";
};

Tensor compute_weighted_loss(const Input& losses, const LossOptions& options = {});
/// |predictions - labels|
Tensor absolute_difference(const Input& labels, const Input& predictions, const LossOptions& options = {});
/// (predictions - labels)^2
Tensor mean_squared_error(const Input& labels, const Input& predictions, const LossOptions& options = {});
/// Of rows of probabilities and logits, [N,classes]; no gradient flows into labels.
Tensor softmax_cross_entropy(const Input& onehot_labels, const Input& logits,
                             const LossOptions& options = {});
/// Of numbers of classes [N] and logits [N,classes].
Tensor sparse_softmax_cross_entropy(const Input& labels, const Input& logits,
                                    const LossOptions& options = {});
Tensor sigmoid_cross_entropy(const Input& multi_class_labels, const Input& logits,
                             const LossOptions& options = {});

/// The losses of the default graph's collection whose names begin with `scope`.
std::vector<Tensor> get_losses(const std::string& scope = {}, const std::string& loss_collection = "losses");
/// Their sum. Throws ValueError where there are none.
Tensor get_total_loss(const NameOption& options = {.name = "total_loss"});

}  // namespace flowray::tf::losses

#pragma GCC visibility pop
