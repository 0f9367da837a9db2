#include "support/interposed/file_calls.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <type_traits>

namespace flowray::testing {

namespace {

using Kind = FileCall::Kind;

constexpr size_t kNever = std::numeric_limits<size_t>::max();

using SystemCall = long(long, long, long, long, long, long, long);

/// The library's own: this program has another one of that name.
SystemCall& system_call_of_library() {
  static auto* const found = reinterpret_cast<SystemCall*>(dlsym(RTLD_NEXT, "syscall"));
  return *found;
}

template <class... Arguments>
long system_call(long number, Arguments... arguments) {
  const auto as_long = [](auto argument) {
    if constexpr (std::is_pointer_v<decltype(argument)>) {
      return reinterpret_cast<long>(argument);
    } else {
      return static_cast<long>(argument);
    }
  };
  long all[6] = {as_long(arguments)...};
  return system_call_of_library()(number, all[0], all[1], all[2], all[3], all[4], all[5]);
}

bool needs_room(const FileCall& call) {
  switch (call.kind) {
    case Kind::kOpen:
      return (call.flags & O_CREAT) != 0;
    case Kind::kWrite:
    case Kind::kSync:
    case Kind::kRename:
    case Kind::kLink:
    case Kind::kMkdir:
      return true;
    default:
      return false;
  }
}

}  // namespace

struct FileCalls::State {
  std::string folder;
  size_t fails_at = kNever;
  size_t fails_from = kNever;
  size_t killed_at = kNever;
  int error_number = 0;
  int links_error = 0;
  size_t count = 0;
  std::optional<Kind> failed;
  std::vector<FileCall> done;
  std::map<int, std::string> open_files;

  /// 0, or the error that it fails with.
  int before(const FileCall& call) {
    const size_t number = count++;
    if (number == killed_at) {
      if (call.kind == Kind::kWrite)
        (void)!system_call(SYS_write, call.descriptor, call.other.data(), call.other.size() / 2);
      ::kill(::getpid(), SIGKILL);
    }
    if (number == fails_at || (number >= fails_from && needs_room(call))) {
      if (!failed) failed = call.kind;
      return error_number;
    }
    return call.kind == Kind::kLink ? links_error : 0;
  }
};

namespace {

std::mutex mutex;
FileCalls::State* current = nullptr;  // guarded by mutex
std::atomic<bool> waits_for_disks = true;

/// Carries a call out unless it is to fail: the system's result, or -1 and errno.
template <class Run>
auto pass(FileCall call, Run run) {
  std::unique_lock lock(mutex);
  const bool is_ours = current != nullptr && call.path.starts_with(current->folder);
  if (!is_ours) {
    lock.unlock();  // it may wait for another thread
    return run();
  }
  if (const int error_number = current->before(call); error_number != 0) {
    // Close ends the descriptor even where it says that something was lost.
    if (call.kind == Kind::kClose) {
      run();
      current->open_files.erase(call.descriptor);
    }
    errno = error_number;
    return static_cast<decltype(run())>(-1);
  }
  const auto result = run();
  if (result < 0) return result;
  if (call.kind == Kind::kOpen) {
    call.descriptor = static_cast<int>(result);
    current->open_files[call.descriptor] = call.path;
  }
  if (call.kind == Kind::kClose) current->open_files.erase(call.descriptor);
  if (call.kind == Kind::kWrite) call.other.resize(static_cast<size_t>(result));
  current->done.push_back(std::move(call));
  return result;
}

/// The path of an open file; empty for one that is not looked at.
std::string path_of(int descriptor) {
  const std::lock_guard lock(mutex);
  if (current == nullptr) return {};
  const auto found = current->open_files.find(descriptor);
  return found == current->open_files.end() ? std::string() : found->second;
}

}  // namespace

const char* name_of(Kind kind) {
  constexpr const char* kNames[] = {"open",   "read", "write",  "truncate", "sync",  "close",
                                    "rename", "link", "unlink", "mkdir",    "chmod", "stat"};
  return kNames[static_cast<size_t>(kind)];
}

FileCalls::FileCalls(const std::filesystem::path& folder) : state_(std::make_unique<State>()) {
  state_->folder = folder.string();
  const std::lock_guard lock(mutex);
  current = state_.get();
}

FileCalls::~FileCalls() {
  const std::lock_guard lock(mutex);
  current = nullptr;
}

WithoutWaiting::WithoutWaiting() { waits_for_disks = false; }
WithoutWaiting::~WithoutWaiting() { waits_for_disks = true; }

void FileCalls::fail_at(size_t number, int error_number) {
  const std::lock_guard lock(mutex);
  state_->fails_at = number;
  state_->error_number = error_number;
}

void FileCalls::fail_from(size_t number, int error_number) {
  const std::lock_guard lock(mutex);
  state_->fails_from = number;
  state_->error_number = error_number;
}

void FileCalls::refuse_links(int error_number) {
  const std::lock_guard lock(mutex);
  state_->links_error = error_number;
}

void FileCalls::relent() {
  const std::lock_guard lock(mutex);
  state_->fails_at = state_->fails_from = kNever;
  state_->links_error = 0;
}

void FileCalls::kill_at(size_t number) {
  const std::lock_guard lock(mutex);
  state_->killed_at = number;
}

std::vector<FileCall> FileCalls::done() const {
  const std::lock_guard lock(mutex);
  return state_->done;
}

size_t FileCalls::count() const {
  const std::lock_guard lock(mutex);
  return state_->count;
}

FileCall::Kind FileCalls::failed() const {
  const std::lock_guard lock(mutex);
  return state_->failed.value();
}

}  // namespace flowray::testing

// ---- what the program calls

using flowray::testing::pass;
using flowray::testing::path_of;
using flowray::testing::system_call;
using flowray::testing::waits_for_disks;
using Kind = flowray::testing::FileCall::Kind;

namespace {

/// Of a call that takes a name in an open folder, which may have been opened before anybody looked.
std::string path_at(int folder, const char* name) {
  if (folder == AT_FDCWD || *name == '/') return name;
  char path[PATH_MAX];
  const std::string link = "/proc/self/fd/" + std::to_string(folder);
  const long size = system_call(SYS_readlinkat, AT_FDCWD, link.c_str(), path, sizeof path);
  if (size <= 0) return name;
  std::string all(path, static_cast<size_t>(size));
  for (std::string_view rest = name; !rest.empty();) {
    const size_t end = std::min(rest.find('/'), rest.size());
    if (end > 0 && rest.substr(0, end) != ".") all.append("/").append(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return all;
}

/// The power does not fail in earnest: nothing waits for the disk.
int synchronise(int descriptor, long number) {
  const std::string path = path_of(descriptor);
  if (path.empty()) return waits_for_disks ? static_cast<int>(system_call(number, descriptor)) : 0;
  return pass({.kind = Kind::kSync, .path = path, .descriptor = descriptor}, [] { return 0; });
}

}  // namespace

#pragma GCC visibility push(default)

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return pass({.kind = Kind::kOpen, .path = path, .flags = flags},
              [&] { return static_cast<int>(system_call(SYS_openat, AT_FDCWD, path, flags, mode)); });
}

int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return pass({.kind = Kind::kOpen, .path = path_at(folder, path), .flags = flags},
              [&] { return static_cast<int>(system_call(SYS_openat, folder, path, flags, mode)); });
}

/// Of all that may come, openat2 is looked at.
long syscall(long number, ...) noexcept {
  va_list rest;
  va_start(rest, number);
  long all[6];
  for (long& argument : all) argument = va_arg(rest, long);
  va_end(rest);
  const auto run = [&] { return system_call(number, all[0], all[1], all[2], all[3], all[4], all[5]); };
  if (number != SYS_openat2) return run();
  const auto* const how = reinterpret_cast<const open_how*>(all[2]);
  return pass({.kind = Kind::kOpen,
               .path = path_at(static_cast<int>(all[0]), reinterpret_cast<const char*>(all[1])),
               .flags = static_cast<int>(how->flags)},
              run);
}

ssize_t write(int descriptor, const void* bytes, size_t count) {
  const auto run = [&] { return static_cast<ssize_t>(system_call(SYS_write, descriptor, bytes, count)); };
  const std::string path = path_of(descriptor);
  if (path.empty()) return run();
  return pass({.kind = Kind::kWrite,
               .path = path,
               .other = std::string(static_cast<const char*>(bytes), count),
               .descriptor = descriptor},
              run);
}

ssize_t pread(int descriptor, void* to, size_t count, off_t offset) {
  const auto run = [&] {
    return static_cast<ssize_t>(system_call(SYS_pread64, descriptor, to, count, offset));
  };
  const std::string path = path_of(descriptor);
  return path.empty() ? run() : pass({.kind = Kind::kRead, .path = path, .descriptor = descriptor}, run);
}

int ftruncate(int descriptor, off_t size) noexcept {
  const auto run = [&] { return static_cast<int>(system_call(SYS_ftruncate, descriptor, size)); };
  const std::string path = path_of(descriptor);
  return path.empty() ? run() : pass({.kind = Kind::kTruncate, .path = path, .descriptor = descriptor}, run);
}

int stat(const char* path, struct stat* about) noexcept {
  return pass({.kind = Kind::kStat, .path = path},
              [&] { return static_cast<int>(system_call(SYS_newfstatat, AT_FDCWD, path, about, 0)); });
}

int fstatat(int folder, const char* path, struct stat* about, int flags) noexcept {
  return pass({.kind = Kind::kStat, .path = path_at(folder, path)},
              [&] { return static_cast<int>(system_call(SYS_newfstatat, folder, path, about, flags)); });
}

int fstat(int descriptor, struct stat* about) noexcept {
  const auto run = [&] {
    return static_cast<int>(system_call(SYS_newfstatat, descriptor, "", about, AT_EMPTY_PATH));
  };
  const std::string path = path_of(descriptor);
  return path.empty() ? run() : pass({.kind = Kind::kStat, .path = path, .descriptor = descriptor}, run);
}

int fsync(int descriptor) { return synchronise(descriptor, SYS_fsync); }

int fdatasync(int descriptor) { return synchronise(descriptor, SYS_fdatasync); }

int close(int descriptor) {
  return pass({.kind = Kind::kClose, .path = path_of(descriptor), .descriptor = descriptor},
              [&] { return static_cast<int>(system_call(SYS_close, descriptor)); });
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return pass(
      {.kind = Kind::kRename, .path = path_at(from_folder, from), .other = path_at(to_folder, to)},
      [&] { return static_cast<int>(system_call(SYS_renameat2, from_folder, from, to_folder, to, 0)); });
}

int rename(const char* from, const char* to) noexcept { return renameat(AT_FDCWD, from, AT_FDCWD, to); }

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  return pass(
      {.kind = Kind::kLink, .path = path_at(from_folder, from), .other = path_at(to_folder, to)},
      [&] { return static_cast<int>(system_call(SYS_linkat, from_folder, from, to_folder, to, flags)); });
}

int link(const char* from, const char* to) noexcept { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int unlinkat(int folder, const char* path, int flags) noexcept {
  return pass({.kind = Kind::kUnlink, .path = path_at(folder, path)},
              [&] { return static_cast<int>(system_call(SYS_unlinkat, folder, path, flags)); });
}

int unlink(const char* path) noexcept { return unlinkat(AT_FDCWD, path, 0); }

int remove(const char* path) noexcept {
  return pass({.kind = Kind::kUnlink, .path = path}, [&] {
    const auto as = [&](int flags) {
      return static_cast<int>(system_call(SYS_unlinkat, AT_FDCWD, path, flags));
    };
    const int result = as(0);
    return result != 0 && errno == EISDIR ? as(AT_REMOVEDIR) : result;
  });
}

int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  return pass({.kind = Kind::kMkdir, .path = path_at(folder, path)},
              [&] { return static_cast<int>(system_call(SYS_mkdirat, folder, path, mode)); });
}

int mkdir(const char* path, mode_t mode) noexcept { return mkdirat(AT_FDCWD, path, mode); }

int fchmod(int descriptor, mode_t mode) noexcept {
  return pass({.kind = Kind::kChmod, .path = path_of(descriptor), .descriptor = descriptor},
              [&] { return static_cast<int>(system_call(SYS_fchmod, descriptor, mode)); });
}

}  // extern "C"

#pragma GCC visibility pop
