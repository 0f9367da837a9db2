// In-graph replication: one client, variables on the ps, a replica of the model on each worker, and their
// averaged gradients. The cluster is there already:
//
//     flowray cluster --tasks ps=1 worker=2
//     in_graph_replicas TARGET          that of a worker, which it says: grpc://localhost:2223

#include <flowray/tf.h>

#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace tf = flowray::tf;

constexpr int kWorkers = 2;

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: in_graph_replicas TARGET, such as grpc://localhost:2223\n";
    return 2;
  }
  tf::train::GradientDescentOptimizer optimizer(0.25f);
  const std::string ps = "/job:ps/task:0";
  const auto variable_on_ps = [&](const char* name) {
    const auto there = tf::device(ps);
    return tf::get_variable(name, {}, {.initializer = tf::zeros_initializer()});
  };
  const tf::Variable w = variable_on_ps("w");
  const tf::Variable b = variable_on_ps("b");

  // Each replica has half of the points (-1, -1.5), (-0.5, -0.5), (0.5, 1.5), (1, 2.5) of y = 2 x + 0.5.
  const std::vector<std::vector<float>> points = {{-1.0f, -0.5f}, {0.5f, 1.0f}};
  std::vector<std::vector<tf::train::GradientAndVariable>> of_replicas;
  for (int task = 0; task < kWorkers; ++task) {
    const auto there = tf::device("/job:worker/task:" + std::to_string(task));
    const auto scope = tf::name_scope("replica_" + std::to_string(task));
    auto x = tf::constant(points[static_cast<size_t>(task)]);
    auto loss = tf::reduce_mean(tf::square(w * x + b - (2.0f * x + 0.5f)));
    of_replicas.push_back(optimizer.compute_gradients(loss, {.var_list = {w, b}}));
  }
  tf::Operation train;
  {
    const auto there = tf::device(ps);
    std::vector<tf::train::GradientAndVariable> averaged;
    for (size_t i = 0; i < of_replicas[0].size(); ++i) {
      std::vector<tf::Tensor> gradients;
      for (const auto& replica : of_replicas) gradients.push_back(replica[i].gradient);
      averaged.push_back({tf::add_n(gradients) / static_cast<float>(kWorkers), of_replicas[0][i].variable});
    }
    train = optimizer.apply_gradients(averaged);
  }

  tf::Session session(argv[1]);
  session.run(tf::global_variables_initializer());
  for (int step = 0; step < 40; ++step) session.run(train);
  auto [weight, bias] = session.run({w, b});
  std::cout << "w = " << weight << ", b = " << bias << "\n";  // about 2 and 0.5
} catch (const std::exception& error) {
  std::cerr << "in_graph_replicas: " << error.what() << "\n";
  return 1;
}
