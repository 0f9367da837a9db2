#include "files/event_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "files/file_error.h"
#include "files/folder.h"
#include "files/record.h"
#include "wire/event.h"

namespace flowray::files {
namespace {

constexpr size_t kManyBytes = 64 * 1024;
constexpr size_t kMostBytes = 16 * 1024 * 1024;
constexpr std::chrono::milliseconds kRetryInterval = std::chrono::seconds(1);
constexpr std::string_view kVersion = "brain.Event:2";

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  return name.data();
}

}  // namespace

double wall_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

EventFile::EventFile(const std::filesystem::path& folder, std::string_view suffix,
                     std::chrono::milliseconds flush_interval)
    : flush_interval_(flush_interval), next_flush_(Clock::now() + flush_interval) {
  FileAccess::all().make_folders(folder, folder);
  open(folder, suffix);
  append_record(pending_, wire::encode_file_version(wall_time(), kVersion));
  // At once, so that TensorBoard sees the file, and we that it can be written.
  const int error_number = write_pending();
  if (error_number == 0) return;
  file_ = FileDescriptor();
  FileAccess::all().remove_file(path_);
  throw_file_error(path_, error_number);
}

void EventFile::open(const std::filesystem::path& folder, std::string_view suffix) {
  const std::string stem =
      fmt::format("events.out.tfevents.{:010}.{}", static_cast<int64_t>(wall_time()), host_name());
  for (int number = 0; !file_.is_open(); ++number) {
    path_ = folder / fmt::format("{}{}{}", stem, number == 0 ? "" : fmt::format(".{}", number), suffix);
    try {
      file_ = FileAccess::all().open(path_, O_WRONLY | O_CREAT | O_EXCL);
    } catch (const errors::AlreadyExistsError&) {
      continue;
    }
  }
}

EventFile::~EventFile() {
  const MutexLock lock(mutex_);
  if (write_pending() != 0) {
    std::fprintf(stderr, "flowray: %s: the last %zu bytes of events are lost, %zu events were dropped\n",
                 path_.c_str(), pending_.size(), num_dropped_);
  } else if (num_dropped_ > 0) {
    std::fprintf(stderr, "flowray: %s could not be written for a while, %zu events were dropped\n",
                 path_.c_str(), num_dropped_);
  }
}

void EventFile::add(std::string_view event) {
  const MutexLock lock(mutex_);
  const bool is_due = Clock::now() >= next_flush_;
  if (is_stuck_ && is_due) tell(write_pending());
  const size_t bytes = kRecordFrameBytes + event.size();
  if (is_stuck_ && pending_.size() + bytes > kMostBytes) {
    ++num_dropped_;
    return;
  }
  append_record(pending_, event);
  if (is_stuck_ || (!is_due && pending_.size() < kManyBytes)) return;
  const int error_number = write_pending();
  // One that alone is too long goes, too, unless a part of it is in the file: its readers need the rest.
  if (error_number != 0 && pending_.size() > kMostBytes && pending_.size() >= bytes) {
    pending_.resize(pending_.size() - bytes);
    pending_.shrink_to_fit();
    ++num_dropped_;
  }
  tell(error_number);
}

void EventFile::flush() {
  const MutexLock lock(mutex_);
  const int error_number = write_pending();
  tell(error_number);
  if (error_number != 0) throw_file_error(path_, error_number);
}

/// 0, or the error.
int EventFile::write_pending() {
  size_t written = 0;
  int error_number = 0;
  while (written < pending_.size() && error_number == 0) {
    const ssize_t count = ::write(file_.number(), pending_.data() + written, pending_.size() - written);
    if (count >= 0) {
      written += static_cast<size_t>(count);
    } else if (errno != EINTR) {
      error_number = errno;
    }
  }
  pending_.erase(0, written);  // may end in the midst of a record, which goes on there the next time
  next_flush_ =
      Clock::now() + (error_number == 0 ? flush_interval_ : std::min(flush_interval_, kRetryInterval));
  return error_number;
}

/// On stderr: once that it is stuck, and once that it goes on.
void EventFile::tell(int error_number) {
  if (error_number != 0 && !is_stuck_) {
    std::fprintf(
        stderr,
        "flowray: %s; %s: events are kept in memory until they can be written, those beyond %zu MiB are "
        "dropped\n",
        path_.c_str(), std::generic_category().message(error_number).c_str(), kMostBytes >> 20);
  }
  if (error_number == 0 && is_stuck_) {
    std::fprintf(stderr, "flowray: %s is written again, %zu events were dropped\n", path_.c_str(),
                 num_dropped_);
    num_dropped_ = 0;
  }
  is_stuck_ = error_number != 0;
}

}  // namespace flowray::files
