// Numerical gradients: a step gives the values of gradients, and another one takes values in their place.
// Between the two they may go through other hands: see gradient_averaging.
//   numerical_gradients

#include <flowray/glue.h>
#include <flowray/tf.h>

#include <iostream>
#include <vector>

namespace ray = flowray::ray;
namespace tf = flowray::tf;
using flowray::Array;

int main(int argc, char** argv) {
  if (argc > 1) {
    std::cerr << "numerical_gradients: '" << argv[1] << "' means nothing here; expected no arguments\n";
    return 2;
  }
  auto x_data = tf::placeholder(tf::float32, {100});
  auto y_data = tf::placeholder(tf::float32, {100});

  auto w = tf::Variable(tf::random_uniform({1}, -1.0, 1.0));
  auto b = tf::Variable(tf::zeros({1}));
  auto y = w * x_data + b;

  auto loss = tf::reduce_mean(tf::square(y - y_data));
  auto optimizer = tf::train::GradientDescentOptimizer(0.5);
  auto grads = optimizer.compute_gradients(loss);
  auto train = optimizer.apply_gradients(grads);

  auto init = tf::global_variables_initializer();
  tf::Session session;
  ray::experimental::TensorFlowVariables variables(loss, session);
  session.run(init);
  std::cout << "weights are " << variables.get_weights() << "\n";

  // The values of the gradients at some points.
  const std::vector<float> x_values(100, 1.0f);
  const std::vector<float> y_values(100, 2.0f);
  std::vector<tf::Fetch> gradients;
  for (const auto& [gradient, variable] : grads) gradients.push_back(gradient);
  const std::vector<Array> numerical_grads = session.run(gradients, {{x_data, x_values}, {y_data, y_values}});
  for (size_t i = 0; i < grads.size(); ++i) {
    std::cout << "gradient of " << grads[i].variable.name() << " is " << numerical_grads[i] << "\n";
  }

  // A step with these values. What computes gradients in the graph is not run: the placeholders need
  // no values.
  tf::FeedDict feed_dict;
  for (size_t i = 0; i < grads.size(); ++i) feed_dict.add(grads[i].gradient, numerical_grads[i]);
  session.run(train, feed_dict);
  std::cout << "weights are " << variables.get_weights() << "\n";
}
