#include "cluster/worker/direct_read.h"

#include <sys/uio.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "cluster/network_only.h"

namespace flowray::cluster {
namespace {

std::string find_direct_host() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::getline(file, boot);
  std::error_code error;
  const std::filesystem::path numbering = std::filesystem::read_symlink("/proc/self/ns/pid", error);
  if (boot.empty() || error) return {};
  return boot + " " + numbering.string() + " " + std::to_string(geteuid());
}

std::atomic<bool>& may_offer() {
  static std::atomic<bool> offers{!uses_network_only()};
  return offers;
}

bool read_memory(int32_t process, uint64_t address, std::span<std::byte> to) {
  while (!to.empty()) {
    iovec here{to.data(), to.size()};
    iovec there{reinterpret_cast<void*>(address), to.size()};  // NOLINT: of another process
    const ssize_t count = process_vm_readv(process, &here, 1, &there, 1, 0);
    if (count <= 0) return false;
    to = to.subspan(static_cast<size_t>(count));
    address += static_cast<uint64_t>(count);
  }
  return true;
}

bool is_there(const wire::DirectSource& source, const Nonce& nonce) {
  std::array<uint64_t, 2> words{};
  return read_memory(source.process, source.nonce_address, std::as_writable_bytes(std::span(words))) &&
         Nonce{words[0], words[1]} == nonce;
}

}  // namespace

bool may_be_read_directly(const Array& array, const wire::DirectOffer& offer) {
  const DType dtype = array.dtype();
  const bool is_plain = dtype != DType::kString && dtype != DType::kResource && dtype != DType::kVariant;
  return is_plain && std::cmp_greater_equal(array.size_bytes(), kLeastDirectBytes) && !offer.has_failed &&
         !direct_host().empty() && offer.host.view() == direct_host();
}

const std::string& direct_host() {
  static const std::string host = find_direct_host();
  return host;
}

wire::DirectSource DirectGrant::source() const {
  static_assert(sizeof(words_) == 2 * sizeof(uint64_t));
  return {.process = getpid(),
          .nonce_address = reinterpret_cast<uint64_t>(words_.data()),
          .address = reinterpret_cast<uint64_t>(array_.raw_data()),
          .size_bytes = static_cast<int64_t>(array_.size_bytes())};
}

bool offers_direct_reads() { return may_offer().load(std::memory_order_relaxed) && !direct_host().empty(); }
void offer_direct_reads(bool offers) { may_offer().store(offers, std::memory_order_relaxed); }

bool read_directly(const wire::DirectSource& source, const Nonce& nonce, std::span<std::byte> to) {
  if (std::cmp_not_equal(source.size_bytes, to.size()) || !is_there(source, nonce)) return false;
  if (!read_memory(source.process, source.address, to)) return false;
  return is_there(source, nonce);
}

}  // namespace flowray::cluster
