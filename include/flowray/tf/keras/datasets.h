#pragma once
/// tf.keras.datasets: data from files that are there; nothing is fetched.
///
///     const auto [train, test] = tf::keras::datasets::mnist::load_data();
///     model.fit(train.x, train.y, {.epochs = 5});

#include <flowray/array.h>
#include <flowray/tf/input.h>

#include <filesystem>

#pragma GCC visibility push(default)

namespace flowray::tf::keras::datasets {

/// Examples and their classes.
struct Labelled {
  /// uint8 [examples, 28, 28]: 0 is black, 255 white.
  Array x;
  /// uint8 [examples], 0 to 9.
  Array y;
};
/// What load_data gives.
struct TrainAndTest {
  /// 60000 to train with.
  Labelled train;
  /// 10000 to judge by.
  Labelled test;
};

// A file is looked for by its path, then in the folder datasets of the environment variable KERAS_HOME, or of
// ~/.keras where that is not set. They throw errors::NotFoundError where it is in neither place, and
// errors::DataLossError for a file that is damaged, cut off or another one.

namespace mnist {
/// Digits that were written by hand, of a file that numpy.savez made with x_train, y_train, x_test and
/// y_test.
TrainAndTest load_data(const std::filesystem::path& path = "mnist.npz",
                       Input::Where where = Input::Where::current());
}  // namespace mnist

namespace fashion_mnist {
/// Kinds of clothing, of the four files in the folder "fashion-mnist" ("train-images-idx3-ubyte.gz", ...).
TrainAndTest load_data(Input::Where where = Input::Where::current());
}  // namespace fashion_mnist

}  // namespace flowray::tf::keras::datasets

#pragma GCC visibility pop
