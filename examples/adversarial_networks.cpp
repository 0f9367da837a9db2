// Generative adversarial networks (Goodfellow et al., 2014): a generator makes numbers out of noise, a
// discriminator learns to tell them from drawn ones, and the generator to be taken for the real thing. The
// numbers are of a normal distribution, so that what has been learnt can be measured.
//     adversarial_networks [STEPS]

#include <flowray/tf.h>

#include <charconv>
#include <cmath>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace tf = flowray::tf;

constexpr float kMean = 4.0f;
constexpr float kDeviation = 1.25f;
constexpr int64_t kBatch = 256;
constexpr int64_t kShown = 10'000;

/// One number for each of `noise`, [?, 1].
tf::Tensor generator(const tf::Tensor& noise) {
  auto scope = tf::variable_scope("generator");
  auto hidden = tf::layers::dense(noise, 16, {.activation = tf::nn::tanh, .name = "hidden"});
  return tf::layers::dense(hidden, 1, {.name = "made"});
}

/// How sure it is that each number was drawn, as logits [?, 1]. The second call has the first one's weights.
tf::Tensor discriminator(const tf::Tensor& numbers) {
  auto scope = tf::variable_scope("discriminator", {.reuse = tf::AUTO_REUSE});
  // The square beside the number lets two layers tell a spread from another.
  auto seen = tf::concat({numbers, tf::square(numbers) / 10.0f}, 1);
  auto hidden = tf::layers::dense(seen, 32, {.activation = tf::nn::relu, .name = "hidden"});
  return tf::layers::dense(hidden, 1, {.name = "drawn"});
}

tf::Tensor mean_loss(const tf::Tensor& logits, const tf::Tensor& labels) {
  return tf::reduce_mean(tf::nn::sigmoid_cross_entropy_with_logits({.labels = labels, .logits = logits}));
}

/// Trains the variables of one scope alone.
tf::Operation train(const tf::Tensor& loss, const std::string& scope, float rate) {
  return tf::train::AdamOptimizer(rate, {.beta1 = 0.5})
      .minimize(loss, {.var_list = tf::get_collection(tf::GraphKeys::TRAINABLE_VARIABLES, scope)});
}

void adversarial_networks(int64_t steps) {
  tf::set_random_seed(1);
  auto count = tf::placeholder_with_default(kBatch, {});
  auto shape = tf::stack({tf::cast(count, tf::int32), 1});
  auto drawn = tf::random_normal(shape, {.mean = kMean, .stddev = kDeviation});
  auto made = generator(tf::random_normal(shape));
  auto of_drawn = discriminator(drawn);
  auto of_made = discriminator(made);

  auto to_tell = mean_loss(of_drawn, tf::ones_like(of_drawn)) + mean_loss(of_made, tf::zeros_like(of_made));
  auto to_mislead = mean_loss(of_made, tf::ones_like(of_made));
  auto discriminate = train(to_tell, "discriminator", 0.002f);
  auto generate = train(to_mislead, "generator", 0.001f);
  auto [mean, variance] = tf::nn::moments(made, {0, 1});

  tf::Session session;
  session.run(tf::global_variables_initializer());
  const auto tell = [&](int64_t step) {
    auto [m, v] = session.run({mean, variance}, {{count, kShown}});
    std::cout << "step " << step << ": mean " << m.item<float>() << ", deviation "
              << std::sqrt(v.item<float>()) << "\n";
  };
  tell(0);
  for (int64_t step = 1; step <= steps; ++step) {
    session.run(discriminate);
    session.run(generate);
    if (step % 1000 == 0 || step == steps) tell(step);
  }
}

int main(int argc, char** argv) {
  int64_t steps = 5000;
  if (argc > 1) {
    const std::string_view text = argv[1];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), steps);
    if (argc > 2 || error != std::errc() || end != text.data() + text.size() || steps < 1) {
      std::cerr << "adversarial_networks: expected how many steps to train, at least 1, got '" << text
                << "'\n";
      return 2;
    }
  }
  adversarial_networks(steps);
}
