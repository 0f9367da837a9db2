#include "files/record.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "files/crc32c.h"

namespace flowray::files {
namespace {

static_assert(std::endian::native == std::endian::little, "the numbers of record files are little-endian");

template <class Number>
void append_number(std::string& file, Number number) {
  char bytes[sizeof(Number)];
  std::memcpy(bytes, &number, sizeof(Number));
  file.append(bytes, sizeof(Number));
}

template <class Number>
Number number_in(std::string_view bytes) {
  Number number;
  std::memcpy(&number, bytes.data(), sizeof(Number));
  return number;
}

}  // namespace

void append_record(std::string& file, std::string_view data) {
  const size_t begin = file.size();
  append_number(file, uint64_t{data.size()});
  append_number(file, masked(crc32c(std::string_view(file).substr(begin))));
  file.append(data);
  append_number(file, masked(crc32c(data)));
}

/// `count` bytes at `begin`, behind which their checksum stands; none where the file is shorter.
std::optional<std::string_view> RecordReader::take_checked(size_t begin, size_t count) const {
  const size_t left = file_.size() - begin;
  if (left < sizeof(uint32_t) || left - sizeof(uint32_t) < count) return std::nullopt;
  const std::string_view bytes = file_.substr(begin, count);
  if (number_in<uint32_t>(file_.substr(begin + count)) != masked(crc32c(bytes))) {
    throw errors::DataLossError(
        fmt::format("corrupted record at {}{}", begin, begin == 0 ? " (Is this even a TFRecord file?)" : ""));
  }
  return bytes;
}

std::optional<std::string_view> RecordReader::next() {
  // A file that ends within the head of a record ends before it, as in TensorFlow.
  const auto head = take_checked(position_, sizeof(uint64_t));
  if (!head.has_value()) return std::nullopt;
  const auto length = number_in<uint64_t>(*head);
  const auto data = take_checked(position_ + sizeof(uint64_t) + sizeof(uint32_t), length);
  if (!data.has_value()) {
    throw errors::DataLossError(
        fmt::format("truncated record at {}' failed with Read less bytes than requested", position_));
  }
  position_ += kRecordFrameBytes + length;
  return data;
}

}  // namespace flowray::files
