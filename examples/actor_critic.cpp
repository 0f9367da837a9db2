// Asynchronous advantage actor-critic (Mnih et al., 2016): each actor plays on with its copy of the network
// and sends the gradients of what it has played; the driver's network makes a step with them as they come,
// and that actor goes on from the weights after it. Nobody waits for the others.
//     actor_critic [ACTORS]

#include <flowray/glue.h>
#include <flowray/ray.h>
#include <flowray/tf.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <iostream>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cart_pole.h"
#include "number_of_actors.h"

namespace ray = flowray::ray;
namespace tf = flowray::tf;
using flowray::Array;
using flowray::Weights;

constexpr int kPlayed = 20;  // steps for one gradient
constexpr float kDiscount = 0.99f;
constexpr int kMostUpdates = 60'000;
constexpr size_t kEpisodes = 50;  // the mean of so many
constexpr double kWanted = 195;   // steps that the pole is to stand for

using Gradients = std::vector<Array>;

class Network {
 public:
  Network() {
    auto scope = graph_.as_default();
    states_ = tf::placeholder(tf::float32, {tf::None, 4});
    actions_ = tf::placeholder(tf::float32, {tf::None, 2});
    returns_ = tf::placeholder(tf::float32, {tf::None});
    const auto weights = [](const char* name, int64_t in, int64_t out, int64_t seed) {
      return tf::get_variable(name, {in, out},
                              {.initializer = tf::glorot_uniform_initializer({.seed = seed})});
    };
    auto hidden = tf::tanh(tf::matmul(states_, weights("hidden", 4, 32, 1)));
    auto logits = tf::matmul(hidden, weights("policy", 32, 2, 2));
    auto values = tf::squeeze(tf::matmul(hidden, weights("value", 32, 1, 3)), {.axis = {1}});
    auto log_policy = tf::nn::log_softmax(logits);
    auto policy = tf::nn::softmax(logits);
    auto advantage = returns_ - values;
    auto chosen = tf::reduce_sum(log_policy * actions_, 1);
    auto entropy = -tf::reduce_mean(tf::reduce_sum(policy * log_policy, 1));
    auto loss = -tf::reduce_mean(chosen * tf::stop_gradient(advantage)) +
                0.5 * tf::reduce_mean(tf::square(advantage)) - 0.01 * entropy;
    auto optimizer = tf::train::AdamOptimizer(0.003);
    auto grads = optimizer.compute_gradients(loss);
    auto train = optimizer.apply_gradients(grads);
    variables_ = ray::experimental::TensorFlowVariables(loss, session_);
    session_.run(tf::global_variables_initializer());
    std::vector<tf::Fetch> gradients;
    std::vector<tf::FeedKey> gradient_feeds;
    for (const auto& [gradient, variable] : grads) {
      gradients.emplace_back(gradient);
      gradient_feeds.emplace_back(gradient);
    }
    gradients_ = session_.make_callable(gradients, std::vector<tf::FeedKey>{states_, actions_, returns_});
    apply_ = session_.make_callable(std::vector<tf::Fetch>{train}, gradient_feeds);
    look_ = session_.make_callable({policy, values}, {states_});
  }
  ray::experimental::TensorFlowVariables& variables() { return variables_; }
  Gradients gradients(const Array& states, const Array& actions, const Array& returns) const {
    const Array* const feeds[] = {&states, &actions, &returns};
    return gradients_(feeds);
  }
  void apply(const Gradients& gradients) const {
    std::vector<const Array*> feeds;
    for (const Array& gradient : gradients) feeds.push_back(&gradient);
    apply_(feeds);
  }
  /// How likely it pushes to the right, and what it thinks the state is worth.
  std::pair<float, float> look(const CartPole::State& state) const {
    Array input(tf::float32, {1, 4});
    std::ranges::copy(state, input.mutable_data<float>());
    auto [policy, value] = look_(input);
    return {policy.data<float>()[1], *value.data<float>()};
  }

 private:
  tf::Graph graph_;
  tf::Session session_{graph_};
  tf::Tensor states_, actions_, returns_;
  ray::experimental::TensorFlowVariables variables_;
  tf::CallableOfMany gradients_, apply_;
  tf::CallableOf<2> look_;
};

/// What an actor has played.
struct Played {
  Gradients gradients;
  std::vector<int> episodes;  ///< how long the pole stood in those that have ended
  FLOWRAY_FIELDS(gradients, episodes);
};

class Player {
 public:
  static Player* Create(unsigned seed) { return new Player(seed); }
  Played Play(const Weights& weights) {
    network_.variables().set_weights(weights);
    Array states(tf::float32, {kPlayed, 4});
    Array actions(tf::float32, {kPlayed, 2});
    Array returns(tf::float32, {kPlayed});
    auto* const state = states.mutable_data<float>();
    auto* const action = actions.mutable_data<float>();
    auto* const sums = returns.mutable_data<float>();
    Played played;
    std::vector<bool> has_ended(kPlayed);
    for (int i = 0; i < kPlayed; ++i) {
      std::ranges::copy(world_.state(), state + 4 * i);
      const bool to_the_right = chance_(random_) < network_.look(world_.state()).first;
      action[2 * i + (to_the_right ? 1 : 0)] = 1;
      world_.step(to_the_right);
      has_ended[static_cast<size_t>(i)] = world_.is_over();
      if (!world_.is_over()) continue;
      played.episodes.push_back(world_.num_steps());
      world_.reset();
    }
    float sum = has_ended.back() ? 0 : network_.look(world_.state()).second;
    for (int i = kPlayed; i-- > 0;) {
      if (has_ended[static_cast<size_t>(i)]) sum = 0;
      sum = 0.1f + kDiscount * sum;  // a step is worth a tenth, so that values stay small
      sums[i] = sum;
    }
    played.gradients = network_.gradients(states, actions, returns);
    return played;
  }

 private:
  explicit Player(unsigned seed) : random_(seed), world_(seed) { world_.reset(); }
  std::mt19937 random_;
  std::uniform_real_distribution<float> chance_;
  CartPole world_;
  Network network_;
};

RAY_REMOTE(Player::Create, &Player::Play);

int main(int argc, char** argv) try {
  const int num_actors = number_of_actors(argc, argv, 2);
  ray::Init();
  std::vector<ray::ActorHandle<Player>> players;
  for (int i = 0; i < num_actors; ++i)
    players.push_back(ray::Actor(Player::Create).Remote(1 + static_cast<unsigned>(i)));

  Network network;
  std::vector<ray::ObjectRef<Played>> running;
  std::map<std::string, size_t> player_of;  // by the reference's ID
  const auto begin = [&](size_t player) {
    running.push_back(players[player].Task(&Player::Play).Remote(network.variables().get_weights()));
    player_of[running.back().ID()] = player;
  };
  for (size_t i = 0; i < players.size(); ++i) begin(i);
  std::deque<int> last;
  double first_mean = 0;
  double mean = 0;
  int updates = 0;
  for (; updates < kMostUpdates && mean < kWanted; ++updates) {
    auto [ready, unready] = ray::Wait(running, 1, -1);
    running = unready;
    const size_t player = player_of.extract(ready[0].ID()).mapped();
    const auto played = ready[0].Get();
    network.apply(played->gradients);
    begin(player);
    for (const int length : played->episodes) {
      last.push_back(length);
      if (last.size() > kEpisodes) last.pop_front();
      if (last.size() < kEpisodes) continue;
      mean = std::accumulate(last.begin(), last.end(), 0.0) / kEpisodes;
      if (first_mean == 0) first_mean = mean;
    }
  }
  std::cout << "the first " << kEpisodes << " times the pole stood for " << first_mean << " steps\n";
  std::cout << "after " << updates << " updates for " << mean << std::endl;
} catch (const std::exception& error) {
  std::cerr << "actor_critic: " << error.what() << "\n";
  return 1;
}
