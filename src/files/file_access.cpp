#include "files/file_access.h"

#include "files/file_error.h"
#include "files/folder.h"

#include <flowray/errors.h>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <span>
#include <string_view>

namespace flowray::files {
namespace {

constexpr int kNewFileMode = 0666;
constexpr int kMostRetries = 16;

/// Calls again what a signal has interrupted; -1 with errno otherwise.
int uninterrupted(auto call) {
  while (true) {
    const int result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

int open_by_kernel(int root, const char* path, int flags) {
  open_how how = {};
  how.flags = static_cast<uint64_t>(flags);
  how.mode = (flags & O_CREAT) != 0 ? kNewFileMode : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const auto call = [&] { return static_cast<int>(::syscall(SYS_openat2, root, path, &how, sizeof(how))); };
  // EAGAIN: something was renamed while the kernel made sure that ".." stays below the root.
  for (int i = 0; i < kMostRetries; ++i) {
    const int descriptor = uninterrupted(call);
    if (descriptor >= 0 || errno != EAGAIN) return descriptor;
  }
  return -1;
}

bool kernel_has_openat2(int root) {
  const FileDescriptor tried(open_by_kernel(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  return tried.is_open();
}

bool is_link(int folder, const std::string& name) {
  struct stat about{};
  return ::fstatat(folder, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(about.st_mode);
}

/// The parts of a path without those that say nothing: "a//./b/" has "a" and "b".
std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    if (end > 0 && path.substr(0, end) != ".") parts.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return parts;
}

/// Whether ".." goes above the folder where they begin, were there no symbolic links.
bool leads_out(std::span<const std::string> parts) {
  int depth = 0;
  for (const std::string& part : parts) {
    depth += part == ".." ? -1 : 1;
    if (depth < 0) return true;
  }
  return false;
}

/// As open_by_kernel, without its help: EXDEV for every symbolic link and "..", which may lead outside.
int open_by_steps(int root, std::string_view path, int flags) {
  const std::vector<std::string> parts = parts_of(path);
  FileDescriptor folder(uninterrupted([&] { return ::openat(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC); }));
  for (size_t i = 0; i < parts.size() && folder.is_open(); ++i) {
    const bool is_last = i + 1 == parts.size();
    const int how = is_last ? flags : O_PATH | O_DIRECTORY | O_CLOEXEC;
    if (parts[i] == "..") {
      errno = EXDEV;
      return -1;
    }
    FileDescriptor next(uninterrupted(
        [&] { return ::openat(folder.number(), parts[i].c_str(), how | O_NOFOLLOW, kNewFileMode); }));
    const int error_number = errno;
    // With O_PATH the link itself is opened.
    if ((!next.is_open() || (how & O_PATH) != 0) && is_link(folder.number(), parts[i])) {
      errno = EXDEV;
      return -1;
    }
    errno = error_number;
    if (is_last) return next.leave();
    folder = std::move(next);
  }
  if (!folder.is_open()) return -1;
  return uninterrupted([&] { return ::openat(folder.number(), ".", flags, kNewFileMode); });
}

/// What of an absolute path stands behind `folder`; nothing where it does not begin there.
std::optional<std::string> below(const std::string& path, const std::string& folder) {
  if (!path.starts_with(folder)) return std::nullopt;
  const bool is_root = folder.ends_with('/');
  if (path.size() > folder.size() && !is_root && path[folder.size()] != '/') return std::nullopt;
  return path.substr(folder.size());
}

[[noreturn]] void throw_not_regular(const std::filesystem::path& path) {
  throw errors::FailedPreconditionError(fmt::format(
      "{}; Not a regular file\nGraphs on this server use regular files only, no pipes and devices.",
      path.string()));
}

void check_kind(const FileDescriptor& file, const std::filesystem::path& path) {
  struct stat about{};
  if (::fstat(file.number(), &about) != 0) throw_file_error(path, errno);
  if (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)) return;
  throw_not_regular(path);
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0) ::close(number_);
}

struct FileAccess::State {
  FileRules rules;
  FileDescriptor root;          // none where the rules have none
  std::string given_root = {};  // absolute, as it was named
  std::string real_root = {};   // without symbolic links
  bool has_openat2 = false;

  /// A path from the root on. Throws PermissionDeniedError for one that is elsewhere.
  std::string from_root(const std::filesystem::path& path) const {
    if (!path.is_absolute()) return path.string();
    for (const std::string& folder : {given_root, real_root}) {
      std::optional<std::string> rest = below(path.string(), folder);
      if (!rest) continue;
      rest->erase(0, rest->find_first_not_of('/'));
      return *rest;
    }
    throw_outside(path);
  }

  /// Does what open(2) does, below the root.
  int open(const std::filesystem::path& path, int flags) const {
    if (path.empty()) {  // no name; and not the root's
      errno = ENOENT;
      return -1;
    }
    std::string rest = from_root(path);
    if (rest.empty()) rest = ".";
    const int descriptor = has_openat2 ? open_by_kernel(root.number(), rest.c_str(), flags)
                                       : open_by_steps(root.number(), rest, flags);
    if (descriptor < 0 && errno == EXDEV) throw_outside(path);
    return descriptor;
  }

  [[noreturn]] void throw_outside(const std::filesystem::path& path) const {
    throw errors::PermissionDeniedError(fmt::format(
        "{}; Permission denied\nFiles of this server's graphs lie below {}{}.", path.string(), given_root,
        has_openat2 ? "" : ", where this kernel allows neither symbolic links nor \"..\""));
  }
};

/// Keeps the folder open.
struct FileAccess::Place {
  FileDescriptor folder_below_root;
  int folder = AT_FDCWD;
  std::string name;
};

FileAccess::FileAccess(const FileRules& rules)
    : state_(std::make_shared<const State>([&] {
        State state{.rules = rules, .root = {}};
        if (rules.root.empty()) return state;
        std::error_code error;
        state.given_root = std::filesystem::absolute(rules.root, error).lexically_normal().string();
        if (!error) state.real_root = std::filesystem::canonical(rules.root, error).string();
        if (error) throw_file_error(rules.root, error.value());
        while (state.given_root.size() > 1 && state.given_root.ends_with('/')) state.given_root.pop_back();
        state.root = FileDescriptor(
            uninterrupted([&] { return ::open(state.real_root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC); }));
        if (!state.root.is_open()) throw_file_error(rules.root, errno);
        state.has_openat2 = !rules.without_openat2 && kernel_has_openat2(state.root.number());
        return state;
      }())) {}

uint64_t FileAccess::most_read_bytes() const { return state_ == nullptr ? 0 : state_->rules.most_read_bytes; }

void FileAccess::check_allowed(const std::filesystem::path& path) const {
  // The system would see another path than is looked at here.
  if (path.native().find('\0') != std::string::npos) {
    throw errors::InvalidArgumentError(fmt::format(
        "{}; Invalid argument\nNo file's name has a zero byte: the system would take it for the end.",
        path.string()));
  }
  if (state_ == nullptr || !state_->rules.no_files) return;
  throw errors::PermissionDeniedError(
      fmt::format("{}; Permission denied\nGraphs use no files on this server.", path.string()));
}

FileDescriptor FileAccess::open(const std::filesystem::path& path, int flags) const {
  check_allowed(path);
  const bool is_checked = state_ != nullptr && state_->rules.only_regular;
  int how = flags | O_CLOEXEC;
  // No blocking on the other end of a pipe, and no truncation before the kind of file is known.
  if (is_checked) how = (how | O_NONBLOCK | O_NOCTTY) & ~O_TRUNC;
  FileDescriptor file(state_ != nullptr && state_->root.is_open()
                          ? state_->open(path, how)
                          : uninterrupted([&] { return ::open(path.c_str(), how, kNewFileMode); }));
  if (!file.is_open() && is_checked && errno == ENXIO) throw_not_regular(path);  // a pipe without a reader
  if (!file.is_open()) throw_file_error(path, errno);
  const bool is_new = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);  // no pipe and no device
  if (!is_checked || is_new) return file;
  check_kind(file, path);
  if ((flags & O_TRUNC) != 0 && ::ftruncate(file.number(), 0) != 0) throw_file_error(path, errno);
  return file;
}

bool FileAccess::exists(const std::filesystem::path& path) const {
  check_allowed(path);
  if (state_ != nullptr && state_->root.is_open()) {
    return FileDescriptor(state_->open(path, O_PATH | O_CLOEXEC)).is_open();
  }
  struct stat found{};
  return ::stat(path.c_str(), &found) == 0;
}

std::vector<std::string> FileAccess::names_in(const std::filesystem::path& folder) const {
  check_allowed(folder);
  const bool has_root = state_ != nullptr && state_->root.is_open();
  if (has_root && leads_out(parts_of(state_->from_root(folder)))) state_->throw_outside(folder);
  FileDescriptor descriptor;
  try {
    descriptor = open(folder, O_RDONLY | O_DIRECTORY);
  } catch (const errors::OpError&) {
    return {};
  }
  DIR* const list = ::fdopendir(descriptor.number());
  if (list == nullptr) return {};
  (void)descriptor.leave();  // closedir closes it
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(list)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  ::closedir(list);
  return names;
}

FileAccess::Place FileAccess::place_of(const std::filesystem::path& path) const {
  check_allowed(path);
  Place place;
  if (state_ == nullptr || !state_->root.is_open()) {
    place.name = path.string();
    return place;
  }
  if (path.empty()) throw_file_error(path, ENOENT);
  std::string folder = path.string();
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  const size_t slash = folder.rfind('/');
  place.name = slash == std::string::npos ? folder : folder.substr(slash + 1);
  // The kernel looks at no more than the name then, which must not lead away from the folder.
  if (place.name.empty() || place.name == "." || place.name == "..") state_->throw_outside(path);
  folder.resize(slash == std::string::npos ? 0 : std::max<size_t>(slash, 1));
  place.folder_below_root =
      FileDescriptor(state_->open(folder.empty() ? "." : folder, O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!place.folder_below_root.is_open()) throw_file_error(path, errno);
  place.folder = place.folder_below_root.number();
  return place;
}

void FileAccess::make_folders(const std::filesystem::path& folder, const std::filesystem::path& path) const {
  check_allowed(path);
  if (folder.empty()) return;
  if (state_ == nullptr || !state_->root.is_open()) return make_folder(folder);
  const std::vector<std::string> parts = parts_of(state_->from_root(folder));
  if (leads_out(parts)) state_->throw_outside(path);
  std::filesystem::path made = ".";
  for (const std::string& part : parts) {
    made /= part;
    if (part == "..") continue;  // must be there; whether it may be gone through is seen below
    const Place place = place_of(made);
    if (::mkdirat(place.folder, place.name.c_str(), 0777) != 0 && errno != EEXIST)
      throw_file_error(path, errno);
  }
  if (!FileDescriptor(state_->open(made, O_PATH | O_DIRECTORY | O_CLOEXEC)).is_open())
    throw_file_error(path, errno);
}

void FileAccess::rename(const std::filesystem::path& from, const std::filesystem::path& to) const {
  const Place source = place_of(from);
  const Place goal = place_of(to);
  if (::renameat(source.folder, source.name.c_str(), goal.folder, goal.name.c_str()) != 0)
    throw_file_error(errno == ENOENT ? from : to, errno);
}

bool FileAccess::link(const std::filesystem::path& from, const std::filesystem::path& to) const {
  const Place source = place_of(from);
  const Place goal = place_of(to);
  if (::linkat(source.folder, source.name.c_str(), goal.folder, goal.name.c_str(), 0) == 0) return true;
  const bool has_no_links = errno == EPERM || errno == ENOTSUP || errno == ENOSYS || errno == EMLINK;
  if (!has_no_links) throw_file_error(to, errno);
  return false;
}

bool FileAccess::stands(const std::filesystem::path& path) const {
  const Place place = place_of(path);
  struct stat about{};
  if (::fstatat(place.folder, place.name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0) return true;
  if (errno != ENOENT) throw_file_error(path, errno);
  return false;
}

void FileAccess::sync_folder(const std::filesystem::path& folder) const {
  check_allowed(folder);
  if (state_ == nullptr || !state_->root.is_open()) return files::sync_folder(folder);
  const FileDescriptor descriptor(state_->open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Files may be made in a folder that may not be read, and only what is read can be synchronised.
  if (!descriptor.is_open() && errno == EACCES) return;
  if (!descriptor.is_open()) throw_file_error(folder, errno);
  // EINVAL: the file system keeps no names on a disk.
  if (uninterrupted([&] { return ::fsync(descriptor.number()); }) != 0 && errno != EINVAL)
    throw_file_error(folder, errno);
}

void FileAccess::remove_file(const std::filesystem::path& path) const {
  try {
    const Place place = place_of(path);
    if (::unlinkat(place.folder, place.name.c_str(), 0) != 0) throw_file_error(path, errno);
  } catch (const errors::NotFoundError&) {
    return;
  }
}

void FileAccess::remove_empty_folder(const std::filesystem::path& folder) const {
  try {
    const Place place = place_of(folder);
    (void)::unlinkat(place.folder, place.name.c_str(), AT_REMOVEDIR);
  } catch (const errors::OpError&) {
    return;  // as where it is not empty
  }
}

}  // namespace flowray::files
