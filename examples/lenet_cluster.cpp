// LeNet-5 on Fashion-MNIST between-graph: a ps holds the weights, each worker builds the network and trains
// it with batches of its own, one after the other as they come or, with --sync, all in step. The chief,
// worker 0, tells at the end how many steps all made in a second, and the accuracy. On one machine:
//
//     flowray cluster --tasks ps=1 worker=2 -- lenet_cluster --ps {ps} --workers {worker}
//         --job_name {job} --task_index {task} [--sync]

#include <flowray/tf.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "lenet/lenet5.h"

namespace tf = flowray::tf;

struct Options {
  std::vector<std::string> ps = {"localhost:2222"};
  std::vector<std::string> workers = {"localhost:2223", "localhost:2224"};
  std::string job_name = "worker";
  int task_index = 0;
  bool sync = false;
  int64_t steps = 2500;  // of all workers together; with --sync of each
  int64_t batch = 100;
  std::string data = "/usr/share/datasets/fashion-mnist";  // of Debian's dataset-fashion-mnist
  std::string checkpoint_dir;
};

double test_accuracy(tf::Session& session, const lenet::LeNet5& net, const tf::examples::DataSet& data) {
  const auto accuracy = session.make_callable(net.accuracy, {net.x, net.labels});
  double right = 0;
  const int64_t count = data.num_examples();
  for (int64_t begin = 0; begin < count; begin += 1000) {
    const int64_t end = std::min(begin + 1000, count);
    const auto part = accuracy(data.images().rows(begin, end), data.labels().rows(begin, end));
    right += std::round(part.item<float>() * static_cast<double>(end - begin));
  }
  return right / static_cast<double>(count);
}

int work(const Options& options, const tf::train::ClusterSpec& cluster, const std::string& target) {
  const bool is_chief = options.task_index == 0;
  const auto task = std::to_string(options.task_index);
  auto data = tf::examples::read_data_sets(options.data, {.one_hot = true, .seed = options.task_index});
  const auto devices = tf::device(
      tf::train::replica_device_setter({.worker_device = "/job:worker/task:" + task, .cluster = cluster}));
  const auto net = lenet::lenet5();
  const auto step = tf::train::get_or_create_global_step();
  const auto part_done = tf::cast(step, tf::float32) / static_cast<float>(options.steps);
  const auto adam =
      std::make_shared<tf::train::AdamOptimizer>(tf::maximum(0.004f * (1.0f - part_done), 0.0f));

  tf::train::SessionRunHooks hooks = {
      std::make_shared<tf::train::StopAtStepHook>(tf::train::StopAtStepOptions{.last_step = options.steps})};
  tf::Operation train;
  // A worker that dies is waited for once, half a minute, and not for ever.
  tf::train::SyncReplicasOptimizer together(adam, static_cast<int>(options.workers.size()),
                                            {.drop_after_secs = 30});
  if (options.sync) {
    train = together.minimize(net.loss, {.global_step = step});
    hooks.push_back(together.make_session_run_hook(is_chief, {.num_tokens = 0}));
  } else {
    train = adam->minimize(net.loss, {.global_step = step});
  }

  auto session = tf::train::MonitoredTrainingSession(
      {.master = target, .is_chief = is_chief, .checkpoint_dir = options.checkpoint_dir, .hooks = hooks});
  const auto first_step = session.run(step).item<int64_t>();
  const auto begin = std::chrono::steady_clock::now();
  while (!session.should_stop()) {
    auto [images, labels] = data.train.next_batch(options.batch);
    session.run(train, {{net.x, images}, {net.labels, labels}});
  }
  if (is_chief) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::cout << "steps/s " << static_cast<double>(options.steps - first_step) / took.count() << "\n";
    const double accuracy = session.run_step_fn([&](const tf::train::StepContext& context) {
      return test_accuracy(context.session(), net, data.test);
    });
    std::cout << "accuracy " << accuracy << "\n";
  }
  session.close();
  return 0;
}

int main(int argc, char** argv) try {
  Options options;
  CLI::App app("LeNet-5 on parameter servers and workers");
  app.add_option("--ps", options.ps, "HOST:PORT,...")->delimiter(',');
  app.add_option("--workers", options.workers, "HOST:PORT,...")->delimiter(',');
  app.add_option("--job_name", options.job_name, "ps or worker")->check(CLI::IsMember({"ps", "worker"}));
  app.add_option("--task_index", options.task_index, "number of this task in its job");
  app.add_flag("--sync", options.sync, "all workers make each step together");
  app.add_option("--steps", options.steps, "of all workers together; with --sync of each")
      ->check(CLI::PositiveNumber);
  app.add_option("--batch", options.batch, "images in a step of a worker")->check(CLI::PositiveNumber);
  app.add_option("--data", options.data, "folder with the four files of MNIST or Fashion-MNIST");
  app.add_option("--checkpoint_dir", options.checkpoint_dir, "where the chief saves");
  CLI11_PARSE(app, argc, argv);
  const tf::train::ClusterSpec cluster(
      std::map<std::string, std::vector<std::string>>{{"ps", options.ps}, {"worker", options.workers}});
  tf::train::Server server(cluster, {.job_name = options.job_name,
                                     .task_index = options.task_index,
                                     .exit_with_workers = options.job_name == "ps"});
  if (options.job_name == "ps") return server.join();
  return work(options, cluster, server.target());
} catch (const std::exception& error) {
  std::cerr << "lenet_cluster: " << error.what() << "\n";
  return 1;
}
