#pragma once
/// What tf.function makes of one call of a Python function, or of one of C++: a graph that is built once
/// and then run as one step. Variables of eager execution are the same in it as outside.

#include <flowray/tf/graph.h>
#include <flowray/tf/tensor.h>

#include "engine/session.h"
#include "graph/value_node.h"

#include <memory>
#include <vector>

namespace flowray::tf::eagerly {

/// The default graph for tracing, whose variables are made outside of it.
Graph graph_to_trace(bool is_first_trace);

class TracedFunction : public std::enable_shared_from_this<TracedFunction> {
 public:
  /// `inputs` are placeholders of the graph, `outputs` tensors of it. What has effects (assignments,
  /// printing) runs in the order in which it was made, whether an output needs it or not.
  TracedFunction(const Graph& graph, const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs);

  /// The outputs for these inputs. Tapes record it as one operation.
  std::vector<Tensor> call(const std::vector<Tensor>& arguments);

  const Graph& graph() const { return graph_; }

 private:
  using Endpoint = graph::Endpoint;
  /// The step for the outputs' gradients, made when it is first asked for,
  /// and what it is fed of the forward step.
  struct Backward {
    std::vector<Endpoint> outputs;  // those from which something flows, by number
    std::vector<size_t> numbers;
    std::vector<Endpoint> start;      // placeholders
    std::vector<Endpoint> captured;   // of the forward step
    std::vector<Endpoint> gradients;  // for each input and then each variable; none where nothing flows
    std::vector<Endpoint> fetches;
    std::unique_ptr<engine::Step> forward;
    std::unique_ptr<engine::Step> step;
  };

  void order_effects();
  bool is_watched(const std::vector<Tensor>& arguments) const;
  std::vector<Tensor> call_recorded(const std::vector<Tensor>& arguments);
  Backward& backward();
  std::vector<Tensor> gradients(const std::vector<Array>& captured, const std::vector<Tensor>& outputs,
                                const std::vector<Tensor>& gradients_of_outputs);

  const Graph graph_;
  std::vector<Endpoint> inputs_;
  std::vector<Endpoint> outputs_;
  std::vector<graph::Node*> effects_;
  /// Outside, and in the graph.
  std::vector<std::pair<Tensor, Endpoint>> variables_;
  bool has_flow_ = false;
  std::unique_ptr<engine::Step> step_;
  std::unique_ptr<Backward> backward_;
};

}  // namespace flowray::tf::eagerly
