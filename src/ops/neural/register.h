#pragma once
/// Layers of neural networks: convolutions, pools, normalisation, activations, losses.

#include "graph/op_schema.h"

namespace flowray::ops {

/// All ops of the files in this folder.
void register_neural_family(graph::OpTable& table);

// The share of each file; register.cpp calls them.

/// Relu, Relu6, Elu, Selu, LeakyRelu, Softplus, Softsign and their gradients.
void register_activation_ops(graph::OpTable& table);
/// FusedBatchNormV3, FusedBatchNormGradV3.
void register_batch_norm_ops(graph::OpTable& table);
/// BiasAdd, BiasAddGrad.
void register_bias_ops(graph::OpTable& table);
/// Conv2D, Conv2DBackpropInput, Conv2DBackpropFilter.
void register_conv_ops(graph::OpTable& table);
/// Conv3D and its gradients.
void register_conv3d_ops(graph::OpTable& table);
/// DepthwiseConv2dNative and its gradients.
void register_depthwise_ops(graph::OpTable& table);
/// Dilation2D and its gradients.
void register_dilation_ops(graph::OpTable& table);
/// FakeQuantWithMinMaxArgs, ...Vars, ...VarsPerChannel, their gradients.
void register_fake_quant_ops(graph::OpTable& table);
/// LRN, LRNGrad.
void register_lrn_ops(graph::OpTable& table);
/// L2Loss, InTopK, InTopKV2.
void register_nn_ops(graph::OpTable& table);
/// ExtractImagePatches.
void register_patch_ops(graph::OpTable& table);
/// AvgPool, MaxPool and their gradients.
void register_pool_ops(graph::OpTable& table);
/// AvgPool3D, MaxPool3D and their gradients.
void register_pool3d_ops(graph::OpTable& table);
/// MaxPoolWithArgmax, MaxPoolGradWithArgmax.
void register_pool_argmax_ops(graph::OpTable& table);
/// QuantizeAndDequantizeV2, V3, V4 and its gradient.
void register_quantized_ops(graph::OpTable& table);
/// Softmax, LogSoftmax, SoftmaxCrossEntropyWithLogits, SparseSoftmaxCrossEntropyWithLogits.
void register_softmax_ops(graph::OpTable& table);

}  // namespace flowray::ops
