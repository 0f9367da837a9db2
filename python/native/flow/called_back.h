#pragma once
/// Functions of a program that the language calls back while it builds. flowray/tf/_nest.py makes what they
/// take and give flat lists.

#include "native/convert/bind.h"

#include <flowray/tf/control_flow.h>
#include <flowray/tf/tensor_array.h>

namespace flowray::python {

/// tf::RowFunction is the same type.
tf::LoopBody as_loop_body(nb::handle function);
template <>
inline constexpr auto kFrom<tf::LoopBody> = &as_loop_body;

tf::LoopCondition as_loop_condition(nb::handle function);
template <>
inline constexpr auto kFrom<tf::LoopCondition> = &as_loop_condition;

tf::FoldFunction as_fold_function(nb::handle function);
template <>
inline constexpr auto kFrom<tf::FoldFunction> = &as_fold_function;

tf::Branch as_branch(nb::handle function);
template <>
inline constexpr auto kFrom<tf::Branch> = &as_branch;

/// Pairs of a predicate and what runs where it is true.
using Cases = std::vector<std::pair<tf::Tensor, tf::Branch>>;
Cases as_cases(nb::handle pairs);
template <>
inline constexpr auto kFrom<Cases> = &as_cases;

}  // namespace flowray::python
