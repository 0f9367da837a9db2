// Two actors train one network on points of their own; the driver puts the weights, and takes the mean of
// what they return.

#include <flowray/glue.h>
#include <flowray/ray.h>
#include <flowray/tf.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "compare/rows.h"

namespace flowray::compare {

class LineNetwork {
 public:
  explicit LineNetwork(int number) {
    std::vector<double> x, y;
    for (int i = 0; i < kPoints; ++i) {
      x.push_back((i + 0.5 * number) / kPoints);
      y.push_back(0.1 * x.back() + 0.3);
    }
    const auto scope = graph_.as_default();
    const tf::Variable w(Array(std::vector<float>{0.0f})), b(Array(std::vector<float>{0.0f}));
    const auto error = w * tf::constant(x, tf::float32) + b - tf::constant(y, tf::float32);
    const auto loss = tf::reduce_mean(tf::square(error));
    const auto train = tf::train::GradientDescentOptimizer(0.5).minimize(loss);
    session_.run(tf::global_variables_initializer());
    variables_ = ray::experimental::TensorFlowVariables(loss, session_);
    train_ = session_.make_callable(train);
  }
  static LineNetwork* create(int number) { return new LineNetwork(number); }

  Weights step(const Weights& weights) {
    variables_.set_weights(weights);
    train_();
    return variables_.get_weights();
  }

 private:
  static constexpr int kPoints = 100;
  tf::Graph graph_;
  tf::Session session_{graph_, {.intra_op_parallelism_threads = 1}};
  tf::Callable train_;
  ray::experimental::TensorFlowVariables variables_;
};

RAY_REMOTE(LineNetwork::create, &LineNetwork::step);

namespace {

using Actors = std::vector<ray::ActorHandle<LineNetwork>>;

constexpr int kActors = 2;
constexpr int kCheckIterations = 20;

Weights start_weights() {
  return {{"Variable", Array(std::vector<float>{-0.5f})}, {"Variable_1", Array(std::vector<float>{0.0f})}};
}

Actors make_actors() {
  Actors actors;
  for (int number = 0; number < kActors; ++number) {
    actors.push_back(ray::Actor(LineNetwork::create).Remote(number));
  }
  return actors;
}

Weights iterate(const Actors& actors, const Weights& weights) {
  const auto weights_ref = ray::Put(weights);
  std::vector<ray::ObjectRef<Weights>> refs;
  for (const auto& actor : actors) refs.push_back(actor.Task(&LineNetwork::step).Remote(weights_ref));
  return mean(ray::Get(refs));
}

std::array<float, 2> w_and_b(const Weights& weights) {
  return {weights.at("Variable").span<float>()[0], weights.at("Variable_1").span<float>()[0]};
}

class WeightAveraging final : public Row {
 public:
  WeightAveraging() { begin(); }
  ~WeightAveraging() override {
    for (const auto& actor : actors_) actor.Kill();
  }

  void begin() override { weights_ = start_weights(); }
  void run(int64_t iterations) override {
    for (int64_t i = 0; i < iterations; ++i) weights_ = iterate(actors_, weights_);
  }
  std::vector<double> check() override {
    begin();
    run(kCheckIterations);
    const auto [w, b] = w_and_b(weights_);
    return {w, b};
  }

 private:
  const Actors actors_ = (need_runtime(), make_actors());
  Weights weights_;
};

/// A program of its own each time: the clock runs from its start to its first line.
class Start final : public Row {
 public:
  void run(int64_t) override {}
  Measurement measure(double) override { return {1, run_program().second}; }  // once a round
  std::vector<double> check() override {
    std::array<double, 2> weights{};
    const std::string line = run_program().first;
    if (std::sscanf(line.c_str(), "%lf %lf", &weights[0], &weights[1]) != 2) {
      throw std::runtime_error(fmt::format("the program printed '{}', not two weights", line));
    }
    return {weights.begin(), weights.end()};
  }

 private:
  static std::pair<std::string, double> run_program() {
    const std::string command = std::filesystem::read_symlink("/proc/self/exe").string() + " --average-once";
    const auto begin = std::chrono::steady_clock::now();
    std::FILE* output = popen(command.c_str(), "r");
    if (output == nullptr) throw std::runtime_error("cannot start " + command);
    std::array<char, 200> line{};
    const bool is_there = std::fgets(line.data(), line.size(), output) != nullptr;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    const int status = pclose(output);
    if (!is_there || status != 0)
      throw std::runtime_error(fmt::format("{} ended with status {}", command, status));
    return {line.data(), seconds.count()};
  }
};

}  // namespace

void average_once() {
  need_runtime();
  const auto [w, b] = w_and_b(iterate(make_actors(), start_weights()));
  std::printf("%.9g %.9g\n", w, b);
  std::fflush(stdout);
}

std::unique_ptr<Row> make_weight_averaging(int) { return std::make_unique<WeightAveraging>(); }
std::unique_ptr<Row> make_start(int) { return std::make_unique<Start>(); }

}  // namespace flowray::compare
