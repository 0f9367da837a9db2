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
  /// It has no state that a walk could save.
  void keep(WalkState& state) const;

 private:
  const IterationContext* context_;
  std::unique_ptr<graph::CallableFunction> function_;
  std::string attr_;
  std::string op_;
};

/// What is done to each element of a dataset.
struct Mapping {
  graph::FunctionRequest function;
  std::string op;  // the transformation's name, for errors
  /// Whether the dataset has as many elements as its input; else it ends where the function comes to an end.
  bool keeps_count = false;
};

/// The mapping of one walk.
class MapFunction {
 public:
  MapFunction(const IterationContext& context, const Mapping& mapping)
      : function_(context, mapping.function, mapping.op), keeps_count_(mapping.keeps_count) {}
  /// False where the dataset ends. Throws errors::InvalidArgumentError where it would have to, and must not.
  bool operator()(Element arguments, Element& results) const;
  void keep(WalkState& state) const { function_.keep(state); }

 private:
  UserFunction function_;
  bool keeps_count_;
};

}  // namespace flowray::ops
