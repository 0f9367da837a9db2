#pragma once
/// LeNet-5 in an actor: a process with a graph, a session and a shard of the images of its own.

#include <flowray/glue.h>
#include <flowray/ray.h>
#include <flowray/tf.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lenet/lenet5.h"
#include "lenet/step_log.h"

namespace lenet {

inline constexpr int64_t kBatch = 100;

/// Adam with a learning rate that falls to zero in equal parts over `steps`, which spares the last weights
/// the swings of large steps. Added to the default graph.
tf::Operation make_train_step(const tf::Tensor& loss, int64_t steps);

/// The part of the images that a network names rightly; `accuracy` takes a batch of images and labels.
double test_accuracy(const tf::Callable& accuracy, const tf::examples::DataSet& data);

/// What some steps of one actor have come to.
struct Progressed {
  flowray::Weights weights;
  std::vector<float> losses;  ///< of each step's batch, as the next
  std::vector<float> accuracies;
  FLOWRAY_FIELDS(weights, losses, accuracies);
};

class Trainer {
 public:
  /// `images` is uint8 [N, 784] and `labels` uint8 [N], read where they lie; of them the `index`-th of
  /// `count` equal shards is trained on. `steps`: how many there will be.
  Trainer(const flowray::Array& images, const flowray::Array& labels, int64_t index, int64_t count,
          int64_t seed, int64_t steps);
  static Trainer* Create(const flowray::Array& images, const flowray::Array& labels, int64_t index,
                         int64_t count, int64_t seed, int64_t steps) {
    return new Trainer(images, labels, index, count, seed, steps);
  }

  /// Writes event files from now on.
  void LogTo(const std::string& logdir) {
    log_.emplace(logdir, kBatch);
    log_->graph_made(graph_);
  }
  flowray::Weights GetWeights() { return variables_.get_weights(); }
  /// Makes `steps` steps from `weights` on.
  Progressed Train(const flowray::Weights& weights, int64_t steps);

 private:
  tf::Graph graph_;
  tf::Session session_{graph_};
  tf::examples::DataSet data_;
  tf::CallableOf<3> step_;
  flowray::ray::experimental::TensorFlowVariables variables_;
  std::optional<StepLog> log_;
};

}  // namespace lenet
