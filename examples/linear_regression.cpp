#include <flowray/tf.h>

#include <iostream>
#include <vector>

namespace tf = flowray::tf;

int main() {
  std::vector<float> xs(100);
  std::vector<float> ys(100);
  for (size_t i = 0; i < xs.size(); ++i) {
    xs[i] = 0.01f * static_cast<float>(i);
    ys[i] = 0.1f * xs[i] + 0.3f;
  }

  auto x = tf::placeholder(tf::float32, {tf::None});
  auto y = tf::placeholder(tf::float32, {tf::None});
  auto w = tf::Variable(tf::random_uniform({1}, -1.0, 1.0));
  auto b = tf::Variable(tf::zeros({1}));
  auto loss = tf::reduce_mean(tf::square(w * x + b - y));
  auto train = tf::train::GradientDescentOptimizer(0.5).minimize(loss);

  tf::Session session;
  session.run(tf::global_variables_initializer());
  auto step = session.make_callable({train, loss}, {x, y});  // compiled once
  for (int i = 0; i < 200; ++i) step(xs, ys);

  auto [weight, bias] = session.run({w, b});
  std::cout << "w = " << weight << ", b = " << bias << "\n";  // about 0.1 and 0.3
}
