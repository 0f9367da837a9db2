// Summaries: values as messages for TensorBoard (wire/summary.h). Images and sounds are in summary_media.cpp.

#include "wire/summary.h"

#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/input_array.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/file/register.h"
#include "wire/tensor_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace flowray::ops {

using graph::DynamicCall;
using graph::KernelCall;
using graph::OpTable;
using graph::PrepareContext;

namespace {

using RealTypes = TypeList<float, double, int32_t, uint8_t, int16_t, int8_t, int64_t, bfloat16, uint16_t,
                           float16, uint32_t, uint64_t>;

void scalar_summary(DynamicCall& call) {
  const Array& tags = call.in(0);
  if (!(tags.shape() == call.in(1).shape())) {
    const std::string tag = tags.size() == 1 ? fmt::format(" (tag '{}')", *tags.data<std::string>()) : "";
    throw errors::InvalidArgumentError(fmt::format("tags and values are not the same shape: {} != {}{}",
                                                   tags.shape().to_string(), call.in(1).shape().to_string(),
                                                   tag));
  }
  const Array values = call.in(1).astype(DType::kFloat32);
  wire::Summary summary;
  for (int64_t i = 0; i < tags.size(); ++i) {
    wire::Summary::Value& value = summary.value.emplace_back();
    value.tag = wire::Text::borrow(tags.data<std::string>()[i]);
    value.content = values.data<float>()[i];
  }
  call.set_out(0, Array(wire::encode(summary)));
}

// ---- histograms

constexpr double kMost = std::numeric_limits<double>::max();

/// Upper ends of the buckets: powers of 1.1 from 1e-12 up to 1e20, the same below zero, zero, and the
/// greatest number.
std::vector<double> make_limits() {
  std::vector<double> positive;
  for (double limit = 1e-12; limit < 1e20; limit *= 1.1) positive.push_back(limit);
  positive.push_back(kMost);
  std::vector<double> limits;
  for (auto limit = positive.rbegin(); limit != positive.rend(); ++limit) limits.push_back(-*limit);
  limits.push_back(0);
  limits.insert(limits.end(), positive.begin(), positive.end());
  return limits;
}

class Histogram {
 public:
  Histogram() : counts_(limits().size(), 0) {
    message_.min = kMost;
    message_.max = -kMost;
  }

  void add(double value) {
    // The first limit above the value; the greatest number itself is above all.
    const auto above = std::upper_bound(limits().begin(), limits().end(), value);
    ++counts_[std::min(static_cast<size_t>(above - limits().begin()), counts_.size() - 1)];
    message_.min = std::min(message_.min, value);
    message_.max = std::max(message_.max, value);
    ++message_.num;
    message_.sum += value;
    message_.sum_squares += value * value;
  }

  /// Empty buckets in a row are one.
  wire::HistogramProto message() && {
    for (size_t i = 0; i < counts_.size(); ++i) {
      const bool goes_on = counts_[i] == 0 && i + 1 < counts_.size() && counts_[i + 1] == 0;
      if (goes_on) continue;
      message_.bucket_limit.push_back(limits()[i]);
      message_.bucket.push_back(counts_[i]);
    }
    return std::move(message_);
  }

 private:
  static const std::vector<double>& limits() {
    static const std::vector<double> kLimits = make_limits();
    return kLimits;
  }

  std::vector<double> counts_;
  wire::HistogramProto message_;
};

template <class T>
double to_double(T value) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<double>(value);
  else
    return static_cast<double>(static_cast<float>(value));
}

template <class T>
wire::HistogramProto histogram_of(std::span<const T> values, const std::string& node) {
  Histogram histogram;
  for (const T value : values) {
    const double number = to_double(value);
    if (std::isnan(number)) {
      throw errors::InvalidArgumentError(fmt::format("Nan in summary histogram for: {}", node));
    }
    if (std::isinf(number))
      throw errors::InvalidArgumentError(fmt::format("Infinity in Histogram for: {}", node));
    histogram.add(number);
  }
  return std::move(histogram).message();
}

std::unique_ptr<graph::Kernel> prepare_histogram_summary(PrepareContext& context) {
  if (context.input_shape(0).rank() != 0) throw errors::InvalidArgumentError("tags must be scalar");
  const auto count = static_cast<size_t>(context.input_shape(1).num_elements());
  return kernel_for_dtype<RealTypes>(context, context.input_dtype(1), [&]<class T>() {
    return graph::make_kernel([count, node = context.node_name()](const KernelCall& call) {
      wire::Summary summary;
      wire::Summary::Value& value = summary.value.emplace_back();
      value.tag = wire::Text::borrow(*call.in<std::string>(0));
      value.content = histogram_of<T>({call.in<T>(1), count}, node);
      *call.out<std::string>(0) = wire::encode(summary);
    });
  });
}

// ---- merging

void add_values(std::string_view message, wire::Summary& merged, std::set<std::string, std::less<>>& tags) {
  wire::Summary summary;
  try {
    summary = wire::decode<wire::Summary>(message);
  } catch (const errors::DataLossError&) {
    throw errors::InvalidArgumentError("Could not parse one of the summary inputs");
  }
  for (wire::Summary::Value& value : summary.value) {
    if (!value.tag.empty() && !tags.insert(value.tag.str()).second) {
      throw errors::InvalidArgumentError(
          fmt::format("Duplicate tag {} found in summary inputs ", value.tag.view()));
    }
    merged.value.push_back(std::move(value));
  }
}

void merge_summary(DynamicCall& call) {
  wire::Summary merged;
  std::set<std::string, std::less<>> tags;
  for (int i = 0; i < call.num_inputs(); ++i) {
    for (const std::string& message : call.in(i).span<std::string>()) add_values(message, merged, tags);
  }
  call.set_out(0, Array(wire::encode(merged)));
}

// ---- tensors

/// Strings in a list, everything else in tensor_content.
wire::Box<wire::TensorProto> message_of(const Array& tensor) {
  return wire::to_tensor_proto(tensor, wire::TensorForm::kBorrowed);
}

void check_scalar(const Array& array, std::string_view name) {
  if (array.rank() != 0) throw errors::InvalidArgumentError(fmt::format("{} must be scalar", name));
}

void tensor_summary_v2(DynamicCall& call) {
  check_scalar(call.in(0), "tag");
  check_scalar(call.in(2), "serialized_summary_metadata");
  wire::Summary summary;
  wire::Summary::Value& value = summary.value.emplace_back();
  value.tag = wire::Text::borrow(*call.in(0).data<std::string>());
  value.content = message_of(call.in(1));
  try {
    value.metadata = wire::decode<wire::SummaryMetadata>(*call.in(2).data<std::string>());
  } catch (const errors::DataLossError&) {
    value.metadata.emplace();  // as TensorFlow has it
  }
  call.set_out(0, Array(wire::encode(summary)));
}

std::unique_ptr<graph::Kernel> prepare_tensor_summary(PrepareContext& context) {
  return graph::make_kernel([node = context.node_name(), dtype = context.input_dtype(0),
                             shape = context.input_shape(0)](const KernelCall& call) {
    const Array tensor = input_array(call, 0, dtype, shape);
    wire::Summary summary;
    wire::Summary::Value& value = summary.value.emplace_back();
    value.node_name = wire::Text::borrow(node);
    value.content = message_of(tensor);
    *call.out<std::string>(0) = wire::encode(summary);
  });
}

constexpr graph::OpRow kSummaryOps[] = {
    {.name = "ScalarSummary",
     .inputs = "tags:string, values:T",
     .outputs = "summary:string",
     .attrs = "T:type{real_numbers}",
     .shape = graph::scalar_shape,
     .not_differentiable = true,
     .compute = scalar_summary},
    {.name = "HistogramSummary",
     .inputs = "tag:string, values:T",
     .outputs = "summary:string",
     .attrs = "T:type=float32{real_numbers}",
     .shape = graph::scalar_shape,
     .not_differentiable = true,
     .prepare = prepare_histogram_summary},
    {.name = "MergeSummary",
     .inputs = "inputs:N*string",
     .outputs = "summary:string",
     .attrs = "N:int>=1",
     .shape = graph::scalar_shape,
     .not_differentiable = true,
     .compute = merge_summary},
    {.name = "TensorSummaryV2",
     .inputs = "tag:string, tensor:T, serialized_summary_metadata:string",
     .outputs = "summary:string",
     .attrs = "T:type",
     .shape = graph::scalar_shape,
     .not_differentiable = true,
     .compute = tensor_summary_v2},
    {.name = "TensorSummary",
     .inputs = "tensor:T",
     .outputs = "summary:string",
     .attrs = "T:type; description:string=\"\"; labels:list(string)=[]; display_name:string=\"\"",
     .shape = graph::scalar_shape,
     .not_differentiable = true,
     .prepare = prepare_tensor_summary},
};

}  // namespace

void register_summary_ops(OpTable& table) {
  for (const graph::OpRow& row : kSummaryOps) table.add(row);
}

}  // namespace flowray::ops
