#pragma once
/// The calls that a server has and has not answered, by the names that clients of ours give them: a byte that
/// changed on the way can lose a request or an answer without breaking the connection, and then only the
/// server can say that nothing will come of the call.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/keep_alive_time.h"
#include "cluster/link/watched_calls.h"
#include "core/mutex.h"

namespace flowray::cluster {

/// In the metadata of each call over the network: its name, as text_of_name() (message_parts.h) writes it.
inline constexpr const char* kCallKey = "flowray-call";
/// Asks for the states of calls.
inline constexpr std::string_view kWhichCalls = "/flowray.Calls1/WhichAreThere";

/// Thread-safe.
class KnownCalls {
 public:
  using Name = std::array<uint64_t, 2>;  // of the client's connection, and the call's number there
  using Clock = std::chrono::steady_clock;

  /// Its headers have come.
  void begin(const Name& name);
  /// All of its request has come.
  void has_come(const Name& name);
  /// Its answer, of so many bytes, begins to go.
  void goes(const Name& name, size_t size_bytes, Clock::time_point now = Clock::now());
  /// The answer has gone.
  void end(const Name& name);

  /// The answer to a WatchedCalls' question, a byte for each number; nothing for what is no question.
  std::optional<std::string> answer(std::span<const std::byte> question,
                                    Clock::time_point now = Clock::now()) const;

 private:
  struct Call {
    CallState state = CallState::kComing;
    Clock::time_point gone_by = Clock::time_point::max();  // an answer that still goes then is stuck
  };
  CallState state_of(const Name& name, Clock::time_point now) const FLOWRAY_REQUIRES(mutex_);

  // Read once: the environment may be changed by other threads.
  const Clock::duration wait_ = std::chrono::milliseconds(gone_after_ms());
  mutable Mutex mutex_;
  std::map<Name, Call> calls_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::cluster
