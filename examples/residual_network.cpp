// A small residual network (He et al., 2015) with batch normalization on Fashion-MNIST: blocks of two
// convolutions that what came in is added to.
//     residual_network [STEPS]

#include <flowray/tf.h>

#include <charconv>
#include <iostream>
#include <string>
#include <string_view>

namespace tf = flowray::tf;
using flowray::Array;

constexpr int64_t kBatch = 50;
constexpr int64_t kTested = 1000;

class Network {
 public:
  Network() {
    auto scope = graph_.as_default();
    tf::set_random_seed(1);
    images_ = tf::placeholder(tf::float32, {tf::None, 784});
    labels_ = tf::placeholder(tf::float32, {tf::None, 10});
    training_ = tf::placeholder_with_default(false, {});

    auto y = normalized(convolution(tf::reshape(images_, {-1, 28, 28, 1}), 8, 2));  // [?, 14, 14, 8]
    y = block(tf::nn::relu(y), 8, 1);
    y = block(y, 16, 2);  // [?, 7, 7, 16]
    y = block(y, 16, 1);
    auto logits = tf::layers::dense(tf::reduce_mean(y, {.axis = {1, 2}}), 10);

    loss_ = tf::reduce_mean(tf::nn::softmax_cross_entropy_with_logits({.labels = labels_, .logits = logits}));
    accuracy_ =
        tf::reduce_mean(tf::cast(tf::equal(tf::argmax(logits, 1), tf::argmax(labels_, 1)), tf::float32));
    {
      // The moving means of batch normalization are updated before each step.
      auto updates = tf::control_dependencies(tf::get_collection(tf::GraphKeys::UPDATE_OPS));
      train_ = tf::train::AdamOptimizer(0.005f).minimize(loss_);
    }
    session_.run(tf::global_variables_initializer());
  }

  /// One step; its loss.
  float train(const Array& images, const Array& labels) {
    auto [done, loss] =
        session_.run({train_, loss_}, {{images_, images}, {labels_, labels}, {training_, true}});
    return loss.item<float>();
  }
  float accuracy(const Array& images, const Array& labels) {
    return session_.run(accuracy_, {{images_, images}, {labels_, labels}}).item<float>();
  }

 private:
  static tf::Tensor convolution(const tf::Tensor& x, int64_t filters, int64_t stride) {
    return tf::layers::conv2d(x, filters, {3, 3},
                              {.strides = {stride, stride},
                               .padding = "same",
                               .use_bias = false,
                               .kernel_initializer = tf::variance_scaling_initializer({.scale = 2.0})});
  }
  tf::Tensor normalized(const tf::Tensor& x) const {
    return tf::layers::batch_normalization(x, {.momentum = 0.9, .training = training_});
  }
  /// Where the sizes differ what came in is brought to them by a convolution of 1 x 1.
  tf::Tensor block(const tf::Tensor& x, int64_t filters, int64_t stride) const {
    auto y = tf::nn::relu(normalized(convolution(x, filters, stride)));
    y = normalized(convolution(y, filters, 1));
    auto shortcut = x;
    if (stride != 1)
      shortcut = normalized(
          tf::layers::conv2d(x, filters, {1, 1}, {.strides = {stride, stride}, .use_bias = false}));
    return tf::nn::relu(y + shortcut);
  }

  tf::Graph graph_;
  tf::Session session_{graph_};
  tf::Tensor images_, labels_, training_, loss_, accuracy_;
  tf::Operation train_;
};

void residual_network(int64_t steps) {
  auto data = tf::examples::read_data_sets("/usr/share/datasets/fashion-mnist", {.one_hot = true, .seed = 1});
  auto [test_images, test_labels] = data.test.next_batch(kTested, {.shuffle = false});
  Network network;
  std::cout << "accuracy before " << network.accuracy(test_images, test_labels) << "\n";
  for (int64_t step = 1; step <= steps; ++step) {
    auto [images, labels] = data.train.next_batch(kBatch);
    const float loss = network.train(images, labels);
    if (step % 50 == 0 || step == steps) std::cout << "step " << step << ": loss " << loss << "\n";
  }
  std::cout << "accuracy after " << network.accuracy(test_images, test_labels) << "\n";
}

int main(int argc, char** argv) {
  int64_t steps = 400;
  if (argc > 1) {
    const std::string_view text = argv[1];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), steps);
    if (argc > 2 || error != std::errc() || end != text.data() + text.size() || steps < 1) {
      std::cerr << "residual_network: expected how many steps to train, at least 1, got '" << text << "'\n";
      return 2;
    }
  }
  residual_network(steps);
}
