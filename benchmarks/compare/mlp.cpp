// An RMSProp step of a network of three layers, 32-64-64-10, on one batch.

#include <flowray/tf.h>

#include <string>
#include <vector>

#include "compare/pattern.h"
#include "compare/rows.h"

namespace flowray::compare {
namespace {

constexpr int64_t kInputs = 32;
constexpr int64_t kHidden = 64;
constexpr int64_t kClasses = 10;
constexpr int kCheckSteps = 20;

class Mlp final : public Row {
 public:
  Mlp(int threads, int64_t batch)
      : session_(graph_, {.intra_op_parallelism_threads = threads}),
        images_(pattern({batch, kInputs}, 7919, 1)),
        labels_(labels_of(batch)) {
    const auto scope = graph_.as_default();
    const tf::Tensor x = tf::placeholder(tf::float32, Shape{Shape::kUnknownDim, kInputs});
    const tf::Tensor labels = tf::placeholder(tf::float32, Shape{Shape::kUnknownDim, kClasses});
    const tf::Tensor first = tf::nn::relu(layer(x, kInputs, kHidden));
    const tf::Tensor second = tf::nn::relu(layer(first, kHidden, kHidden));
    const tf::Tensor logits = layer(second, kHidden, kClasses);
    const tf::Tensor loss =
        tf::reduce_mean(tf::nn::softmax_cross_entropy_with_logits_v2({.labels = labels, .logits = logits}));
    const auto train = tf::train::RMSPropOptimizer(0.001).minimize(loss);
    initialize_ = tf::global_variables_initializer();
    train_ = session_.make_callable(train, {x, labels});
    loss_and_train_ = session_.make_callable({loss, train}, {x, labels});
    begin();
  }

  void begin() override { session_.run(initialize_); }

  void run(int64_t iterations) override {
    for (int64_t i = 0; i < iterations; ++i) train_(images_, labels_);
  }

  std::vector<double> check() override {
    begin();
    std::vector<double> losses;
    for (int step = 0; step < kCheckSteps; ++step) {
      losses.push_back(loss_and_train_(images_, labels_)[0].item<float>());
    }
    return losses;
  }

 private:
  static tf::Tensor layer(const tf::Tensor& x, int64_t inputs, int64_t outputs) {
    const tf::Variable w(pattern({inputs, outputs}, 6007, 0.2f));
    const tf::Variable b(Array(DType::kFloat32, {outputs}));
    return tf::matmul(x, w) + b;
  }

  tf::Graph graph_;
  tf::Session session_;
  const Array images_;
  const Array labels_;
  tf::Operation initialize_;
  tf::Callable train_;
  tf::CallableOf<2> loss_and_train_;
};

}  // namespace

std::unique_ptr<Row> make_small_mlp(int threads) { return std::make_unique<Mlp>(threads, 32); }
std::unique_ptr<Row> make_large_mlp(int threads) { return std::make_unique<Mlp>(threads, 1024); }

}  // namespace flowray::compare
