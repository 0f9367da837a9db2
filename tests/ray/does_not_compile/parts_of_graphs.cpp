// Parts of a graph stay in their process.
// EXPECTED: send its weights instead (TensorFlowVariables::get_weights and set_weights)
#include <flowray/ray.h>
#include <flowray/tf.h>
namespace ray = flowray::ray;
namespace tf = flowray::tf;

int take(int x);
int take_tensor(tf::Tensor x);

void arguments(tf::Graph& graph, tf::Session& session, tf::Tensor tensor, tf::Operation operation,
               tf::Variable variable) {
  (void)ray::Task(take).Remote(graph);
  (void)ray::Task(take).Remote(&session);
  (void)ray::Task(take_tensor).Remote(tensor);
  (void)ray::Put(operation);
  (void)ray::Put(std::vector<tf::Variable>{variable});
}
