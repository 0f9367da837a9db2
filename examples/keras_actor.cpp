// A Keras model in an actor: the driver asks it to train, and reads its history and its weights.
//   keras_actor

#include <flowray/ray.h>
#include <flowray/tf.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace ray = flowray::ray;
namespace tf = flowray::tf;
namespace layers = flowray::tf::keras::layers;
using flowray::Array;
using Histories = std::map<std::string, std::vector<double>>;

void add_layers(tf::keras::Sequential& model) {
  // A densely connected layer with 64 units, and another one; then the chances of 10 classes.
  model.add(layers::Dense(64, {.activation = "relu"}));
  model.add(layers::Dense(64, {.activation = "relu"}));
  model.add(layers::Dense(10, {.activation = "softmax"}));
  model.compile({.optimizer = tf::train::RMSPropOptimizer(0.01),
                 .loss = tf::keras::losses::categorical_crossentropy,
                 .metrics = {tf::keras::metrics::categorical_accuracy}});
}

Array random_numbers(int64_t rows, int64_t columns) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform;
  std::vector<double> values(static_cast<size_t>(rows * columns));
  std::ranges::generate(values, [&] { return uniform(random); });
  return Array::from(values, {rows, columns});
}

Array random_one_hot_labels(int64_t rows, int64_t classes) {
  std::mt19937 random(2);
  std::uniform_int_distribution<int64_t> uniform(0, classes - 1);
  std::vector<double> values(static_cast<size_t>(rows * classes));
  for (int64_t row = 0; row < rows; ++row) values[static_cast<size_t>(row * classes + uniform(random))] = 1;
  return Array::from(values, {rows, classes});
}

class Network {
 public:
  Network() { add_layers(model_); }
  static Network* Create() { return new Network; }

  Histories Train() { return model_.fit(dataset_, labels_).history; }
  std::vector<Array> GetWeights() { return model_.get_weights(); }
  // The state of the optimizer stays as it is.
  void SetWeights(const std::vector<Array>& weights) { model_.set_weights(weights); }

 private:
  tf::keras::Sequential model_;
  Array dataset_ = random_numbers(1000, 32);
  Array labels_ = random_one_hot_labels(1000, 10);
};
RAY_REMOTE(Network::Create, &Network::Train, &Network::GetWeights, &Network::SetWeights);

int main(int argc, char** argv) try {
  if (argc > 1) {
    std::cerr << "keras_actor: '" << argv[1] << "' is unexpected; there are no arguments\n";
    return 2;
  }
  ray::Init();
  auto actor = ray::Actor(Network::Create).Remote();
  const Histories history = *actor.Task(&Network::Train).Remote().Get();
  for (const auto& [name, values] : history) std::cout << name << ": " << values.back() << "\n";
  const auto weights = actor.Task(&Network::GetWeights).Remote();
  actor.Task(&Network::SetWeights).Remote(weights).Get();
  const auto values = weights.Get();
  for (const Array& weight : *values) std::cout << weight.shape() << " ";
  std::cout << std::endl;
} catch (const std::exception& error) {
  std::cerr << "keras_actor: " << error.what() << "\n";
  return 1;
}
