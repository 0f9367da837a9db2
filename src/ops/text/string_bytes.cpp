// The bytes of strings: as elements of other types, and in letters.

#include "core/truth_values.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/text/base64.h"
#include "ops/text/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace flowray::ops {

// ---- base64 as in addresses of the web: "-" and "_" for the last two digits

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string web_base64(std::string_view bytes, bool pad) {
  std::string text;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - at);
    uint32_t word = 0;
    for (size_t i = 0; i < 3; ++i) {
      word = word << 8 | (i < count ? static_cast<uint8_t>(bytes[at + i]) : 0u);
    }
    for (size_t i = 0; i < 4; ++i) {
      if (i <= count) {
        text += kDigits[word >> (18 - 6 * i) & 63];
      } else if (pad) {
        text += '=';
      }
    }
  }
  return text;
}

namespace {

using errors::InvalidArgumentError;
using graph::DynamicCall;
using graph::OpTable;
using graph::ShapeContext;

// ---- elements

void decode_raw_shape(ShapeContext& context) {
  if (context.input(0).has_rank()) {
    context.set_output(0, context.input(0).concatenate(Shape{Shape::kUnknownDim}));
  }
}

/// The number of bytes that all of them have.
size_t common_size(std::span<const std::string> texts) {
  for (size_t i = 1; i < texts.size(); ++i) {
    if (texts[i].size() == texts[0].size()) continue;
    throw InvalidArgumentError(fmt::format(
        "DecodeRaw requires input strings to all be the same size, but element {} has size {} != {}", i,
        texts[0].size(), texts[i].size()));
  }
  return texts.empty() ? 0 : texts[0].size();
}

void decode_raw(DynamicCall& call) {
  const Array& input = call.in(0);
  const auto texts = input.span<std::string>();
  const DType dtype = call.attrs().get<DType>("out_type");
  const size_t width = dtype_size(dtype);
  const size_t num_bytes = common_size(texts);
  if (num_bytes % width != 0) {
    throw InvalidArgumentError(
        fmt::format("Input to DecodeRaw has length {} that is not a multiple of {}, the size of {}",
                    num_bytes, width, dtype_kernel_name(dtype)));
  }
  Array output =
      Array::uninitialized(dtype, input.shape().concatenate(Shape{static_cast<int64_t>(num_bytes / width)}));
  auto* out = static_cast<char*>(output.mutable_raw_data());
  for (const std::string& text : texts) {
    std::memcpy(out, text.data(), num_bytes);
    out += num_bytes;
  }
  auto* const begin = static_cast<char*>(output.mutable_raw_data());
  if (dtype == DType::kBool) {
    make_truth_values(dtype, begin, static_cast<size_t>(out - begin));
  } else if (!call.attrs().get<bool>("little_endian")) {
    const size_t turned = is_complex(dtype) ? width / 2 : width;  // each part by itself
    for (char* at = begin; at < out; at += turned) std::reverse(at, at + turned);
  }
  call.set_out(0, std::move(output));
}

// ---- base64, read

uint32_t digit(char c) {
  const size_t value = kDigits.find(c);
  if (value == std::string_view::npos) throw InvalidArgumentError("Invalid character found in base64.");
  return static_cast<uint32_t>(value);
}

std::string decode(std::string_view text) {
  if (text.size() % 4 == 1) {
    throw InvalidArgumentError("Base64 string length cannot be 1 modulo 4.");
  }
  if (text.size() % 4 == 0) {
    if (text.ends_with("==")) {
      text.remove_suffix(2);
    } else if (text.ends_with('=')) {
      text.remove_suffix(1);
    }
  }
  std::string bytes;
  for (size_t at = 0; at < text.size(); at += 4) {
    const size_t count = std::min<size_t>(4, text.size() - at);
    uint32_t word = 0;
    for (size_t i = 0; i < 4; ++i) word = word << 6 | (i < count ? digit(text[at + i]) : 0u);
    for (size_t i = 0; i + 1 < count; ++i) bytes += static_cast<char>(word >> (16 - 8 * i) & 255);
  }
  return bytes;
}

template <class Change>
void change_each(DynamicCall& call, Change change) {
  Array output(DType::kString, call.in(0).shape());
  std::ranges::transform(call.in(0).span<std::string>(), output.mutable_data<std::string>(), change);
  call.set_out(0, std::move(output));
}

void encode_base64(DynamicCall& call) {
  change_each(call, [pad = call.attrs().get<bool>("pad")](const std::string& bytes) {
    return web_base64(bytes, pad);
  });
}

void decode_base64(DynamicCall& call) { change_each(call, decode); }

constexpr graph::OpRow kStringBytesOps[] = {
    {.name = "DecodeRaw",
     .inputs = "bytes:string",
     .outputs = "output:out_type",
     .attrs = "out_type:type{[float16,float32,float64,int32,uint16,uint8,int16,int8,int64,complex64,"
              "complex128,bool,bfloat16]}; little_endian:bool=true",
     .shape = decode_raw_shape,
     .not_differentiable = true,
     .compute = decode_raw},
    {.name = "EncodeBase64",
     .inputs = "input:string",
     .outputs = "output:string",
     .attrs = "pad:bool=false",
     .shape = graph::unchanged_shape,
     .not_differentiable = true,
     .compute = encode_base64},
    {.name = "DecodeBase64",
     .inputs = "input:string",
     .outputs = "output:string",
     .shape = graph::unchanged_shape,
     .not_differentiable = true,
     .compute = decode_base64},
};

}  // namespace

void register_string_bytes_ops(OpTable& table) {
  for (const graph::OpRow& row : kStringBytesOps) table.add(row);
}

}  // namespace flowray::ops
