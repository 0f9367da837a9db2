// A gradient descent step of y = w x + b on 100 points that are constants of the graph.

#include <flowray/tf.h>

#include "compare/rows.h"

namespace flowray::compare {
namespace {

constexpr int kPoints = 100;
constexpr int kCheckSteps = 20;

class LinearRegression final : public Row {
 public:
  explicit LinearRegression(int threads) : session_(graph_, {.intra_op_parallelism_threads = threads}) {
    std::vector<double> x, y;
    for (int i = 0; i < kPoints; ++i) {
      x.push_back(i / 100.0);
      y.push_back(0.1 * x.back() + 0.3);
    }
    const auto scope = graph_.as_default();
    const tf::Variable w(Array(std::vector<float>{-0.5f})), b(Array(std::vector<float>{0.0f}));
    const auto error = w * tf::constant(x, tf::float32) + b - tf::constant(y, tf::float32);
    const auto loss = tf::reduce_mean(tf::square(error));
    const auto train = tf::train::GradientDescentOptimizer(0.5).minimize(loss);
    initialize_ = tf::global_variables_initializer();
    train_ = session_.make_callable(train);
    loss_and_train_ = session_.make_callable({loss, train});
    begin();
  }

  void begin() override { session_.run(initialize_); }

  void run(int64_t iterations) override {
    for (int64_t i = 0; i < iterations; ++i) train_();
  }

  std::vector<double> check() override {
    begin();
    std::vector<double> losses;
    for (int step = 0; step < kCheckSteps; ++step) losses.push_back(loss_and_train_()[0].item<float>());
    return losses;
  }

 private:
  tf::Graph graph_;
  tf::Session session_;
  tf::Operation initialize_;
  tf::Callable train_;
  tf::CallableOf<2> loss_and_train_;
};

}  // namespace

std::unique_ptr<Row> make_linear_regression(int threads) {
  return std::make_unique<LinearRegression>(threads);
}

}  // namespace flowray::compare
