#pragma once
/// All of the dataflow language, flowray::tf, but the functions of single ops (flowray/tf/ops/). A header has
/// the name of what it is for in TensorFlow: tf.nn is flowray/tf/nn.h.

#if __cplusplus < 202002L
#error "Flowray needs C++20: compile with -std=c++20"
#else

// graphs, tensors, and what functions take
#include <flowray/tf/collections.h>
#include <flowray/tf/config.h>
#include <flowray/tf/device_functions.h>
#include <flowray/tf/dtypes.h>
#include <flowray/tf/errors.h>
#include <flowray/tf/function_of.h>
#include <flowray/tf/graph.h>
#include <flowray/tf/graph_def.h>
#include <flowray/tf/graph_util.h>
#include <flowray/tf/indexed_slices.h>
#include <flowray/tf/input.h>
#include <flowray/tf/list.h>
#include <flowray/tf/nested_vectors.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/several.h>
#include <flowray/tf/slicing.h>
#include <flowray/tf/sparse_tensor.h>
#include <flowray/tf/tensor.h>

// functions of tensors
#include <flowray/tf/array.h>
#include <flowray/tf/ctc.h>
#include <flowray/tf/debugging.h>
#include <flowray/tf/distributions.h>
#include <flowray/tf/embedding.h>
#include <flowray/tf/image.h>
#include <flowray/tf/linalg.h>
#include <flowray/tf/lookup.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/random.h>
#include <flowray/tf/rnn.h>
#include <flowray/tf/signal.h>
#include <flowray/tf/sparse.h>
#include <flowray/tf/strings.h>

// variables, control flow, functions, gradients; what runs at once
#include <flowray/tf/contrib/eager.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/eager.h>
#include <flowray/tf/function.h>
#include <flowray/tf/gradients.h>
#include <flowray/tf/initializers.h>
#include <flowray/tf/partitioner.h>
#include <flowray/tf/py_func.h>
#include <flowray/tf/templates.h>
#include <flowray/tf/tensor_array.h>
#include <flowray/tf/variable.h>
#include <flowray/tf/variable_scope.h>

// networks
#include <flowray/tf/contrib/layers.h>
#include <flowray/tf/keras.h>
#include <flowray/tf/layers.h>
#include <flowray/tf/losses.h>
#include <flowray/tf/metrics.h>

// sessions and servers
#include <flowray/tf/cluster_resolver.h>
#include <flowray/tf/monitored_session.h>
#include <flowray/tf/nested_fetches.h>
#include <flowray/tf/server.h>
#include <flowray/tf/session.h>
#include <flowray/tf/session_manager.h>
#include <flowray/tf/session_run_hooks.h>
#include <flowray/tf/timeline.h>

// training
#include <flowray/tf/checkpoint_utils.h>
#include <flowray/tf/saveable.h>
#include <flowray/tf/saved_model.h>
#include <flowray/tf/saver.h>
#include <flowray/tf/summary.h>
#include <flowray/tf/supervisor.h>
#include <flowray/tf/sync_replicas.h>
#include <flowray/tf/train.h>

// data, and programs
#include <flowray/tf/app.h>
#include <flowray/tf/data.h>
#include <flowray/tf/data_experimental.h>
#include <flowray/tf/example.h>
#include <flowray/tf/examples.h>
#include <flowray/tf/input_pipeline.h>
#include <flowray/tf/parsing.h>
#include <flowray/tf/queue.h>
#include <flowray/tf/queue_runner.h>
#include <flowray/tf/readers.h>

#endif
