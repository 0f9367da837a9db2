#include <flowray/tf/data.h>
#include <flowray/tf/saveable.h>

#include "graph/graph.h"
#include "tf/build/apply_op.h"
#include "tf/build/unset.h"
#include "tf/build/user_line.h"

#include <fmt/format.h>

#include <utility>

namespace flowray::tf::train {

SaveableObject::SaveableObject(Tensor value, Input::Where where) : value_(std::move(value)) {
  const ErrorLine errors(where);
  if (node_of(value_, "value").op() == "SerializeIterator") return;
  throw ValueError(fmt::format(
      "{} is not the state of an iterator\nmake_saveable_from_iterator(iterator) is one.", value_.name()));
}

Tensor SaveableObject::op() const {
  return Tensor(node_of(value_, "value").inputs()[0].node, node_of(value_, "value").inputs()[0].index);
}

std::string SaveableObject::name() const { return op().name(); }

std::string SaveableObject::name_in_file() const { return name() + "_STATE"; }

Operation SaveableObject::restore(const Tensor& value, Input::Where where) const {
  const Tensor handle = op();
  const ColocationGuard beside = colocate_with(handle.op());
  return Operation(apply_op_node({.op = "DeserializeIterator", .args = {handle, value}, .where = where}));
}

namespace {

/// tf.data.experimental.ExternalStatePolicy
constexpr int64_t kWarns = 0;
constexpr int64_t kIgnores = 1;
constexpr int64_t kFails = 2;

SaveableObject saveable_of(const Tensor& handle, int64_t policy) {
  if (handle.is_eager()) {
    throw RuntimeError(
        "make_saveable_from_iterator is for iterators of graphs: of eager execution the state would be that "
        "of "
        "now\nIn Python tf.train.Checkpoint(iterator=...) keeps such an iterator.");
  }
  return SaveableObject(
      apply_op({.op = "SerializeIterator", .args = {handle}, .attrs = {{"external_state_policy", policy}}}));
}

int64_t number_of_policy(const std::string& policy) {
  if (policy == "warn") return kWarns;
  if (policy == "ignore") return kIgnores;
  if (policy == "fail") return kFails;
  throw ValueError(fmt::format(
      "Invalid `ExternalStatePolicy.` Supported values include 'warn', 'ignore', and 'fail.' Received {}.",
      policy));
}

}  // namespace

SaveableObject saveable_of_iterator(const Tensor& handle, Input::Where where) {
  const ErrorLine errors(where);
  const UserLine line(node_of(handle, "handle").graph(), where);
  return saveable_of(handle, kFails);
}

}  // namespace flowray::tf::train

namespace flowray::tf::data::experimental {

train::SaveableObject make_saveable_from_iterator(const Iterator& iterator,
                                                  const SaveableFromIteratorOptions& options,
                                                  Input::Where where) {
  const ErrorLine errors(where);
  if (!iterator.has_value()) throw_unset_argument("tf::data::Iterator", "iterator");
  const UserLine line(node_of(iterator.resource(), "iterator").graph(), where);
  return train::saveable_of(iterator.resource(), train::number_of_policy(options.external_state_policy));
}

}  // namespace flowray::tf::data::experimental
