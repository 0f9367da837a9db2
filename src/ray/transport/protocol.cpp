#include "ray/transport/protocol.h"

#include <flowray/errors.h>

#include <cstring>
#include <string>
#include <type_traits>

namespace flowray::ray {
namespace {

// ---- fields that share a word

/// Two small values in 8 bytes: what calls send crosses from core to core by cache lines.
template <class A, class B>
struct Both {
  static_assert(sizeof(A) == 4 && sizeof(B) == 4);
  A& first;
  B& second;
};
template <class A, class B>
Both(A&, B&) -> Both<A, B>;
/// A number of 63 bits, and a bit; of a Run whether the fields follow that few of them have.
struct WithBit {
  uint64_t& number;
  uint32_t& bit;
};

// The compiler leaves out of line what many messages use, which costs those of each call.
#define FLOWRAY_INLINE [[gnu::always_inline]]

// ---- how a field lies in the bytes: numbers and ids take 8, lists their length and then their items

constexpr size_t padded(size_t bytes) { return (bytes + 7) & ~size_t{7}; }

/// A value before its bytes, or before its PartPlace.
struct PartHead {
  uint64_t object;
  uint64_t size_and_flags;
};
/// Where a value lies that is in the store.
struct PartPlace {
  uint32_t slab;
  uint32_t unused;
  uint64_t offset;
};
constexpr uint64_t kIsError = 1;
constexpr uint64_t kInStore = 2;
constexpr uint64_t kIsLent = 4;  // the place is followed by its lender
constexpr int kFlagBits = 3;

struct Sizer {
  size_t bytes = 8;  // the kind

  template <class... Fields>
  void operator()(const Fields&... list) {
    (add(list), ...);
  }
  template <class T>
  void add(const T&) {
    bytes += 8;
  }
  void add(std::string_view text) { bytes += 8 + padded(text.size()); }
  template <class T>
  void add(std::span<const T> items) {
    bytes += 8 + padded(items.size_bytes());
  }
  void add(std::span<const ValuePart> parts) {
    bytes += 8;
    for (const ValuePart& part : parts) bytes += part_size_bytes(part);
  }
};

struct Writer {
  std::byte* out;

  template <class... Fields>
  void operator()(const Fields&... list) {
    (add(list), ...);
  }
  template <class A, class B>
  void add(const Both<A, B>& both) {
    std::memcpy(out, &both.first, sizeof both.first);
    std::memcpy(out + sizeof both.first, &both.second, sizeof both.second);
    out += 8;
  }
  void add(const WithBit& with) { add(with.number << 1 | (with.bit & 1)); }
  template <class T>
  void add(const T& value) {
    uint64_t word = 0;
    static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
    std::memcpy(&word, &value, sizeof value);
    put(&word, sizeof word);
  }
  FLOWRAY_INLINE void add(std::string_view text) {
    add(uint64_t{text.size()});
    put(text.data(), text.size());
  }
  template <class T>
  void add(std::span<const T> items) {
    add(uint64_t{items.size()});
    put(items.data(), items.size_bytes());
  }
  FLOWRAY_INLINE void add(std::span<const ValuePart> parts) {
    add(uint64_t{parts.size()});
    for (const ValuePart& part : parts) {
      const uint64_t flags = (part.is_error ? kIsError : 0) | (part.extent ? kInStore : 0) |
                             (part.extent && part.lender ? kIsLent : 0);
      const uint64_t size = part.extent ? part.extent.size_bytes : part.bytes.size();
      const PartHead head{part.object.value, size << kFlagBits | flags};
      put(&head, sizeof head);
      if (part.extent) {
        const PartPlace place{part.extent.slab.value, 0, part.extent.offset};
        put(&place, sizeof place);
        if (part.lender) put(&part.lender, sizeof part.lender);
      } else {
        put(part.bytes.data(), part.bytes.size());
      }
    }
  }
  FLOWRAY_INLINE void put(const void* data, size_t bytes) {
    if (bytes > 0) std::memcpy(out, data, bytes);
    out += padded(bytes);
  }
};

struct Reader {
  std::span<const std::byte> left;
  std::vector<ValuePart>& parts;

  template <class... Fields>
  void operator()(Fields&&... list) {
    (add(list), ...);
  }
  template <class A, class B>
  void add(Both<A, B>& both) {
    const std::byte* const bytes = take(8).data();
    std::memcpy(&both.first, bytes, sizeof both.first);
    std::memcpy(&both.second, bytes + sizeof both.first, sizeof both.second);
  }
  void add(WithBit& with) {
    uint64_t word = 0;
    add(word);
    with.number = word >> 1;
    with.bit = word & 1;
  }
  template <class T>
  void add(T& value) {
    std::memcpy(&value, take(8).data(), sizeof value);
  }
  void add(std::string_view& text) {
    const auto bytes = take(take_count(1));
    text = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  template <class T>
  void add(std::span<const T>& items) {
    const size_t count = take_count(sizeof(T));
    items = {reinterpret_cast<const T*>(take(count * sizeof(T)).data()), count};
  }
  void add(std::span<const ValuePart>& list) {
    const size_t count = take_count(sizeof(PartHead));
    parts.resize(count);
    for (ValuePart& part : parts) {
      PartHead head;
      std::memcpy(&head, take(sizeof head).data(), sizeof head);
      part = {};
      part.object = {head.object};
      part.is_error = (head.size_and_flags & kIsError) != 0;
      const uint64_t size = head.size_and_flags >> kFlagBits;
      if ((head.size_and_flags & kInStore) != 0) {
        PartPlace place;
        std::memcpy(&place, take(sizeof place).data(), sizeof place);
        part.extent = {{place.slab}, place.offset, size};
        if ((head.size_and_flags & kIsLent) != 0) add(part.lender);
      } else {
        part.bytes = take(size);
      }
    }
    list = parts;
  }

  FLOWRAY_INLINE std::span<const std::byte> take(size_t bytes) {
    if (bytes > left.size()) fail();
    const auto taken = left.first(bytes);
    left = left.subspan(std::min(padded(bytes), left.size()));
    return taken;
  }
  /// The length of a list whose items take at least `item_bytes`.
  size_t take_count(size_t item_bytes) {
    uint64_t count = 0;
    std::memcpy(&count, take(8).data(), sizeof count);
    if (count > left.size() / item_bytes) fail();
    return count;
  }
  [[noreturn]] void fail() const {
    throw errors::DataLossError(
        "a message between processes ends too early; the process that wrote it is broken");
  }
};

}  // namespace

uint32_t message_kind(std::span<const std::byte> bytes) noexcept {
  uint32_t kind = 0;
  if (bytes.size() >= 8) std::memcpy(&kind, bytes.data(), sizeof kind);
  return kind;
}

uint32_t lane_of_run(std::span<const std::byte> message) noexcept {
  uint32_t lane = 0;
  if (message.size() >= 16) std::memcpy(&lane, message.data() + 12, sizeof lane);
  return lane;
}

size_t part_size_bytes(const ValuePart& part) {
  if (!part.extent) return sizeof(PartHead) + padded(part.bytes.size());
  return sizeof(PartHead) + sizeof(PartPlace) + (part.lender ? sizeof part.lender : 0);
}

template <class Message>
size_t message_size_bytes(const Message& message) {
  Sizer sizer;
  fields(sizer, const_cast<Message&>(message));  // fields() is written once, for reading as well
  return sizer.bytes;
}

template <class Message>
void write_message(const Message& message, std::byte* out) {
  Writer writer{out};
  writer.add(uint64_t{Message::kKind});
  fields(writer, const_cast<Message&>(message));
}

template <class Message>
Message read_message(std::span<const std::byte> bytes, std::vector<ValuePart>& parts) {
  Reader reader{bytes, parts};
  reader.take(8);
  Message message;
  fields(reader, message);
  return message;
}

// ---- the fields of each message, in their order on the wire

#define FLOWRAY_INSTANTIATE(Message)                                \
  template size_t message_size_bytes<Message>(const Message&);      \
  template void write_message<Message>(const Message&, std::byte*); \
  template Message read_message<Message>(std::span<const std::byte>, std::vector<ValuePart>&);
#define FLOWRAY_MESSAGE(Message, ...)                     \
  template <class F>                                      \
  static void fields(F& f, [[maybe_unused]] Message& m) { \
    f(__VA_ARGS__);                                       \
  }                                                       \
  FLOWRAY_INSTANTIATE(Message)

template <class F>
static void fields(F& f, Run& m) {
  uint32_t has_more =
      m.is_stream != 0 || m.most_ahead != 0 || m.group || !m.gpus.empty() || !m.environment.empty() ? 1 : 0;
  f(Both{m.mode, m.lane}, WithBit{m.task.value, m.is_its}, WithBit{m.ticket, has_more}, m.function,
    Both{m.num_returns, m.num_ahead});
  if (has_more != 0) f(Both{m.is_stream, m.most_ahead}, m.group, m.gpus, m.environment);
  f(m.parts);
}
FLOWRAY_INSTANTIATE(Run)
template <class F>
static void fields(F& f, Submit& m) {
  f(m.parent, m.mode, m.function, m.actor, m.first_return);
  m.terms.fields(f);
  f(m.name, m.function_name, m.class_name, m.resources, m.concurrency_groups, m.environment, m.refs, m.parts);
}
FLOWRAY_INSTANTIATE(Submit)

FLOWRAY_MESSAGE(RunArguments, m.task, m.parts)
FLOWRAY_MESSAGE(Value, m.request, m.index, m.parts)
FLOWRAY_MESSAGE(Waited, m.request, m.ready)
FLOWRAY_MESSAGE(Leased, m.request, m.slab, m.lease, m.offset, m.size_bytes, m.text)
FLOWRAY_MESSAGE(Freed, m.extent.slab, m.extent.offset, m.extent.size_bytes)
FLOWRAY_MESSAGE(FoundActor, m.request, m.actor)
FLOWRAY_MESSAGE(Exit)
FLOWRAY_MESSAGE(Forget, m.slab, m.num_notices)
FLOWRAY_MESSAGE(BecomeActor, m.actor, m.max_concurrency, m.num_threads, m.restarts, m.checkpoint,
                m.group_sizes)
FLOWRAY_MESSAGE(Interrupt, m.task, m.recursive)
FLOWRAY_MESSAGE(Cancelled, m.request, m.refusal)
FLOWRAY_MESSAGE(ToldResources, m.request, m.text)
FLOWRAY_MESSAGE(ToldPendingCalls, m.request, m.count)
FLOWRAY_MESSAGE(Taken, m.task, m.count)
FLOWRAY_MESSAGE(FoundNext, m.request, m.what, m.item)
FLOWRAY_MESSAGE(ToldGroup, m.request, m.group, m.strategy, m.state, m.name, m.bundles)
FLOWRAY_MESSAGE(Started, m.pid)
FLOWRAY_MESSAGE(RanSteps, m.times)
FLOWRAY_MESSAGE(Done, m.task, WithBit{m.run_ns, m.is_final}, WithBit{m.begin_ns, m.has_thrown}, m.parts)
FLOWRAY_MESSAGE(PutValue, m.parts, m.is_read)
FLOWRAY_MESSAGE(KeepCheckpoint, m.parts)
FLOWRAY_MESSAGE(GetValues, m.request, m.objects, m.small_alone)
FLOWRAY_MESSAGE(WaitFor, m.request, m.count, m.objects)
FLOWRAY_MESSAGE(Cancel, m.request)
FLOWRAY_MESSAGE(Adopt, m.object)
FLOWRAY_MESSAGE(Release, m.objects)
FLOWRAY_MESSAGE(ReadEnded, m.objects)
FLOWRAY_MESSAGE(Lease, m.request, m.size_bytes, m.only_if_free)
FLOWRAY_MESSAGE(KillActor, m.actor, m.may_restart)
FLOWRAY_MESSAGE(FindActor, m.request, m.name)
FLOWRAY_MESSAGE(CancelCall, m.request, m.object, m.force, m.recursive)
FLOWRAY_MESSAGE(ExitActorCall)
FLOWRAY_MESSAGE(AskResources, m.request, m.which)
FLOWRAY_MESSAGE(AskPendingCalls, m.request, m.actor)
FLOWRAY_MESSAGE(Measured, m.kind, m.value_bits, m.name, m.description, m.boundaries, m.tags)
FLOWRAY_MESSAGE(Give, m.task, m.index, m.parts)
FLOWRAY_MESSAGE(AskNext, m.request, m.stream, m.takes)
FLOWRAY_MESSAGE(MakeGroup, m.group, m.strategy, m.name, m.bundles)
FLOWRAY_MESSAGE(RemoveGroup, m.group)
FLOWRAY_MESSAGE(AskGroup, m.request, m.after)
FLOWRAY_MESSAGE(WantRegion, m.slab)
FLOWRAY_MESSAGE(Linked, m.link, m.is_caller, m.actor, m.peer, m.num_calls)
FLOWRAY_MESSAGE(LinkEnded, m.link, m.parts)
FLOWRAY_MESSAGE(Handed, m.link, m.object)
FLOWRAY_MESSAGE(AskLink, m.actor, m.num_calls)
FLOWRAY_MESSAGE(LinkMade, m.link, m.is_refused)
FLOWRAY_MESSAGE(LinkClosed, m.link)
FLOWRAY_MESSAGE(Promise, m.link, m.object, m.parent)
FLOWRAY_MESSAGE(AnswerFor, m.link, m.parts)
FLOWRAY_MESSAGE(RanLinked, m.calls)
#undef FLOWRAY_MESSAGE
#undef FLOWRAY_INSTANTIATE
#undef FLOWRAY_INLINE

}  // namespace flowray::ray
