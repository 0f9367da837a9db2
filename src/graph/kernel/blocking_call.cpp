#include "graph/kernel/blocking_call.h"

#include "graph/graph.h"
#include "graph/kernel/evaluate.h"
#include "graph/kernel/kernel.h"
#include "graph/resource/variable.h"

#include <fmt/format.h>

#include <atomic>

namespace flowray::graph {

bool CallLimits::is_cancelled() const {
  for (const Cancellation* const wish : {cancellation, closing, given_up})
    if (wish != nullptr && wish->is_cancelled()) return true;
  return false;
}

CallLimits CallLimits::within() const {
  if (nested == kMostNested) {
    throw errors::ResourceExhaustedError(fmt::format(
        "Functions of datasets and the datasets that they give are nested more than {} deep", kMostNested));
  }
  CallLimits inner = *this;
  ++inner.nested;
  return inner;
}

void CallLimits::check() const {
  if (is_cancelled()) throw errors::CancelledError("Step was cancelled");
  if (deadline != Clock::time_point::max() && Clock::now() >= deadline)
    throw errors::DeadlineExceededError("Timed out waiting for notification");
}

const Attrs& BlockingCall::attrs() const { return node_.attrs(); }

NodeStates& BlockingCall::states() const {
  if (states_ == nullptr) throw errors::UnimplementedError("Functions run in sessions only");
  return *states_;
}

const Array& BlockingCall::in(int i) const {
  return inputs_[checked_index("input", i, inputs_.size())].value;
}

Array BlockingCall::value(int i) const {
  const NodeInput& input = inputs_[checked_index("input", i, inputs_.size())];
  return input.resource == nullptr ? input.value
                                   : Array::wrap(nullptr, input.resource, DType::kResource, Shape());
}

Resource& BlockingCall::resource_input(int i) const {
  const NodeInput& input = inputs_[checked_index("input", i, inputs_.size())];
  Resource* resource = input.resource;
  if (resource == nullptr && input.value.dtype() == DType::kResource) {  // a handle that the step has made
    resource = static_cast<Resource*>(const_cast<void*>(input.value.raw_data()));
  }
  if (resource == nullptr) throw errors::InvalidArgumentError(fmt::format("Input {} is not a handle", i));
  return *resource;
}

const Attrs& ResourceContext::attrs() const { return node_.attrs(); }

std::shared_ptr<Resource> ResourceContext::own(const std::function<std::shared_ptr<Resource>()>& make) {
  struct Own final : NodeState {
    std::shared_ptr<Resource> resource;
  };
  const auto state = states_.find_or_make(node_.name(), [&]() -> std::shared_ptr<NodeState> {
    auto own = std::make_shared<Own>();
    own->resource = make();
    return own;
  });
  return static_cast<const Own&>(*state).resource;
}

std::string ResourceContext::own_name() const {
  static std::atomic<int64_t> number{0};
  return fmt::format("_{}_{}", number.fetch_add(1, std::memory_order_relaxed), node_.name());
}

std::shared_ptr<Resource> bind_resource(const Node& node, ResourceContainers& containers,
                                        NodeStates& states) {
  if (node.schema().row.resource != nullptr) {
    ResourceContext context(node, containers, states);
    return node.schema().row.resource(context);
  }
  const auto text_attr = [&](std::string_view name) {
    const AttrValue* const value = node.attrs().find(name);
    return value == nullptr ? nullptr : value->get_if<std::string>();
  };
  const std::string* const shared = text_attr("shared_name");
  const std::string* const container = text_attr("container");
  if (shared == nullptr || container == nullptr) {  // it stands for nothing: a placeholder
    const Shape& shape = node.output_shape(0);
    throw errors::InvalidArgumentError(
        fmt::format("You must feed a value for placeholder tensor '{}' with dtype {}{}", node.name(),
                    dtype_kernel_name(node.output_dtype(0)),
                    shape.rank() > 0 ? " and shape " + shape.to_string() : std::string()));
  }
  return containers.find_or_make<Variable>(*container, shared->empty() ? node.name() : *shared);
}

}  // namespace flowray::graph
