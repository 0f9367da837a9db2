// DynamicPartition: rows by the number of their part.

#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/register.h"
#include "ops/elements/word_access.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::ops {

using graph::DynamicCall;
using graph::Endpoint;
using graph::GradientContext;
using graph::OpTable;
using graph::ShapeContext;

namespace {

void partition_shape(ShapeContext& context) {
  const Shape& data = context.input(0);
  const Shape& partitions = context.input(1);
  if (!data.has_rank() || !partitions.has_rank() || data.rank() < partitions.rank()) return;
  Shape rest{Shape::kUnknownDim};
  for (int i = partitions.rank(); i < data.rank(); ++i) rest.push_back(data.dim(i));
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, rest);
}

void dynamic_partition(DynamicCall& call) {
  const Array& data = call.in(0);
  const Array& partitions = call.in(1);
  const auto count = call.attrs().get<int64_t>("num_partitions");
  const auto lead = static_cast<size_t>(partitions.rank());
  if (data.rank() < partitions.rank() ||
      !std::ranges::equal(data.shape().dims().first(lead), partitions.shape().dims())) {
    throw errors::InvalidArgumentError(
        fmt::format("data.shape must start with partitions.shape, got data.shape = {}, partitions.shape = {}",
                    data.shape().to_string(), partitions.shape().to_string()));
  }
  std::vector<std::vector<int64_t>> rows(static_cast<size_t>(count));
  for (int64_t i = 0; i < partitions.size(); ++i) {
    const int32_t part = partitions.data<int32_t>()[i];
    if (part < 0 || part >= count) {
      throw errors::InvalidArgumentError(
          fmt::format("partitions[{}] = {} is not in [0, {})", i, part, count));
    }
    rows[static_cast<size_t>(part)].push_back(i);
  }
  const Shape row(data.shape().dims().subspan(lead));
  for (size_t part = 0; part < rows.size(); ++part) {
    Array out(data.dtype(), Shape{static_cast<int64_t>(rows[part].size())}.concatenate(row));
    for_words(data.dtype(), [&]<class W>() {
      W* to = words_in<W>(out);
      const int64_t size = row.num_elements();
      for (const int64_t i : rows[part]) to = std::copy_n(words_in<W>(data) + i * size, size, to);
    });
    call.set_out(static_cast<int>(part), std::move(out));
  }
}

/// Where each part's elements came from says where those of its gradient go.
std::vector<Endpoint> partition_gradient(GradientContext& g) {
  const int64_t count = g.attrs().get<int64_t>("num_partitions");
  const Endpoint prefix = python_shape(g, g.input(1));
  const Endpoint size = g.op("Prod", {prefix, python_integers(g, {0}, DType::kInt32, "Const")});
  const Endpoint places = g.op("Reshape", {python_range(g, 0, size), prefix});
  std::vector<Endpoint> inputs =
      python_outputs(g, "DynamicPartition", {places, g.input(1)}, {{"num_partitions", count}});
  inputs.insert(inputs.end(), g.grads().begin(), g.grads().end());
  const Endpoint together = g.op("ParallelDynamicStitch", std::move(inputs));
  return {g.op("Reshape", {together, python_shape(g, g.input(0))}), {}};
}

constexpr graph::OpRow kDynamicPartitionOps[] = {
    {.name = "DynamicPartition",
     .inputs = "data:T, partitions:int32",
     .outputs = "outputs:num_partitions*T",
     .attrs = "num_partitions:int>=1; T:type",
     .shape = partition_shape,
     .gradient = partition_gradient,
     .compute = dynamic_partition},
};

}  // namespace

void register_dynamic_partition_ops(OpTable& table) {
  for (const graph::OpRow& row : kDynamicPartitionOps) table.add(row);
}

}  // namespace flowray::ops
