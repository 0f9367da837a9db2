#pragma once
/// How a walk through a dataset is saved and gone back to.

#include "graph/exchange/function_library.h"
#include "graph/exchange/function_runner.h"
#include "graph/op_schema.h"
#include "ops/data/dataset.h"
#include "ops/elements/saved_walk.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowray::ops {

/// tf.data.experimental.ExternalStatePolicy: what becomes of a state that functions have beside the walk.
enum class ExternalState : int64_t { kWarns = 0, kIsIgnored = 1, kFails = 2 };

/// How an iterator is saved.
struct Saving {
  ExternalState policy = ExternalState::kFails;
  const graph::OpTable& ops;  // which say whether they have a state
};

/// What a walk passes its state through, part by part, each under a name: written, or read by a walk of the
/// same dataset that has just begun. The same calls do both, so that what one writes the other one reads.
///
/// Reading throws errors::NotFoundError where the state is not one of such a walk, errors::DataLossError
/// where a value cannot be: what is read may come from anywhere.
class WalkState {
 public:
  /// What is counted on from there does not come to the end of its numbers.
  static constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 2;

  /// One that is written. `saving` outlives it.
  explicit WalkState(const Saving& saving) : saving_(&saving) {}
  /// One that is read. `saved` outlives it.
  explicit WalkState(const SavedWalk& saved) : saved_(&saved) {}
  WalkState(const WalkState&) = delete;
  WalkState& operator=(const WalkState&) = delete;

  bool is_read() const { return saved_ != nullptr; }
  /// What was written.
  SavedWalk::Parts take() { return std::move(written_); }

  /// Which kind of walk this is.
  void kind(std::string_view kind);
  /// A number that is at least `least` and at most `most`.
  void number(std::string_view name, int64_t& value, int64_t least = 0, int64_t most = kMost);
  void count(std::string_view name, size_t& value, size_t most);
  void flag(std::string_view name, bool& value);
  void text(std::string_view name, std::string& value);
  void numbers(std::string_view name, std::vector<int64_t>& values);
  void texts(std::string_view name, std::vector<std::string>& values);
  /// Elements, which may have windows and groups as components. Throws errors::FailedPreconditionError for
  /// other datasets and handles among them.
  void elements(std::string_view name, std::vector<Element>& elements);
  void element(std::string_view name, Element& element);
  template <class List>
  void elements_of(std::string_view name, List& list) {
    std::vector<Element> all(list.begin(), list.end());
    elements(name, all);
    if (is_read()) list = List(all.begin(), all.end());
  }

  /// What `parts` passes has names of its own.
  template <class Parts>
  void within(std::string_view name, const Parts& parts) {
    const size_t size = path_.size();
    path_ += name;
    path_ += '/';
    parts();
    path_.resize(size);
  }
  /// Another walk, which this one is made of.
  void walk(std::string_view name, DatasetIterator& walk) {
    within(name, [&] { walk.pass(*this); });
  }
  /// One that may be null. `begin` makes it where it is not there and was.
  template <class Begin>
  void walk(std::string_view name, std::unique_ptr<DatasetIterator>& other, const Begin& begin) {
    within(name, [&] {
      bool is_there = other != nullptr;
      flag("is_there", is_there);
      if (!is_there) {
        other = nullptr;
        return;
      }
      if (other == nullptr) other = begin();
      other->pass(*this);
    });
  }

  /// One that is null once it has come to its end.
  void walk_or_end(std::string_view name, std::unique_ptr<DatasetIterator>& other) {
    walk(name, other,
         [&]() -> std::unique_ptr<DatasetIterator> { damaged(name, "is at its end and is not"); });
  }

  /// A function that the walk calls. Throws errors::FailedPreconditionError where it has a state of its own,
  /// if the policy says so: "RandomUniform is stateful."
  void function(const std::string& attr, const graph::FunctionLibrary& library);

  /// Changes what a walk shares with others, once all has been read: only then is it certain that the state
  /// fits. The last one that is asked for is the first: what datasets share is read behind their walks, and
  /// there before these look at it. Throws nothing.
  void when_read(std::function<void()> change) { changes_.push_back(std::move(change)); }
  /// These changes.
  std::function<void()> take_changes();

  /// Keeps what must stay until all is written: the threads of a walk may not go on before what it shares
  /// with others is.
  void hold(std::shared_ptr<const void> held) { held_.push_back(std::move(held)); }

  /// For what cannot be saved. Names the walk.
  [[noreturn]] void fail(std::string_view reason) const;
  [[noreturn]] void damaged(std::string_view name, std::string_view reason) const;

 private:
  std::string key(std::string_view name) const { return path_ + std::string(name); }
  void write(std::string_view name, std::vector<Array>&& arrays);
  const std::vector<Array>& read(std::string_view name) const;
  const Array& read_one(std::string_view name, DType dtype, int rank) const;

  const Saving* const saving_ = nullptr;
  const SavedWalk* const saved_ = nullptr;
  SavedWalk::Parts written_;
  std::string path_;
  std::vector<std::shared_ptr<const void>> held_;
  std::vector<std::function<void()>> changes_;
};

/// Passes a walk through `dataset` together with what walks share that go through it and the datasets that it
/// keeps: seeds and caches, which outlive their walks.
void keep_with_shared(WalkState& state, const Dataset& dataset, DatasetIterator& walk);
/// Such a walk as a value, with what it shares.
Array saved_walk(const Dataset& dataset, DatasetIterator& walk, const Saving& saving);
/// The walk, which has just begun, goes where the saved one was. What walks share becomes what was saved by
/// the call of what is returned, while no other walk of the same iterator goes on.
[[nodiscard]] std::function<void()> restore_walk(const Dataset& dataset, DatasetIterator& walk,
                                                 const Array& saved);

}  // namespace flowray::ops
