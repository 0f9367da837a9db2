#include <flowray/tf/data.h>
#include <flowray/tf/session.h>

#include "tf/build/unset.h"

#include <optional>
#include <utility>

namespace flowray::tf::data {

struct ElementIterator::State {
  std::optional<Session> own;
  Session* session = nullptr;
  std::vector<Tensor> next;
  Iterator eager;  // in place of the others where the dataset is a value
  Input::Where where;

  std::vector<Array> element() {
    if (!eager.has_value()) return session->run(next);
    std::vector<Array> values;
    for (const Tensor& component : eager.get_next({}, where)) values.push_back(component.value());
    return values;
  }
};

ElementIterator::ElementIterator(std::shared_ptr<State> state) : state_(std::move(state)) { ++*this; }

ElementIterator& ElementIterator::operator++() {
  if (state_ == nullptr) return *this;
  try {
    element_ = state_->element();
  } catch (const errors::OutOfRangeError&) {
    state_ = nullptr;
    element_.clear();
  }
  return *this;
}

ElementIterator Dataset::begin(Input::Where where) const {
  if (!has_value()) throw_unset_method("tf::data::Dataset", "begin()", where);
  auto state = std::make_shared<ElementIterator::State>();
  if (variant_.is_eager()) {
    state->eager = make_one_shot_iterator(where);
    state->where = where;
    return ElementIterator(std::move(state));
  }
  const Iterator iterator = make_initializable_iterator({}, where);
  state->next = iterator.get_next({}, where);
  state->session = get_default_session();
  if (state->session == nullptr || !(state->session->graph() == variant_.graph()))
    state->session = &state->own.emplace(variant_.graph());
  state->session->run(iterator.initializer());
  return ElementIterator(std::move(state));
}

}  // namespace flowray::tf::data
