#pragma once
/// The functions of the graph's library that datasets call for their elements.

#include "ops/data/dataset.h"

#include <flowray/errors.h>

#include <memory>
#include <string>
#include <string_view>

namespace flowray::ops {

/// Attribute `name` of the node, with what it captured: the inputs behind the dataset.
graph::FunctionRequest function_of(const graph::BlockingCall& call, std::string_view name = "f");

/// The function of one walk. An error in it says whose function it is.
class UserFunction {
 public:
  /// `op`: the transformation's name. Throws errors::NotFoundError where there is no such function.
  UserFunction(const IterationContext& context, const graph::FunctionRequest& request, std::string op);
  Element operator()(Element arguments) const;

 private:
  const IterationContext* context_;
  std::unique_ptr<graph::CallableFunction> function_;
  std::string op_;
};

}  // namespace flowray::ops
