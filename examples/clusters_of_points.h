#pragma once
/// Points of ten kinds in twenty dimensions, and a network that tells them apart: what examples of training
/// in several actors train.

#include <flowray/glue.h>
#include <flowray/tf.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace points {

namespace tf = flowray::tf;
using flowray::Array;
using flowray::Weights;
using Gradients = std::vector<Array>;  // in the order of compute_gradients

constexpr int64_t kKinds = 10;
constexpr int64_t kDimensions = 20;

struct Points {
  Array x;       ///< [count, kDimensions]
  Array labels;  ///< [count, kKinds], one of them 1
  FLOWRAY_FIELDS(x, labels);
};

/// Each is its kind's centre and noise. The same for the same seed.
inline Points make_points(int64_t count, unsigned seed) {
  std::normal_distribution<float> normal;
  std::mt19937 centre_random(1);
  std::array<std::array<float, kDimensions>, kKinds> centres{};
  for (auto& centre : centres) {
    for (float& place : centre) place = normal(centre_random);
  }
  std::mt19937 random(seed);
  Points made{Array(tf::float32, {count, kDimensions}), Array(tf::float32, {count, kKinds})};
  auto* x = made.x.mutable_data<float>();
  auto* labels = made.labels.mutable_data<float>();
  for (int64_t i = 0; i < count; ++i) {
    const size_t kind = random() % kKinds;
    labels[i * kKinds + static_cast<int64_t>(kind)] = 1;
    for (const float place : centres[kind]) *x++ = place + normal(random);
  }
  return made;
}

class Classifier {
 public:
  explicit Classifier(double learning_rate = 0.1) {
    auto scope = graph_.as_default();
    tf::set_random_seed(1);
    x_ = tf::placeholder(tf::float32, {tf::None, kDimensions});
    labels_ = tf::placeholder(tf::float32, {tf::None, kKinds});
    auto w = tf::get_variable("w", {kDimensions, kKinds}, {.initializer = tf::zeros_initializer()});
    auto b = tf::get_variable("b", {kKinds}, {.initializer = tf::zeros_initializer()});
    auto logits = tf::matmul(x_, w) + b;
    auto loss =
        tf::reduce_mean(tf::nn::softmax_cross_entropy_with_logits_v2({.labels = labels_, .logits = logits}));
    auto optimizer = tf::train::GradientDescentOptimizer(learning_rate);
    auto grads = optimizer.compute_gradients(loss);
    auto train = optimizer.apply_gradients(grads);
    auto correct = tf::equal(tf::argmax(logits, 1), tf::argmax(labels_, 1));
    variables_ = flowray::ray::experimental::TensorFlowVariables(loss, session_);
    session_.run(tf::global_variables_initializer());

    // Made ready once; the graph stays as it is.
    std::vector<tf::Fetch> gradients;
    std::vector<tf::Tensor> parts;
    std::vector<tf::FeedKey> gradient_feeds;
    for (const auto& [gradient, variable] : grads) {
      gradients.emplace_back(gradient);
      gradient_feeds.emplace_back(gradient);
      parts.push_back(tf::reshape(gradient, {-1}));
    }
    gradients_ = session_.make_callable(gradients, std::vector<tf::FeedKey>{x_, labels_});
    apply_ = session_.make_callable(std::vector<tf::Fetch>{train}, gradient_feeds);
    loss_and_flat_gradient_ = session_.make_callable({loss, tf::concat(parts, 0)}, {x_, labels_});
    accuracy_ = session_.make_callable(tf::reduce_mean(tf::cast(correct, tf::float32)), {x_, labels_});
  }

  Gradients gradients(const Points& points) const {
    const Array* const feeds[] = {&points.x, &points.labels};
    return gradients_(feeds);
  }
  /// A step with gradients from elsewhere: they are fed in place of the network's own.
  void apply(const Gradients& gradients) const {
    std::vector<const Array*> feeds;
    for (const Array& gradient : gradients) feeds.push_back(&gradient);
    apply_(feeds);
  }
  /// The loss, and its gradient for all weights one after the other.
  std::array<Array, 2> loss_and_flat_gradient(const Points& points) const {
    return loss_and_flat_gradient_(points.x, points.labels);
  }
  float accuracy(const Points& points) const { return accuracy_(points.x, points.labels).item<float>(); }
  flowray::ray::experimental::TensorFlowVariables& variables() { return variables_; }

 private:
  tf::Graph graph_;
  tf::Session session_{graph_};
  tf::Tensor x_, labels_;
  flowray::ray::experimental::TensorFlowVariables variables_;
  tf::CallableOfMany gradients_, apply_;
  tf::CallableOf<2> loss_and_flat_gradient_;
  tf::Callable accuracy_;
};

}  // namespace points
