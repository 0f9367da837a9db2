#pragma once
/// What travels over a link, the connection between two processes of one machine (introduction.h): frames.
/// Each is a head, and behind it the texts and the body whose sizes the head tells.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace flowray::cluster {

enum class FrameKind : uint32_t {
  kHello = 1,     // the client's first frame: `text` is the secret
  kWelcome = 2,   // the answer to it
  kRequest = 3,   // `text` is the method
  kResponse = 4,  // `code`, `text` and `details` are its status
  kGiveUp = 5,    // that request is cancelled
  kPing = 6,      // either side asks for a sign of life (silence_watch.h)
  kPong = 7,      // the answer to it
};

/// Both ends are of one machine, so its numbers travel as they lie in memory.
struct FrameHead {
  FrameKind kind = FrameKind::kRequest;
  int32_t code = 0;
  uint64_t number = 0;  // of the request, on its link
  uint32_t text_bytes = 0;
  uint32_t details_bytes = 0;
  uint64_t body_bytes = 0;
};
static_assert(sizeof(FrameHead) == 32);

inline constexpr uint32_t kMostTextBytes = 8 << 10;  // and as many of details
inline constexpr uint64_t kMostBodyBytes = uint64_t{1} << 40;

/// Whether a head that came may be one.
inline bool is_possible(const FrameHead& head) {
  return head.kind >= FrameKind::kHello && head.kind <= FrameKind::kPong &&
         head.text_bytes <= kMostTextBytes && head.details_bytes <= kMostTextBytes &&
         head.body_bytes <= kMostBodyBytes;
}

/// A frame that was received.
struct Frame {
  FrameHead head;
  std::string text;
  std::string details;
  std::span<const std::byte> body;
  /// Keeps the body; null where there was no memory for it, or it was too large and has been passed over.
  std::shared_ptr<const void> owner;
};

}  // namespace flowray::cluster
