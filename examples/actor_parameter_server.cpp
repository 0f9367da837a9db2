// A parameter server that is an actor. Workers compute gradients of the same network on points of their own.
//     actor_parameter_server sync|async [WORKERS]
// sync: the server makes a step with the mean of all workers' gradients, and all begin again from its
// weights. async: it makes a step with each worker's gradients as they come; that worker goes on from the
// weights after it, and nobody waits for the others.

#include <flowray/ray.h>

#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "clusters_of_points.h"
#include "number_of_actors.h"

namespace ray = flowray::ray;
using points::Classifier;
using points::Gradients;
using points::Points;
using points::Weights;

constexpr int kSteps = 200;  // of each worker
constexpr int64_t kBatch = 64;
constexpr unsigned kTestSeed = 7;  // not one of the workers' seeds

class ParameterServer {
 public:
  static ParameterServer* Create() { return new ParameterServer; }
  Weights Apply(const Gradients& gradients) {
    network_.apply(gradients);
    return network_.variables().get_weights();
  }
  Weights ApplyMean(const std::vector<ray::ObjectRef<Gradients>>& gradients) {
    return Apply(flowray::mean(ray::Get(gradients)));
  }
  Weights GetWeights() { return network_.variables().get_weights(); }

 private:
  Classifier network_{0.2};
};

class Worker {
 public:
  static Worker* Create(unsigned seed) { return new Worker(seed); }
  /// The gradients at these weights, on the next batch.
  Gradients ComputeGradients(const Weights& weights) {
    network_.variables().set_weights(weights);
    return network_.gradients(points::make_points(kBatch, seed_ + 1000 * ++num_batches_));
  }

 private:
  explicit Worker(unsigned seed) : seed_(seed) {}
  const unsigned seed_;
  unsigned num_batches_ = 0;
  Classifier network_;
};

RAY_REMOTE(ParameterServer::Create, &ParameterServer::Apply, &ParameterServer::ApplyMean,
           &ParameterServer::GetWeights, Worker::Create, &Worker::ComputeGradients);

using Server = ray::ActorHandle<ParameterServer>;
using Workers = std::vector<ray::ActorHandle<Worker>>;

Weights train_in_step(const Server& server, const Workers& workers) {
  auto weights = server.Task(&ParameterServer::GetWeights).Remote();
  for (int step = 0; step < kSteps; ++step) {
    std::vector<ray::ObjectRef<Gradients>> gradients;
    for (const auto& worker : workers)
      gradients.push_back(worker.Task(&Worker::ComputeGradients).Remote(weights));
    weights = server.Task(&ParameterServer::ApplyMean).Remote(gradients);
  }
  return *weights.Get();
}

Weights train_apart(const Server& server, const Workers& workers) {
  auto weights = server.Task(&ParameterServer::GetWeights).Remote();
  std::vector<ray::ObjectRef<Gradients>> running;
  std::map<std::string, size_t> worker_of;  // by the reference's ID
  const auto begin = [&](size_t worker) {
    running.push_back(workers[worker].Task(&Worker::ComputeGradients).Remote(weights));
    worker_of[running.back().ID()] = worker;
  };
  for (size_t i = 0; i < workers.size(); ++i) begin(i);
  for (size_t left = kSteps * workers.size(); left > 0; --left) {
    auto [ready, unready] = ray::Wait(running, 1, -1);
    running = unready;
    const size_t worker = worker_of.extract(ready[0].ID()).mapped();
    weights = server.Task(&ParameterServer::Apply).Remote(ready[0]);
    if (left > workers.size()) begin(worker);
  }
  return *server.Task(&ParameterServer::GetWeights).Remote().Get();
}

int main(int argc, char** argv) try {
  const std::string mode = argc < 2 ? "" : argv[1];
  if (mode != "sync" && mode != "async") {
    std::cerr << "actor_parameter_server: '" << mode << "' is not a way to train; expected sync or async\n";
    return 2;
  }
  argv[1] = argv[0];
  const int num_workers = number_of_actors(argc - 1, argv + 1, 2);
  ray::Init();
  const Server server = ray::Actor(ParameterServer::Create).Remote();
  Workers workers;
  for (int i = 0; i < num_workers; ++i)
    workers.push_back(ray::Actor(Worker::Create).Remote(100 + static_cast<unsigned>(i)));

  const Weights weights = mode == "sync" ? train_in_step(server, workers) : train_apart(server, workers);
  Classifier network;
  const Points test = points::make_points(1000, kTestSeed);
  std::cout << "before: accuracy " << network.accuracy(test) << "\n";
  network.variables().set_weights(weights);
  std::cout << mode << ", " << num_workers << " workers, " << kSteps << " steps each: accuracy "
            << network.accuracy(test) << std::endl;
} catch (const std::exception& error) {
  std::cerr << "actor_parameter_server: " << error.what() << "\n";
  return 1;
}
