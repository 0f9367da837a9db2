#include "cluster/grpc/message_parts.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "cluster/grpc/message_size.h"
#include "cluster/status_text.h"

namespace flowray::cluster {
namespace {

// Codes of gRPC's.
constexpr int kInvalidArgument = 3;
constexpr int kResourceExhausted = 8;
constexpr int kAborted = 10;

std::optional<PartHead> head_of(std::span<const std::byte> request) {
  PartHead head;
  if (request.size() < sizeof(head)) return std::nullopt;
  std::memcpy(&head, request.data(), sizeof(head));
  return head;
}

Response refused(int code, std::string text) { return {{}, {code, std::move(text)}}; }

Response unknown() {
  return refused(kAborted,
                 "Nothing is known of the message that this is a part of: the server was started anew, or "
                 "waited too long for the next part");
}

}  // namespace

std::array<uint64_t, 2> random_part_name() {
  std::random_device device;
  const auto word = [&device] { return (uint64_t{device()} << 32) | device(); };
  return {word(), word()};
}

std::string text_of_name(const std::array<uint64_t, 2>& name) {
  return std::to_string(name[0]) + "." + std::to_string(name[1]);
}

std::optional<std::array<uint64_t, 2>> name_of_text(std::string_view text) {
  std::array<uint64_t, 2> name{};
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, name[0]);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, name[1]);
  if (second.ec != std::errc() || second.ptr != end) return std::nullopt;
  return name;
}

std::unique_ptr<WholeMessage> WholeMessage::begin(std::span<const std::byte> head, size_t size_bytes,
                                                  const Allocate& allocate) {
  constexpr size_t kAlignment = 64;
  Memory memory = allocate(size_bytes + kAlignment);
  if (memory.data == nullptr) return nullptr;
  auto made = std::make_unique<WholeMessage>();
  const size_t payload = payload_offset(head, size_bytes);
  std::byte* const begin = memory.data + (-(reinterpret_cast<uintptr_t>(memory.data) + payload)) % kAlignment;
  made->bytes = {begin, size_bytes};
  made->owner = std::move(memory.owner);
  return made;
}

bool WholeMessage::add(std::span<const std::byte> more) {
  if (more.size() > bytes.size() - filled) return false;
  if (!more.empty()) std::memcpy(bytes.data() + filled, more.data(), more.size());
  filled += more.size();
  return true;
}

Message part_of(const Message& message, size_t offset, size_t size_bytes) {
  Message part;
  for (const Message::Piece& piece : message.pieces()) {
    const size_t passed = std::min(offset, piece.bytes.size());
    offset -= passed;
    const auto bytes = piece.bytes.subspan(passed).first(std::min(piece.bytes.size() - passed, size_bytes));
    size_bytes -= bytes.size();
    part.add({bytes, piece.owner});
  }
  return part;
}

MessageParts::MessageParts(Allocate allocate, int64_t most_bytes)
    : allocate_(std::move(allocate)), most_bytes_(most_bytes) {}

/// Removes expired messages; the caller destroys them outside of the lock.
std::vector<std::shared_ptr<MessageParts::Entry>> MessageParts::take_late() {
  std::vector<std::shared_ptr<Entry>> late;
  const auto now = Clock::now();
  std::erase_if(kept_, [&](auto& one) {
    if (now - one.second.last_asked < kPatience) return false;
    late.push_back(std::move(one.second.entry));
    return true;
  });
  return late;
}

std::shared_ptr<MessageParts::Entry> MessageParts::find(const Name& name) {
  std::vector<std::shared_ptr<Entry>> late;
  const MutexLock lock(mutex_);
  late = take_late();
  const auto found = kept_.find(name);
  if (found == kept_.end()) return nullptr;
  found->second.last_asked = Clock::now();
  return found->second.entry;
}

/// False: there are too many, or they are said to have more bytes together than four requests may have.
bool MessageParts::add(const Name& name, std::shared_ptr<Entry> entry, uint64_t coming_bytes) {
  std::vector<std::shared_ptr<Entry>> late;
  const MutexLock lock(mutex_);
  late = take_late();
  uint64_t said = coming_bytes;
  for (const auto& one : kept_) said += one.second.coming_bytes;
  if (kept_.size() >= kMost || said / 4 > static_cast<uint64_t>(most_bytes_)) return false;
  kept_[name] = {std::move(entry), coming_bytes, Clock::now()};
  return true;
}

void MessageParts::forget(const Name& name) {
  std::shared_ptr<Entry> forgotten;  // ends outside of the lock
  const MutexLock lock(mutex_);
  const auto found = kept_.find(name);
  if (found == kept_.end()) return;
  forgotten = std::move(found->second.entry);
  kept_.erase(found);
}

Response MessageParts::put(std::span<const std::byte> request) {
  const auto head = head_of(request);
  if (!head.has_value()) return refused(kInvalidArgument, "This is not a part of a message");
  const auto bytes = request.subspan(sizeof(PartHead));
  if (head->offset == 0) {
    if (head->size_bytes > static_cast<uint64_t>(most_bytes_)) {
      const auto size = static_cast<int64_t>(std::min<uint64_t>(head->size_bytes, INT64_MAX));
      return refused(kResourceExhausted, too_large_text(size, most_bytes_));
    }
    const auto entry = std::make_shared<Entry>();
    const MutexLock lock(entry->mutex);
    // Before it gets memory for a size that is only said.
    if (!add(head->name, entry, head->size_bytes))
      return refused(kResourceExhausted, "Too many, or too large, requests come in parts at once");
    entry->coming = WholeMessage::begin(bytes, head->size_bytes, allocate_);
    if (entry->coming == nullptr) {
      forget(head->name);
      return refused(kResourceExhausted, "there is no memory for the request");
    }
  }
  const auto entry = find(head->name);
  if (entry == nullptr) return unknown();
  const MutexLock lock(entry->mutex);
  if (entry->coming == nullptr || entry->coming->filled != head->offset || !entry->coming->add(bytes))
    return unknown();
  return {};
}

std::unique_ptr<WholeMessage> MessageParts::whole(std::string_view text) {
  const auto name = name_of_text(text);
  const auto entry = name.has_value() ? find(*name) : nullptr;
  if (entry == nullptr) return nullptr;
  std::unique_ptr<WholeMessage> message;
  {
    const MutexLock lock(entry->mutex);
    if (entry->coming == nullptr || entry->coming->filled != entry->coming->bytes.size()) return nullptr;
    message = std::move(entry->coming);
  }
  forget(*name);
  return message;
}

std::string MessageParts::keep(Message answer) {
  const auto entry = std::make_shared<Entry>();
  entry->going_bytes = answer.size_bytes();
  entry->going = std::move(answer);
  const Name name = random_part_name();
  if (!add(name, entry, 0)) return {};
  return text_of_name(name) + " " + std::to_string(entry->going_bytes);
}

Response MessageParts::take(std::span<const std::byte> request) {
  const auto head = head_of(request);
  if (!head.has_value()) return refused(kInvalidArgument, "This does not ask for a part of a message");
  const auto entry = find(head->name);
  if (entry == nullptr || head->offset >= entry->going_bytes) return unknown();
  // The client may take larger parts than this server sends.
  const size_t size = std::min({head->size_bytes, part_bytes(), entry->going_bytes - head->offset});
  if (head->offset + size == entry->going_bytes) forget(head->name);
  return {part_of(entry->going, head->offset, size), {}};
}

}  // namespace flowray::cluster
