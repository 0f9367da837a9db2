#pragma once
/// Transformations that several ops are made of.

#include "ops/data/dataset.h"

#include <cstdint>
#include <string>

namespace flowray::ops {

/// `size` elements stacked, fewer at the end unless these are left out.
Array batched(const DatasetInput& input, int64_t size, bool drops_remainder);

struct Mapping {
  graph::FunctionRequest function;
  std::string op;                  // for errors
  bool keeps_count = false;        // where the function comes to an end the dataset does not
  int64_t num_parallel_calls = 1;  // -1: as many as there are cores
};

/// What the function gives for each element. Where it comes to an end the dataset ends, unless it is to have
/// as many elements as its input. Calls of a function that keeps nothing run side by side, where more than
/// one may.
Array mapped(const DatasetInput& input, const Mapping& mapping);

}  // namespace flowray::ops
