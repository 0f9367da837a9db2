// TensorFlow's record files, of which event files are some.

#include "files/record.h"

#include <flowray/errors.h>

#include <cstring>

#include "files/crc32c.h"
#include "fuzz/target.h"

namespace flowray::fuzz {
namespace {

void read_all(std::string_view file) {
  files::RecordReader reader(file);
  size_t count = 0;
  while (const auto record = reader.next()) count += files::kRecordFrameBytes + record->size();
  check(count <= file.size(), "records lie in their file");
}

/// With checksums that are right, which no fuzzer finds, as far as there are records.
std::string with_checksums(std::string bytes) {
  size_t at = 0;
  const auto put = [&](size_t begin, size_t size) {
    const uint32_t sum = files::masked(files::crc32c(std::string_view(bytes).substr(begin, size)));
    std::memcpy(bytes.data() + begin + size, &sum, sizeof(sum));
  };
  while (bytes.size() - at >= files::kRecordFrameBytes) {
    uint64_t length = 0;
    std::memcpy(&length, bytes.data() + at, sizeof(length));
    put(at, sizeof(length));
    if (length > bytes.size() - at - files::kRecordFrameBytes) break;
    put(at + 12, static_cast<size_t>(length));
    at += files::kRecordFrameBytes + static_cast<size_t>(length);
  }
  return bytes;
}

}  // namespace

void run(std::string_view bytes) {
  try {
    read_all(bytes);
  } catch (const Error&) {  // most have wrong checksums
  }
  read_all(with_checksums(std::string(bytes)));
}

std::vector<std::string> seeds() {
  std::string file;
  for (const char* data : {"", "a", "an event, or an example"}) files::append_record(file, data);
  return {file, file.substr(0, file.size() - 3)};
}

}  // namespace flowray::fuzz
