#pragma once
/// Walks through datasets that the elements of another one stand for.

#include "ops/data/dataset.h"
#include "ops/data/read_ahead.h"
#include "ops/data/walk_state.h"

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

namespace flowray::ops {

/// A walk through a dataset that a function of another walk has given. Its function may be the same one, so
/// that such walks are within each other without end: they are counted.
class InnerWalk {
 public:
  /// `arguments`: of which the function has made the dataset. `context`: the other walk's. `ahead` > 0: read
  /// by a thread of its own, so many elements ahead. Throws errors::ResourceExhaustedError where too many are
  /// within each other.
  InnerWalk(Element arguments, Array dataset, const IterationContext& context, size_t ahead = 0)
      : arguments_(std::move(arguments)),
        dataset_(std::move(dataset)),
        outer_(context),
        own_{context.functions, context.library, context.limits.within()},
        is_ahead_(ahead > 0) {
    if (ahead > 0) {
      walk_ = std::make_unique<ReadAhead>(own_, *dataset_, ReadAhead::Options{.most_elements = ahead});
    } else {
      walk_ = dataset_->iterate(own_);
    }
  }
  InnerWalk(const InnerWalk&) = delete;
  InnerWalk& operator=(const InnerWalk&) = delete;

  /// Whether a thread of its own reads it.
  bool is_ahead() const { return is_ahead_; }

  bool next(Element& element) {
    own_.limits = outer_.limits.within();
    return walk_->next(element);
  }

  /// Passes one that may be null: of what its dataset is made, and where it is. `open` makes one of
  /// arguments.
  template <class Open>
  static void keep(WalkState& state, std::string_view name, std::unique_ptr<InnerWalk>& inner,
                   const Open& open) {
    state.within(name, [&] {
      bool is_open = inner != nullptr;
      state.flag("is_open", is_open);
      Element arguments;
      if (inner != nullptr) arguments = inner->arguments_;
      if (state.is_read()) inner = nullptr;
      if (!is_open) return;
      state.element("arguments", arguments);
      if (inner == nullptr) inner = open(std::move(arguments));
      inner->own_.limits = inner->outer_.limits.within();
      keep_with_shared(state, *inner->dataset_, *inner->walk_);
    });
  }

 private:
  const Element arguments_;
  const DatasetInput dataset_;
  const IterationContext& outer_;
  IterationContext own_;
  const bool is_ahead_;
  std::unique_ptr<DatasetIterator> walk_;
};

}  // namespace flowray::ops
