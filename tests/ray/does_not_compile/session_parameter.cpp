// FIRST: a tf::Graph, Session, Tensor, Operation or Variable lives in one process and cannot be sent
// FIRST: send its weights instead (TensorFlowVariables::get_weights and set_weights)
#include <flowray/ray.h>
#include <flowray/tf.h>

float train(flowray::tf::Session& session, int steps);
RAY_REMOTE(train);
