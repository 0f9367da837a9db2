// Linear regression between-graph: parameter servers hold the variables, each worker builds the same graph
// and trains them with data of its own, and the first of the workers, the chief, initialises and saves them.
// One process for each task, on this machine or several:
//
//     parameter_server --job_name ps --task_index 0
//     parameter_server --job_name worker --task_index 0
//     parameter_server --job_name worker --task_index 1
//
// with --ps HOST:PORT,... and --workers HOST:PORT,... alike for all, where they are not at localhost:2222 to
// 2224. A ps ends ten seconds after the last of its workers.

#include <flowray/tf.h>
#include <flowray/tf/server.h>
#include <flowray/tf/supervisor.h>

#include <exception>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace tf = flowray::tf;

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

int work(const tf::train::ClusterSpec& cluster, const tf::train::Server& server, int task,
         const std::string& logdir) {
  auto x = tf::placeholder(tf::float32, {}, {.name = "x"});
  auto y = tf::placeholder(tf::float32, {}, {.name = "y"});
  const auto devices = tf::device(tf::train::replica_device_setter(
      {.worker_device = "/job:worker/task:" + std::to_string(task), .cluster = cluster}));
  tf::Variable w(0.0f, {.name = "weight"});
  tf::Variable b(0.0f, {.name = "bias"});
  tf::Variable global_step(0, {.trainable = false, .name = "global_step"});
  auto loss = tf::square(y - x * w - b);
  auto train = tf::train::AdagradOptimizer(0.1f).minimize(loss, {.global_step = global_step});

  tf::train::Supervisor supervisor({.is_chief = task == 0,
                                    .logdir = logdir,
                                    .summary_op = tf::Tensor(),
                                    .global_step = global_step,
                                    .save_model_secs = 600,
                                    .recovery_wait_secs = 1});
  const auto train_on = [&](tf::Session& session) {
    for (int epoch = 0; epoch < 20 && !supervisor.should_stop(); ++epoch) {
      for (int i = 0; i < 100; ++i) {
        const float at = -1.0f + 0.02f * static_cast<float>(i);
        session.run(train, {{x, at}, {y, 2.0f * at + 10.0f}});
      }
    }
    auto [step, weight, bias] = session.run({global_step, w, b});
    std::cout << "step " << step << ": w = " << weight << ", b = " << bias << "\n";  // towards 2 and 10
  };
  supervisor.managed_session(train_on, server.target());
  return 0;
}

int main(int argc, char** argv) try {
  std::map<std::string, std::string> options = {{"--ps", "localhost:2222"},
                                                {"--workers", "localhost:2223,localhost:2224"},
                                                {"--job_name", "worker"},
                                                {"--task_index", "0"},
                                                {"--logdir", ""}};
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!options.contains(argv[i])) {
      std::cerr << "There is no option " << argv[i]
                << "; there are --ps, --workers, --job_name, --task_index, --logdir\n";
      return 2;
    }
    options[argv[i]] = argv[i + 1];
  }
  const tf::train::ClusterSpec cluster{{"ps", split(options["--ps"])},
                                       {"worker", split(options["--workers"])}};
  const int task = std::stoi(options["--task_index"]);
  tf::train::Server server(cluster, {.job_name = options["--job_name"],
                                     .task_index = task,
                                     .exit_with_workers = options["--job_name"] == "ps"});
  std::cout << "Started server with target: " << server.target() << std::endl;
  return options["--job_name"] == "ps" ? server.join() : work(cluster, server, task, options["--logdir"]);
} catch (const std::exception& error) {
  std::cerr << "parameter_server: " << error.what() << "\n";
  return 1;
}
