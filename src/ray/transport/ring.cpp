// Invariants of the ring
//
// 1. A position counts bytes since the ring was made; modulo the capacity it is where they lie. Records begin
//    at multiples of 16, so the 16-byte header of one never straddles the end.
// 2. A record is a header word (64 bits: kind above, size in bytes below), the stamp, and the message,
//    rounded up to 16. The word at the writer's position `written_` is zero, and it is the only word that
//    says "nothing yet": beyond it may lie anything. So the word after a record is cleared before the
//    record's own word is written.
// 3. A message never straddles the end; where it would, a padding record fills the rest, and its word is
//    written after that of the message, which the reader cannot see before.
// 4. 0 <= written_ - read <= capacity - 16: the cleared word belongs to no record that is still unread.
// 5. A message takes at most half of the capacity, so that it fits with its padding into an empty ring.
// 6. Whatever the peer stores, both ends touch addresses within the ring only: positions are private to their
//    end and masked, a size is read once and checked before use, and `read` only decides whether the writer
//    goes on.
//
// Orderings of the ring, each with its partner
//
// publish: word.store(release) in commit with word.load(acquire) in peek. The reader sees the message's bytes
//    and the cleared word behind them.
// consume: read.store(release) in pop with read.load(acquire) in fits. The reader is done with the bytes that
//    the writer is about to overwrite.
// room: { wake_writer_at.store, fence(seq_cst), read.load } in ask_for_room with { read.store in pop,
//    fence(seq_cst) in Doorbell::announce, wake_writer_at.load in take_writer_waits }. A reader that goes to
//    sleep sees the wish, or the writer sees the room. (The load after each pop has no fence: it only lets
//    the writer go on earlier.)
//
// Invariants of the doorbell
//
// 1. how_ is kAwake, or how its one sleeper sleeps or is about to. Only the sleeper writes kFutex and kEvent.
// 2. The thread whose exchange to kAwake finds another value wakes the sleeper: one system call
//    a sleep.
//
// Orderings of the doorbell, each with its partner
//
// see: { word.store in commit, fence(seq_cst), how_.load in ring_both } with { how_.store, fence(seq_cst) in
//    announce, word.load in empty }. One of the two fences is first in the single order of all; the load
//    after the other one sees what was stored before it.
// sleep: futex_wait in sleep with { how_.exchange, futex_wake } in wake_sleeper. The kernel compares how_
//    with kFutex under a lock of its own, so a wake-up is not lost.
//
// That fence is the only full one a sender pays, and once for several messages if the caller rings once.

#include "ray/transport/ring.h"

#include <flowray/errors.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <climits>
#include <ctime>
#include <string>

namespace flowray::ray {
namespace {

constexpr uint64_t kHeaderBytes = 16;
constexpr uint64_t kStampOffset = 8;
constexpr uint64_t kMessage = uint64_t{0x4D657373} << 32;  // "Mess"
constexpr uint64_t kPadding = uint64_t{0x50616464} << 32;  // "Padd"
constexpr uint64_t kKindMask = uint64_t{0xFFFFFFFF} << 32;
constexpr size_t kLeastCapacity = size_t{1} << 10;
constexpr size_t kGreatestCapacity = size_t{1} << 30;

static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free,
              "other processes cannot see a lock of this one");

std::atomic_ref<uint64_t> word_at(std::byte* address) noexcept {
  return std::atomic_ref<uint64_t>(*reinterpret_cast<uint64_t*>(address));
}

constexpr uint64_t record_bytes(uint64_t message_bytes) noexcept {
  return kHeaderBytes + ((message_bytes + 15) & ~uint64_t{15});
}

size_t checked_capacity(std::span<std::byte> memory) {
  const size_t capacity = memory.size() - std::min(memory.size(), sizeof(RingHeader));
  if (reinterpret_cast<uintptr_t>(memory.data()) % 64 != 0 || !std::has_single_bit(capacity) ||
      capacity < kLeastCapacity || capacity > kGreatestCapacity) {
    throw errors::InvalidArgumentError(
        fmt::format("A ring needs 64-byte aligned memory of {} + 2^10 to 2^30 bytes (a power of two); {} "
                    "bytes at {} given",
                    sizeof(RingHeader), memory.size(), fmt::ptr(memory.data())));
  }
  return capacity;
}

// Not FUTEX_PRIVATE_FLAG: the sleeper and the ringer are different processes.
void futex_wake_one(std::atomic<uint32_t>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

/// Waits until the word is not `expected`, a wake-up (also a spurious one), a signal, or the time `end` of
/// CLOCK_MONOTONIC (null: none). The error number, or 0.
int futex_wait(std::atomic<uint32_t>& word, uint32_t expected, const timespec* end) noexcept {
  const auto result =
      syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, expected, end, nullptr, FUTEX_BITSET_MATCH_ANY);
  return result == 0 ? 0 : errno;
}

timespec monotonic_after(int64_t timeout_us) noexcept {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const int64_t nanoseconds = time.tv_nsec + (timeout_us % 1000000) * 1000;
  time.tv_sec += timeout_us / 1000000 + nanoseconds / 1000000000;
  time.tv_nsec = nanoseconds % 1000000000;
  return time;
}

void add_one(int event_fd) noexcept {
  const uint64_t one = 1;
  // EAGAIN: the counter is full, so its poller is awake already. A closed one: its process is gone.
  while (write(event_fd, &one, sizeof(one)) < 0 && errno == EINTR) {
  }
}

}  // namespace

void Doorbell::ring_both(Doorbell& one, Doorbell& other, int event_fd) noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (one.has_sleeper()) one.wake_sleeper(event_fd);
  if (&one != &other && other.has_sleeper()) other.wake_sleeper(event_fd);
}

void Doorbell::wake_sleeper(int event_fd) noexcept {
  const auto how = static_cast<How>(how_.exchange(0, std::memory_order_acq_rel));
  if (how == How::kAwake) return;
  // Another number is a broken process's.
  if (how != How::kEvent) futex_wake_one(how_);
  if (how != How::kFutex && event_fd >= 0) add_one(event_fd);
}

void Doorbell::wake(int event_fd) noexcept {
  how_.exchange(0, std::memory_order_acq_rel);
  futex_wake_one(how_);
  if (event_fd >= 0) add_one(event_fd);
}

void Doorbell::announce(How how) noexcept {
  how_.store(static_cast<uint32_t>(how), std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Doorbell::cancel() noexcept { how_.store(0, std::memory_order_relaxed); }

bool Doorbell::sleep(int64_t timeout_us) noexcept {
  constexpr auto kAsleep = static_cast<uint32_t>(How::kFutex);
  timespec end{};
  if (timeout_us >= 0) end = monotonic_after(timeout_us);
  while (how_.load(std::memory_order_acquire) == kAsleep) {
    if (futex_wait(how_, kAsleep, timeout_us >= 0 ? &end : nullptr) == ETIMEDOUT) {
      return how_.exchange(0, std::memory_order_acq_rel) != kAsleep;  // rung at the last moment
    }
  }
  cancel();  // a broken peer may have stored anything
  return true;
}

bool Doorbell::can_sleep_on_several() noexcept {
  static const bool kCan = syscall(SYS_futex_waitv, nullptr, 0, 0, nullptr, 0) < 0 && errno == EINVAL;
  return kCan;
}

bool Doorbell::sleep_on_any(std::span<Doorbell* const> bells, int64_t timeout_us) noexcept {
  constexpr auto kAsleep = static_cast<uint32_t>(How::kFutex);
  std::array<futex_waitv, kMostAtOnce> waits{};
  const size_t count = std::min(bells.size(), waits.size());
  for (size_t i = 0; i < count; ++i) {
    waits[i].val = kAsleep;
    waits[i].uaddr = reinterpret_cast<uint64_t>(&bells[i]->how_);
    waits[i].flags = FUTEX_32;  // not private, as in futex_wait
  }
  timespec end{};
  if (timeout_us >= 0) end = monotonic_after(timeout_us);
  bool is_rung = false;
  bool is_over = false;
  while (!is_over) {
    is_rung = std::ranges::any_of(bells.first(count), [](const Doorbell* bell) {
      return bell->how_.load(std::memory_order_acquire) != kAsleep;
    });
    if (is_rung) break;
    const auto result =
        syscall(SYS_futex_waitv, waits.data(), count, 0, timeout_us >= 0 ? &end : nullptr, CLOCK_MONOTONIC);
    // Whatever else it says, EAGAIN and EINTR among it: looking again is right, and sleeping is not.
    is_over = result < 0 && errno != EAGAIN && errno != EINTR;
  }
  for (Doorbell* const bell : bells.first(count)) {
    if (bell->how_.exchange(0, std::memory_order_acq_rel) != kAsleep) is_rung = true;
  }
  return is_rung;
}

RingWriter::RingWriter(std::span<std::byte> memory)
    : header_(reinterpret_cast<RingHeader*>(memory.data())),
      bytes_(memory.data() + sizeof(RingHeader)),
      capacity_(checked_capacity(memory)) {}

RingWriter::Place RingWriter::place_of(size_t bytes) const noexcept {
  const uint64_t record = record_bytes(bytes);
  const uint64_t to_end = capacity_ - (written_ & (capacity_ - 1));
  return {.padding = record <= to_end ? 0 : to_end, .record = record};
}

bool RingWriter::fits(Place place) noexcept {
  const uint64_t end = written_ + place.padding + place.record + kHeaderBytes;
  if (end - read_seen_ <= capacity_) return true;
  return see_read() && end - read_seen_ <= capacity_;
}

/// False: a `read` that goes back or overtakes is a broken reader's; the ring stays as full as it was.
bool RingWriter::see_read() noexcept {
  const uint64_t read = header_->read.load(std::memory_order_acquire);
  if (read - read_seen_ > written_ - read_seen_) return false;
  read_seen_ = read;
  return true;
}

std::byte* RingWriter::reserve(size_t bytes) noexcept {
  if (bytes > max_message_bytes()) return nullptr;
  const Place place = place_of(bytes);
  if (!fits(place)) return nullptr;
  padding_ = place.padding;
  return at(written_ + place.padding) + kHeaderBytes;
}

void RingWriter::commit(size_t bytes, uint64_t stamp) noexcept {
  const uint64_t message = written_ + padding_;
  const uint64_t next = message + record_bytes(bytes);
  word_at(at(next)).store(0, std::memory_order_relaxed);
  word_at(at(message) + kStampOffset).store(stamp, std::memory_order_relaxed);
  word_at(at(message)).store(kMessage | bytes, std::memory_order_release);
  if (padding_ != 0) word_at(at(written_)).store(kPadding, std::memory_order_release);
  written_ = next;
  padding_ = 0;
}

bool RingWriter::ask_for_room(size_t bytes) noexcept {
  if (bytes > max_message_bytes()) return false;
  const Place place = place_of(bytes);
  // Half of the ring at least, or the two would wake each other for every message.
  const uint64_t room = std::max(place.padding + place.record + kHeaderBytes, capacity_ / 2);
  header_->wake_writer_at.store(written_ + room - capacity_, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!fits(place)) return false;
  header_->wake_writer_at.store(0, std::memory_order_relaxed);
  return true;
}

RingReader::RingReader(std::span<std::byte> memory)
    : header_(reinterpret_cast<RingHeader*>(memory.data())),
      bytes_(memory.data() + sizeof(RingHeader)),
      capacity_(checked_capacity(memory)) {}

bool RingReader::empty() const noexcept { return word_at(at(read_)).load(std::memory_order_relaxed) == 0; }

void RingReader::skip_padding() {
  const uint64_t offset = read_ & (capacity_ - 1);
  if (offset == 0) throw errors::DataLossError("A ring of shared memory is broken: padding begins it");
  read_ += capacity_ - offset;
}

std::span<const std::byte> RingReader::peek() {
  uint64_t word = word_at(at(read_)).load(std::memory_order_acquire);
  if (word == kPadding) {
    skip_padding();
    word = word_at(at(read_)).load(std::memory_order_acquire);
  }
  if (word == 0) return {};
  const uint64_t size = word & ~kKindMask;
  const uint64_t to_end = capacity_ - (read_ & (capacity_ - 1));
  if ((word & kKindMask) != kMessage || record_bytes(size) > to_end || record_bytes(size) > capacity_ / 2) {
    throw errors::DataLossError(
        fmt::format("A ring of shared memory is broken: at byte {} of {} stands the header {:#x}, which is "
                    "none of a message that fits; the "
                    "process at its other end wrote where it must not, or is of another version",
                    read_, capacity_, word));
  }
  record_ = record_bytes(size);
  return {at(read_) + kHeaderBytes, size};
}

uint64_t RingReader::stamp() const noexcept {
  return word_at(at(read_) + kStampOffset).load(std::memory_order_relaxed);
}

void RingReader::pop() noexcept {
  read_ += record_;
  record_ = 0;
  header_->read.store(read_, std::memory_order_release);
}

bool RingReader::take_writer_waits() noexcept {
  const uint64_t wanted = header_->wake_writer_at.load(std::memory_order_relaxed);
  if (wanted == 0 || read_ < wanted) return false;
  return header_->wake_writer_at.exchange(0, std::memory_order_acq_rel) != 0;
}

}  // namespace flowray::ray
