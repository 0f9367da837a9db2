// A Momentum step of the job's LeNet-5 on a batch of 100 images, with its accuracy.

#include "lenet/lenet5.h"

#include <flowray/tf.h>

#include <cstdlib>
#include <utility>

#include "compare/rows.h"
#include "support/lenet5_weights.h"

namespace flowray::compare {
namespace {

constexpr int64_t kBatch = 100;
constexpr size_t kBatches = 20;
constexpr int kCheckSteps = 20;

/// Where Debian's dataset-fashion-mnist puts its files, or FLOWRAY_FASHION_MNIST.
std::string fashion_mnist() {
  const char* elsewhere = std::getenv("FLOWRAY_FASHION_MNIST");
  return elsewhere != nullptr ? elsewhere : "/usr/share/datasets/fashion-mnist";
}

class LeNet5 final : public Row {
 public:
  explicit LeNet5(int threads) : session_(graph_, {.intra_op_parallelism_threads = threads}) {
    const auto scope = graph_.as_default();
    const lenet::LeNet5 net = lenet::lenet5();
    weights_ = tf::trainable_variables();
    const auto train = tf::train::MomentumOptimizer(0.02, 0.9).minimize(net.loss);
    initialize_ = tf::global_variables_initializer();
    train_and_accuracy_ = session_.make_callable({train, net.accuracy}, {net.x, net.labels});
    loss_and_train_ = session_.make_callable({net.loss, train}, {net.x, net.labels});
    read_batches();
    begin();
  }

  void begin() override {
    session_.run(initialize_);  // Momentum's accumulators too
    const auto values = testing::lenet5_weights();
    for (size_t i = 0; i < weights_.size(); ++i) weights_[i].load(values[i].value, &session_);
    next_ = 0;
  }

  void run(int64_t iterations) override {
    for (int64_t i = 0; i < iterations; ++i) {
      const auto& [images, labels] = batches_[next_];
      train_and_accuracy_(images, labels);
      next_ = (next_ + 1) % kBatches;
    }
  }

  std::vector<double> check() override {
    begin();
    std::vector<double> losses;
    for (size_t step = 0; step < kCheckSteps; ++step) {
      const auto& [images, labels] = batches_[step % kBatches];
      losses.push_back(loss_and_train_(images, labels)[0].item<float>());
    }
    return losses;
  }

 private:
  void read_batches() {
    auto data = tf::examples::read_data_sets(fashion_mnist(), {.one_hot = true, .validation_size = 0}).train;
    for (size_t i = 0; i < kBatches; ++i) batches_.push_back(data.next_batch(kBatch, {.shuffle = false}));
  }

  tf::Graph graph_;
  tf::Session session_;
  std::vector<tf::Variable> weights_;
  tf::Operation initialize_;
  tf::CallableOf<2> train_and_accuracy_;
  tf::CallableOf<2> loss_and_train_;
  std::vector<std::pair<Array, Array>> batches_;
  size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Row> make_lenet5(int threads) { return std::make_unique<LeNet5>(threads); }

}  // namespace flowray::compare
