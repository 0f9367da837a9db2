// Weight averaging: each actor trains the same network on points of its own; after each step the driver puts
// the mean of their weights into the object store, from where all read it.
//   weight_averaging [ACTORS]

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
    train_ = tf::train::GradientDescentOptimizer(0.5).minimize(loss);
    variables_ = ray::experimental::TensorFlowVariables(loss, session_);
    session_.run(tf::global_variables_initializer());
    step_ = session_.make_callable(train_);
  }
  static Network* Create(Array x, Array y) { return new Network(x, y); }

  Weights Step(const Weights& weights) {
    variables_.set_weights(weights);
    step_();
    return variables_.get_weights();
  }
  Weights GetWeights() { return variables_.get_weights(); }

 private:
  tf::Graph graph_;
  tf::Session session_{graph_};
  tf::Operation train_;
  tf::Callable step_;
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

RAY_REMOTE(Network::Create, &Network::Step, &Network::GetWeights, GenerateFakeData);

int main(int argc, char** argv) try {
  const int num_actors = number_of_actors(argc, argv, 2);
  ray::Init();

  // Actors that hold the networks, each with training data of its own.
  std::vector<ray::ActorHandle<Network>> actors;
  for (int i = 0; i < num_actors; ++i) {
    auto [x, y] = ray::Task(GenerateFakeData).NumReturns<2>().Remote(kPoints, i);
    actors.push_back(ray::Actor(Network::Create).Remote(x, y));
  }
  Weights weights = *actors[0].Task(&Network::GetWeights).Remote().Get();

  for (int iteration = 0; iteration < kIterations; ++iteration) {
    auto weights_ref = ray::Put(weights);  // one copy, read in place by every actor
    std::vector<ray::ObjectRef<Weights>> refs;
    for (const auto& actor : actors) refs.push_back(actor.Task(&Network::Step).Remote(weights_ref));
    weights = flowray::mean(ray::Get(refs));
    if (iteration % 20 == 0)
      std::cout << "Iteration " << iteration << ": weights are " << weights << std::endl;
  }
} catch (const std::exception& error) {
  std::cerr << "weight_averaging: " << error.what() << "\n";
  return 1;
}
