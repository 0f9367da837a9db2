#pragma once
/// A pole on a cart that is pushed to the left or to the right: the control problem of Barto, Sutton and
/// Anderson (1983), with the usual constants.

#include <array>
#include <cmath>
#include <random>

class CartPole {
 public:
  using State = std::array<float, 4>;  ///< place and speed of the cart, angle of the pole and its speed

  static constexpr int kMostSteps = 500;

  explicit CartPole(unsigned seed) : random_(seed) {}

  /// Begins an episode, near the upright.
  const State& reset() {
    std::uniform_real_distribution<float> small(-0.05f, 0.05f);
    for (float& item : state_) item = small(random_);
    num_steps_ = 0;
    return state_;
  }
  /// Pushes for 0.02 s. Each step is worth 1.
  const State& step(bool to_the_right) {
    constexpr float kGravity = 9.8f, kCart = 1.0f, kPole = 0.1f, kHalfLength = 0.5f, kSeconds = 0.02f;
    auto& [place, speed, angle, turning] = state_;
    const float force = to_the_right ? 10.f : -10.f;
    const float sine = std::sin(angle), cosine = std::cos(angle), mass = kCart + kPole;
    const float pushed = (force + kPole * kHalfLength * turning * turning * sine) / mass;
    const float turns =
        (kGravity * sine - cosine * pushed) / (kHalfLength * (4.f / 3.f - kPole * cosine * cosine / mass));
    const float moves = pushed - kPole * kHalfLength * turns * cosine / mass;
    place += kSeconds * speed;
    speed += kSeconds * moves;
    angle += kSeconds * turning;
    turning += kSeconds * turns;
    ++num_steps_;
    return state_;
  }
  bool has_fallen() const { return std::abs(state_[0]) > 2.4f || std::abs(state_[2]) > 0.2095f; }
  /// Of the episode: it has fallen, or stood long enough.
  bool is_over() const { return has_fallen() || num_steps_ >= kMostSteps; }
  int num_steps() const { return num_steps_; }
  const State& state() const { return state_; }

 private:
  std::mt19937 random_;
  State state_{};
  int num_steps_ = 0;
};
