#pragma once
/// A file of events, which TensorBoard finds by its name and follows as it grows.

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/mutex.h"
#include "files/file_access.h"

namespace flowray::files {

/// Writes events one after the other. They are collected in memory and written to the file when the time to
/// do so has come, when many have gathered, and when asked to. What cannot be written (the disk is full) is
/// kept and tried again, so that the file goes on where it stopped; what would make more than 16 MiB is
/// dropped. That it is so, and how many were dropped when it goes on or ends, is told on stderr. Thread-safe.
class EventFile {
 public:
  /// Makes `folder` where it is not there, and in it a file
  ///     events.out.tfevents.<seconds since 1970, 10 digits>.<host><suffix>
  /// that is new: ".1", ".2", ... is put before the suffix while there is one of that name. Throws the
  /// errors:: class of the system's error, PermissionDeniedError and the like: "<path>; Permission denied".
  EventFile(const std::filesystem::path& folder, std::string_view suffix,
            std::chrono::milliseconds flush_interval);
  /// Writes what is left; complains on stderr where that fails.
  ~EventFile();
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  /// Adds the message of an event.
  void add(std::string_view event);
  /// Hands everything to the system. Throws ResourceExhaustedError where the disk is full, and the class of
  /// any other error of the system.
  void flush();

  const std::filesystem::path& path() const { return path_; }

 private:
  using Clock = std::chrono::steady_clock;
  void open(const std::filesystem::path& folder, std::string_view suffix);
  int write_pending() FLOWRAY_REQUIRES(mutex_);
  void tell(int error_number) FLOWRAY_REQUIRES(mutex_);

  std::filesystem::path path_;
  FileDescriptor file_;
  const std::chrono::milliseconds flush_interval_;
  Mutex mutex_;
  std::string pending_ FLOWRAY_GUARDED_BY(mutex_);
  bool is_stuck_ FLOWRAY_GUARDED_BY(mutex_) = false;  // the last write failed
  size_t num_dropped_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  Clock::time_point next_flush_ FLOWRAY_GUARDED_BY(mutex_);
};

/// Seconds since 1970, as events carry them.
double wall_time();

}  // namespace flowray::files
