// Gradient averaging: each actor computes the gradients of the same network on points of its own; the
// driver's network makes a step with their mean, and its weights go to all of them again.
//   gradient_averaging [ACTORS]

#include <flowray/glue.h>
#include <flowray/ray.h>
#include <flowray/tf.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <tuple>
#include <vector>

#include "number_of_actors.h"

namespace ray = flowray::ray;
namespace tf = flowray::tf;
using flowray::Array;
using flowray::Weights;

constexpr int kPoints = 100;
constexpr int kIterations = 201;

using Gradients = std::vector<Array>;  // in the order of compute_gradients

class Network {
 public:
  Network(const Array& x, const Array& y) {
    auto scope = graph_.as_default();
    tf::set_random_seed(0);
    auto x_data = tf::constant(x, tf::float32);
    auto y_data = tf::constant(y, tf::float32);
    auto w = tf::Variable(tf::random_uniform({1}, -1.0, 1.0));
    auto b = tf::Variable(tf::zeros({1}));
    auto prediction = w * x_data + b;
    auto loss = tf::reduce_mean(tf::square(prediction - y_data));
    auto optimizer = tf::train::GradientDescentOptimizer(0.5);
    grads_ = optimizer.compute_gradients(loss);
    train_ = optimizer.apply_gradients(grads_);
    variables_ = ray::experimental::TensorFlowVariables(loss, session_);
    session_.run(tf::global_variables_initializer());
  }
  static Network* Create(Array x, Array y) { return new Network(x, y); }

  /// The gradients at `weights`, without a step.
  Gradients Step(const Weights& weights) {
    variables_.set_weights(weights);
    std::vector<tf::Fetch> gradients;
    for (const auto& [gradient, variable] : grads_) gradients.push_back(gradient);
    return session_.run(gradients);
  }
  /// A step with gradients from elsewhere: they are fed in place of the network's own.
  void Apply(const Gradients& gradients) {
    tf::FeedDict feeds;
    for (size_t i = 0; i < grads_.size(); ++i) feeds.add(grads_[i].gradient, gradients[i]);
    session_.run(train_, feeds);
  }
  Weights GetWeights() { return variables_.get_weights(); }

 private:
  tf::Graph graph_;
  tf::Session session_{graph_};
  std::vector<tf::train::GradientAndVariable> grads_;
  tf::Operation train_;
  ray::experimental::TensorFlowVariables variables_;
};

/// Points on the line 0.1 x + 0.3.
std::tuple<Array, Array> GenerateFakeData(int count, int seed) {
  std::srand(static_cast<unsigned>(seed));
  std::vector<double> x(static_cast<size_t>(count));
  std::vector<double> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = std::rand() / (RAND_MAX + 1.0);
    y[i] = x[i] * 0.1 + 0.3;
  }
  return {x, y};
}

RAY_REMOTE(Network::Create, &Network::Step, GenerateFakeData);

int main(int argc, char** argv) try {
  const int num_actors = number_of_actors(argc, argv, 2);
  ray::Init();

  // Actors that hold the networks, each with training data of its own, and a network here.
  std::vector<ray::ActorHandle<Network>> actors;
  for (int i = 0; i < num_actors; ++i) {
    auto [x, y] = ray::Task(GenerateFakeData).NumReturns<2>().Remote(kPoints, i);
    actors.push_back(ray::Actor(Network::Create).Remote(x, y));
  }
  auto [x_test, y_test] = ray::Task(GenerateFakeData).NumReturns<2>().Remote(kPoints, num_actors);
  Network local_network(*x_test.Get(), *y_test.Get());
  Weights weights = local_network.GetWeights();

  for (int iteration = 0; iteration < kIterations; ++iteration) {
    auto weights_ref = ray::Put(weights);  // one copy, read in place by every actor
    std::vector<ray::ObjectRef<Gradients>> refs;
    for (const auto& actor : actors) refs.push_back(actor.Task(&Network::Step).Remote(weights_ref));
    local_network.Apply(flowray::mean(ray::Get(refs)));
    weights = local_network.GetWeights();
    if (iteration % 20 == 0)
      std::cout << "Iteration " << iteration << ": weights are " << weights << std::endl;
  }
} catch (const std::exception& error) {
  std::cerr << "gradient_averaging: " << error.what() << "\n";
  return 1;
}
