#pragma once
/// The data of first programs: what tensorflow.examples.tutorials.mnist.input_data offers.
///
///     auto mnist = tf::examples::read_data_sets("mnist_data", {.one_hot = true});
///     for (int i = 0; i < 2000; ++i) {
///       auto [images, labels] = mnist.train.next_batch(100);
///       session.run(train_step, {{x, images}, {y, labels}});
///     }

#include <flowray/tf/dtypes.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::examples {

struct DataSetOptions {
  /// Labels as float32 vectors of 10 with a one at the class, in place of its uint8 number; true for losses
  /// that compare with a probability of each class.
  bool one_hot = false;
  /// float32: pixels from 0 to 1; uint8: from 0 to 255.
  DType dtype = float32;
  /// Images as rows of their pixels, [N, 784], in place of [N, 28, 28, 1]; false for convolutions.
  bool reshape = true;
  /// The seed of the order of the examples in batches; left out: another one each time.
  std::optional<int64_t> seed = std::nullopt;
};

/// All that makes a DataSet, to send it to another process (flowray/glue.h does).
struct DataSetState {
  Array pixels;  ///< uint8 [N, rows, columns]
  Array labels;  ///< as DataSet::labels() gives them
  /// As DataSetOptions::dtype.
  DType dtype = float32;
  /// As DataSetOptions::reshape.
  bool reshape = true;
  std::vector<int32_t> order;  ///< of the examples in this epoch
  /// Where in `order` the next batch begins.
  int64_t next_in_order = 0;
  /// How often all examples have been used up.
  int64_t epochs_completed = 0;
  /// The seed of the order of the examples.
  uint64_t seed = 0;
  /// How often they have been shuffled: with the seed it decides the next order.
  uint64_t shuffles = 0;
};

struct NextBatchOptions {
  /// Whether an epoch that begins with the batch has its examples shuffled anew; false: in the order of the
  /// epoch before, at first the file's.
  bool shuffle = true;
};

/// Labelled images. Copies share the examples, each has its own place in them. Not to be used by two threads
/// at once.
class DataSet {
 public:
  /// A data set without examples.
  DataSet() = default;
  /// `images` is uint8 [N, rows, columns], `labels` uint8 [N] of classes below 10. Throws ValueError
  /// where shapes, dtypes or classes are others, TypeError for a dtype of the options that is neither
  /// float32 nor uint8.
  DataSet(const Array& images, const Array& labels, const DataSetOptions& options = {});
  /// One that goes on where `state` was taken; shares its arrays. Throws ValueError if the parts do not
  /// fit together.
  static DataSet from_state(DataSetState state);
  /// The state; of a data set without examples with empty `pixels`.
  DataSetState state() const;

  /// All of them in the file's order. The first call makes them (float32: four times the file's size), later
  /// ones share.
  const Array& images() const;
  /// [N, 10] float32 or [N] uint8, in the file's order.
  const Array& labels() const;
  /// The number of rows of images and labels.
  int64_t num_examples() const;
  /// How often next_batch has used all the examples up.
  int64_t epochs_completed() const { return epochs_completed_; }

  /// The next `batch_size` images and their labels. Each epoch goes once through all examples. A batch
  /// that reaches beyond the end of an epoch goes on with the beginning of the next. Throws ValueError for a
  /// size below 1, or without examples.
  std::pair<Array, Array> next_batch(int64_t batch_size, const NextBatchOptions& options = {});

 private:
  struct Examples;
  void start_epoch(bool shuffle);

  std::shared_ptr<const Examples> examples_;  // shared by copies: up to 190 MB that never change
  std::vector<int32_t> order_;
  int64_t next_in_order_ = 0;
  int64_t epochs_completed_ = 0;
  uint64_t seed_ = 0;
  uint64_t shuffles_ = 0;
};

struct DataSets {
  /// The training file's examples without those of the validation set.
  DataSet train;
  /// The first `validation_size` examples of the training file.
  DataSet validation;
  /// The test file's examples.
  DataSet test;
};

struct ReadDataSetsOptions {
  /// Labels as float32 vectors of 10 with a one at the class, in place of its uint8 number; true for losses
  /// that compare with a probability of each class.
  bool one_hot = false;
  /// float32: pixels from 0 to 1; uint8: from 0 to 255.
  DType dtype = float32;
  /// Images as rows of their pixels, [N, 784], in place of [N, 28, 28, 1]; false for convolutions.
  bool reshape = true;
  /// How many of the training file's first examples become the validation set.
  int64_t validation_size = 5000;
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = std::nullopt;
};

/// Reads the four files train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and
/// t10k-labels-idx1-ubyte of MNIST or a set in its format from `directory`, gzipped (also with .gz at the end
/// of the name) or not. Throws, naming file, content and what was expected,
///   errors::NotFoundError     a file or the directory is not there
///   errors::DataLossError     a file is damaged, is not of images or labels, is empty, has a class above 9,
///   or the
///                             number of images is not that of labels
///   ValueError                "Validation size should be between 0 and 60000. Received: ..."
DataSets read_data_sets(const std::filesystem::path& directory, const ReadDataSetsOptions& options = {});

}  // namespace flowray::tf::examples

#pragma GCC visibility pop
