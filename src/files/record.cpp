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

/// `count` bytes at `begin`, behind which their checksum stands.
std::string_view RecordReader::take_checked(size_t begin, size_t count) const {
  const size_t left = file_.size() - begin;
  if (left < sizeof(uint32_t) || left - sizeof(uint32_t) < count) {
    throw errors::DataLossError(fmt::format("truncated record at {}", position_));
  }
  const std::string_view bytes = file_.substr(begin, count);
  if (number_in<uint32_t>(file_.substr(begin + count)) != masked(crc32c(bytes))) {
    throw errors::DataLossError(fmt::format("corrupted record at {}", position_));
  }
  return bytes;
}

std::optional<std::string_view> RecordReader::next() {
  if (position_ == file_.size()) return std::nullopt;
  const auto length = number_in<uint64_t>(take_checked(position_, sizeof(uint64_t)));
  const std::string_view data = take_checked(position_ + sizeof(uint64_t) + sizeof(uint32_t), length);
  position_ += kRecordFrameBytes + length;
  return data;
}

}  // namespace flowray::files
