#pragma once
/// What the functions of single ops are made of (flowray/tf/ops/*_ops.h). Each op that is registered has one,
/// by its own name, as in Python's tf.raw_ops:
///
///     #include <flowray/tf/ops/reduce_ops.h>
///     auto [values, indices] = tf::raw_ops::TopKV2(x, 5, {.sorted = false});
///
/// Inputs come first, then attributes that have no default and do not follow from the inputs, then options.
/// A function that an op calls is one of tf::function::Defun, and what it captures is among the inputs,
/// behind its arguments (captured_inputs()); tf::cond, tf::while_loop, tf::data and their siblings do so.

#include <flowray/tf/array.h>
#include <flowray/tf/dtypes.h>
#include <flowray/tf/function.h>
#include <flowray/tf/graph.h>
#include <flowray/tf/input.h>
#include <flowray/tf/list.h>
#include <flowray/tf/tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::raw_ops::internal {

/// The value of an attribute.
using Attr =
    std::variant<bool, int64_t, float, std::string, DType, TensorShape, Array, std::vector<bool>,
                 std::vector<int64_t>, std::vector<float>, std::vector<std::string>, std::vector<DType>,
                 std::vector<TensorShape>, function::DefinedFunction, std::vector<function::DefinedFunction>>;

/// One input, or a list of them.
using Arg = std::variant<Input, std::vector<Input>>;

/// Makes a node. `where` is the line of the call where no input remembers it.
Operation make(const char* op, const std::string& name, const std::vector<Arg>& args,
               const std::vector<std::pair<const char*, Attr>>& attrs, Input::Where where);

/// What a function is called in the library of the default graph, to which it is added. `attr` is the
/// attribute that it is given for. Throws ValueError for a function that is not set.
std::string name_in_library(const function::DefinedFunction& function, const std::string& attr);

/// What stands for output number `i` of the op, which is one tensor.
Tensor output(const Operation& operation, int i);
/// The same of an output that is a list.
std::vector<Tensor> outputs(const Operation& operation, int i);

}  // namespace flowray::tf::raw_ops::internal

#pragma GCC visibility pop
