#pragma once
/// tf.data.experimental: datasets whose elements are those of several others, chosen by a dataset of numbers
/// or by chance, and what is made of elements a batch at a time.
///
///     using tf::data::experimental::sample_from_datasets;
///     auto cats_and_dogs = sample_from_datasets({cats, dogs}, {.weights = {0.2, 0.8}});

#include <flowray/tf/data.h>

#include <cstdint>
#include <optional>
#include <string>

#pragma GCC visibility push(default)

namespace flowray::tf::data::experimental {

struct RandomDatasetOptions {
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// Random integers of 32 bits, as int64, without end (tf.data.experimental.RandomDataset). Each walk gives
/// the same ones.
Dataset random_dataset(const RandomDatasetOptions& options = {},
                       Input::Where where = Input::Where::current());

struct SampleOptions {
  /// How often each dataset's turn comes, in proportion: one float32 or float64 for each. One that is written
  /// as 0 is left out. Empty: all alike.
  OptionalInput weights = {};
  /// Such vectors, the next one for the next element, in the place of `weights`; none: the weights stay.
  Dataset weights_of_each = {};
  /// With the graph's seed it decides whose turn comes; left out: the graph's alone, or none that can be
  /// repeated.
  std::optional<int64_t> seed = {};
  /// Whether the first dataset that has no more elements ends it; false: the others go on.
  bool stop_on_empty_dataset = false;
};
/// The elements of these datasets, each time the next one of a dataset that is drawn by its weight. Throws
/// ValueError for no datasets and for another number of weights, TypeError for elements of different dtypes
/// or numbers, and for weights that are no floats.
Dataset sample_from_datasets(const List<Dataset>& datasets, const SampleOptions& options = {});

struct ChooseOptions {
  /// Whether the first dataset that has no more elements ends it; false: it is passed over.
  bool stop_on_empty_dataset = false;
};
/// The elements of these datasets, each time the next one of the dataset that `choice_dataset` numbers, whose
/// elements are scalars of int64; its end is the end. Throws ValueError for no datasets, TypeError for
/// elements of different dtypes or numbers, and for another choice; the walk throws InvalidArgumentError for
/// a number that no dataset has.
Dataset choose_from_datasets(const List<Dataset>& datasets, const Dataset& choice_dataset,
                             const ChooseOptions& options = {});

struct MapAndBatchOptions {
  /// How many elements are worked on at once; none: as many as a batch has.
  OptionalInput num_parallel_calls = {};
  /// Whether a last batch with fewer elements is left out; the batch's size is then known.
  OptionalInput drop_remainder = {};
};
/// Dataset::map and Dataset::batch as one op, which computes several elements of a batch at once.
Dataset map_and_batch_elements(const Dataset& dataset, const internal::ElementFunction& fn,
                               const Input& batch_size, const MapAndBatchOptions& options,
                               Input::Where where);
/// The same with a function of one to eight tensors, or of a std::vector<Tensor>.
template <internal::GivesElement F>
Dataset map_and_batch(const Dataset& dataset, const F& fn, const Input& batch_size,
                      const MapAndBatchOptions& options = {}, Input::Where where = Input::Where::current()) {
  internal::check_function(fn, "fn", where);
  return map_and_batch_elements(
      dataset,
      [&fn](const std::vector<Tensor>& components) {
        return tf::internal::list_of<Input>(internal::call_of_element(fn, components));
      },
      batch_size, options, where);
}

}  // namespace flowray::tf::data::experimental

#pragma GCC visibility pop
