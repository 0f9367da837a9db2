#pragma once
/// What the tests of matmul_test.cpp, conv_test.cpp, ... share: arrays to compute with and errors to expect.

#include "support/op_runner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace flowray::testing {

/// Values in [-1, 1) without pattern, the same for the same `start`, no two equal.
inline Array scattered(DType dtype, const Shape& shape, int start = 1) {
  Array values(DType::kFloat64, shape);
  double* out = values.mutable_data<double>();
  for (int64_t i = 0; i < values.size(); ++i) {
    const double golden = 0.6180339887498949 * static_cast<double>(i + 37 * start);
    out[i] = 2 * (golden - std::floor(golden)) - 1;
  }
  return values.astype(dtype);
}

/// The first line of the error of class E that `body` throws; a failure if it throws none.
template <class E, class Body>
std::string error_of(Body body) {
  try {
    body();
  } catch (const E& error) {
    return error.message().substr(0, error.message().find('\n'));
  } catch (const Error& error) {
    ADD_FAILURE() << "another class of error: " << error.message();
    return error.message();
  }
  ADD_FAILURE() << "no error";
  return {};
}

/// The error of building `op` on inputs of these shapes, up to " for '{{node": "Shape must be rank 2 but is
/// rank 1".
inline std::string build_error(const std::string& op, const std::vector<Array>& inputs,
                               const graph::Attrs& attrs = {}) {
  const std::string message = error_of<ValueError>([&] { run_op_all(op, inputs, {.attrs = attrs}); });
  return message.substr(0, message.find(" for '{{node"));
}

/// The error of running `op` in a graph that knew nothing of the inputs' shapes.
inline std::string run_error(const std::string& op, const std::vector<Array>& inputs,
                             const graph::Attrs& attrs = {}) {
  return error_of<errors::InvalidArgumentError>(
      [&] { run_op_all(op, inputs, {.attrs = attrs, .unknown_shapes = true}); });
}

inline Array floats(const std::vector<float>& values, const Shape& shape) {
  return Array::from(values, shape);
}
inline Array doubles(const std::vector<double>& values, const Shape& shape) {
  return Array::from(values, shape);
}

}  // namespace flowray::testing
