#pragma once
/// What a tf::train::Saver keeps beside variables: where iterators are in their datasets.

#include <flowray/tf/collections.h>
#include <flowray/tf/graph.h>
#include <flowray/tf/tensor.h>

#include <string>

#pragma GCC visibility push(default)

namespace flowray::tf::data {
class Iterator;
}

namespace flowray::tf::train {

/// State other than a variable's, as an iterator's: a tensor that gives it, and a way to set it. A Saver
/// takes it in SaverOptions::saveables, or, with all variables, from the collection kCollection.
class SaveableObject {
 public:
  /// tf.GraphKeys.SAVEABLE_OBJECTS: what a Saver of all variables keeps beside them.
  static constexpr const char* kCollection = "saveable_objects";

  SaveableObject() = default;
  /// `value`: what an op SerializeIterator gives. Throws ValueError for another tensor.
  explicit SaveableObject(Tensor value, Input::Where where = Input::Where::current());

  /// The state, as the step that asks for it finds it.
  const Tensor& value() const { return value_; }
  /// The handle of what the state is of.
  Tensor op() const;
  /// The name of that handle: "IteratorV2:0".
  std::string name() const;
  /// What it is called in checkpoints: "IteratorV2:0_STATE".
  std::string name_in_file() const;
  /// An operation that gives it the state `value`.
  Operation restore(const Tensor& value, Input::Where where = Input::Where::current()) const;

  /// To be put into a collection.
  operator CollectionItem() const { return value_; }  // NOLINT: implicit, as tensors are

 private:
  Tensor value_;
};

/// make_saveable_from_iterator of an iterator's handle (Iterator::resource()), whose functions' states fail
/// to be saved.
SaveableObject saveable_of_iterator(const Tensor& handle, Input::Where where = Input::Where::current());

}  // namespace flowray::tf::train

namespace flowray::tf::data::experimental {

struct SaveableFromIteratorOptions {
  /// For functions that have a state of their own, such as random numbers, which is not saved: "fail" fails
  /// to save, "warn" says so on stderr, "ignore" is silent.
  std::string external_state_policy = "fail";
};

/// tf.data.experimental.make_saveable_from_iterator: where the iterator is in its dataset, for a Saver. After
/// a restore it gives the elements that it would have given next when it was saved; it must have been
/// initialized before, with the same dataset.
///
///     auto iterator = dataset.make_initializable_iterator();
///     auto saveable = tf::data::experimental::make_saveable_from_iterator(iterator);
///     tf::train::Saver saver({.var_list = tf::global_variables(), .saveables = {saveable}});
///
/// Throws ValueError for another policy, and RuntimeError for an iterator of eager execution.
train::SaveableObject make_saveable_from_iterator(const Iterator& iterator,
                                                  const SaveableFromIteratorOptions& options = {},
                                                  Input::Where where = Input::Where::current());

}  // namespace flowray::tf::data::experimental

#pragma GCC visibility pop
