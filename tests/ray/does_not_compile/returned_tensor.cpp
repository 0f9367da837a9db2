// What a function returns must be sendable where it is registered.
// EXPECTED: send its weights instead (TensorFlowVariables::get_weights and set_weights)
#include <flowray/ray.h>
#include <flowray/tf.h>

flowray::tf::Tensor make();
RAY_REMOTE(make);
