#pragma once
/// LeNet-5, small images into ten classes. Source: LeCun, Bottou, Bengio, Haffner: Gradient-based
/// learning applied to document recognition, 1998; here with relu, two fully connected layers, and
/// softmax cross-entropy.

#include <flowray/tf.h>

#include <cstdint>

namespace lenet {

namespace tf = flowray::tf;

/// What a program feeds, fetches and minimizes.
struct LeNet5 {
  tf::Tensor x;       ///< fed: float32 [batch, 784], the rows of images of 28 x 28 pixels from 0 to 1
  tf::Tensor labels;  ///< fed: float32 [batch, 10], a one at the class
  tf::Tensor logits;  ///< float32 [batch, 10]
  tf::Tensor loss;    ///< mean cross-entropy of the batch
  tf::Tensor accuracy;
};

/// Adds the network to the default graph. Its variables are w_conv1, w_conv2, w_fc1, b1, w_fc2 and b2; their
/// first values follow from `seed`.
LeNet5 lenet5(int64_t seed = 0);

}  // namespace lenet
