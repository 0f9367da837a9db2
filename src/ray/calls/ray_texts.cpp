// Ray's runtime by texts: IDs, names of functions, and msgpack's bytes.

#include <ray/api.h>

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "core/guarded.h"
#include "ray/calls/local_backend.h"
#include "ray/functions/function_registry.h"
#include "ray/values/value.h"

namespace flowray::ray::api {
namespace {

/// Values of msgpack's own types, read from its bytes. Extensions are refused.
class Msgpack {
 public:
  explicit Msgpack(std::string_view bytes) : rest_(bytes) {}
  bool is_at_end() const { return rest_.empty(); }

  /// Writes the next value, if `out` is not null.
  void copy(Encoder* out, int depth = 0) {
    if (depth > internal::kMaxDepth) fail("lists lie too deep in each other");
    const auto marker = static_cast<uint8_t>(take(1)[0]);
    if (marker < 0x80) return write(out, &Encoder::write_unsigned, uint64_t{marker});
    if (marker < 0x90) return map(out, marker & 0x0F, depth);
    if (marker < 0xA0) return list(out, marker & 0x0F, depth);
    if (marker < 0xC0) return write(out, &Encoder::write_string, take(marker & 0x1F));
    if (marker >= 0xE0) return write(out, &Encoder::write_signed, int64_t{static_cast<int8_t>(marker)});
    copy_marked(out, marker, depth);
  }

 private:
  [[noreturn]] static void fail(const char* what) {
    throw errors::DataLossError(fmt::format("The bytes are not a msgpack value: {}.", what));
  }
  std::string_view take(uint64_t count) {
    if (count > rest_.size()) fail("they end too early");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  uint64_t number(int bytes) {
    uint64_t value = 0;
    for (const char byte : take(static_cast<uint64_t>(bytes)))
      value = value << 8 | static_cast<uint8_t>(byte);
    return value;
  }
  int64_t signed_number(int bytes) {
    const int shift = 64 - 8 * bytes;
    return static_cast<int64_t>(number(bytes) << shift) >> shift;
  }
  template <class... Parameter, class Value>
  static void write(Encoder* out, void (Encoder::*how)(Parameter...), const Value& value) {
    if (out != nullptr) (out->*how)(value);
  }
  void list(Encoder* out, uint64_t count, int depth) {
    if (count > rest_.size()) fail("they end too early");
    if (out != nullptr) out->begin_list(count);
    for (uint64_t i = 0; i < count; ++i) copy(out, depth + 1);
  }
  void map(Encoder* out, uint64_t count, int depth) {
    if (count > rest_.size()) fail("they end too early");
    if (out != nullptr) out->begin_map(count);
    for (uint64_t i = 0; i < 2 * count; ++i) copy(out, depth + 1);
  }
  void binary(Encoder* out, uint64_t count) {
    const std::string_view bytes = take(count);
    if (out != nullptr) out->write_binary(std::as_bytes(std::span(bytes)));
  }
  void copy_marked(Encoder* out, uint8_t marker, int depth) {
    switch (marker) {
      case 0xC0:
        if (out != nullptr) out->write_nil();
        return;
      case 0xC2:
      case 0xC3:
        return write(out, &Encoder::write_bool, marker == 0xC3);
      case 0xC4:
      case 0xC5:
      case 0xC6:
        return binary(out, number(1 << (marker - 0xC4)));
      case 0xCA:
        return write(out, &Encoder::write_float, std::bit_cast<float>(static_cast<uint32_t>(number(4))));
      case 0xCB:
        return write(out, &Encoder::write_double, std::bit_cast<double>(number(8)));
      case 0xCC:
      case 0xCD:
      case 0xCE:
      case 0xCF:
        return write(out, &Encoder::write_unsigned, number(1 << (marker - 0xCC)));
      case 0xD0:
      case 0xD1:
      case 0xD2:
      case 0xD3:
        return write(out, &Encoder::write_signed, signed_number(1 << (marker - 0xD0)));
      case 0xD9:
      case 0xDA:
      case 0xDB:
        return write(out, &Encoder::write_string, take(number(1 << (marker - 0xD9))));
      case 0xDC:
      case 0xDD:
        return list(out, number(marker == 0xDC ? 2 : 4), depth);
      case 0xDE:
      case 0xDF:
        return map(out, number(marker == 0xDE ? 2 : 4), depth);
      default:
        fail("they have an extension, or a byte that msgpack does not use");
    }
  }

  std::string_view rest_;
};

/// References that texts stand for, beside those of ObjectRefs.
Guarded<std::unordered_map<std::string, std::vector<internal::ObjectHandle*>>>& references() {
  static auto* const held =
      new Guarded<std::unordered_map<std::string, std::vector<internal::ObjectHandle*>>>();
  return *held;
}

std::string hold(internal::ObjectHandle* handle) {
  std::string id = internal::id_text(handle->id().value);
  (*references().lock())[id].push_back(handle);
  return id;
}

/// A handle of the object, for the caller to keep.
internal::ObjectHandle* handle_of(const std::string& id) {
  {
    const auto held = references().lock();
    if (const auto found = held->find(id); found != held->end()) {
      found->second.front()->retain();
      return found->second.front();
    }
  }
  internal::ObjectHandle* const handle = internal::handle_of_text(id);
  if (handle == nullptr) throw RayException("An object's ID is empty.");
  return handle;
}

void encode_text_arguments(Encoder& out, const std::vector<TextArgument>& arguments) {
  out.begin_list(arguments.size());
  for (const TextArgument& argument : arguments) {
    if (!argument.id.empty()) {
      const internal::AnyRef ref(handle_of(argument.id));
      out.argument_ref(ref.handle());
      continue;
    }
    Msgpack bytes(argument.bytes);
    bytes.copy(&out);
    if (!bytes.is_at_end()) throw ValueError("An argument by texts has bytes behind its value.");
  }
}

internal::CallOptions options_of(const TextCall& call, internal::FunctionEntry::Kind kind) {
  const internal::FunctionEntry* const entry =
      internal::find_function_by_name(FunctionRegistry::name_of(call.function_name));
  if (entry == nullptr) {
    throw RayFunctionNotFound("Function not found: '" + call.function_name +
                              "'. Please use RAY_REMOTE to register this function.");
  }
  if (entry->kind != kind) {
    using Kind = internal::FunctionEntry::Kind;
    const char* const is = entry->kind == Kind::kTask      ? "a function, for Call"
                           : entry->kind == Kind::kFactory ? "an actor's factory, for CreateActor"
                                                           : "an actor's method, for CallActor";
    throw RayException("'" + call.function_name + "' is " + is + ".");
  }
  internal::CallOptions options;
  options.function = entry->id;
  options.function_name = entry->name;
  options.class_name = entry->class_name;
  options.name = call.name;
  options.group = call.group;
  options.bundle = call.bundle;
  for (const auto& [name, amount] : call.resources) internal::add_resource(options, name, amount);
  return options;
}

}  // namespace

bool is_local_mode() { return dynamic_cast<LocalBackend*>(internal::backend_or_null()) != nullptr; }

void add_reference(const std::string& id) { hold(handle_of(id)); }

void remove_reference(const std::string& id) {
  internal::ObjectHandle* handle = nullptr;
  {
    auto held = references().lock();
    const auto found = held->find(id);
    if (found == held->end()) return;
    handle = found->second.back();
    found->second.pop_back();
    if (found->second.empty()) held->erase(found);
  }
  handle->release();
}

std::string put_bytes(std::string_view msgpack_bytes) {
  const internal::EncoderLease encoder;
  Msgpack bytes(msgpack_bytes);
  bytes.copy(&*encoder);
  if (!bytes.is_at_end()) throw errors::DataLossError("There are bytes behind a value of msgpack's.");
  return hold(internal::backend().put(*encoder));
}

std::string get_bytes(const std::string& id, internal::Deadline deadline, int timeout_ms) {
  const internal::AnyRef ref(handle_of(id));
  const internal::ValueView value = internal::get_value(ref, deadline, timeout_ms);
  const ValueParts parts = value_parts(value.bytes);
  const std::string_view stream(reinterpret_cast<const char*>(parts.stream.data()), parts.stream.size());
  try {
    Msgpack(stream).copy(nullptr);
  } catch (const errors::DataLossError&) {
    throw RayException(
        "The value of object " + id +
        " has Arrays, references or actors, which msgpack has no types for (32 and more numbers "
        "in a row are an Array). Read it by ObjectRef::Get.");
  }
  return std::string(stream);
}

std::string call_by_texts(const TextCall& call, const std::string& actor_id,
                          const std::vector<TextArgument>& arguments) {
  using Kind = internal::FunctionEntry::Kind;
  internal::CallOptions options = options_of(call, actor_id.empty() ? Kind::kTask : Kind::kMethod);
  if (!actor_id.empty()) options.actor = internal::require_actor({internal::id_of_text(actor_id)});
  if (actor_id.empty()) options.max_retries = internal::kDefaultTaskRetries;
  const internal::EncoderLease encoder;
  encode_text_arguments(*encoder, arguments);
  internal::ObjectHandle* returned = nullptr;
  internal::submit(options, typeid(void), *encoder, {&returned, 1});
  return hold(returned);
}

std::string create_actor_by_texts(const TextCall& call, const std::vector<TextArgument>& arguments) {
  internal::CallOptions options = options_of(call, internal::FunctionEntry::Kind::kFactory);
  options.max_retries = call.max_restarts;
  if (call.max_concurrency != 1) options.max_concurrency = call.max_concurrency;
  const internal::EncoderLease encoder;
  encode_text_arguments(*encoder, arguments);
  return internal::id_text(internal::create_actor(options, typeid(void), *encoder).value);
}

void encode_any(Encoder& out, const std::any& value) {
  const auto write_if = [&]<typename T>(const T*) {
    if (value.type() == typeid(T)) flowray::ray::encode(out, *std::any_cast<T>(&value));
    return value.type() == typeid(T);
  };
  if (!value.has_value()) return out.write_nil();
  const bool is_written =
      write_if(static_cast<const bool*>(nullptr)) || write_if(static_cast<const int*>(nullptr)) ||
      write_if(static_cast<const unsigned*>(nullptr)) || write_if(static_cast<const int64_t*>(nullptr)) ||
      write_if(static_cast<const uint64_t*>(nullptr)) || write_if(static_cast<const float*>(nullptr)) ||
      write_if(static_cast<const double*>(nullptr)) || write_if(static_cast<const std::string*>(nullptr)) ||
      write_if(static_cast<const std::vector<char>*>(nullptr));
  if (is_written) return;
  throw ValueError(
      "A std::any is sent that holds something else than nothing, a bool, an integer, a float, a double, a "
      "std::string or a std::vector<char>.");
}

std::any decode_any(Decoder& in) {
  switch (in.next_item()) {
    case internal::Item::kNil:
      in.read_nil();
      return {};
    case internal::Item::kBool:
      return in.read_bool();
    case internal::Item::kInteger: {
      const int64_t number = in.read_signed();
      if (number < 0) return number;
      return static_cast<uint64_t>(number);
    }
    case internal::Item::kFloat:
      return in.read_double();
    case internal::Item::kString:
      return std::string(in.read_string());
    case internal::Item::kBinary: {
      const std::span<const std::byte> bytes = in.read_binary();
      const auto* const begin = reinterpret_cast<const char*>(bytes.data());
      return std::vector<char>(begin, begin + bytes.size());
    }
    default:
      throw TypeError("A value that is read as a std::any is a list, a map, an Array or a reference.");
  }
}

}  // namespace flowray::ray::api
