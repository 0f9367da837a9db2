// A line through noisy points, between-graph: a ps holds weight and bias, worker 0 is the chief, whose
// supervisor writes summaries and saves every five seconds. Whoever is killed and started again goes on where
// the others are, or at the newest checkpoint. A process for each task:
//
//     supervised_training --job_name ps
//     supervised_training --job_name worker --task_index 0
//     supervised_training --job_name worker --task_index 1
//
// at localhost:1681 to 1683, or with --ps HOST:PORT and --workers HOST:PORT,... alike for all.

#include <flowray/tf.h>
#include <flowray/tf/server.h>
#include <flowray/tf/supervisor.h>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tf = flowray::tf;

struct Options {
  std::vector<std::string> ps = {"localhost:1681"};
  std::vector<std::string> workers = {"localhost:1682", "localhost:1683"};
  std::string job_name = "worker";
  int task_index = 0;
  std::string logdir = "log/super";
  int64_t epochs = 2200;  // of all workers together, of 100 steps each
};

/// y = 2x with noise.
std::pair<std::vector<float>, std::vector<float>> make_points(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> noise(0.0f, 0.3f);
  std::vector<float> xs;
  std::vector<float> ys;
  for (int i = 0; i < 100; ++i) {
    xs.push_back(-1.0f + 2.0f * static_cast<float>(i) / 99.0f);
    ys.push_back(2.0f * xs.back() + noise(random));
  }
  return {xs, ys};
}

int work(const Options& options, const tf::train::ClusterSpec& cluster, const std::string& target) {
  const bool is_chief = options.task_index == 0;
  const auto [xs, ys] = make_points(static_cast<unsigned>(options.task_index));
  const auto devices = tf::device(tf::train::replica_device_setter(
      {.worker_device = "/job:worker/task:" + std::to_string(options.task_index), .cluster = cluster}));
  auto x = tf::placeholder(tf::float32);
  auto y = tf::placeholder(tf::float32);
  tf::Variable w(tf::truncated_normal({1}), {.name = "weight"});
  tf::Variable b(tf::truncated_normal({1}), {.name = "bias"});
  auto global_step = tf::train::get_or_create_global_step();
  auto z = x * w + b;
  tf::summary::histogram("z", z);
  auto cost = tf::reduce_mean(tf::square(y - z));
  tf::summary::scalar("loss_function", cost);
  auto train = tf::train::GradientDescentOptimizer(0.01).minimize(cost, {.global_step = global_step});
  auto summaries = tf::summary::merge_all();

  tf::train::Supervisor supervisor({.is_chief = is_chief,
                                    .logdir = options.logdir,
                                    .summary_op = tf::Tensor(),  // written below, with the points
                                    .global_step = global_step,
                                    .save_model_secs = 5,
                                    .recovery_wait_secs = 1});
  const int64_t end = options.epochs * static_cast<int64_t>(xs.size());
  const auto train_on = [&](tf::Session& session) {
    auto step = session.run(global_step).item<int64_t>();
    std::cout << "begins at step " << step << std::endl;
    while (step < end && !supervisor.should_stop()) {
      for (size_t i = 0; i < xs.size(); ++i) session.run(train, {{x, xs[i]}, {y, ys[i]}});
      auto [now, loss, weight, bias, summary] =
          session.run({global_step, cost, w, b, summaries}, {{x, xs}, {y, ys}});
      step = now.item<int64_t>();
      if (is_chief) supervisor.summary_computed(session, summary.item<std::string>(), step);
      std::cout << "step " << step << ": cost = " << loss << ", w = " << weight << ", b = " << bias
                << std::endl;
    }
  };
  supervisor.managed_session(train_on, target);
  return 0;
}

int main(int argc, char** argv) try {
  Options options;
  CLI::App app("A line through points on a parameter server and workers, with a supervisor");
  app.add_option("--ps", options.ps, "HOST:PORT,...")->delimiter(',');
  app.add_option("--workers", options.workers, "HOST:PORT,...")->delimiter(',');
  app.add_option("--job_name", options.job_name, "ps or worker")->check(CLI::IsMember({"ps", "worker"}));
  app.add_option("--task_index", options.task_index, "number of this task in its job");
  app.add_option("--logdir", options.logdir, "folder of checkpoints and summaries");
  app.add_option("--epochs", options.epochs, "of all workers together, of 100 steps each")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  const tf::train::ClusterSpec cluster(
      std::map<std::string, std::vector<std::string>>{{"ps", options.ps}, {"worker", options.workers}});
  tf::train::Server server(cluster, {.job_name = options.job_name,
                                     .task_index = options.task_index,
                                     .exit_with_workers = options.job_name == "ps"});
  std::cout << "Started server with target: " << server.target() << std::endl;
  return options.job_name == "ps" ? server.join() : work(options, cluster, server.target());
} catch (const std::exception& error) {
  std::cerr << "supervised_training: " << error.what() << "\n";
  return 1;
}
