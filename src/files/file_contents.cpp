#include "files/file_contents.h"

#include "files/file_error.h"
#include "files/new_file.h"

#include <flowray/errors.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace flowray::files {
namespace {

constexpr std::string_view kScheme = "file://";

/// A whole file that is read is made room for at once up to here; beyond that as its bytes come, for what a
/// file says of its size need not be true.
constexpr uint64_t kTrustedBytes = uint64_t{1} << 30;

/// The size of the buffer to begin with where the file's size is not known.
constexpr size_t kLeastBytes = 4096;

/// Repeats a call until no signal interrupts it, and returns its result.
size_t checked(const std::string& path, auto call) {
  while (true) {
    const ssize_t count = call();
    if (count >= 0) return static_cast<size_t>(count);
    if (errno != EINTR) throw_file_error(path, errno);
  }
}

[[noreturn]] void throw_too_large(const std::string& path, uint64_t most) {
  throw errors::ResourceExhaustedError(fmt::format(
      "{}; File too large\nA server reads no file at once that has more than {} bytes, the limit of its "
      "memory.",
      path, most));
}

/// Whether a part of a pattern is more than a name.
bool is_pattern(std::string_view part) { return part.find_first_of("*?[\\") != std::string_view::npos; }

bool is_a_dot(std::string_view path) { return path.ends_with("/.") || path.ends_with("/.."); }

/// The paths that a pattern matches, part by part. Like the file systems of TensorFlow it takes files whose
/// name begins with a dot for any others.
class Matching {
 public:
  explicit Matching(const FileAccess& access) : access_(access) {}

  /// Adds what begins with `path` and goes on as `pattern` says. `is_there`: that `path` is, is known.
  void go_on(std::string path, std::string_view pattern, bool is_there) {
    while (!pattern.empty()) {
      const size_t end = pattern.front() == '/' ? std::min(pattern.find_first_not_of('/'), pattern.size())
                                                : std::min(pattern.find('/'), pattern.size());
      const std::string part(pattern.substr(0, end));
      pattern.remove_prefix(end);
      if (is_pattern(part)) return enter(path, part, pattern);
      path += part;
      is_there = false;
    }
    if (is_there || exists(path)) found_.push_back(std::move(path));
  }
  std::vector<std::string> take() { return std::move(found_); }

 private:
  void enter(const std::string& folder, const std::string& part, std::string_view rest) {
    for (const std::string& name : access_.names_in(folder.empty() ? "." : folder)) {
      if (::fnmatch(part.c_str(), name.c_str(), 0) == 0) go_on(folder + name, rest, /*is_there=*/true);
    }
  }
  /// False for the target of a link that may not be followed.
  bool exists(const std::string& path) const {
    try {
      return access_.exists(path);
    } catch (const errors::PermissionDeniedError&) {
      return false;
    }
  }

  const FileAccess& access_;
  std::vector<std::string> found_;
};

}  // namespace

std::string local_path(const std::string& name) {
  if (name.starts_with(kScheme)) return name.substr(kScheme.size());
  const size_t colon = name.find("://");
  const size_t slash = name.find('/');
  if (colon == std::string::npos || colon == 0 || slash != colon + 1) return name;
  throw errors::UnimplementedError(
      fmt::format("File system scheme '{}' not implemented (file: '{}')", name.substr(0, colon), name));
}

std::string read_file(const std::string& name, const FileAccess& access) {
  const std::string path = local_path(name);
  const FileDescriptor file = access.open(path, O_RDONLY);
  // The size of a file that is not regular (a pipe, /proc) says nothing, so the end is where a read
  // returns no bytes.
  struct stat about{};
  const bool has_size = ::fstat(file.number(), &about) == 0 && S_ISREG(about.st_mode);
  const uint64_t size = has_size ? static_cast<uint64_t>(about.st_size) : 0;
  const uint64_t most = access.most_read_bytes() == 0 ? UINT64_MAX : access.most_read_bytes();
  if (size > most) throw_too_large(path, most);
  std::string bytes(static_cast<size_t>(std::min(size, kTrustedBytes)), '\0');
  size_t have = 0;
  while (true) {
    if (have == bytes.size()) bytes.resize(have + std::max(have / 2, kLeastBytes));
    const size_t count =
        checked(path, [&] { return ::read(file.number(), bytes.data() + have, bytes.size() - have); });
    if (count == 0) break;
    have += count;
    if (have > most) throw_too_large(path, most);
  }
  bytes.resize(have);
  return bytes;
}

void write_file(const std::string& name, std::string_view bytes, const FileAccess& access) {
  NewFile file = NewFile::through(local_path(name), access);
  file.append(bytes);
  file.commit();
}

void append_to_file(const std::string& path, std::string_view bytes, const FileAccess& access) {
  const FileDescriptor file = access.open(path, O_WRONLY | O_CREAT | O_APPEND);
  while (!bytes.empty())
    bytes.remove_prefix(checked(path, [&] { return ::write(file.number(), bytes.data(), bytes.size()); }));
}

std::vector<std::string> matching_files(const std::string& pattern, const FileAccess& access) {
  const std::string path = local_path(pattern);
  const std::string scheme = pattern.substr(0, pattern.size() - path.size());
  if (!is_pattern(path)) {
    if (!access.exists(path)) return {};
    return {pattern};
  }
  const std::string from_here = path.starts_with('/') || path.starts_with("./") ? path : "./" + path;
  Matching matching(access);
  matching.go_on("", from_here, /*is_there=*/false);
  std::vector<std::string> names = matching.take();
  std::erase_if(names, is_a_dot);
  for (std::string& name : names) name.insert(0, scheme);
  std::ranges::sort(names);
  return names;
}

}  // namespace flowray::files
