#include "files/event_file.h"

#include <flowray/errors.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "files/file_error.h"
#include "files/record.h"
#include "wire/event.h"

namespace flowray::files {
namespace {

constexpr size_t kManyBytes = 64 * 1024;
constexpr std::string_view kVersion = "brain.Event:2";

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  return name.data();
}

/// Its parents too; that it is there already is fine.
void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw_file_error(folder, error.value());
}

}  // namespace

double wall_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

EventFile::EventFile(const std::filesystem::path& folder, std::string_view suffix,
                     std::chrono::milliseconds flush_interval)
    : flush_interval_(flush_interval), next_flush_(Clock::now() + flush_interval) {
  make_folder(folder);
  open(folder, suffix);
  try {
    add(wire::encode_file_version(wall_time(), kVersion));
    flush();  // so that TensorBoard sees the file, and we that it can be written
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

void EventFile::open(const std::filesystem::path& folder, std::string_view suffix) {
  const std::string stem =
      fmt::format("events.out.tfevents.{:010}.{}", static_cast<int64_t>(wall_time()), host_name());
  for (int number = 0; descriptor_ < 0; ++number) {
    path_ = folder / fmt::format("{}{}{}", stem, number == 0 ? "" : fmt::format(".{}", number), suffix);
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) throw_file_error(path_, errno);
  }
}

EventFile::~EventFile() {
  try {
    flush();
  } catch (const Error& error) {
    std::fprintf(stderr, "flowray: %zu bytes of events are lost: %s\n", pending_.size(), error.what());
  }
  ::close(descriptor_);
}

void EventFile::add(std::string_view event) {
  const MutexLock lock(mutex_);
  append_record(pending_, event);
  if (pending_.size() >= kManyBytes || Clock::now() >= next_flush_) write_pending();
}

void EventFile::flush() {
  const MutexLock lock(mutex_);
  write_pending();
}

void EventFile::write_pending() {
  size_t written = 0;
  int error_number = 0;
  while (written < pending_.size() && error_number == 0) {
    const ssize_t count = ::write(descriptor_, pending_.data() + written, pending_.size() - written);
    if (count >= 0) {
      written += static_cast<size_t>(count);
    } else if (errno != EINTR) {
      error_number = errno;
    }
  }
  pending_.erase(0, written);
  next_flush_ = Clock::now() + flush_interval_;
  if (error_number != 0) throw_file_error(path_, error_number);
}

}  // namespace flowray::files
