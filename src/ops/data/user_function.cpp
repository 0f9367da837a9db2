#include "ops/data/user_function.h"

#include "ops/data/walk_state.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace flowray::ops {

graph::FunctionRequest function_of(const graph::BlockingCall& call, std::string_view name) {
  return function_argument(call, name, 1, call.attrs().get<std::vector<DType>>("Targuments").size());
}

UserFunction::UserFunction(const IterationContext& context, const graph::FunctionRequest& request,
                           std::string op)
    : context_(&context),
      function_(context.functions.make_function(request, context.library)),
      attr_(request.attr),
      op_(std::move(op)) {}

void UserFunction::keep(WalkState& state) const { state.function(attr_, context_->library); }

Element UserFunction::operator()(Element arguments) const {
  try {
    return function_->call(std::move(arguments), context_->limits);
  } catch (const errors::OutOfRangeError&) {
    throw;  // something that it reads has come to an end
  } catch (const errors::DeadlineExceededError&) {
    throw;  // the caller's deadline
  } catch (const errors::OpError& error) {
    errors::throw_error(
        error.code(),
        fmt::format("Error in user-defined function passed to {} transformation: {}", op_, error.message()));
  }
}

bool MapFunction::operator()(Element arguments, Element& results) const {
  try {
    results = function_(std::move(arguments));
    return true;
  } catch (const errors::OutOfRangeError& error) {
    if (!keeps_count_) return false;
    throw errors::InvalidArgumentError(
        fmt::format("Function invocation produced OutOfRangeError: {}", error.message()));
  }
}

}  // namespace flowray::ops
