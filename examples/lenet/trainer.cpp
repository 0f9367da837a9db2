#include "lenet/trainer.h"

#include <algorithm>
#include <cmath>

namespace lenet {

using flowray::Array;
using flowray::Weights;
using tf::examples::DataSet;

RAY_REMOTE(Trainer::Create, &Trainer::LogTo, &Trainer::GetWeights, &Trainer::Train);

tf::Operation make_train_step(const tf::Tensor& loss, int64_t steps) {
  const auto step = tf::train::get_or_create_global_step();
  const auto part_done = tf::cast(step, tf::float32) / static_cast<float>(std::max<int64_t>(steps, 1));
  const auto learning_rate = 0.006 * (1 - part_done);
  return tf::train::AdamOptimizer(learning_rate).minimize(loss, {.global_step = step});
}

double test_accuracy(const tf::Callable& accuracy, const DataSet& data) {
  constexpr int64_t kTestBatch = 1000;
  const int64_t count = data.num_examples();
  double right = 0;
  for (int64_t begin = 0; begin < count; begin += kTestBatch) {
    const int64_t end = std::min(begin + kTestBatch, count);
    const Array part = accuracy(data.images().rows(begin, end), data.labels().rows(begin, end));
    right += std::round(part.item<float>() * static_cast<double>(end - begin));
  }
  return right / static_cast<double>(count);
}

Trainer::Trainer(const Array& images, const Array& labels, int64_t index, int64_t count, int64_t seed,
                 int64_t steps) {
  const int64_t begin = images.dim(0) * index / count;
  const int64_t end = images.dim(0) * (index + 1) / count;
  data_ = DataSet(images.rows(begin, end).reshape({end - begin, 28, 28}), labels.rows(begin, end),
                  {.one_hot = true, .seed = seed + index});
  auto scope = graph_.as_default();
  const auto net = lenet5(seed);
  const auto train_step = make_train_step(net.loss, steps);
  variables_ = flowray::ray::experimental::TensorFlowVariables(net.loss, session_);
  session_.run(tf::global_variables_initializer());
  step_ = session_.make_callable({train_step, net.loss, net.accuracy}, {net.x, net.labels});
}

Progressed Trainer::Train(const Weights& weights, int64_t steps) {
  variables_.set_weights(weights);
  Progressed progressed;
  for (int64_t i = 0; i < steps; ++i) {
    auto [images, labels] = data_.next_batch(kBatch);
    auto [none, loss, accuracy] = step_(images, labels);
    progressed.losses.push_back(loss.item<float>());
    progressed.accuracies.push_back(accuracy.item<float>());
    if (log_) log_->step_done(progressed.losses.back(), progressed.accuracies.back());
  }
  if (log_) log_->flush();
  progressed.weights = variables_.get_weights();
  return progressed;
}

}  // namespace lenet
