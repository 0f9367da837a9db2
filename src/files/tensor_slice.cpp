#include "files/tensor_slice.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <span>

namespace flowray::files {
namespace {

using Extent = TensorSlice::Extent;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::optional<int64_t> to_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

Extent parse_extent(std::string_view item, std::string_view all) {
  if (item == "-") return {};
  const auto parts = split(item, ',');
  const auto start = to_number(parts[0]);
  const auto length = parts.size() == 2 ? to_number(parts[1]) : std::nullopt;
  if (!start || !length) {
    throw errors::InvalidArgumentError(
        fmt::format("Expected a pair of numbers or '-' but got '{}': string = {}", item, all));
  }
  if (*start < 0 || *length <= 0) {
    throw errors::InvalidArgumentError(fmt::format(
        "Expected non-negative start and positive length but got start = {}, length = {}: string = {}",
        *start, *length, all));
  }
  return {*start, *length};
}

TensorSlice parse_slice(std::string_view text) {
  TensorSlice slice;
  for (const std::string_view item : split(text, ':')) {
    if (!item.empty()) slice.extents.push_back(parse_extent(item, text));
  }
  return slice;
}

// ---- keys: numbers and strings as bytes that compare as they do (Google's ordered code)

/// A number from 0 on: how many bytes, then these, the high ones first.
void append_unsigned(std::string& key, uint64_t number) {
  const int count = (std::bit_width(number) + 7) / 8;
  key += static_cast<char>(count);
  for (int i = count - 1; i >= 0; --i) key += static_cast<char>(number >> (8 * i));
}

/// A string: bytes 00 and ff are followed by ff and 00, the end is 00 01.
void append_text(std::string& key, std::string_view text) {
  for (const char c : text) {
    key += c;
    if (c == '\0') key += '\xff';
    if (c == '\xff') key += '\0';
  }
  key += '\0';
  key += '\1';
}

/// A number in 1 to 10 bytes of 7 bits each, high ones first, in two's complement; on top of them as many
/// bits as there are bytes, the sign bit turned over: 80+n up to 63, 7f for -1.
void append_signed(std::string& key, int64_t number) {
  const auto bits = static_cast<uint64_t>(number);
  const int count = std::bit_width(number < 0 ? ~bits : bits) / 7 + 1;
  std::string bytes(10, number < 0 ? '\xff' : '\0');
  for (size_t i = 0; i < 8; ++i) bytes[9 - i] = static_cast<char>(bits >> (8 * i));
  bytes = bytes.substr(static_cast<size_t>(10 - count));
  const uint32_t header = (0xffffu << (16 - count)) & 0xffffu;
  bytes[0] = static_cast<char>(bytes[0] ^ static_cast<char>(header >> 8));
  if (count > 1) bytes[1] = static_cast<char>(bytes[1] ^ static_cast<char>(header & 0xff));
  key += bytes;
}

// ---- copying

/// One side of a copy: a box and its elements.
struct Side {
  std::vector<Extent> box;

  /// Elements from one index of dimension `d` to the next.
  int64_t stride(size_t d) const {
    int64_t stride = 1;
    for (size_t i = d + 1; i < box.size(); ++i) stride *= box[i].length;
    return stride;
  }
};

class CommonPart {
 public:
  CommonPart(Side from, Side to, size_t element_bytes)
      : from_(std::move(from)), to_(std::move(to)), element_bytes_(element_bytes) {
    for (size_t d = 0; d < from_.box.size(); ++d) {
      const Extent& a = from_.box[d];
      const Extent& b = to_.box[d];
      const int64_t start = std::max(a.start, b.start);
      const int64_t length = std::min(a.start + a.length, b.start + b.length) - start;
      common_.push_back({start, std::max<int64_t>(length, 0)});
      count_ *= common_.back().length;
    }
  }

  int64_t count() const { return count_; }

  void copy(const char* from, char* to) const {
    if (count_ > 0) copy_from_dimension(0, from, to);
  }

 private:
  void copy_from_dimension(size_t d, const char* from, char* to) const {
    if (d == common_.size()) {
      std::memcpy(to, from, element_bytes_);
      return;
    }
    const size_t from_step = static_cast<size_t>(from_.stride(d)) * element_bytes_;
    const size_t to_step = static_cast<size_t>(to_.stride(d)) * element_bytes_;
    from += static_cast<size_t>(common_[d].start - from_.box[d].start) * from_step;
    to += static_cast<size_t>(common_[d].start - to_.box[d].start) * to_step;
    if (rest_is_whole(d)) {
      std::memcpy(to, from, static_cast<size_t>(common_[d].length) * from_step);
      return;
    }
    for (int64_t i = 0; i < common_[d].length; ++i) {
      copy_from_dimension(d + 1, from, to);
      from += from_step;
      to += to_step;
    }
  }

  /// Whether both sides have the same rows behind dimension `d`, all of them common.
  bool rest_is_whole(size_t d) const {
    for (size_t i = d + 1; i < common_.size(); ++i) {
      if (from_.box[i] != common_[i] || to_.box[i] != common_[i]) return false;
    }
    return true;
  }

  Side from_;
  Side to_;
  size_t element_bytes_;
  std::vector<Extent> common_;
  int64_t count_ = 1;
};

}  // namespace

std::string TensorSlice::to_string() const {
  std::string text;
  for (const Extent& extent : extents) {
    if (!text.empty()) text += ":";
    text += extent.length == kAll ? "-" : fmt::format("{},{}", extent.start, extent.length);
  }
  return text;
}

std::vector<Extent> TensorSlice::extents_in(const Shape& full) const {
  std::vector<Extent> result = extents;
  for (size_t i = 0; i < result.size(); ++i) {
    if (result[i].length == kAll) result[i].length = full.dim(static_cast<int>(i));
  }
  return result;
}

Shape TensorSlice::shape_in(const Shape& full) const {
  if (static_cast<size_t>(full.rank()) != extents.size()) {
    throw errors::InternalError(
        fmt::format("Mismatching ranks: shape = {}, slice = {}", full.to_string(), to_string()));
  }
  Shape shape;
  for (size_t i = 0; i < extents.size(); ++i) {
    const auto [start, length] = extents[i];
    const int64_t size = full.dim(static_cast<int>(i));
    if (length != kAll && (start < 0 || length < 0 || start > size || length > size - start)) {
      throw errors::InternalError(fmt::format("Extent in dimension {} out of bounds: shape = {}, slice = {}",
                                              i, full.to_string(), to_string()));
    }
    shape.push_back(length == kAll ? size : length);
  }
  return shape;
}

SliceSpec parse_slice_spec(std::string_view text) {
  const auto parts = split(text, ' ');
  if (parts.size() < 2) {
    throw errors::InvalidArgumentError(
        fmt::format("Need least two elements in shape_and_slice specification: {}", text));
  }
  SliceSpec spec;
  spec.slice = parse_slice(parts.back());
  for (const std::string_view part : std::span(parts).first(parts.size() - 1)) {
    const auto dim = to_number(part);
    if (!dim) {
      throw errors::InvalidArgumentError(fmt::format("Non numerical dimension in shape_and_slice: {}", text));
    }
    if (*dim < 0) {
      throw errors::InvalidArgumentError(fmt::format("Negative dimension in shape_and_slice: {}", text));
    }
    spec.full.push_back(*dim);
  }
  spec.shape = spec.slice.shape_in(spec.full);
  return spec;
}

TensorSlice to_slice(const wire::TensorSliceProto& proto) {
  TensorSlice slice;
  for (const auto& extent : proto.extent) {
    slice.extents.push_back(extent.length == 0 ? Extent{} : Extent{extent.start, extent.length});
  }
  return slice;
}

wire::TensorSliceProto to_slice_proto(const TensorSlice& slice) {
  wire::TensorSliceProto proto;
  for (const Extent& extent : slice.extents) {
    auto& out = proto.extent.emplace_back();
    if (extent.length == TensorSlice::kAll) continue;
    out.start = extent.start;
    out.length = extent.length;
  }
  return proto;
}

std::string slice_key(std::string_view name, const TensorSlice& slice) {
  std::string key;
  append_unsigned(key, 0);
  append_text(key, name);
  append_unsigned(key, slice.extents.size());
  for (const Extent& extent : slice.extents) {
    append_signed(key, extent.start);
    append_signed(key, extent.length);
  }
  return key;
}

int64_t copy_common_part(const Shape& full, size_t element_bytes, const TensorSlice& from_slice,
                         const char* from, const TensorSlice& to_slice, char* to) {
  const CommonPart part({from_slice.extents_in(full)}, {to_slice.extents_in(full)}, element_bytes);
  if (from != nullptr) part.copy(from, to);
  return part.count();
}

}  // namespace flowray::files
