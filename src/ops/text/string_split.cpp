// Strings cut into pieces, and rows of them joined.

#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/text/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace flowray::ops {
namespace {

using errors::InvalidArgumentError;
using graph::DynamicCall;
using graph::OpTable;
using graph::ShapeContext;
using Pieces = std::vector<std::string_view>;

// ---- pieces as a sparse matrix

void split_shape(ShapeContext& context) {
  context.with_rank(0, 1);
  context.with_rank(1, 0);
  context.set_output(0, Shape{Shape::kUnknownDim, 2});
  context.set_output(1, Shape{Shape::kUnknownDim});
  context.set_output(2, Shape{2});
}

/// Indices, values and shape of the matrix whose row i are the pieces of string i.
void set_sparse(DynamicCall& call, const std::vector<Pieces>& rows) {
  size_t count = 0;
  size_t longest = 0;
  for (const Pieces& row : rows) {
    count += row.size();
    longest = std::max(longest, row.size());
  }
  Array indices(DType::kInt64, {static_cast<int64_t>(count), 2});
  Array values(DType::kString, {static_cast<int64_t>(count)});
  auto* index = indices.mutable_data<int64_t>();
  auto* value = values.mutable_data<std::string>();
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t j = 0; j < rows[i].size(); ++j) {
      *index++ = static_cast<int64_t>(i);
      *index++ = static_cast<int64_t>(j);
      *value++ = rows[i][j];
    }
  }
  call.set_out(0, std::move(indices));
  call.set_out(1, std::move(values));
  call.set_out(2, Array(std::vector<int64_t>{std::ssize(rows), static_cast<int64_t>(longest)}));
}

const std::string& check_split(const DynamicCall& call, std::string_view separator_name) {
  if (call.in(0).rank() != 1) {
    throw InvalidArgumentError(
        fmt::format("input must be a vector, got shape: {}", call.in(0).shape().to_string()));
  }
  if (call.in(1).rank() != 0) {
    throw InvalidArgumentError(
        fmt::format("{} must be a scalar, got shape: {}", separator_name, call.in(1).shape().to_string()));
  }
  return *call.in(1).data<std::string>();
}

/// At any of the delimiter's characters; each character by itself where there is no delimiter.
Pieces split_at_any(std::string_view text, const std::string& delimiters, bool skip_empty) {
  Pieces pieces;
  if (text.empty()) return pieces;
  if (delimiters.empty()) {
    for (size_t i = 0; i < text.size(); ++i) pieces.push_back(text.substr(i, 1));
    return pieces;
  }
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find_first_of(delimiters, begin), text.size());
    if (end > begin || !skip_empty) pieces.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return pieces;
}

void string_split(DynamicCall& call) {
  const std::string& delimiters = check_split(call, "delimiter");
  const bool skip_empty = call.attrs().get<bool>("skip_empty");
  std::vector<Pieces> rows;
  for (const std::string& text : call.in(0).span<std::string>()) {
    rows.push_back(split_at_any(text, delimiters, skip_empty));
  }
  set_sparse(call, rows);
}

constexpr std::string_view kSpaces = " \t\n\v\f\r";

/// As Python's str.split(): the last piece is what is left after `most` cuts (< 0: as many as there are).
Pieces split_at_spaces(std::string_view text, int64_t most) {
  Pieces pieces;
  const auto skip_spaces = [&] {
    text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  };
  for (skip_spaces(); !text.empty(); skip_spaces()) {
    const size_t end = std::min(text.find_first_of(kSpaces), text.size());
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end);
    if (most <= 0 || std::ssize(pieces) < most) continue;
    skip_spaces();
    pieces.push_back(text);
    break;
  }
  return pieces;
}

Pieces split_at(std::string_view text, const std::string& separator, int64_t most) {
  if (most == 0) return {text};
  if (separator.empty()) return split_at_spaces(text, most);
  Pieces pieces;
  for (size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end + separator.size());
    if (most > 0 && std::ssize(pieces) == most) break;
  }
  pieces.push_back(text);
  return pieces;
}

void string_split_v2(DynamicCall& call) {
  const std::string& separator = check_split(call, "sep");
  const auto most = call.attrs().get<int64_t>("maxsplit");
  std::vector<Pieces> rows;
  for (const std::string& text : call.in(0).span<std::string>()) {
    rows.push_back(split_at(text, separator, most));
  }
  set_sparse(call, rows);
}

// ---- a part of each

void substr_shape(ShapeContext& context) {
  const Shape& position = context.input(1);
  const Shape& length = context.input(2);
  if (position.has_rank() && length.has_rank()) {
    context.with_rank(2, position.rank());
    for (int i = 0; i < position.rank(); ++i) (void)ShapeContext::merge_dim(position.dim(i), length.dim(i));
  }
  context.set_output(0, graph::broadcast(context.input(0), position, /*running=*/false));
}

/// Where character `number` of UTF-8 begins; the end's place for the number behind the last, npos beyond.
size_t place_of_character(std::string_view text, int64_t number) {
  for (size_t i = 0; i < text.size(); ++i) {
    const bool begins = (static_cast<uint8_t>(text[i]) & 0xc0) != 0x80;
    if (begins && number-- == 0) return i;
  }
  return number == 0 ? text.size() : std::string_view::npos;
}

int64_t count_characters(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; });
}

struct Part {
  int64_t position;
  int64_t length;
};

std::string part_of(const std::string& text, Part part, bool by_characters, int64_t index) {
  const int64_t size = by_characters ? count_characters(text) : std::ssize(text);
  const int64_t begin = part.position < 0 ? part.position + size : part.position;
  const bool counts_from_end_to_nowhere = by_characters && part.length < 0 && part.position < 0;
  if (begin < 0 || begin > size || counts_from_end_to_nowhere) {
    throw InvalidArgumentError(
        by_characters
            ? fmt::format("pos {} out of range for string at index {}", part.position, index)
            : fmt::format("pos {} out of range for string b'{}' at index {}", part.position, text, index));
  }
  // As many bytes as there are where the length is below 0, but no characters.
  const int64_t no_length = by_characters ? 0 : size - begin;
  const int64_t length = part.length < 0 ? no_length : std::min(part.length, size - begin);
  if (!by_characters) return text.substr(static_cast<size_t>(begin), static_cast<size_t>(length));
  const size_t first = place_of_character(text, begin);
  return text.substr(first, place_of_character(text, begin + length) - first);
}

/// The element of an array of shape `from` that stands at flat index `k` of `to`.
int64_t broadcast_index(const Shape& from, const Shape& to, int64_t k) {
  int64_t index = 0;
  int64_t stride = 1;
  for (int i = to.rank() - 1, j = from.rank() - 1; j >= 0; --i, --j) {
    const int64_t at = k % to.dim(i);
    k /= to.dim(i);
    if (from.dim(j) != 1) index += at * stride;
    stride *= from.dim(j);
  }
  return index;
}

template <class T>
void substr(DynamicCall& call, const Shape& shape, bool by_characters) {
  const Array& input = call.in(0);
  Array output(DType::kString, shape);
  auto* out = output.mutable_data<std::string>();
  for (int64_t k = 0; k < output.size(); ++k) {
    const int64_t at = broadcast_index(call.in(1).shape(), shape, k);
    const Part part{static_cast<int64_t>(call.in(1).data<T>()[at]),
                    static_cast<int64_t>(call.in(2).data<T>()[at])};
    out[k] =
        part_of(input.data<std::string>()[broadcast_index(input.shape(), shape, k)], part, by_characters, k);
  }
  call.set_out(0, std::move(output));
}

Shape substr_result_shape(const DynamicCall& call) {
  const Shape& input = call.in(0).shape();
  const Shape& position = call.in(1).shape();
  if (!(position == call.in(2).shape())) {
    throw InvalidArgumentError(fmt::format("pos and len should have the same shape, got: {} vs. {}",
                                           position.to_string(), call.in(2).shape().to_string()));
  }
  Shape shape = graph::broadcast(input, position, /*running=*/true);
  constexpr int kMostBroadcast = 2;
  const bool is_broadcast = position.rank() > 0 && !(input == position);
  if (is_broadcast && shape.rank() > kMostBroadcast) {
    throw errors::UnimplementedError(
        fmt::format("Substr broadcast not implemented for {} dimensions", shape.rank()));
  }
  return shape;
}

void compute_substr(DynamicCall& call) {
  const Shape shape = substr_result_shape(call);
  const bool by_characters = call.attrs().get<std::string>("unit") == "UTF8_CHAR";
  call.in(1).dtype() == DType::kInt32 ? substr<int32_t>(call, shape, by_characters)
                                      : substr<int64_t>(call, shape, by_characters);
}

// ---- joined along dimensions

void reduce_join_shape(ShapeContext& context) {
  const Array* axes = context.value(1);
  const Shape& input = context.input(0);
  if (axes == nullptr || !input.has_rank()) return;
  std::vector<bool> is_joined(static_cast<size_t>(input.rank()), false);
  for (const int64_t axis : context.integers(1)) {
    if (axis < -input.rank() || axis >= input.rank()) {
      ShapeContext::fail(
          fmt::format("Invalid reduction dimension {} for input with {} dimensions.", axis, input.rank()));
    }
    is_joined[static_cast<size_t>(axis < 0 ? axis + input.rank() : axis)] = true;
  }
  const bool keep = context.attrs().get<bool>("keep_dims");
  std::vector<int64_t> dims;
  for (int i = 0; i < input.rank(); ++i) {
    if (!is_joined[static_cast<size_t>(i)]) {
      dims.push_back(input.dim(i));
    } else if (keep) {
      dims.push_back(1);
    }
  }
  context.set_output(0, Shape(dims));
}

/// The axes from 0 on, in the order that was asked for.
std::vector<int> checked_axes(const Array& asked, int rank) {
  std::vector<int> axes;
  for (const int32_t axis : asked.span<int32_t>()) {
    if (axis < -rank || axis >= rank) {
      throw errors::OutOfRangeError(
          fmt::format("Invalid reduction dimension {} for input with {} dimension(s)", axis, rank));
    }
    const int place = axis < 0 ? axis + rank : axis;
    if (std::ranges::find(axes, place) != axes.end()) {
      throw InvalidArgumentError(fmt::format("Duplicate reduction dimension {}", axis));
    }
    axes.push_back(place);
  }
  return axes;
}

/// Dimensions to walk through: the last one changes fastest.
struct Walk {
  std::vector<int64_t> sizes = {};
  std::vector<int64_t> strides = {};

  /// Not more than the array has elements, of which there must be some.
  int64_t count() const {
    int64_t product = 1;
    for (const int64_t size : sizes) product *= size;
    return product;
  }
  int64_t offset(int64_t k) const {
    int64_t sum = 0;
    for (size_t i = sizes.size(); i-- > 0;) {
      sum += k % sizes[i] * strides[i];
      k /= sizes[i];
    }
    return sum;
  }
};

void reduce_join(DynamicCall& call) {
  const Array& input = call.in(0);
  const std::vector<int> axes = checked_axes(call.in(1), input.rank());
  const auto& separator = call.attrs().get<std::string>("separator");
  const bool keep = call.attrs().get<bool>("keep_dims");
  std::vector<int64_t> strides(static_cast<size_t>(input.rank()), 1);
  // What the dimensions of an array without elements multiply to may not fit.
  for (size_t i = strides.size(); input.size() > 0 && i-- > 1;)
    strides[i - 1] = strides[i] * input.dim(static_cast<int>(i));
  Walk kept;
  Walk joined;
  std::vector<int64_t> dims;
  for (int i = 0; i < input.rank(); ++i) {
    const bool is_joined = std::ranges::find(axes, i) != axes.end();
    if (!is_joined) {
      kept.sizes.push_back(input.dim(i));
      kept.strides.push_back(strides[static_cast<size_t>(i)]);
    }
    if (!is_joined || keep) dims.push_back(is_joined ? 1 : input.dim(i));
  }
  // The axis that is named first changes fastest.
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    joined.sizes.push_back(input.dim(*axis));
    joined.strides.push_back(strides[static_cast<size_t>(*axis)]);
  }
  Array output(DType::kString, Shape(dims));
  auto* out = output.mutable_data<std::string>();
  const int64_t num_joined = input.size() == 0 ? 0 : joined.count();
  for (int64_t k = 0; num_joined > 0 && k < output.size(); ++k) {
    const std::string* const first = input.data<std::string>() + kept.offset(k);
    for (int64_t j = 0; j < num_joined; ++j) {
      if (j > 0) out[k] += separator;
      out[k] += first[joined.offset(j)];
    }
  }
  call.set_out(0, std::move(output));
}

constexpr graph::OpRow kStringSplitOps[] = {
    {.name = "StringSplit",
     .inputs = "input:string, delimiter:string",
     .outputs = "indices:int64, values:string, shape:int64",
     .attrs = "skip_empty:bool=true",
     .shape = split_shape,
     .not_differentiable = true,
     .compute = string_split},
    {.name = "StringSplitV2",
     .inputs = "input:string, sep:string",
     .outputs = "indices:int64, values:string, shape:int64",
     .attrs = "maxsplit:int=-1",
     .shape = split_shape,
     .compute = string_split_v2},
    {.name = "Substr",
     .inputs = "input:string, pos:T, len:T",
     .outputs = "output:string",
     .attrs = "T:type{indices}; unit:string=\"BYTE\"{[BYTE,UTF8_CHAR]}",
     .shape = substr_shape,
     .compute = compute_substr},
    {.name = "ReduceJoin",
     .inputs = "inputs:string, reduction_indices:int32",
     .outputs = "output:string",
     .attrs = "keep_dims:bool=false; separator:string=\"\"",
     .shape = reduce_join_shape,
     .not_differentiable = true,
     .compute = reduce_join},
};

}  // namespace

void register_string_split_ops(OpTable& table) {
  for (const graph::OpRow& row : kStringSplitOps) table.add(row);
}

}  // namespace flowray::ops
