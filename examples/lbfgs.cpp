// L-BFGS over the flat weights of a network: each actor has a share of the points and computes its loss and
// gradient there; the driver sums them, remembers the last differences of weights and gradients, and searches
// along the direction that they give.
//     lbfgs [ACTORS]

#include <flowray/ray.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <exception>
#include <iostream>
#include <numeric>
#include <utility>
#include <vector>

#include "clusters_of_points.h"
#include "number_of_actors.h"

namespace ray = flowray::ray;
using flowray::Array;
using points::Classifier;
using points::Points;

constexpr int64_t kPoints = 2000;  // of all actors
constexpr int kIterations = 30;
constexpr size_t kRemembered = 10;
constexpr float kDecay = 1e-3f;  // times half the square of the weights is added to the loss

using Vector = std::vector<float>;

class Share {
 public:
  static Share* Create(int64_t count, unsigned seed) { return new Share(count, seed); }
  std::pair<float, Array> LossAndGradient(const Array& weights) {
    network_.variables().set_flat(weights);
    auto [loss, gradient] = network_.loss_and_flat_gradient(points_);
    return {loss.item<float>(), gradient};
  }

 private:
  Share(int64_t count, unsigned seed) : points_(points::make_points(count, seed)) {}
  const Points points_;
  Classifier network_;
};

RAY_REMOTE(Share::Create, &Share::LossAndGradient);

float dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.f); }
void add(Vector& to, float factor, const Vector& what) {
  for (size_t i = 0; i < to.size(); ++i) to[i] += factor * what[i];
}

/// The loss at a place, and its gradient, over all shares.
struct Found {
  float loss = 0;
  Vector gradient;
};

class Objective {
 public:
  explicit Objective(std::vector<ray::ActorHandle<Share>> shares) : shares_(std::move(shares)) {}
  Found at(const Vector& weights) {
    ++num_calls_;
    const auto ref = ray::Put(Array(weights));  // one copy, read in place by every actor
    std::vector<ray::ObjectRef<std::pair<float, Array>>> refs;
    for (const auto& share : shares_) refs.push_back(share.Task(&Share::LossAndGradient).Remote(ref));
    Found found{0.5f * kDecay * dot(weights, weights), weights};
    for (float& item : found.gradient) item *= kDecay;
    const float part = 1 / static_cast<float>(shares_.size());
    for (const auto& value : ray::Get(refs)) {
      found.loss += part * value->first;
      const auto gradient = value->second.span<float>();
      for (size_t i = 0; i < gradient.size(); ++i) found.gradient[i] += part * gradient[i];
    }
    return found;
  }
  int num_calls() const { return num_calls_; }

 private:
  std::vector<ray::ActorHandle<Share>> shares_;
  int num_calls_ = 0;
};

/// What the last steps say of the curvature: the two loops of L-BFGS.
class History {
 public:
  void add_step(Vector step, Vector change) {
    const float product = dot(step, change);
    if (product <= 1e-10f) return;
    steps_.push_back({std::move(step), std::move(change), product});
    if (steps_.size() > kRemembered) steps_.pop_front();
  }
  Vector direction(const Vector& gradient) const {
    Vector q = gradient;
    std::vector<float> factors(steps_.size());
    for (size_t i = steps_.size(); i-- > 0;) {
      factors[i] = dot(steps_[i].step, q) / steps_[i].product;
      add(q, -factors[i], steps_[i].change);
    }
    if (!steps_.empty()) {
      const Step& last = steps_.back();
      const float scale = last.product / dot(last.change, last.change);
      for (float& item : q) item *= scale;
    }
    for (size_t i = 0; i < steps_.size(); ++i)
      add(q, factors[i] - dot(steps_[i].change, q) / steps_[i].product, steps_[i].step);
    for (float& item : q) item = -item;
    return q;
  }

 private:
  struct Step {
    Vector step;
    Vector change;  // of the gradient
    float product;
  };
  std::deque<Step> steps_;
};

int main(int argc, char** argv) try {
  const int num_actors = number_of_actors(argc, argv, 2);
  ray::Init();
  std::vector<ray::ActorHandle<Share>> shares;
  for (int i = 0; i < num_actors; ++i)
    shares.push_back(ray::Actor(Share::Create).Remote(kPoints / num_actors, 100 + static_cast<unsigned>(i)));
  Objective objective(shares);

  Classifier network;
  Vector weights(static_cast<size_t>(network.variables().get_flat_size()));
  Found here = objective.at(weights);
  std::cout << "before: loss " << here.loss << "\n";
  History history;
  float norm = std::sqrt(dot(here.gradient, here.gradient));
  for (int iteration = 0; iteration < kIterations && norm > 1e-4f; ++iteration) {
    const Vector direction = history.direction(here.gradient);
    const float slope = dot(direction, here.gradient);
    // Half as far until the loss has gone down enough.
    float length = iteration == 0 ? 1 / norm : 1;
    Vector there = weights;
    add(there, length, direction);
    Found found = objective.at(there);
    while (found.loss > here.loss + 1e-4f * length * slope && length > 1e-4f) {
      length /= 2;
      there = weights;
      add(there, length, direction);
      found = objective.at(there);
    }
    Vector step = there;
    add(step, -1, weights);
    Vector change = found.gradient;
    add(change, -1, here.gradient);
    history.add_step(std::move(step), std::move(change));
    weights = std::move(there);
    here = std::move(found);
    norm = std::sqrt(dot(here.gradient, here.gradient));
  }
  network.variables().set_flat(Array(weights));
  std::cout << "after " << objective.num_calls() << " evaluations: loss " << here.loss << ", gradient "
            << norm << ", accuracy " << network.accuracy(points::make_points(1000, 7)) << std::endl;
} catch (const std::exception& error) {
  std::cerr << "lbfgs: " << error.what() << "\n";
  return 1;
}
