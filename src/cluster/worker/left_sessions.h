#pragma once
/// Worker sessions that their masters have left without a word: a master that died, or whose message that the
/// session is over was lost.

#include "cluster/peers.h"
#include "core/cancellation.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace flowray::cluster {

/// What a worker session says of where it comes from.
struct SessionOrigin {
  std::string handle;
  std::string master_address;  // "": not known
  uint64_t master_incarnation = 0;
};

/// Asks masters whether they still have their sessions. Of one thread.
///
/// An address can mean another server here than it means to the master (where a cluster names it as
/// "localhost"): what is at an address tells of a session's end only where the session's own master, of its
/// incarnation, has answered there before.
class LeftSessions {
 public:
  using Clock = std::chrono::steady_clock;

  /// After so long without an answer a master that has answered is gone.
  static constexpr auto kDeadAfter = std::chrono::seconds(60);

  explicit LeftSessions(Peers& peers) : peers_(peers) {}

  /// Handles of sessions.
  struct Word {
    std::set<std::string> left;       // over: their masters have them no more, or are gone
    std::set<std::string> confirmed;  // their masters, which are ours, have them
  };
  /// Asks the masters of all, which takes some seconds at most. Of sessions in neither list nothing is known.
  Word ask(const std::vector<SessionOrigin>& sessions, Clock::time_point now, Cancellation& ends);

 private:
  struct Master;
  using Masters = std::map<std::string, Master>;
  void ask_which_live(Masters& masters, Clock::time_point now, Cancellation& ends, Word& word);
  void ask_what_they_have(const Masters& masters, Cancellation& ends, Word& word);

  using AddressAndIncarnation = std::pair<std::string, uint64_t>;

  Peers& peers_;
  std::map<AddressAndIncarnation, Clock::time_point> last_answers_;  // of masters that have sessions here
};

}  // namespace flowray::cluster
