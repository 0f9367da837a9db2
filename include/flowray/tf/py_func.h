#pragma once
/// tf.py_func: a function of the program, in C++, as a node of the graph.

#include <flowray/array.h>
#include <flowray/tf/graph.h>
#include <flowray/tf/input.h>
#include <flowray/tf/list.h>

#include <functional>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

/// Takes the values of a node's inputs and gives those of its outputs. Steps call it, in threads of theirs,
/// several at once where several steps run.
using ProgramFunction = std::function<std::vector<Array>(const std::vector<Array>&)>;

/// Calls `func` with the values of `inp` when it runs; it gives arrays of the dtypes `Tout`, of any shapes
/// (Tensor::set_shape). The graph keeps it, so it must not hold tensors of the graph, which would never end
/// then. A server does not run it, nor does a graph that was imported elsewhere. It has no gradient.
///
///     auto slow = [](const std::vector<flowray::Array>& in) { return std::vector{table_of(in[0])}; };
///     tf::Tensor y = tf::py_func(slow, {x}, {tf::float32})[0];
///
/// The step throws InvalidArgumentError for other numbers or dtypes than `Tout`, and what `func` throws:
/// errors::OpError with its code, ValueError and TypeError as InvalidArgumentError, std::bad_alloc as
/// ResourceExhaustedError, others as UnknownError. Throws ValueError for an empty `func`.
std::vector<Tensor> py_func(const ProgramFunction& func, const List<Input>& inp,
                            const std::vector<DType>& Tout, const NameOption& options = {});

}  // namespace flowray::tf

#pragma GCC visibility pop
