#pragma once
/// tf.keras: layers as objects, models, and their training.

#include <flowray/tf/keras/activation_layers.h>
#include <flowray/tf/keras/activations.h>
#include <flowray/tf/keras/callbacks.h>
#include <flowray/tf/keras/constraints.h>
#include <flowray/tf/keras/convolution_layers.h>
#include <flowray/tf/keras/datasets.h>
#include <flowray/tf/keras/image_preprocessing.h>
#include <flowray/tf/keras/lambda_layer.h>
#include <flowray/tf/keras/layers.h>
#include <flowray/tf/keras/learning_rate_schedules.h>
#include <flowray/tf/keras/losses.h>
#include <flowray/tf/keras/merging_layers.h>
#include <flowray/tf/keras/metrics.h>
#include <flowray/tf/keras/models.h>
#include <flowray/tf/keras/optimizers.h>
#include <flowray/tf/keras/pooling_layers.h>
#include <flowray/tf/keras/preprocessing.h>
#include <flowray/tf/keras/recurrent_layers.h>
#include <flowray/tf/keras/regularizers.h>
#include <flowray/tf/keras/saving.h>
#include <flowray/tf/keras/shape_layers.h>
#include <flowray/tf/keras/training.h>
#include <flowray/tf/keras/volume_layers.h>
