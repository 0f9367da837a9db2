// REINFORCE (Williams, 1992): a network learns to keep a pole upright from whole episodes. What was done
// becomes likelier by how much better it ended than the other steps of the same episodes.
//     policy_gradient [SEED]

#include <flowray/tf.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iostream>
#include <numeric>
#include <random>
#include <string_view>
#include <vector>

#include "cart_pole.h"

namespace tf = flowray::tf;
using flowray::Array;

constexpr int kEpisodes = 10;  // for one update
constexpr int kMostUpdates = 300;
constexpr float kDiscount = 0.99f;
constexpr double kWanted = 195;  // steps that the pole is to stand for, in the mean of an update's episodes

class Policy {
 public:
  explicit Policy(int64_t seed) {
    auto scope = graph_.as_default();
    tf::set_random_seed(seed);
    states_ = tf::placeholder(tf::float32, {tf::None, 4}, {.name = "states"});
    actions_ = tf::placeholder(tf::int32, {tf::None}, {.name = "actions"});
    returns_ = tf::placeholder(tf::float32, {tf::None}, {.name = "returns"});
    auto hidden = tf::layers::dense(states_, 32, {.activation = tf::nn::tanh});
    auto logits = tf::layers::dense(hidden, 2);
    auto unlikely = tf::nn::sparse_softmax_cross_entropy_with_logits({.labels = actions_, .logits = logits});
    auto train = tf::train::AdamOptimizer(0.01f).minimize(tf::reduce_mean(unlikely * returns_));
    session_.run(tf::global_variables_initializer());
    look_ = session_.make_callable(tf::nn::softmax(logits), {states_});
    train_ = session_.make_callable(train, {states_, actions_, returns_});
  }
  /// How likely it pushes to the right.
  float to_the_right(const CartPole::State& state) {
    std::ranges::copy(state, state_.mutable_data<float>());
    return look_(state_).data<float>()[1];
  }
  void learn(const Array& states, const Array& actions, const Array& returns) {
    train_(states, actions, returns);
  }

 private:
  tf::Graph graph_;
  tf::Session session_{graph_};
  tf::Tensor states_, actions_, returns_;
  Array state_{tf::float32, {1, 4}};
  tf::Callable look_, train_;
};

/// What was played, one item for each step.
struct Played {
  std::vector<float> states;  ///< four of each
  std::vector<int> actions;
  std::vector<float> returns;
  std::vector<int> lengths;  ///< of the episodes
};

/// The sums of what followed, each step worth 1 and later ones less.
void add_returns(int num_steps, std::vector<float>& returns) {
  returns.resize(returns.size() + static_cast<size_t>(num_steps));
  float sum = 0;
  for (auto place = returns.rbegin(); num_steps-- > 0; ++place) *place = sum = 1 + kDiscount * sum;
}

Played play(Policy& policy, CartPole& world, std::mt19937& random) {
  Played played;
  std::uniform_real_distribution<float> chance;
  for (int episode = 0; episode < kEpisodes; ++episode) {
    world.reset();
    while (!world.is_over()) {
      const CartPole::State& state = world.state();
      played.states.insert(played.states.end(), state.begin(), state.end());
      const bool to_the_right = chance(random) < policy.to_the_right(state);
      played.actions.push_back(to_the_right ? 1 : 0);
      world.step(to_the_right);
    }
    played.lengths.push_back(world.num_steps());
    add_returns(world.num_steps(), played.returns);
  }
  return played;
}

/// Mean 0 and deviation 1: what is better than the mean becomes likelier, what is worse less likely.
void normalize(std::vector<float>& returns) {
  const auto count = static_cast<float>(returns.size());
  const float mean = std::accumulate(returns.begin(), returns.end(), 0.0f) / count;
  float squares = 0;
  for (float& item : returns) {
    item -= mean;
    squares += item * item;
  }
  const float deviation = std::sqrt(squares / count) + 1e-6f;
  for (float& item : returns) item /= deviation;
}

/// Whether the pole stands in the end.
bool policy_gradient(unsigned seed) {
  Policy policy(seed);
  CartPole world(seed);
  std::mt19937 random(seed);
  for (int update = 0; update <= kMostUpdates; ++update) {
    Played played = play(policy, world, random);
    const double mean = std::accumulate(played.lengths.begin(), played.lengths.end(), 0.0) / kEpisodes;
    if (update % 10 == 0 || mean >= kWanted)
      std::cout << "after " << update << " updates the pole stands for " << mean << " steps\n";
    if (mean >= kWanted) return true;
    normalize(played.returns);
    const auto count = static_cast<int64_t>(played.actions.size());
    Array states(tf::float32, {count, 4});
    std::ranges::copy(played.states, states.mutable_data<float>());
    policy.learn(states, Array(played.actions), Array(played.returns));
  }
  return false;
}

int main(int argc, char** argv) {
  unsigned seed = 1;
  if (argc > 1) {
    const std::string_view text = argv[1];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (argc > 2 || error != std::errc() || end != text.data() + text.size()) {
      std::cerr << "policy_gradient: expected a seed, a whole number from 0, got '" << text << "'\n";
      return 2;
    }
  }
  return policy_gradient(seed) ? 0 : 1;
}
