#pragma once
/// Datasets: descriptions of rows of elements, and the walks through them. A dataset is a value of dtype
/// variant and immutable; the state is in its iterators.

#include "core/stack_room.h"
#include "graph/exchange/function_library.h"
#include "graph/exchange/function_runner.h"
#include "graph/kernel/blocking_call.h"
#include "graph/resource/variant_value.h"
#include "ops/data/cardinality.h"

#include <flowray/array.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::ops {

/// One array for each component.
using Element = std::vector<Array>;

/// What a walk needs beside the dataset; lives as long as the iterators.
struct IterationContext {
  graph::FunctionRunner& functions;
  const graph::FunctionLibrary& library;
  /// Of the step that asks for the current element.
  graph::CallLimits limits = {};
};

class WalkState;

/// One walk. Used by one thread at a time.
class DatasetIterator {
 public:
  virtual ~DatasetIterator() = default;
  /// The next element; false at the end. Throws errors::OpError; the walk may go on after that.
  bool next(Element& element) {
    check_stack_room("Datasets");
    return advance(element);
  }
  /// Passes where it is through `state` (ops/data/walk_state.h): that is written, or this walk, which has
  /// just begun, goes there. Throws errors::FailedPreconditionError where it cannot be saved. A walk that
  /// could not be read is of no more use.
  void pass(WalkState& state);

 private:
  virtual bool advance(Element& element) = 0;
  /// What tells it from walks through datasets of other ops.
  virtual std::string_view kind() const = 0;
  virtual void keep(WalkState& state) = 0;
};

/// The values that a dataset keeps.
struct DatasetParts {
  /// Datasets: a walk through the one that is made of them begins one through each.
  std::vector<Array> inputs;
  std::vector<Array> others;
  int64_t cardinality = kUnknownCardinality;
};

class Dataset : public graph::VariantValue {
 public:
  /// How many walks one walk may be made of. ZipDataset(x, x) forty times in a row would be 2^40.
  static constexpr int64_t kMostWalks = 100'000;

  /// Throws errors::ResourceExhaustedError where it would be made of too many others.
  explicit Dataset(const DatasetParts& parts);
  std::unique_ptr<DatasetIterator> iterate(const IterationContext& context) const {
    check_stack_room("Datasets");
    context.limits.check();
    return begin(context);
  }
  /// How many elements it has, or kInfiniteCardinality, kUnknownCardinality.
  int64_t cardinality() const { return cardinality_; }
  /// Other datasets that it keeps.
  const std::vector<Array>& kept_datasets() const { return kept_datasets_; }
  /// Passes what its walks share, and what is there while there is none of them.
  virtual void keep(WalkState&) const {}
  std::string description() const override { return "Variant<type: tensorflow::DatasetVariantWrapper>"; }

 private:
  virtual std::unique_ptr<DatasetIterator> begin(const IterationContext& context) const = 0;

  int64_t num_walks_ = 1;
  int64_t cardinality_;
  std::vector<Array> kept_datasets_;
};

/// A dataset that another one is made of. Keeps it alive.
class DatasetInput {
 public:
  /// Throws errors::InvalidArgumentError for a value that is not a dataset.
  explicit DatasetInput(Array variant);
  const Dataset& operator*() const { return *dataset_; }
  const Dataset* operator->() const { return dataset_; }
  const Array& value() const { return variant_; }

 private:
  Array variant_;
  const Dataset* dataset_;
};

/// An iterator from a value that has `bool next(Element&)`, `void keep(WalkState&)` and the constant `kKind`.
template <class Walk>
std::unique_ptr<DatasetIterator> make_iterator(Walk walk) {
  class WalkIterator final : public DatasetIterator {
   public:
    explicit WalkIterator(Walk walk) : walk_(std::move(walk)) {}

   private:
    bool advance(Element& element) override { return walk_.next(element); }
    std::string_view kind() const override { return Walk::kKind; }
    void keep(WalkState& state) override { walk_.keep(state); }
    Walk walk_;
  };
  return std::make_unique<WalkIterator>(std::move(walk));
}

/// A dataset from a callable that begins a walk: `std::unique_ptr<DatasetIterator>(const IterationContext&)`,
/// as a value. `parts`: whatever it keeps of other values.
template <class Begin>
Array dataset_value(const DatasetParts& parts, Begin begin) {
  class BeginDataset final : public Dataset {
   public:
    BeginDataset(const DatasetParts& parts, Begin begin) : Dataset(parts), begin_(std::move(begin)) {}

   private:
    std::unique_ptr<DatasetIterator> begin(const IterationContext& context) const override {
      return begin_(context);
    }
    Begin begin_;
  };
  return graph::variant_array(std::make_shared<BeginDataset>(parts, std::move(begin)));
}

/// The same where walks share something, which has `void keep(WalkState&)`.
template <class Begin, class Shared>
Array dataset_value(const DatasetParts& parts, Begin begin, std::shared_ptr<Shared> shared) {
  class SharingDataset final : public Dataset {
   public:
    SharingDataset(const DatasetParts& parts, Begin begin, std::shared_ptr<Shared> shared)
        : Dataset(parts), begin_(std::move(begin)), shared_(std::move(shared)) {}
    void keep(WalkState& state) const override { shared_->keep(state); }

   private:
    std::unique_ptr<DatasetIterator> begin(const IterationContext& context) const override {
      return begin_(context);
    }
    Begin begin_;
    const std::shared_ptr<Shared> shared_;
  };
  return graph::variant_array(std::make_shared<SharingDataset>(parts, std::move(begin), std::move(shared)));
}

/// All inputs of a dataset's op; those that are datasets are such that it walks through.
DatasetParts parts_of(const graph::BlockingCall& call, int64_t cardinality = kUnknownCardinality);

/// Input `i` of a dataset's op: a scalar. Throws errors::InvalidArgumentError.
template <class T>
T scalar_argument(const graph::BlockingCall& call, int i, std::string_view name);

/// The attribute `name` of the node, a function, and what it captured: the inputs from `first` on, `count`
/// of them.
graph::FunctionRequest function_argument(const graph::BlockingCall& call, std::string_view name, int first,
                                         size_t count);

/// For an op that walks through a dataset while it runs: as long as its call allows. Throws
/// errors::UnimplementedError outside of a session.
IterationContext call_context(const graph::BlockingCall& call);

}  // namespace flowray::ops
