#pragma once
/// All of the dataflow language, flowray::tf.

#include <flowray/tf/array_ops.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/dtypes.h>
#include <flowray/tf/errors.h>
#include <flowray/tf/examples.h>
#include <flowray/tf/gradients.h>
#include <flowray/tf/graph.h>
#include <flowray/tf/graph_def.h>
#include <flowray/tf/init_ops.h>
#include <flowray/tf/input.h>
#include <flowray/tf/math_ops.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/queue.h>
#include <flowray/tf/random_ops.h>
#include <flowray/tf/server.h>
#include <flowray/tf/session.h>
#include <flowray/tf/slicing.h>
#include <flowray/tf/state_ops.h>
#include <flowray/tf/summary.h>
#include <flowray/tf/tensor.h>
#include <flowray/tf/timeline.h>
#include <flowray/tf/train.h>
#include <flowray/tf/variable.h>
#include <flowray/tf/variable_scope.h>
