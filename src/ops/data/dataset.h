#pragma once
/// Datasets: descriptions of rows of elements, and the walks through them. A dataset is a value of dtype
/// variant and immutable; the state is in its iterators.

#include "graph/exchange/function_library.h"
#include "graph/exchange/function_runner.h"
#include "graph/kernel/blocking_call.h"
#include "graph/resource/variant_value.h"

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

/// One walk. Used by one thread at a time.
class DatasetIterator {
 public:
  virtual ~DatasetIterator() = default;
  /// The next element; false at the end. Throws errors::OpError; the walk may go on after that.
  virtual bool next(Element& element) = 0;
};

class Dataset : public graph::VariantValue {
 public:
  virtual std::unique_ptr<DatasetIterator> iterate(const IterationContext& context) const = 0;
  std::string description() const override { return "Variant<type: tensorflow::DatasetVariantWrapper>"; }
};

/// A dataset that another one is made of. Keeps it alive.
class DatasetInput {
 public:
  /// Throws errors::InvalidArgumentError for a value that is not a dataset.
  explicit DatasetInput(Array variant);
  const Dataset& operator*() const { return *dataset_; }
  const Dataset* operator->() const { return dataset_; }

 private:
  Array variant_;
  const Dataset* dataset_;
};

/// An iterator from a callable: `bool(Element&)`.
template <class Next>
std::unique_ptr<DatasetIterator> make_iterator(Next next) {
  class Walk final : public DatasetIterator {
   public:
    explicit Walk(Next next) : next_(std::move(next)) {}
    bool next(Element& element) override { return next_(element); }

   private:
    Next next_;
  };
  return std::make_unique<Walk>(std::move(next));
}

/// A dataset from a callable that begins a walk: `std::unique_ptr<DatasetIterator>(const IterationContext&)`,
/// as a value.
template <class Begin>
Array dataset_value(Begin begin) {
  class BeginDataset final : public Dataset {
   public:
    explicit BeginDataset(Begin begin) : begin_(std::move(begin)) {}
    std::unique_ptr<DatasetIterator> iterate(const IterationContext& context) const override {
      return begin_(context);
    }

   private:
    Begin begin_;
  };
  return graph::variant_array(std::make_shared<BeginDataset>(std::move(begin)));
}

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
