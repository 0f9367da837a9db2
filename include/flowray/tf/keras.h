#pragma once
/// tf.keras: layers as objects, models, and their training.

#include <flowray/tf/keras/activations.h>
#include <flowray/tf/keras/layers.h>
#include <flowray/tf/keras/losses.h>
#include <flowray/tf/keras/models.h>
#include <flowray/tf/keras/optimizers.h>
