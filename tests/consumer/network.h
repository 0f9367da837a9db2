#pragma once
/// A line w x + b, trained in an actor.

#include <flowray/glue.h>
#include <flowray/ray.h>
#include <flowray/tf.h>

class Network {
 public:
  Network(const flowray::Array& x, const flowray::Array& y);
  static Network* Create(flowray::Array x, flowray::Array y) { return new Network(x, y); }

  /// One step of gradient descent from `weights`; what they are after it.
  flowray::Weights Step(const flowray::Weights& weights);
  flowray::Weights GetWeights() { return variables_.get_weights(); }
  /// Feeds a matrix where a vector belongs, which throws.
  void FeedWrongShape();

 private:
  flowray::tf::Graph graph_;
  flowray::tf::Session session_{graph_};
  flowray::tf::Tensor x_;
  flowray::tf::Tensor loss_;
  flowray::tf::Operation train_;
  flowray::ray::experimental::TensorFlowVariables variables_;
};

/// Throws as a kernel does that is given a wrong value.
int Divide(int a, int b);
