// What runs at once: one addition, and a training step under a tape.

#include <flowray/tf.h>

#include "compare/rows.h"

namespace flowray::compare {
namespace {

class EagerAdd final : public Row {
 public:
  explicit EagerAdd(int /*threads*/) {
    const auto eager = tf::eager();
    one_ = tf::constant(1.0f);
    two_ = tf::constant(2.0f);
  }

  void run(int64_t iterations) override {
    const auto eager = tf::eager();
    for (int64_t i = 0; i < iterations; ++i) sum_ = one_ + two_;
  }

  std::vector<double> check() override {
    const auto eager = tf::eager();
    return {(tf::constant(1.5f) + tf::constant(2.25f)).value().item<float>()};
  }

 private:
  tf::Tensor one_, two_, sum_;
};

class EagerRegression final : public Row {
 public:
  explicit EagerRegression(int /*threads*/) {
    const auto eager = tf::eager();
    std::vector<float> x, y;
    for (int i = 0; i < 100; ++i) {
      x.push_back(static_cast<float>(i / 100.0));
      y.push_back(static_cast<float>(0.1 * (i / 100.0) + 0.3));
    }
    x_ = tf::constant(Array(x));
    y_ = tf::constant(Array(y));
    w_ = tf::Variable(tf::constant({-0.5f}));
    b_ = tf::Variable(tf::constant({0.0f}));
  }

  void begin() override {
    const auto eager = tf::eager();
    w_.assign({-0.5f});
    b_.assign({0.0f});
  }

  void run(int64_t iterations) override {
    const auto eager = tf::eager();
    for (int64_t i = 0; i < iterations; ++i) (void)step();
  }

  std::vector<double> check() override {
    begin();
    const auto eager = tf::eager();
    std::vector<double> losses;
    for (int i = 0; i < 20; ++i) losses.push_back(step().value().item<float>());
    return losses;
  }

 private:
  tf::Tensor step() {
    tf::GradientTape tape;
    const tf::Tensor loss = tf::reduce_mean(tf::square(w_ * x_ + b_ - y_));
    const std::vector<tf::Tensor> gradients = tape.gradient(loss, {w_, b_});
    optimizer_.apply_gradients({{gradients[0], w_}, {gradients[1], b_}});
    return loss;
  }

  tf::Tensor x_, y_;
  tf::Variable w_, b_;
  tf::train::GradientDescentOptimizer optimizer_{0.5};
};

}  // namespace

std::unique_ptr<Row> make_eager_add(int threads) { return std::make_unique<EagerAdd>(threads); }
std::unique_ptr<Row> make_eager_regression(int threads) { return std::make_unique<EagerRegression>(threads); }

}  // namespace flowray::compare
