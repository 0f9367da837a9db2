#pragma once
/// Where the loops of a model take their batches from: arrays, or a dataset.

#include <flowray/tf/data.h>

#include "tf/keras/dataset_walk.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace flowray::tf::keras {

/// Elements with their true values and weights, as a model's steps take them.
struct Examples {
  std::vector<Array> x;        // of each input
  std::vector<Array> y;        // of each output
  std::vector<Array> weights;  // of each output, or none

  int64_t size() const { return x[0].dim(0); }
  bool is_weighted() const { return !weights.empty(); }
  /// The examples of these numbers, in their order.
  Examples at(const std::vector<int64_t>& numbers) const;
  Examples rows(int64_t begin, int64_t end) const;
  /// What is fed to a step.
  std::vector<Array> values() const;
};

/// The batches of one epoch after the other.
class Batches {
 public:
  virtual ~Batches() = default;
  /// Begins an epoch.
  virtual void begin(int64_t epoch) = 0;
  /// The next batch of the epoch; none behind its last one.
  virtual std::optional<Examples> next() = 0;
  /// Whether all that follows, and the mean of the loss, counts steps; else it counts elements.
  virtual bool counts_steps() const = 0;
  /// How many an epoch has; none where that is not known yet.
  virtual std::optional<int64_t> size() const = 0;
  /// How many of them this epoch had until now.
  virtual int64_t done() const = 0;
  /// Whether there were fewer than were asked for.
  virtual bool ran_out() const { return false; }
};

class BatchesOfArrays final : public Batches {
 public:
  /// Gives the numbers of the elements in the order of an epoch.
  using Order = std::function<std::vector<int64_t>(int64_t epoch)>;
  /// Without an order the elements come as they stand.
  BatchesOfArrays(Examples examples, int64_t batch_size, Order order = nullptr)
      : examples_(std::move(examples)), batch_size_(batch_size), order_(std::move(order)) {}

  void begin(int64_t epoch) override;
  std::optional<Examples> next() override;
  bool counts_steps() const override { return false; }
  std::optional<int64_t> size() const override { return examples_.size(); }
  int64_t done() const override { return done_; }

 private:
  Examples examples_;
  int64_t batch_size_;
  Order order_;
  std::vector<int64_t> numbers_;
  int64_t done_ = 0;
};

/// How many batches of a dataset an epoch takes.
struct StepsOfEpoch {
  /// What the argument that says so is called.
  std::string_view argument;
  /// Left out: as many as there are.
  std::optional<int64_t> given;
  int64_t epochs = 1;
  /// Whether it is trained with them: then an epoch of a given number goes on where the last one ended, while
  /// all others begin anew.
  bool are_for_training = false;
};

class BatchesOfDataset final : public Batches {
 public:
  /// Makes a batch of an element's components.
  using Split = std::function<Examples(std::vector<Array> components)>;
  /// Throws ValueError for a dataset without end where no number of steps is given.
  BatchesOfDataset(const data::Dataset& dataset, const Graph& graph, StepsOfEpoch steps, Split split);

  void begin(int64_t epoch) override;
  /// Warns where the dataset ends before the steps that were asked for.
  std::optional<Examples> next() override;
  bool counts_steps() const override { return true; }
  std::optional<int64_t> size() const override { return size_; }
  int64_t done() const override { return done_; }
  bool ran_out() const override { return ran_out_; }

 private:
  void end_epoch();

  DatasetWalk walk_;
  StepsOfEpoch steps_;
  Split split_;
  std::optional<int64_t> size_;
  int64_t done_ = 0;
  bool ran_out_ = false;
};

}  // namespace flowray::tf::keras
