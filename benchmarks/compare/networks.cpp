// Training steps of two usual networks on one batch: of convolutions, and of two LSTM layers over 50 steps.

#include <flowray/tf.h>
#include <flowray/tf/rnn.h>

#include <memory>
#include <utility>
#include <vector>

#include "compare/pattern.h"
#include "compare/rows.h"

namespace flowray::compare {
namespace {

constexpr int64_t kClasses = 10;
constexpr int kCheckSteps = 20;

/// What its maker says is trained, on the same batch again and again, from weights that are a pattern.
class Network final : public Row {
 public:
  struct Parts {
    tf::Tensor logits;
    float scale_of_weights;
    std::shared_ptr<tf::train::Optimizer> optimizer;
  };

  Network(int threads, const Array& inputs, Parts (*make)(const tf::Tensor& x))
      : session_(graph_, {.intra_op_parallelism_threads = threads}),
        inputs_(inputs),
        labels_(labels_of(inputs.shape().dim(0))) {
    const auto scope = graph_.as_default();
    const tf::Tensor x = tf::placeholder(tf::float32, inputs.shape());
    const tf::Tensor labels = tf::placeholder(tf::float32, labels_.shape());
    const Parts parts = make(x);
    const tf::Tensor loss = tf::reduce_mean(
        tf::nn::softmax_cross_entropy_with_logits_v2({.labels = labels, .logits = parts.logits}));
    weights_ = tf::trainable_variables();
    scale_ = parts.scale_of_weights;
    const auto train = parts.optimizer->minimize(loss);
    initialize_ = tf::global_variables_initializer();
    train_ = session_.make_callable(train, {x, labels});
    loss_and_train_ = session_.make_callable({loss, train}, {x, labels});
    begin();
  }

  void begin() override {
    session_.run(initialize_);
    for (tf::Variable& weight : weights_) weight.load(pattern(weight.shape(), 6007, scale_), &session_);
  }

  void run(int64_t iterations) override {
    for (int64_t i = 0; i < iterations; ++i) train_(inputs_, labels_);
  }

  std::vector<double> check() override {
    begin();
    std::vector<double> losses;
    for (int step = 0; step < kCheckSteps; ++step) {
      losses.push_back(loss_and_train_(inputs_, labels_)[0].item<float>());
    }
    return losses;
  }

 private:
  tf::Graph graph_;
  tf::Session session_;
  const Array inputs_;
  const Array labels_;
  std::vector<tf::Variable> weights_;
  float scale_ = 0;
  tf::Operation initialize_;
  tf::Callable train_;
  tf::CallableOf<2> loss_and_train_;
};

tf::Variable weights(const Shape& shape) { return tf::Variable(tf::zeros(shape)); }

tf::Tensor dense(const tf::Tensor& x, int64_t inputs, int64_t outputs) {
  return tf::matmul(x, weights({inputs, outputs})) + weights({outputs});
}

tf::Tensor convolution_and_pool(const tf::Tensor& x, int64_t inputs, int64_t outputs) {
  const tf::Tensor y =
      tf::nn::conv2d(x, weights({3, 3, inputs, outputs}), {.strides = {1, 1, 1, 1}, .padding = "SAME"});
  return tf::nn::max_pool(tf::nn::relu(tf::nn::bias_add(y, weights({outputs}))),
                          {.ksize = {1, 2, 2, 1}, .strides = {1, 2, 2, 1}, .padding = "SAME"});
}

Network::Parts convolutions(const tf::Tensor& x) {
  const tf::Tensor pooled = convolution_and_pool(convolution_and_pool(x, 1, 32), 32, 64);
  const tf::Tensor hidden = tf::nn::relu(dense(tf::reshape(pooled, {-1, 7 * 7 * 64}), 7 * 7 * 64, 128));
  return {dense(hidden, 128, kClasses), 0.05f, std::make_shared<tf::train::MomentumOptimizer>(0.01, 0.9)};
}

Network::Parts lstm_layers(const tf::Tensor& x) {
  constexpr int64_t kUnits = 128;
  tf::nn::MultiRNNCell cells(
      {std::make_shared<tf::nn::BasicLSTMCell>(kUnits), std::make_shared<tf::nn::BasicLSTMCell>(kUnits)});
  const tf::nn::CellResult result = tf::nn::dynamic_rnn(cells, x, {.dtype = tf::float32});
  const tf::Tensor last = tf::reshape(tf::slice(result.output, {0, 49, 0}, {-1, 1, -1}), {-1, kUnits});
  return {dense(last, kUnits, kClasses), 0.1f, std::make_shared<tf::train::GradientDescentOptimizer>(0.1)};
}

}  // namespace

std::unique_ptr<Row> make_cnn(int threads) {
  return std::make_unique<Network>(threads, pattern({100, 28, 28, 1}, 7919, 1), convolutions);
}

std::unique_ptr<Row> make_lstm(int threads) {
  return std::make_unique<Network>(threads, pattern({32, 50, 64}, 7919, 1), lstm_layers);
}

}  // namespace flowray::compare
