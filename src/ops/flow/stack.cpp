/// Stacks: what the iterations of a loop leave for its gradient, which takes it back in the opposite order.
#include "core/mutex.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/resource/resource_value.h"
#include "graph/shape_context.h"
#include "ops/flow/register.h"

#include <fmt/format.h>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::ShapeContext;

/// Shares the elements of what is pushed. Thread-safe.
class Stack final : public graph::Resource {
 public:
  static constexpr std::string_view kKind = "tensorflow::Stack";

  Stack(std::string name, DType dtype, int64_t max_size)
      : Resource(std::move(name)), dtype_(dtype), max_size_(max_size) {}
  std::string_view kind() const override { return kKind; }

  void push(Array value) {
    if (value.dtype() != dtype_) {
      throw errors::InvalidArgumentError(fmt::format(  // TensorFlow says the numbers
          "Must have type {} but got {}\nThese are {} and {}", static_cast<int>(dtype_),
          static_cast<int>(value.dtype()), dtype_kernel_name(dtype_), dtype_kernel_name(value.dtype())));
    }
    const MutexLock lock(mutex_);
    check_open();
    if (max_size_ >= 0 && static_cast<int64_t>(values_.size()) >= max_size_) {
      throw errors::InvalidArgumentError(
          fmt::format("Stack[{}] overflowed its max_size ({})", name(), max_size_));
    }
    values_.push_back(std::move(value));
  }

  Array pop() {
    const MutexLock lock(mutex_);
    check_open();
    if (values_.empty()) {
      throw errors::InvalidArgumentError(fmt::format("Stack[{}] is empty when calling Pop().", name()));
    }
    Array value = std::move(values_.back());
    values_.pop_back();
    return value;
  }

  void close() {
    const MutexLock lock(mutex_);
    is_closed_ = true;
    values_.clear();
  }

 private:
  void check_open() const FLOWRAY_REQUIRES(mutex_) {
    if (is_closed_)
      throw errors::InvalidArgumentError(fmt::format("Stack[{}] has already been closed.", name()));
  }

  const DType dtype_;
  const int64_t max_size_;  // < 0: as many as there are
  Mutex mutex_;
  std::vector<Array> values_ FLOWRAY_GUARDED_BY(mutex_);
  bool is_closed_ FLOWRAY_GUARDED_BY(mutex_) = false;
};

void make_stack(DynamicCall& call) {
  const Array& size = call.in(0);
  if (size.rank() != 0) {
    throw errors::InvalidArgumentError(
        fmt::format("Stack size must be a scalar, but had shape: {}", size.shape().to_string()));
  }
  const DType dtype = call.attrs().get<DType>("elem_type");
  const std::string& name = call.attrs().get<std::string>("stack_name");
  call.set_out(0, graph::resource_value(std::make_shared<Stack>(name, dtype, size.item<int32_t>())));
}

void push(DynamicCall& call) {
  graph::resource_of<Stack>(call.in(0)).push(call.in(1));
  call.set_out(0, call.in(1));
}

void pop(DynamicCall& call) {
  Array value = graph::resource_of<Stack>(call.in(0)).pop();
  const DType wanted = call.attrs().get<DType>("elem_type");
  if (value.dtype() != wanted) {
    throw errors::InvalidArgumentError(fmt::format("Must have type {} but got {}", dtype_kernel_name(wanted),
                                                   dtype_kernel_name(value.dtype())));
  }
  call.set_out(0, std::move(value));
}

void close_stack(DynamicCall& call) { graph::resource_of<Stack>(call.in(0)).close(); }

void pushed_shape(ShapeContext& context) { context.set_output(0, context.input(1)); }

constexpr graph::OpRow kStackOps[] = {
    // TensorFlow takes this handle for two strings, too, as it was in the first version.
    {.name = "StackV2",
     .inputs = "max_size:int32",
     .outputs = "handle:resource",
     .attrs = "elem_type:type; stack_name:string=\"\"",
     .stateful = true,
     .shape = graph::reference_handle_shape,
     .not_differentiable = true,
     .compute = make_stack},
    {.name = "StackPushV2",
     .inputs = "handle:resource, elem:T",
     .outputs = "output:T",
     .attrs = "T:type; swap_memory:bool=false",
     .stateful = true,
     .shape = pushed_shape,
     .not_differentiable = true,
     .compute = push},
    {.name = "StackPopV2",
     .inputs = "handle:resource",
     .outputs = "elem:elem_type",
     .attrs = "elem_type:type",
     .stateful = true,
     .shape = graph::unknown_shape,
     .not_differentiable = true,
     .compute = pop},
    {.name = "StackCloseV2",
     .inputs = "handle:resource",
     .outputs = "",
     .attrs = "",
     .stateful = true,
     .shape = graph::no_outputs,
     .not_differentiable = true,
     .compute = close_stack},
};

}  // namespace

void register_stack_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kStackOps) table.add(row);
}

}  // namespace flowray::ops
