#include "ops/data/walk_state.h"

#include "graph/resource/variant_value.h"
#include "ops/data/elements_dataset.h"
#include "ops/data/external_state.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <span>
#include <utility>

namespace flowray::ops {

void WalkState::fail(std::string_view reason) const {
  throw errors::FailedPreconditionError(
      fmt::format("The walk '{}' of the iterator cannot be saved: {}", path_, reason));
}

void WalkState::damaged(std::string_view name, std::string_view reason) const {
  throw errors::DataLossError(
      fmt::format("The saved state of an iterator is damaged: '{}' {}", key(name), reason));
}

void WalkState::write(std::string_view name, std::vector<Array>&& arrays) {
  const auto [part, is_new] = written_.try_emplace(key(name), std::move(arrays));
  if (!is_new)
    throw errors::InternalError(fmt::format("Two parts of a walk have the name '{}'", part->first));
}

const std::vector<Array>& WalkState::read(std::string_view name) const {
  const auto found = saved_->parts().find(key(name));
  if (found != saved_->parts().end()) return found->second;
  throw errors::NotFoundError(fmt::format(
      "{}\nThe saved state has no such part: it is one of an iterator of another dataset.", key(name)));
}

const Array& WalkState::read_one(std::string_view name, DType dtype, int rank) const {
  const std::vector<Array>& arrays = read(name);
  if (arrays.size() != 1 || arrays[0].dtype() != dtype || arrays[0].rank() != rank)
    damaged(name, fmt::format("is not a {} of rank {}", dtype_name(dtype), rank));
  return arrays[0];
}

std::function<void()> WalkState::take_changes() {
  return [changes = std::exchange(changes_, {})] {
    for (auto change = changes.rbegin(); change != changes.rend(); ++change) (*change)();
  };
}

void WalkState::kind(std::string_view kind) {
  std::string stored(kind);
  text("kind", stored);
  if (stored == kind) return;
  throw errors::NotFoundError(
      fmt::format("{}\nThe saved state is one of an iterator of another dataset: it has a walk '{}' where "
                  "this one has '{}'.",
                  key(kind), stored, kind));
}

void WalkState::number(std::string_view name, int64_t& value, int64_t least, int64_t most) {
  if (!is_read()) return write(name, {Array(value)});
  const int64_t stored = *read_one(name, DType::kInt64, 0).data<int64_t>();
  if (stored < least || stored > most)
    damaged(name, fmt::format("is {}, and from {} to {} at most", stored, least, most));
  value = stored;
}

void WalkState::count(std::string_view name, size_t& value, size_t most) {
  auto signed_value = static_cast<int64_t>(value);
  number(name, signed_value, 0, static_cast<int64_t>(most));
  value = static_cast<size_t>(signed_value);
}

void WalkState::flag(std::string_view name, bool& value) {
  if (!is_read()) return write(name, {Array(value)});
  value = *read_one(name, DType::kBool, 0).data<bool>();
}

void WalkState::text(std::string_view name, std::string& value) {
  if (!is_read()) return write(name, {Array(value)});
  value = *read_one(name, DType::kString, 0).data<std::string>();
}

void WalkState::numbers(std::string_view name, std::vector<int64_t>& values) {
  if (!is_read()) return write(name, {Array(values)});
  const auto stored = read_one(name, DType::kInt64, 1).span<int64_t>();
  values.assign(stored.begin(), stored.end());
}

void WalkState::texts(std::string_view name, std::vector<std::string>& values) {
  if (!is_read()) return write(name, {Array(values)});
  const auto stored = read_one(name, DType::kString, 1).span<std::string>();
  values.assign(stored.begin(), stored.end());
}

namespace {

/// Elements as one row of arrays, and how they lie in it: how many there are, of each the number of its
/// components, and for each of these 0, or 1 and the same again of a dataset.
class ElementRow {
 public:
  explicit ElementRow(const WalkState& state) : state_(state) {}

  void add(const std::vector<Element>& elements) {
    check_stack_room("Datasets");
    layout_.push_back(std::ssize(elements));
    for (const Element& element : elements) {
      layout_.push_back(std::ssize(element));
      for (const Array& component : element) add_component(component);
    }
  }
  std::vector<Array> take() {
    arrays_.insert(arrays_.begin(), Array(layout_));
    return std::move(arrays_);
  }

 private:
  void add_component(const Array& component) {
    const auto* const dataset = graph::variant_as<ElementsDataset>(component);
    if (dataset != nullptr) {
      layout_.push_back(1);
      return add(dataset->elements());
    }
    if (component.dtype() == DType::kVariant || component.dtype() == DType::kResource) {
      state_.fail(
          "it keeps elements that are datasets of functions, other variants or handles\nWindows and groups "
          "are saved.");
    }
    layout_.push_back(0);
    arrays_.push_back(component);
  }

  const WalkState& state_;
  std::vector<int64_t> layout_;
  std::vector<Array> arrays_;
};

/// The same backwards. Counts are compared with what is left before there is memory for them.
class ElementRowReader {
 public:
  ElementRowReader(const WalkState& state, std::string_view name, std::span<const Array> arrays)
      : state_(state), name_(name) {
    if (arrays.empty() || arrays[0].dtype() != DType::kInt64 || arrays[0].rank() != 1)
      state_.damaged(name_, "has no layout");
    layout_ = arrays[0].span<int64_t>();
    arrays_ = arrays.subspan(1);
  }

  /// Elements have as many components as the first one that has some, of its dtypes; of an error that was
  /// read ahead, or of the end, there are none.
  std::vector<Element> elements(int depth = 0) {
    check_stack_room("Datasets");
    if (depth > graph::VariantValue::kMostDepth) state_.damaged(name_, "has too many datasets in datasets");
    std::vector<Element> elements;  // grows as they are read: a count is only a number
    Element first;
    for (size_t left = count(); left > 0; --left) {
      Element element;
      for (size_t i = count(); i > 0; --i) element.push_back(component(depth));
      if (first.empty()) first = element;
      if (!element.empty() && !is_like(element, first))
        state_.damaged(name_, "has elements of different components");
      elements.push_back(std::move(element));
    }
    return elements;
  }
  void end() const {
    if (!layout_.empty() || !arrays_.empty()) state_.damaged(name_, "has more than its elements");
  }

 private:
  static bool is_like(const Element& element, const Element& first) {
    return std::ranges::equal(element, first, {}, &Array::dtype, &Array::dtype);
  }
  int64_t next() {
    if (layout_.empty()) state_.damaged(name_, "has fewer elements than it says");
    const int64_t value = layout_.front();
    layout_ = layout_.subspan(1);
    return value;
  }
  /// Of things of which each has a number in the layout.
  size_t count() {
    const int64_t value = next();
    if (value < 0 || value > std::ssize(layout_)) state_.damaged(name_, "has fewer elements than it says");
    return static_cast<size_t>(value);
  }
  Array component(int depth) {
    const int64_t is_dataset = next();
    if (is_dataset == 1) return ElementsDataset::value(elements(depth + 1));
    if (is_dataset != 0 || arrays_.empty()) state_.damaged(name_, "has a component that is nothing");
    Array value = arrays_.front();
    arrays_ = arrays_.subspan(1);
    return value;
  }

  const WalkState& state_;
  const std::string_view name_;
  std::span<const int64_t> layout_;
  std::span<const Array> arrays_;
};

}  // namespace

void WalkState::elements(std::string_view name, std::vector<Element>& elements) {
  if (is_read()) {
    ElementRowReader reader(*this, name, read(name));
    elements = reader.elements();
    return reader.end();
  }
  ElementRow row(*this);
  row.add(elements);
  write(name, row.take());
}

void WalkState::element(std::string_view name, Element& element) {
  std::vector<Element> one = {element};
  elements(name, one);
  if (one.size() != 1) damaged(name, "is not one element");
  element = std::move(one[0]);
}

void WalkState::function(const std::string& attr, const graph::FunctionLibrary& library) {
  if (is_read() || saving_->policy == ExternalState::kIsIgnored) return;
  const std::string op = stateful_op_of(attr, library, saving_->ops);
  if (op.empty()) return;
  if (saving_->policy == ExternalState::kFails) {
    throw errors::FailedPreconditionError(
        fmt::format("{} is stateful.\nWhat it keeps is not in the state of the iterator; "
                    "external_state_policy=\"ignore\" saves without it.",
                    op));
  }
  std::fprintf(stderr, "flowray: an iterator is saved without a state of its functions: %s is stateful.\n",
               op.c_str());
}

void DatasetIterator::pass(WalkState& state) {
  check_stack_room("Datasets");
  state.kind(kind());
  keep(state);
}

namespace {

/// Goes through a dataset and those that it keeps, each once, in an order that is the same for each such one.
class SharedStates {
 public:
  explicit SharedStates(WalkState& state) : state_(state) {}

  void keep(const Dataset& dataset) {
    check_stack_room("Datasets");
    if (!seen_.insert(&dataset).second) return;
    state_.within(fmt::format("shared_{}", seen_.size()), [&] { dataset.keep(state_); });
    for (const Array& kept : dataset.kept_datasets()) keep(*graph::variant_as<Dataset>(kept));
  }

 private:
  WalkState& state_;
  std::set<const Dataset*> seen_;
};

}  // namespace

void keep_with_shared(WalkState& state, const Dataset& dataset, DatasetIterator& walk) {
  state.walk("walk", walk);
  SharedStates(state).keep(dataset);  // behind the walk: where that is read, those that begin draw seeds
}

Array saved_walk(const Dataset& dataset, DatasetIterator& walk, const Saving& saving) {
  WalkState state(saving);
  keep_with_shared(state, dataset, walk);
  return saved_walk_value(state.take());
}

std::function<void()> restore_walk(const Dataset& dataset, DatasetIterator& walk, const Array& saved) {
  WalkState state(saved_walk_of(saved));
  keep_with_shared(state, dataset, walk);
  return state.take_changes();
}

}  // namespace flowray::ops
