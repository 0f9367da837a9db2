// SerializeTensor and ParseTensor: a tensor as the bytes of TensorFlow's message, and back.

#include "core/invalid_argument.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/saved_walk.h"
#include "ops/text/base64.h"
#include "ops/text/register.h"
#include "wire/message.h"
#include "wire/tensor_value.h"
#include "wire/variant_proto.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace flowray::ops {
namespace {

using graph::DynamicCall;

/// Where an iterator was.
std::string variant_bytes(const Array& value) {
  const std::string encoded = encoded_variant(value);
  wire::VariantTensorProto message{.dtype = DType::kVariant,
                                   .tensor_shape = wire::to_shape_proto(value.shape()),
                                   .variant_val = {},
                                   .unknown = {}};
  message.variant_val.push_back(wire::decode<wire::VariantTensorDataProto>(encoded));
  return wire::encode(message);
}

void serialize_tensor(DynamicCall& call) {
  if (call.in(0).dtype() == DType::kVariant) return call.set_out(0, Array(variant_bytes(call.in(0))));
  call.set_out(0, Array(wire::encode(wire::to_tensor_proto(call.in(0), wire::TensorForm::kBorrowed))));
}

/// As errors show bytes: base64 with "+" and "/".
std::string shown_bytes(std::string_view bytes) {
  std::string text = web_base64(bytes, /*pad=*/true);
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  return text;
}

wire::TensorProto tensor_message(const std::string& bytes) {
  try {
    return wire::decode<wire::TensorProto>(bytes);
  } catch (const errors::OpError& error) {
    invalid_argument(fmt::format("Could not parse `serialized` as TensorProto, base64: {}\n{}",
                                 shown_bytes(bytes), error.what()));
  }
}

Array variant_in(const std::string& bytes) {
  const auto message = wire::decode<wire::VariantTensorProto>(bytes);
  if (message.variant_val.size() != 1) {
    throw errors::UnimplementedError(
        fmt::format("A tensor of {} variants is not read here: the state of an iterator is one",
                    message.variant_val.size()));
  }
  return decoded_variant(wire::encode(message.variant_val[0]));
}

void parse_tensor(DynamicCall& call) {
  const Array& serialized = call.in(0);
  if (serialized.rank() != 0) {
    invalid_argument("Expected `serialized` to be a scalar, got shape: " + serialized.shape().to_string());
  }
  const wire::TensorProto message = tensor_message(*serialized.data<std::string>());
  const Array parsed = message.dtype == DType::kVariant ? variant_in(*serialized.data<std::string>())
                                                        : wire::to_array(message);
  const DType wanted = call.attrs().get<DType>("out_type");
  if (parsed.dtype() != wanted) {
    invalid_argument(fmt::format("Type mismatch between parsed tensor ({}) and dtype ({})",
                                 dtype_kernel_name(parsed.dtype()), dtype_kernel_name(wanted)));
  }
  call.set_out(0, parsed);
}

void parse_tensor_shape(graph::ShapeContext&) {}  // the bytes say it

constexpr graph::OpRow kTensorBytesOps[] = {
    {.name = "SerializeTensor",
     .inputs = "tensor:T",
     .outputs = "serialized:string",
     .attrs = "T:type",
     .shape = graph::scalar_shape,
     .not_differentiable = true,
     .compute = serialize_tensor},
    {.name = "ParseTensor",
     .inputs = "serialized:string",
     .outputs = "output:out_type",
     .attrs = "out_type:type",
     .shape = parse_tensor_shape,
     .not_differentiable = true,
     .compute = parse_tensor},
};

}  // namespace

void register_tensor_bytes_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kTensorBytesOps) table.add(row);
}

}  // namespace flowray::ops
