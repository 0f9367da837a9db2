#pragma once
/// Neural networks, variables, training and random numbers: what each file of these families adds to the
/// table.

#include "graph/op_schema.h"

namespace flowray::ops {

/// MatMul, BatchMatMulV2.
void register_matmul_ops(graph::OpTable& table);
/// Conv2D, Conv2DBackpropInput, Conv2DBackpropFilter.
void register_conv_ops(graph::OpTable& table);
/// AvgPool, MaxPool and their gradients.
void register_pool_ops(graph::OpTable& table);
/// Conv3D and its gradients.
void register_conv3d_ops(graph::OpTable& table);
/// AvgPool3D, MaxPool3D and their gradients.
void register_pool3d_ops(graph::OpTable& table);
/// MaxPoolWithArgmax, MaxPoolGradWithArgmax; register_pool_ops calls it.
void register_pool_argmax_ops(graph::OpTable& table);
/// Relu, Relu6, Elu, Selu, LeakyRelu, Softplus, Softsign and their gradients.
void register_activation_ops(graph::OpTable& table);
/// BiasAdd, BiasAddGrad.
void register_bias_ops(graph::OpTable& table);
/// FusedBatchNormV3, FusedBatchNormGradV3.
void register_batch_norm_ops(graph::OpTable& table);
/// DepthwiseConv2dNative and its gradients.
void register_depthwise_ops(graph::OpTable& table);
/// LRN, LRNGrad.
void register_lrn_ops(graph::OpTable& table);
/// ResizeBilinear, ResizeNearestNeighbor, their gradients, AdjustContrastv2.
void register_resize_ops(graph::OpTable& table);
/// ResizeBicubic, ResizeBicubicGrad, ResizeArea; register_resize_ops calls it.
void register_smooth_resize_ops(graph::OpTable& table);
/// RGBToHSV, HSVToRGB, AdjustHue, AdjustSaturation; register_resize_ops calls it.
void register_color_ops(graph::OpTable& table);
/// NonMaxSuppression, V2, ..., V5; register_resize_ops calls it.
void register_non_max_suppression_ops(graph::OpTable& table);
/// Softmax, LogSoftmax, SoftmaxCrossEntropyWithLogits, SparseSoftmaxCrossEntropyWithLogits.
void register_softmax_ops(graph::OpTable& table);
/// FakeQuantWithMinMaxArgs, ...Vars, ...VarsPerChannel, their gradients; register_nn_ops calls it.
void register_fake_quant_ops(graph::OpTable& table);
/// L2Loss, InTopK, InTopKV2.
void register_nn_ops(graph::OpTable& table);
/// VariableV2, Assign, ...; VarHandleOp, ReadVariableOp, AssignVariableOp, ...; ScatterAdd, ...
void register_state_ops(graph::OpTable& table);
/// ScatterAdd, ..., ResourceScatterAdd, ...: rows of variables; register_state_ops calls it.
void register_scatter_ops(graph::OpTable& table);
/// ApplyGradientDescent, ResourceApplyGradientDescent, ...
void register_training_ops(graph::OpTable& table);
/// RandomUniform, RandomUniformInt, RandomStandardNormal, TruncatedNormal, RandomShuffle.
void register_random_ops(graph::OpTable& table);
/// StatelessRandomUniform, ...; register_random_ops calls it.
void register_stateless_random_ops(graph::OpTable& table);
/// Multinomial; register_random_ops calls it.
void register_multinomial_ops(graph::OpTable& table);

}  // namespace flowray::ops
