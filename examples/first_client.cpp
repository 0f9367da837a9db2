// A client of first_server: the graph is built here, its variable and its steps are there.
//
//     first_client [TARGET [LOGDIR]]    grpc://localhost:2222; the graph for TensorBoard goes to LOGDIR

#include <flowray/tf.h>

#include <exception>
#include <iostream>
#include <optional>

namespace tf = flowray::tf;

int main(int argc, char** argv) try {
  const auto device = tf::device("/job:worker/task:0/cpu:0");
  auto a = tf::constant({1.5f, 6.0f}, {.name = "a"});
  tf::Variable b({1.5f, 3.2f}, {.name = "b"});
  auto c = a * b + a / b;
  auto y = tf::assign(b, c * a);

  tf::Session session(argc > 1 ? argv[1] : "grpc://localhost:2222");
  session.run(tf::global_variables_initializer());
  std::optional<tf::summary::FileWriter> writer;
  if (argc > 2) writer.emplace(argv[2], tf::get_default_graph());
  std::cout << session.run(y) << "\n";  // [4.875 126.450005]
} catch (const std::exception& error) {
  std::cerr << "first_client: " << error.what() << "\n";
  return 1;
}
