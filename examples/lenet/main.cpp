// flowray-lenet: trains LeNet-5 on images in MNIST's format and tells its accuracy on the test images.

#include <flowray/tf.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>

#include "lenet/interruption.h"
#include "lenet/lenet5.h"
#include "lenet/progress.h"

namespace {

using flowray::Array;
namespace tf = flowray::tf;
using tf::examples::DataSet;
using tf::examples::DataSets;

constexpr int64_t kBatch = 100;
constexpr int64_t kTestBatch = 1000;
constexpr int64_t kPixels = 28 * 28;

// Exit statuses.
constexpr int kFailed = 1;
constexpr int kWrongUse = 2;

struct Flags {
  int64_t steps = 2000;
  std::filesystem::path data = "/usr/share/datasets/fashion-mnist";  // of Debian's dataset-fashion-mnist
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
  app.add_option("--steps", flags.steps, "Training steps, of 100 images each")
      ->check(range)
      ->capture_default_str();
  app.add_option("--data", flags.data, "Directory with MNIST's four files, gzipped or not")
      ->capture_default_str();
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
  DataSets data =
      tf::examples::read_data_sets(flags.data, {.one_hot = true, .validation_size = 0, .seed = flags.seed});
  if (const auto shape = data.test.images().shape(); shape[1] != kPixels) {
    throw flowray::ValueError(
        fmt::format("'{}' holds images of {} pixels; expected 28x28", flags.data.string(), shape[1]));
  }
  return data;
}

/// Adam with a learning rate that falls to zero in equal parts, which spares the last weights the swings of
/// large steps.
tf::Operation make_train_step(const tf::Tensor& loss, int64_t steps) {
  const auto step = tf::train::get_or_create_global_step();
  const auto part_done = tf::cast(step, tf::float32) / static_cast<float>(std::max<int64_t>(steps, 1));
  const auto learning_rate = 0.006 * (1 - part_done);
  return tf::train::AdamOptimizer(learning_rate).minimize(loss, {.global_step = step});
}

/// Trains until `steps` are done or a signal comes; returns how many steps it made.
int64_t train(tf::Session& session, const lenet::LeNet5& net, const tf::Operation& train_step, DataSet& data,
              int64_t steps, const lenet::Interruption& interruption) {
  auto step = session.make_callable({train_step, net.loss, net.accuracy}, {net.x, net.labels});
  const auto progress = lenet::show_progress(steps, kBatch);
  int64_t done = 0;
  for (; done < steps && !interruption; ++done) {
    auto [images, labels] = data.next_batch(kBatch);
    auto [none, loss, accuracy] = step(images, labels);
    progress->step_done(loss.item<float>(), accuracy.item<float>());
  }
  progress->end();
  return done;
}

/// The part of the images that the network names rightly.
double test(tf::Session& session, const lenet::LeNet5& net, const DataSet& data) {
  auto accuracy = session.make_callable(net.accuracy, {net.x, net.labels});
  const int64_t count = data.num_examples();
  double right = 0;
  for (int64_t begin = 0; begin < count; begin += kTestBatch) {
    const int64_t end = std::min(begin + kTestBatch, count);
    const Array part = accuracy(data.images().rows(begin, end), data.labels().rows(begin, end));
    right += std::round(part.item<float>() * static_cast<double>(end - begin));
  }
  return right / static_cast<double>(count);
}

int run(const Flags& flags, DataSets& data, const lenet::Interruption& interruption,
        std::chrono::steady_clock::time_point start) {
  const auto net = lenet::lenet5(flags.seed);
  const auto train_step = make_train_step(net.loss, flags.steps);
  tf::Session session;
  session.run(tf::global_variables_initializer());

  const int64_t done = train(session, net, train_step, data.train, flags.steps, interruption);
  if (interruption) {
    fmt::print("stopped by {} after {} of {} steps\n", interruption.name(), done, flags.steps);
    return interruption.exit_status();
  }
  const double accuracy = test(session, net, data.test);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  fmt::print("test accuracy {:.4f} in {:.1f} s\n", accuracy, took.count());
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
    data = read_data(flags);
  } catch (const flowray::Error& error) {
    return fail(kWrongUse, error.message());
  }
  try {
    return run(flags, data, interruption, start);
  } catch (const std::exception& error) {
    return fail(kFailed, error.what());
  }
}
