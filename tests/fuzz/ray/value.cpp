// Values in the object store, which another process has written and may write again.

#include "ray/values/value.h"

#include <flowray/ray/containers.h>
#include <flowray/ray/errors.h>

#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "core/buffer.h"
#include "fuzz/target.h"

namespace flowray::fuzz {
namespace {

struct Record {
  int8_t small = 1;
  double real = 0.5;
  std::string text = "text";
  std::vector<float> packed = {1, 2};
  std::map<std::string, Array> arrays = {{"w", Array({1.0f, 2.0f})}};
  std::variant<std::monostate, int, std::string> either = 7;
  std::optional<std::vector<bool>> flags = std::vector<bool>{true};
  FLOWRAY_FIELDS(small, real, text, packed, arrays, either, flags);
};
using Nested = std::vector<std::vector<std::vector<std::string>>>;

/// The value in memory of its own, as the store would hold it.
ray::internal::ValueView view_of(std::string_view bytes, bool in_place) {
  const BufferRef buffer(Buffer::allocate(bytes.size()));
  if (!bytes.empty()) std::memcpy(buffer->data(), bytes.data(), bytes.size());
  ray::internal::ValueView view;
  view.bytes = {buffer->data(), bytes.size()};
  view.buffer = BufferRef(buffer).leave();
  view.in_place = in_place;
  view.is_error = ray::is_error_value(view.bytes);
  return view;
}

void touch(const Array& array) {
  if (array.has_value() && array.size() <= 1000) (void)array.to_string();
}
void touch(const Record& record) {
  for (const auto& [name, array] : record.arrays) touch(array);
}
void touch(const std::map<std::string, Array>& arrays) {
  for (const auto& [name, array] : arrays) touch(array);
}
template <class T>
void touch(const T&) {}

template <class T>
void read(std::string_view bytes, bool in_place) {
  const T value = ray::decode_value<T>(view_of(bytes, in_place));
  touch(value);
}

void nested_ids(std::string_view bytes, bool in_place) {
  for (const ray::ObjectId id : ray::nested_object_ids(view_of(bytes, in_place).bytes)) (void)id;
}

template <class T>
std::string written(const T& value) {
  ray::Encoder encoder;
  ray::encode(encoder, value);
  std::string bytes(ray::encoded_size_bytes(encoder), '\0');
  ray::write_value(encoder, reinterpret_cast<std::byte*>(bytes.data()));
  return bytes;
}

}  // namespace

// The first byte says as what it is read, and whether where it lies.
void run(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto choice = static_cast<unsigned char>(bytes.front());
  const bool in_place = (choice & 0x80) != 0;
  bytes.remove_prefix(1);
  constexpr std::array kReaders = {nested_ids,   read<Array>,
                                   read<Record>, read<std::map<std::string, Array>>,
                                   read<Nested>, read<std::tuple<int, double, std::string>>};
  kReaders[(choice & 0x7f) % kReaders.size()](bytes, in_place);
}

std::vector<std::string> seeds() {
  ray::Encoder error;
  ray::encode_error(error, {},
                    {.class_name = "flowray::ValueError", .message = "no", .function = "f", .stack = "g"});
  std::string error_bytes(ray::encoded_size_bytes(error), '\0');
  ray::write_value(error, reinterpret_cast<std::byte*>(error_bytes.data()));
  const std::pair<char, std::string> values[] = {
      {1, written(Array({{1.0f, 2.0f}, {3.0f, 4.0f}}))},
      {1, written(Array({"a", "bcd"}))},
      {1, written(Array({1, 2, 3}))},
      {2, written(Record())},
      {3, written(std::map<std::string, Array>{{"w", Array(1.0)}, {"b", Array(true)}})},
      {4, written(Nested{{{"a"}, {}}, {}})},
      {5, written(std::tuple(1, 2.0, std::string("three")))},
      {1, error_bytes}};
  std::vector<std::string> found;
  for (const auto& [reader, bytes] : values) {
    found.push_back(std::string(1, reader) + bytes);
    found.push_back(std::string(1, static_cast<char>(reader | 0x80)) + bytes);
    found.push_back(std::string(1, '\0') + bytes);
  }
  return found;
}

}  // namespace flowray::fuzz
