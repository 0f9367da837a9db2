#pragma once
/// Operations that only order others.

#include <flowray/tf/graph.h>
#include <flowray/tf/input.h>

#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

/// tf.no_op: does nothing; something to fetch or to wait for.
Operation no_op(const std::string& name = "NoOp", Input::Where where = Input::Where::current());

/// tf.group: a NoOp that runs after all of `inputs`. In the graph of the first of them.
Operation group(const std::vector<Dependency>& inputs, const std::string& name = "group_deps",
                Input::Where where = Input::Where::current());

/// tf.tuple: the same tensors, none of which is there before all of them are. None stays None.
std::vector<Tensor> tuple(const std::vector<Tensor>& tensors, const std::string& name = "tuple",
                          Input::Where where = Input::Where::current());

}  // namespace flowray::tf

#pragma GCC visibility pop
