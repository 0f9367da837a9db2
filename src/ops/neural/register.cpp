#include "ops/neural/register.h"

namespace flowray::ops {

void register_neural_family(graph::OpTable& table) {
  register_activation_ops(table);
  register_batch_norm_ops(table);
  register_bias_ops(table);
  register_conv_ops(table);
  register_conv3d_ops(table);
  register_depthwise_ops(table);
  register_dilation_ops(table);
  register_fake_quant_ops(table);
  register_lrn_ops(table);
  register_nn_ops(table);
  register_patch_ops(table);
  register_pool_ops(table);
  register_pool3d_ops(table);
  register_pool_argmax_ops(table);
  register_quantized_ops(table);
  register_softmax_ops(table);
}

}  // namespace flowray::ops
