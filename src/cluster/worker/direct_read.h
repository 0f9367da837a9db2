#pragma once
/// Large tensors between processes of one machine: the receiver reads them in the memory of the sending
/// process, with one copy where the network's way has three (process_vm_readv, Linux).
///
/// The receiver offers to read (wire::DirectOffer), and gives two random words. The sender writes them
/// beside the tensor and tells where both are (wire::DirectSource): so only the memory of a process that has
/// seen the offer is read, whatever number it says it has. The words are cleared before the tensor is
/// freed; they are read before and after it, so what was read is the tensor. Where that fails - the kernel
/// may forbid it - the tensor is asked for again, to come in the answer.

#include "wire/worker.h"

#include <flowray/array.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace flowray::cluster {

/// Two random words.
struct Nonce {
  uint64_t low = 0;
  uint64_t high = 0;
  bool operator==(const Nonce&) const = default;
};

/// From so many bytes on it is worth the message that says that it has been read.
inline constexpr int64_t kLeastDirectBytes = 512 << 10;

/// What has to be the same for two processes to read one another: machine, its start, numbering of processes,
/// user. Empty where that is not known.
const std::string& direct_host();

/// Whether the process that makes the offer could read this, and it is large enough.
bool may_be_read_directly(const Array& array, const wire::DirectOffer& offer);

/// A tensor that another process may read until this ends.
class DirectGrant {
 public:
  DirectGrant(const Nonce& nonce, Array array) : words_{nonce.low, nonce.high}, array_(std::move(array)) {}
  /// A reader that has not read the words for the second time knows that the tensor may be gone.
  ~DirectGrant() {
    for (std::atomic<uint64_t>& word : words_) word.store(0, std::memory_order_seq_cst);
  }
  DirectGrant(const DirectGrant&) = delete;
  DirectGrant& operator=(const DirectGrant&) = delete;

  Nonce nonce() const { return {words_[0].load(), words_[1].load()}; }
  const Array& array() const { return array_; }
  wire::DirectSource source() const;

 private:
  std::array<std::atomic<uint64_t>, 2> words_;  // ends after array_'s last reader has been told, see above
  const Array array_;
};

/// Whether this process offers to read: until it could not for the first time.
bool offers_direct_reads();
void offer_direct_reads(bool offers);

/// Fills `to` with what is at the source. False: it could not, or the tensor was not there all the time.
bool read_directly(const wire::DirectSource& source, const Nonce& nonce, std::span<std::byte> to);

}  // namespace flowray::cluster
