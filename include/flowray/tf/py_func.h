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

/// Calls `func` with the values of `inp` when it runs; it gives arrays of the dtypes `Tout`, whose shapes are
/// not known before (Tensor::set_shape). It runs in the process that made the graph, which keeps it: a server
/// does not run it, and a graph that is imported has lost it. Gradients do not flow through it.
///
///     tf::Tensor y = tf::py_func([](const std::vector<flowray::Array>& in) { return std::vector{slow(in[0])}; },
///                                {x}, {tf::float32})[0];
///
/// The step throws InvalidArgumentError for other numbers or dtypes than `Tout` says. What `func` throws is the
/// step's error: errors::OpError with its code, ValueError and TypeError as InvalidArgumentError, std::bad_alloc
/// as ResourceExhaustedError, others as UnknownError. Throws ValueError for an empty `func`.
std::vector<Tensor> py_func(const ProgramFunction& func, const List<Input>& inp,
                            const std::vector<DType>& Tout, const NameOption& options = {});

}  // namespace flowray::tf

#pragma GCC visibility pop
