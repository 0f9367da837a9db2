// A checkpoint whose index is sound but says anything: entries and data.
//
// fuzz: -max_len=8192

#include <flowray/array.h>
#include <flowray/errors.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "files/bundle_publication.h"
#include "files/bundle_reader.h"
#include "files/bundle_writer.h"
#include "files/crc32c.h"
#include "fuzz/target.h"

namespace flowray::fuzz {
namespace {

namespace fs = std::filesystem;

/// The next text: a byte, its length, before it.
std::string_view take(std::string_view& bytes) {
  if (bytes.empty()) return {};
  const size_t length = std::min<size_t>(static_cast<unsigned char>(bytes[0]), bytes.size() - 1);
  const std::string_view text = bytes.substr(1, length);
  bytes.remove_prefix(1 + length);
  return text;
}

std::string told(std::string_view text) { return static_cast<char>(text.size()) + std::string(text); }

/// With the checksum of its data, which no fuzzer finds. Another message than an entry stays what it is.
std::string with_checksum(std::string_view message, std::string_view data) {
  try {
    auto entry = wire::decode<wire::BundleEntryProto>(message);
    const auto offset = static_cast<uint64_t>(entry.offset), size = static_cast<uint64_t>(entry.size);
    if (offset <= data.size() && size <= data.size() - offset)
      entry.crc32c.value = files::masked(files::crc32c(data.substr(offset, size)));
    return wire::encode(entry);
  } catch (const Error&) {
    return std::string(message);
  }
}

/// The same files for all inputs.
class Checkpoint {
 public:
  Checkpoint() {
    std::string name = fs::temp_directory_path() / "flowray-fuzz-XXXXXX";
    check(::mkdtemp(name.data()) != nullptr, "there is a folder for checkpoints");
    path_ = name;
    // What is read there is in memory.
    fs::create_symlink(index_.path(), files::bundle_index_path(prefix()));
    fs::create_symlink(data_.path(), files::bundle_data_path(prefix(), 0, 1));
  }
  ~Checkpoint() { fs::remove_all(path_); }
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;
  std::string prefix() const { return path_ / "model"; }
  void fill(std::string_view index, std::string_view data) const {
    index_.fill(index);
    data_.fill(data);
  }

 private:
  const InputFile index_{""}, data_{""};
  fs::path path_;
};

}  // namespace

/// The header; names and entries, up to one without a name; then data.
void run(std::string_view bytes) {
  static const Checkpoint checkpoint;
  files::BundleIndexEntries entries;
  entries.emplace("", take(bytes));
  std::vector<std::pair<std::string, std::string_view>> named;
  for (std::string_view name = take(bytes); !name.empty(); name = take(bytes))
    named.emplace_back(name, take(bytes));
  for (const auto& [name, message] : named) entries.emplace(name, with_checksum(message, bytes));
  checkpoint.fill(files::encode_bundle_index(entries), bytes);
  const files::BundleReader reader(checkpoint.prefix(), files::FileAccess::all());
  const std::vector<std::string> names = reader.names();
  if (names.empty()) return;
  const std::string& name = names[bytes.size() % names.size()];
  if (bytes.size() % 2 == 0) {
    const Shape shape = reader.find(name).shape;
    check(reader.read(name).shape() == shape, "a tensor has the shape that its entry says");
  } else {
    reader.read_slice(name, files::parse_slice_spec("4 3 1,2:0,1").slice);
  }
}

// All of two checkpoints, and of one each tensor by itself: an input of few bytes is tried more often.
std::vector<std::string> seeds() {
  constexpr size_t kMostElementBytes = 1000;
  std::vector<std::string> inputs;
  for (const char* name : {"types", "parts"}) {
    const std::string prefix = std::string("tests/golden/checkpoints/") + name;
    std::ifstream data(files::bundle_data_path(prefix, 0, 1), std::ios::binary);
    const std::string elements{std::istreambuf_iterator<char>(data), {}};
    std::string header;
    std::string entries;
    files::BundleIndex(prefix + ".index", files::FileAccess::all())
        .for_each([&](std::string_view key, std::string_view message) {
          if (key.size() > 255 || message.size() > 255) return;
          if (key.empty()) {
            header = told(message);
            return;
          }
          entries += told(key) + told(message);
          auto entry = wire::decode<wire::BundleEntryProto>(message);
          if (entry.size <= 0 || static_cast<uint64_t>(entry.size) > kMostElementBytes) return;
          const std::string own =
              elements.substr(static_cast<size_t>(entry.offset), static_cast<size_t>(entry.size));
          entry.offset = 0;
          inputs.push_back(header + told(key) + told(wire::encode(entry)) + told("") + own);
        });
    inputs.push_back(header + entries + told("") + elements.substr(0, 2 * kMostElementBytes));
  }
  return inputs;
}

}  // namespace flowray::fuzz
