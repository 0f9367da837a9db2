#pragma once
/// Walks through datasets that the elements of another one stand for.

#include "ops/data/dataset.h"
#include "ops/data/read_ahead.h"

#include <cstddef>
#include <memory>

namespace flowray::ops {

/// A walk through a dataset that a function of another walk has given. Its function may be the same one, so
/// that such walks are within each other without end: they are counted.
class InnerWalk {
 public:
  /// `context`: the other walk's. `ahead` > 0: read by a thread of its own, so many elements ahead. Throws
  /// errors::ResourceExhaustedError where too many are within each other.
  InnerWalk(Array dataset, const IterationContext& context, size_t ahead = 0)
      : dataset_(std::move(dataset)),
        outer_(context),
        own_{context.functions, context.library, context.limits.within()} {
    if (ahead > 0) {
      walk_ = std::make_unique<ReadAhead>(own_, *dataset_, ReadAhead::Options{.most_elements = ahead});
    } else {
      walk_ = dataset_->iterate(own_);
    }
  }
  InnerWalk(const InnerWalk&) = delete;
  InnerWalk& operator=(const InnerWalk&) = delete;

  bool next(Element& element) {
    own_.limits = outer_.limits.within();
    return walk_->next(element);
  }

 private:
  const DatasetInput dataset_;
  const IterationContext& outer_;
  IterationContext own_;
  std::unique_ptr<DatasetIterator> walk_;
};

}  // namespace flowray::ops
