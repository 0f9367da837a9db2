#include "network.h"

namespace ray = flowray::ray;
namespace tf = flowray::tf;

Network::Network(const flowray::Array& x, const flowray::Array& y) {
  auto scope = graph_.as_default();
  x_ = tf::placeholder_with_default(x, {tf::None});
  auto w = tf::Variable(tf::zeros({1}), {.name = "w"});
  auto b = tf::Variable(tf::zeros({1}), {.name = "b"});
  loss_ = tf::reduce_mean(tf::square(w * x_ + b - tf::constant(y)));
  train_ = tf::train::GradientDescentOptimizer(0.5).minimize(loss_);
  variables_ = ray::experimental::TensorFlowVariables(loss_, session_);
  session_.run(tf::global_variables_initializer());
}

flowray::Weights Network::Step(const flowray::Weights& weights) {
  variables_.set_weights(weights);
  session_.run(train_);
  return variables_.get_weights();
}

void Network::FeedWrongShape() { session_.run(loss_, {{x_, flowray::Array({{1.f, 2.f}})}}); }

int Divide(int a, int b) {
  if (b == 0) throw tf::errors::InvalidArgumentError("Integer division by zero", "Divide");
  return a / b;
}

RAY_REMOTE(Network::Create, &Network::Step, &Network::GetWeights, &Network::FeedWrongShape, Divide);
