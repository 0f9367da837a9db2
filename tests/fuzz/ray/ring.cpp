// The rings through which processes send messages: the reader looks at memory in which the other side may
// have written anything, and reads what it finds there as messages of every kind.

#include "ray/transport/ring.h"

#include <flowray/errors.h>

#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/target.h"
#include "ray/transport/protocol.h"

namespace flowray::fuzz {
namespace {

constexpr size_t kRoom = 4096;

/// Aligned as a shared region, and all zeros.
class RingMemory {
 public:
  RingMemory() : bytes_(static_cast<std::byte*>(::operator new(kBytes, std::align_val_t{64}))) {
    std::memset(bytes_, 0, kBytes);
  }
  ~RingMemory() { ::operator delete(bytes_, std::align_val_t{64}); }
  RingMemory(const RingMemory&) = delete;
  RingMemory& operator=(const RingMemory&) = delete;
  std::span<std::byte> span() { return {bytes_, kBytes}; }

 private:
  static constexpr size_t kBytes = ray::ring_memory_bytes(kRoom);
  std::byte* const bytes_;
};

/// Touches what a message says.
uint64_t sum_of(std::span<const ray::ValuePart> parts) {
  uint64_t sum = 0;
  for (const ray::ValuePart& part : parts) {
    for (const std::byte byte : part.bytes) sum += std::to_integer<uint64_t>(byte);
    sum += part.extent.offset;
  }
  return sum;
}

template <class Message>
void read_as(std::span<const std::byte> message) {
  std::vector<ray::ValuePart> parts;
  try {
    (void)ray::read_message<Message>(message, parts);
    volatile uint64_t sum = sum_of(parts);
    (void)sum;
  } catch (const Error&) {
  }
}

/// As the kind that it says it is: each kind is a reader of its own, whom the bytes choose.
template <class... Messages>
void read_as_one_of(std::span<const std::byte> message) {
  const uint32_t kind = ray::message_kind(message);
  ((kind == Messages::kKind ? read_as<Messages>(message) : void()), ...);
}

/// As the driver does, from a copy of exactly the message's length.
void read_message(std::span<const std::byte> message) {
  const auto words = std::make_unique<uint64_t[]>((message.size() + 7) / 8);
  if (!message.empty()) std::memcpy(words.get(), message.data(), message.size());
  const std::span<const std::byte> copy(reinterpret_cast<const std::byte*>(words.get()), message.size());
  read_as_one_of<ray::Run, ray::RunArguments, ray::Value, ray::Waited, ray::Leased, ray::Freed,
                 ray::FoundActor, ray::Exit, ray::Forget, ray::BecomeActor, ray::Interrupt, ray::Cancelled,
                 ray::CancelCall, ray::ExitActorCall, ray::Started, ray::Done, ray::Submit, ray::PutValue,
                 ray::KeepCheckpoint, ray::GetValues, ray::WaitFor, ray::Cancel, ray::Adopt, ray::Release,
                 ray::ReadEnded, ray::Lease, ray::KillActor, ray::FindActor, ray::WantRegion,
                 ray::AskResources, ray::MakeGroup, ray::RemoveGroup, ray::AskGroup, ray::ToldGroup,
                 ray::Give, ray::AskNext, ray::Taken, ray::FoundNext, ray::ToldResources, ray::Measured,
                 ray::AskPendingCalls, ray::ToldPendingCalls, ray::RanSteps>(copy);
}

/// Reads what there is, as long as there is more.
void read_all(ray::RingReader& reader) {
  for (int i = 0; i < 1000; ++i) {
    const auto message = reader.peek();
    if (message.data() == nullptr) return;
    check(message.size() <= kRoom, "a message lies within its ring");
    read_message(message);
    reader.pop();
    (void)reader.take_writer_waits();
  }
}

template <class Message>
std::string bytes_of(const Message& message) {
  std::string bytes(ray::message_size_bytes(message), '\0');
  std::vector<uint64_t> words((bytes.size() + 7) / 8);
  ray::write_message(message, reinterpret_cast<std::byte*>(words.data()));
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

/// A call that uses each field; `refs` and `parts` are its arguments.
ray::Submit submission(std::span<const ray::ObjectId> refs, std::span<const ray::ValuePart> parts) {
  ray::Submit call;
  call.mode = ray::CallMode::kMakeActor;
  call.function = {22};
  call.actor = {23};
  call.first_return = {24};
  call.terms = {.num_returns = 25, .max_retries = 26, .resources = {.cpu_milli = 27, .others = 0}};
  call.name = "name";
  call.function_name = "function";
  call.class_name = "class";
  call.resources = std::string_view("GPU\0001000", 9);  // resources_text: ends of text around the amount
  call.refs = refs;
  call.parts = parts;
  return call;
}

}  // namespace

// The first byte says whether the others are a message, or what lies in a ring, its head included.
void run(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto rest = std::as_bytes(std::span(bytes.substr(1)));
  if (bytes.front() == 'm') return read_message(rest);
  RingMemory memory;
  const std::span<std::byte> ring = memory.span();
  ray::RingReader reader(ring);
  std::memcpy(ring.data(), rest.data(), std::min(rest.size(), ring.size()));
  read_all(reader);
}

std::vector<std::string> seeds() {
  const std::string value = "a value's bytes";
  ray::ValuePart part;
  part.object = {11};
  part.bytes = std::as_bytes(std::span(value));
  ray::ValuePart stored;
  stored.object = {12};
  stored.extent = {{3}, 64, 128};
  const std::vector<ray::ValuePart> parts{part, stored};
  const std::vector<ray::ObjectId> ids{{1}, {2}, {3}};
  const std::vector<uint32_t> gpus{0, 1};
  std::vector<std::string> found{
      "m" + bytes_of(ray::Run{{1}, ray::CallMode::kActorCall, 2, {3}, 4, 5, 1, 6, {7}, gpus, parts}),
      "m" + bytes_of(ray::Done{{20}, 21, parts}),
      "m" + bytes_of(submission(ids, std::span(parts).first(1))),
      "m" + bytes_of(ray::GetValues{27, ids}),
      "m" + bytes_of(ray::FindActor{35, "somebody"}),
      "m" + bytes_of(ray::Leased{.request = 10,
                                 .slab = {11},
                                 .lease = 12,
                                 .offset = 4096,
                                 .size_bytes = 8192,
                                 .text = "why not"})};
  RingMemory memory;
  ray::RingWriter writer(memory.span());
  for (const std::string& message : found) {
    std::byte* const out = writer.reserve(message.size() - 1);
    if (out == nullptr) break;
    std::memcpy(out, message.data() + 1, message.size() - 1);
    writer.commit(message.size() - 1);
  }
  found.emplace_back("r" +
                     std::string(reinterpret_cast<const char*>(memory.span().data()), memory.span().size()));
  return found;
}

}  // namespace flowray::fuzz
