// flowray-lenet: trains LeNet-5 on images in MNIST's format, in parallel actors whose weights are averaged,
// and tells its accuracy on the test images.

#include <flowray/glue.h>
#include <flowray/ray.h>
#include <flowray/tf.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lenet/interruption.h"
#include "lenet/lenet5.h"
#include "lenet/memory.h"
#include "lenet/progress.h"
#include "lenet/step_log.h"
#include "lenet/trainer.h"

namespace {

using flowray::Array;
namespace tf = flowray::tf;
using tf::examples::DataSet;
using tf::examples::DataSets;

namespace ray = flowray::ray;
using flowray::Weights;
using lenet::kBatch;

constexpr int64_t kPixels = 28 * 28;

// Exit statuses.
constexpr int kFailed = 1;
constexpr int kWrongUse = 2;

struct Flags {
  int64_t actors = 2;
  int64_t steps = 2000;
  int64_t average_every = 10;
  std::filesystem::path data = "/usr/share/datasets/fashion-mnist";  // of Debian's dataset-fashion-mnist
  std::filesystem::path logdir;                                      // empty: none
  int64_t seed = 0;
};

/// One line on standard error.
int fail(int status, std::string message) {
  for (char& letter : message) letter = letter == '\n' ? ' ' : letter;
  fmt::print(stderr, "flowray-lenet: {}\n", message);
  return status;
}

/// The exit status if the program ends here: after --help or a mistake.
std::optional<int> parse(int argc, char** argv, Flags& flags) {
  CLI::App app("Trains LeNet-5 on images in MNIST's format and tells its accuracy on the test images.",
               "flowray-lenet");
  const CLI::Range range(int64_t{0},
                         int64_t{1'000'000'000'000});  // CLI11 takes what does not fit for the greatest
  app.add_option("--actors", flags.actors, "Processes that train at the same time; 0: train in this one")
      ->check(range)
      ->capture_default_str();
  app.add_option("--steps", flags.steps, "Training steps of each actor, of 100 images each")
      ->check(range)
      ->capture_default_str();
  app.add_option("--average-every", flags.average_every, "Steps after which the actors' weights are averaged")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000'000'000}))
      ->capture_default_str();
  app.add_option("--data", flags.data, "Directory with MNIST's four files, gzipped or not")
      ->capture_default_str();
  app.add_option("--logdir", flags.logdir,
                 "Directory for TensorBoard: loss, accuracy and images/s of each actor");
  app.add_option("--seed", flags.seed, "Of the first weights and the order of the images")
      ->check(range)
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return 0;
  } catch (const CLI::ParseError& error) {
    return fail(kWrongUse, fmt::format("{}; --help tells the flags", error.what()));
  }
  return std::nullopt;
}

DataSets read_data(const Flags& flags) {
  // Actors get the bytes of the files and make batches of them.
  const bool as_bytes = flags.actors > 0;
  DataSets data = tf::examples::read_data_sets(flags.data, {.one_hot = !as_bytes,
                                                            .dtype = as_bytes ? tf::uint8 : tf::float32,
                                                            .validation_size = 0,
                                                            .seed = flags.seed});
  if (const auto shape = data.test.images().shape(); shape[1] != kPixels) {
    throw flowray::ValueError(
        fmt::format("'{}' holds images of {} pixels; expected 28x28", flags.data.string(), shape[1]));
  }
  return data;
}

/// Why so many actors cannot be, if so.
std::optional<std::string> too_many_actors(const Flags& flags, const DataSet& data) {
  if (flags.actors > data.num_examples()) {
    return fmt::format("--actors {}: there are {} training images, at least one for each is needed",
                       flags.actors, data.num_examples());
  }
  const int64_t in_store = data.num_examples() * kPixels;  // one copy for all
  const int64_t available = lenet::available_memory_bytes();
  const int64_t fitting = std::max<int64_t>(available - in_store, 0) / lenet::kActorBytes;
  if (flags.actors <= fitting) return std::nullopt;
  return fmt::format(
      "--actors {}: about {} MB each is more than the {} MB of memory that are free; {} would fit",
      flags.actors, lenet::kActorBytes >> 20, available >> 20, fitting);
}

/// Trains until `steps` are done or a signal comes; returns how many steps it made.
int64_t train(tf::Session& session, const lenet::LeNet5& net, const tf::Operation& train_step, DataSet& data,
              int64_t steps, lenet::StepLog* log, const lenet::Interruption& interruption) {
  auto step = session.make_callable({train_step, net.loss, net.accuracy}, {net.x, net.labels});
  const auto progress = lenet::show_progress(steps, kBatch);
  int64_t done = 0;
  for (; done < steps && !interruption; ++done) {
    auto [images, labels] = data.next_batch(kBatch);
    auto [none, loss, accuracy] = step(images, labels);
    progress->step_done(loss.item<float>(), accuracy.item<float>());
    if (log != nullptr) log->step_done(loss.item<float>(), accuracy.item<float>());
  }
  progress->end();
  if (log != nullptr) log->flush();
  return done;
}

int stopped(const lenet::Interruption& interruption, int64_t done, const Flags& flags) {
  fmt::print("stopped by {} after {} of {} steps\n", interruption.name(), done, flags.steps);
  return interruption.exit_status();
}

void tell(double accuracy, std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  fmt::print("test accuracy {:.4f} in {:.1f} s\n", accuracy, took.count());
}

std::string cannot_log(const Flags& flags, const std::string& reason) {
  return fmt::format("--logdir '{}' cannot be written: {}", flags.logdir.string(), reason);
}

int run_here(const Flags& flags, DataSets& data, const lenet::Interruption& interruption,
             std::chrono::steady_clock::time_point start) {
  std::unique_ptr<lenet::StepLog> log;
  try {
    if (!flags.logdir.empty()) log = std::make_unique<lenet::StepLog>(flags.logdir, kBatch);
  } catch (const flowray::Error& error) {
    return fail(kWrongUse, cannot_log(flags, error.message()));
  }
  const auto net = lenet::lenet5(flags.seed);
  const auto train_step = lenet::make_train_step(net.loss, flags.steps);
  if (log != nullptr) log->graph_made(tf::get_default_graph());
  tf::Session session;
  session.run(tf::global_variables_initializer());

  const int64_t done = train(session, net, train_step, data.train, flags.steps, log.get(), interruption);
  if (interruption) return stopped(interruption, done, flags);
  tell(lenet::test_accuracy(session.make_callable(net.accuracy, {net.x, net.labels}), data.test), start);
  return 0;
}

using Trainers = std::vector<ray::ActorHandle<lenet::Trainer>>;

Trainers start_trainers(const Flags& flags, const DataSet& data) {
  const auto images = ray::Put(data.images());  // read there in place by all
  const auto labels = ray::Put(data.labels());
  Trainers trainers;
  for (int64_t i = 0; i < flags.actors; ++i) {
    trainers.push_back(
        ray::Actor(lenet::Trainer::Create).Remote(images, labels, i, flags.actors, flags.seed, flags.steps));
  }
  return trainers;
}

/// One run in TensorBoard for each. Why that cannot be, if so.
std::optional<std::string> start_logs(const Trainers& trainers, const std::filesystem::path& logdir) {
  std::vector<ray::ObjectRef<void>> started;
  for (size_t i = 0; i < trainers.size(); ++i) {
    const auto folder = std::filesystem::absolute(logdir) / fmt::format("actor_{}", i);
    started.push_back(trainers[i].Task(&lenet::Trainer::LogTo).Remote(folder.string()));
  }
  try {
    ray::Get(started);
  } catch (const ray::RayTaskException& error) {
    return error.failure().message;
  }
  return std::nullopt;
}

/// The means over the actors of each step.
void show(const std::vector<std::shared_ptr<lenet::Progressed>>& parts, lenet::Progress& progress) {
  for (size_t step = 0; step < parts[0]->losses.size(); ++step) {
    float loss = 0;
    float accuracy = 0;
    for (const auto& part : parts) {
      loss += part->losses[step];
      accuracy += part->accuracies[step];
    }
    progress.step_done(loss / static_cast<float>(parts.size()), accuracy / static_cast<float>(parts.size()));
  }
}

int run_in_actors(const Flags& flags, DataSets& data, const lenet::Interruption& interruption,
                  std::chrono::steady_clock::time_point start) {
  const Trainers trainers = start_trainers(flags, data.train);
  data.train = {};  // the store has it
  if (!flags.logdir.empty()) {
    if (const auto reason = start_logs(trainers, flags.logdir))
      return fail(kWrongUse, cannot_log(flags, *reason));
  }
  Weights weights = *trainers[0].Task(&lenet::Trainer::GetWeights).Remote().Get();

  const auto progress = lenet::show_progress(flags.steps, kBatch * flags.actors);
  int64_t done = 0;
  while (done < flags.steps && !interruption) {
    const int64_t steps = std::min(flags.average_every, flags.steps - done);
    const auto weights_ref = ray::Put(weights);  // one copy, read in place by every actor
    std::vector<ray::ObjectRef<lenet::Progressed>> refs;
    for (const auto& trainer : trainers)
      refs.push_back(trainer.Task(&lenet::Trainer::Train).Remote(weights_ref, steps));
    const auto parts = ray::Get(refs);
    std::vector<Weights> of_each;
    for (const auto& part : parts) of_each.push_back(part->weights);
    weights = flowray::mean(of_each);
    show(parts, *progress);
    done += steps;
  }
  progress->end();
  if (interruption) return stopped(interruption, done, flags);

  const auto net = lenet::lenet5(flags.seed);
  tf::Session session;
  ray::experimental::TensorFlowVariables variables(net.loss, session);
  variables.set_weights(weights);
  const DataSet test(data.test.images().reshape({data.test.num_examples(), 28, 28}), data.test.labels(),
                     {.one_hot = true});
  tell(lenet::test_accuracy(session.make_callable(net.accuracy, {net.x, net.labels}), test), start);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto start = std::chrono::steady_clock::now();
  Flags flags;
  if (const auto status = parse(argc, argv, flags)) return *status;
  const lenet::Interruption interruption;
  DataSets data;
  try {
    if (flags.actors > 0) ray::Init();  // before the data is there: workers are copies of this process
    data = read_data(flags);
  } catch (const ray::RayException& error) {
    return fail(kFailed, error.what());
  } catch (const flowray::Error& error) {
    return fail(kWrongUse, error.message());
  }
  if (const auto reason = too_many_actors(flags, data.train)) return fail(kWrongUse, *reason);
  try {
    if (flags.actors == 0) return run_here(flags, data, interruption, start);
    return run_in_actors(flags, data, interruption, start);
  } catch (const std::exception& error) {
    return fail(kFailed, error.what());
  }
}
