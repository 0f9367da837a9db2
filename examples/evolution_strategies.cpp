// Evolution strategies (Salimans et al., 2017): actors try weights that differ a little, by noise that only
// its seed is sent of, and give back how long the pole stood; the driver goes to where it stood longer.
//     evolution_strategies [ACTORS]

#include <flowray/glue.h>
#include <flowray/ray.h>
#include <flowray/tf.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "cart_pole.h"
#include "number_of_actors.h"

namespace ray = flowray::ray;
namespace tf = flowray::tf;
using flowray::Array;

constexpr int kGenerations = 60;
constexpr int kPairs = 20;  // of each generation, with the noise added and taken away
constexpr float kNoise = 0.1f;
constexpr float kStep = 0.3f;
constexpr int kTrials = 20;

/// The policy: a network that says whether to push to the right.
class Policy {
 public:
  Policy() {
    auto scope = graph_.as_default();
    auto state = tf::placeholder(tf::float32, {1, 4});
    auto w1 = tf::get_variable("w1", {4, 8}, {.initializer = tf::glorot_uniform_initializer({.seed = 1})});
    auto w2 = tf::get_variable("w2", {8, 1}, {.initializer = tf::glorot_uniform_initializer({.seed = 2})});
    auto preference = tf::matmul(tf::tanh(tf::matmul(state, w1)), w2);
    variables_ = ray::experimental::TensorFlowVariables(preference, session_);
    session_.run(tf::global_variables_initializer());
    preference_ = session_.make_callable(preference, {state});
  }
  ray::experimental::TensorFlowVariables& variables() { return variables_; }
  /// How long the pole stands.
  int run(CartPole& world) const {
    world.reset();
    Array state(tf::float32, {1, 4});
    while (!world.is_over()) {
      std::ranges::copy(world.state(), state.mutable_data<float>());
      world.step(preference_(state).item<float>() > 0);
    }
    return world.num_steps();
  }

 private:
  tf::Graph graph_;
  tf::Session session_{graph_};
  ray::experimental::TensorFlowVariables variables_;
  tf::Callable preference_;
};

/// The same in all processes.
std::vector<float> noise_of(unsigned seed, size_t size) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> noise(size);
  for (float& item : noise) item = normal(random);
  return noise;
}

class Explorer {
 public:
  static Explorer* Create() { return new Explorer; }
  /// With the noise added to the weights, and taken away; in the same world.
  std::pair<int, int> Try(const Array& weights, unsigned seed) {
    const auto noise = noise_of(seed, static_cast<size_t>(weights.size()));
    return {run(weights, noise, kNoise, seed), run(weights, noise, -kNoise, seed)};
  }

 private:
  int run(const Array& weights, const std::vector<float>& noise, float factor, unsigned seed) {
    Array tried = Array::from(weights.span<float>(), weights.shape());
    auto* const values = tried.mutable_data<float>();
    for (size_t i = 0; i < noise.size(); ++i) values[i] += factor * noise[i];
    policy_.variables().set_flat(tried);
    CartPole world(seed);
    return policy_.run(world);
  }
  Policy policy_;
};

RAY_REMOTE(Explorer::Create, &Explorer::Try);

double mean_time(const Policy& policy) {
  int sum = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    CartPole world(1'000'000 + static_cast<unsigned>(trial));
    sum += policy.run(world);
  }
  return static_cast<double>(sum) / kTrials;
}

/// From -0.5 for the worst to 0.5 for the best: how much better one is than another does not matter.
std::vector<float> ranks(const std::vector<int>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return values[i]; });
  std::vector<float> rank_of(values.size());
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const float rank = static_cast<float>(begin + end - 1) / 2 / static_cast<float>(values.size() - 1) - 0.5f;
    for (; begin < end; ++begin) rank_of[order[begin]] = rank;
  }
  return rank_of;
}

int main(int argc, char** argv) try {
  const int num_actors = number_of_actors(argc, argv, 2);
  ray::Init();
  std::vector<ray::ActorHandle<Explorer>> explorers;
  for (int i = 0; i < num_actors; ++i) explorers.push_back(ray::Actor(Explorer::Create).Remote());

  Policy policy;
  std::cout << "before: the pole stands for " << mean_time(policy) << " steps\n";
  Array weights = policy.variables().get_flat();
  const auto size = static_cast<size_t>(weights.size());
  double best = 0;
  int generation = 0;
  for (; generation < kGenerations && best < CartPole::kMostSteps; ++generation) {
    const auto ref = ray::Put(weights);
    std::vector<ray::ObjectRef<std::pair<int, int>>> tries;
    for (unsigned pair = 0; pair < kPairs; ++pair) {
      const auto& explorer = explorers[pair % explorers.size()];
      const unsigned seed = static_cast<unsigned>(generation) * kPairs + pair + 1;
      tries.push_back(explorer.Task(&Explorer::Try).Remote(ref, seed));
    }
    std::vector<int> times;
    for (const auto& both : ray::Get(tries)) times.insert(times.end(), {both->first, both->second});
    const std::vector<float> rank = ranks(times);
    auto* const values = weights.mutable_data<float>();  // a copy of its own, as others read the old ones
    for (unsigned pair = 0; pair < kPairs; ++pair) {
      const auto noise = noise_of(static_cast<unsigned>(generation) * kPairs + pair + 1, size);
      const float factor = kStep * (rank[2 * pair] - rank[2 * pair + 1]) / kPairs / kNoise;
      for (size_t i = 0; i < size; ++i) values[i] += factor * noise[i];
    }
    policy.variables().set_flat(weights);
    best = mean_time(policy);
  }
  std::cout << "after " << generation << " generations: for " << best << " of " << CartPole::kMostSteps
            << std::endl;
} catch (const std::exception& error) {
  std::cerr << "evolution_strategies: " << error.what() << "\n";
  return 1;
}
