#pragma once
/// Messages that are too large for gRPC, between our own servers and clients. A request comes in parts, each
/// a call of its own, and then a call without a body says that these are what it asks. The answer to a
/// client of ours may say that it is to be fetched in parts. Each message has random words for its
/// name, so a client can reach no other client's.

#include "cluster/payload.h"
#include "cluster/transport.h"
#include "core/mutex.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::cluster {

inline constexpr std::string_view kPutPart = "/flowray.Parts1/Put";
inline constexpr std::string_view kTakePart = "/flowray.Parts1/Take";
/// In the metadata of each call of our clients: the name of the parts that have come, or kTakesParts. In
/// those of an answer: the name of what is to be fetched, a space, and how many bytes that are.
inline constexpr const char* kPartsKey = "flowray-parts";
inline constexpr const char* kTakesParts = "-";

/// What the body of a Put begins with, and the body of a Take is; of one byte order, as our machines are.
struct PartHead {
  std::array<uint64_t, 2> name{};
  uint64_t offset = 0;
  uint64_t size_bytes = 0;  // Put: of the whole message; Take: of what is wanted
};
static_assert(sizeof(PartHead) == 32);

std::array<uint64_t, 2> random_part_name();
std::string text_of_name(const std::array<uint64_t, 2>& name);
std::optional<std::array<uint64_t, 2>> name_of_text(std::string_view text);

/// A message that is being put together, its large content (payload.h) aligned.
struct WholeMessage {
  /// `head`: its beginning. Null where there is no memory.
  static std::unique_ptr<WholeMessage> begin(std::span<const std::byte> head, size_t size_bytes,
                                             const Allocate& allocate);
  /// False: more than is missing.
  bool add(std::span<const std::byte> bytes);

  std::span<std::byte> bytes;
  std::shared_ptr<const void> owner;
  size_t filled = 0;
};

/// The pieces of `message` from `offset` on, `size_bytes` at most.
Message part_of(const Message& message, size_t offset, size_t size_bytes);

/// The messages that a server receives in parts. Thread-safe.
class MessageParts {
 public:
  /// `most_bytes`: of a request.
  MessageParts(Allocate allocate, int64_t most_bytes);

  /// The answers to the two calls.
  Response put(std::span<const std::byte> request);
  Response take(std::span<const std::byte> request);

  /// A request all of whose parts have come; null for any other name.
  std::unique_ptr<WholeMessage> whole(std::string_view name);
  /// Keeps an answer until it has been fetched; what its metadata say.
  std::string keep(Message answer);

  static constexpr size_t kMost = 64;  // of messages that come or go at a time
  /// A message expires after so long without a request: the next call of any client that has parts
  /// removes it.
  static constexpr std::chrono::seconds kPatience{60};

 private:
  using Clock = std::chrono::steady_clock;
  using Name = std::array<uint64_t, 2>;
  struct Entry {
    Mutex mutex;  // held while it is copied
    std::unique_ptr<WholeMessage> coming FLOWRAY_GUARDED_BY(mutex);
    Message going;  // set once
    size_t going_bytes = 0;
  };
  struct Kept {
    std::shared_ptr<Entry> entry;
    uint64_t coming_bytes = 0;  // of a request, as its first part says
    Clock::time_point last_asked;
  };
  std::vector<std::shared_ptr<Entry>> take_late() FLOWRAY_REQUIRES(mutex_);
  std::shared_ptr<Entry> find(const Name& name);
  bool add(const Name& name, std::shared_ptr<Entry> entry, uint64_t coming_bytes);
  void forget(const Name& name);

  const Allocate allocate_;
  const int64_t most_bytes_;
  Mutex mutex_;
  std::map<Name, Kept> kept_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::cluster
