#pragma once
/// A walk through the elements of a dataset, in the session of a graph's models.

#include <flowray/tf/data.h>
#include <flowray/tf/session.h>

#include <memory>
#include <optional>
#include <vector>

namespace flowray::tf::keras {

/// The graph gets an iterator of a dataset the first time only: a walk leaves it to the next one. Each of
/// several walks at once has its own.
class DatasetWalk {
 public:
  /// `dataset`: of `graph`, or a value while operations run at once.
  DatasetWalk(data::Dataset dataset, const Graph& graph);
  DatasetWalk(const DatasetWalk&) = delete;
  DatasetWalk& operator=(const DatasetWalk&) = delete;
  ~DatasetWalk();

  /// The next element's components; nothing behind the last one.
  std::optional<std::vector<Array>> next();
  /// How many elements there are, as Dataset::cardinality tells it.
  int64_t cardinality();
  /// From now on from the first element on.
  void begin_anew() { is_begun_ = false; }

 private:
  struct OwnIterator;
  void begin();

  data::Dataset dataset_;
  Graph graph_;
  bool is_begun_ = false;
  std::shared_ptr<OwnIterator> iterator_;
  std::shared_ptr<Session> session_;
  CallableOfMany call_;
  std::optional<data::ElementIterator> values_;  // in place of these where the dataset is a value
};

}  // namespace flowray::tf::keras
