#include "files/file_contents.h"

#include "files/file_error.h"

#include <flowray/errors.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace flowray::files {
namespace {

constexpr std::string_view kScheme = "file://";

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags)
      : path_(path), number_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (number_ < 0) throw_file_error(path_, errno);
  }
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  /// 0 at the end.
  size_t read(char* to, size_t count) const {
    return checked([&] { return ::read(number_, to, count); });
  }
  size_t write(std::string_view bytes) const {
    return checked([&] { return ::write(number_, bytes.data(), bytes.size()); });
  }

 private:
  /// What a call gives that no signal interrupts.
  size_t checked(auto call) const {
    while (true) {
      const ssize_t count = call();
      if (count >= 0) return static_cast<size_t>(count);
      if (errno != EINTR) throw_file_error(path_, errno);
    }
  }
  const std::string& path_;
  const int number_;
};

bool is_a_dot(std::string_view path) { return path.ends_with("/.") || path.ends_with("/.."); }

}  // namespace

std::string local_path(const std::string& name) {
  if (name.starts_with(kScheme)) return name.substr(kScheme.size());
  const size_t colon = name.find("://");
  const size_t slash = name.find('/');
  if (colon == std::string::npos || colon == 0 || slash != colon + 1) return name;
  throw errors::UnimplementedError(
      fmt::format("File system scheme '{}' not implemented (file: '{}')", name.substr(0, colon), name));
}

std::string read_file(const std::string& name) {
  const std::string path = local_path(name);
  const Descriptor file(path, O_RDONLY);
  // The size of a file that is not regular (a pipe, /proc) says nothing, so the end is where a read
  // returns no bytes.
  std::error_code ignored;
  const auto size = std::filesystem::file_size(path, ignored);
  std::string bytes(ignored ? 0 : static_cast<size_t>(size), '\0');
  size_t have = 0;
  while (true) {
    if (have == bytes.size()) bytes.resize(have + 4096);
    const size_t count = file.read(bytes.data() + have, bytes.size() - have);
    if (count == 0) break;
    have += count;
  }
  bytes.resize(have);
  return bytes;
}

void write_file(const std::string& name, std::string_view bytes) {
  const std::string path = local_path(name);
  const auto folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) throw_file_error(folder, error.value());
  const Descriptor file(path, O_WRONLY | O_CREAT | O_TRUNC);
  while (!bytes.empty()) bytes.remove_prefix(file.write(bytes));
}

std::vector<std::string> matching_files(const std::string& pattern) {
  const std::string path = local_path(pattern);
  const std::string scheme = pattern.substr(0, pattern.size() - path.size());
  const bool is_plain = path.find_first_of("*?[\\") == std::string::npos;
  if (is_plain) {
    struct stat found;
    if (path.empty() || ::stat(path.c_str(), &found) != 0) return {};
    return {pattern};
  }
  const std::string from_here = path.starts_with('/') || path.starts_with("./") ? path : "./" + path;
  glob_t matches = {};
  std::vector<std::string> names;
  if (::glob(from_here.c_str(), GLOB_PERIOD | GLOB_NOSORT, nullptr, &matches) == 0) {
    for (size_t i = 0; i < matches.gl_pathc; ++i) {
      if (!is_a_dot(matches.gl_pathv[i])) names.push_back(scheme + matches.gl_pathv[i]);
    }
  }
  ::globfree(&matches);
  std::ranges::sort(names);
  return names;
}

}  // namespace flowray::files
