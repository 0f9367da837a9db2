// The arguments of small calls as msgpack's bytes: written and read by our Encoder and Decoder and by
// msgpack-cxx, whose bytes are the same. Nanoseconds, the median and the least of short runs in turn, in
// buffers that were used before. `--rounds N` runs of each.

#include <flowray/ray/codec.h>
#include <flowray/ray/containers.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <msgpack.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "core/buffer.h"
#include "in_turn.h"
#include "ray/values/value.h"

namespace flowray::benchmarks {
namespace {

constexpr auto kArrayExtension = static_cast<int8_t>(ray::internal::Extension::kArray);

/// The arrays of the value that msgpack-cxx writes in this thread, whose elements are not in the stream.
std::vector<Array> written_arrays;

/// The value that it reads.
struct ReadValue {
  const ray::internal::ValueView* view;
  ray::ValueParts parts;
};
const ReadValue* read_value = nullptr;

template <class T>
T load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

void release_keeper(void* keeper) { release(static_cast<Buffer*>(keeper)); }

/// An array in place, from the body of its extension; checked as the Decoder does.
Array array_of(const char* body, size_t bytes) {
  if (bytes < 6) throw msgpack::type_error();
  const auto index = load<uint32_t>(body);
  const auto dtype = static_cast<DType>(body[4]);
  const auto rank = static_cast<uint8_t>(body[5]);
  if (rank > Shape::kMaxRank || bytes != 6 + 8 * size_t{rank} || index >= read_value->parts.num_arrays ||
      dtype_size(dtype) == 0 || !is_trivial(dtype)) {
    throw msgpack::type_error();
  }
  Shape shape;
  uint64_t expected = dtype_size(dtype);
  for (int i = 0; i < rank; ++i) {
    const auto dim = load<int64_t>(body + 6 + 8 * i);
    if (dim < 0 || __builtin_mul_overflow(expected, static_cast<uint64_t>(dim), &expected)) {
      throw msgpack::type_error();
    }
    shape.push_back(dim);
  }
  const ray::internal::ValueView& view = *read_value->view;
  const auto offset = load<uint64_t>(read_value->parts.array_table + 16 * size_t{index});
  const auto size = load<uint64_t>(read_value->parts.array_table + 16 * size_t{index} + 8);
  if (size != expected || offset > view.bytes.size() || size > view.bytes.size() - offset) {
    throw msgpack::type_error();
  }
  void* const elements = const_cast<std::byte*>(view.bytes.data() + offset);
  BufferRef keeper = BufferRef::share(view.buffer);
  BufferRef buffer = Buffer::adopt(elements, size, release_keeper, keeper.get(), false);
  static_cast<void>(keeper.leave());
  return Array::wrap(buffer.leave(), elements, dtype, shape);
}

}  // namespace
}  // namespace flowray::benchmarks

template <>
struct msgpack::adaptor::pack<flowray::Array> {
  template <typename Stream>
  msgpack::packer<Stream>& operator()(msgpack::packer<Stream>& out, const flowray::Array& array) const {
    auto& arrays = flowray::benchmarks::written_arrays;
    char body[6 + 8 * flowray::Shape::kMaxRank];
    const auto index = static_cast<uint32_t>(arrays.size());
    std::memcpy(body, &index, sizeof index);
    body[4] = static_cast<char>(array.dtype());
    body[5] = static_cast<char>(array.rank());
    char* end = body + 6;
    for (const int64_t dim : array.shape()) {
      std::memcpy(end, &dim, sizeof dim);
      end += sizeof dim;
    }
    arrays.push_back(array);
    out.pack_ext(static_cast<size_t>(end - body), flowray::benchmarks::kArrayExtension);
    out.pack_ext_body(body, static_cast<uint32_t>(end - body));
    return out;
  }
};

template <>
struct msgpack::adaptor::convert<flowray::Array> {
  const msgpack::object& operator()(const msgpack::object& from, flowray::Array& array) const {
    if (from.type != msgpack::type::EXT || from.via.ext.type() != flowray::benchmarks::kArrayExtension) {
      throw msgpack::type_error();
    }
    array = flowray::benchmarks::array_of(from.via.ext.data(), from.via.ext.size);
    return from;
  }
};

namespace flowray::benchmarks {
namespace {

template <class... T>
void encode_arguments(ray::Encoder& out, const std::tuple<T...>& arguments) {
  out.clear();
  ray::encode(out, arguments);
}

template <class... T>
void pack_arguments(msgpack::sbuffer& out, const std::tuple<T...>& arguments) {
  out.clear();
  written_arrays.clear();
  msgpack::pack(out, arguments);
}

/// Whether texts, bytes and extensions stay where they lie: as the Decoder has it.
bool in_place(msgpack::type::object_type, size_t, void*) { return true; }

template <class Arguments>
Arguments unpack_arguments(msgpack::zone& zone, const ray::internal::ValueView& view) {
  const ReadValue value{&view, ray::value_parts(view.bytes)};
  read_value = &value;
  zone.clear();
  size_t offset = 0;
  bool is_in_place = false;
  const auto stream = value.parts.stream;
  const msgpack::object tree = msgpack::unpack(zone, reinterpret_cast<const char*>(stream.data()),
                                               stream.size(), offset, is_in_place, in_place);
  return tree.as<Arguments>();
}

/// Keeps a result that nothing reads.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

bool has_same_bytes(const ray::Encoder& ours, const msgpack::sbuffer& theirs) {
  return ours.stream().size() == theirs.size() &&
         std::memcmp(ours.stream().data(), theirs.data(), theirs.size()) == 0;
}

/// False where the two do not write the same bytes, or read another value from them.
template <class... T>
bool print_row(const char* what, const std::tuple<T...>& arguments, int rounds) {
  using Arguments = std::tuple<T...>;
  ray::Encoder encoder;
  msgpack::sbuffer packed;
  encode_arguments(encoder, arguments);
  pack_arguments(packed, arguments);
  const BufferRef bytes = ray::value_bytes(encoder);
  const ray::internal::ValueView view = ray::view_of_bytes(bytes);
  msgpack::zone zone;
  const auto read_twice = unpack_arguments<Arguments>(zone, view);
  if (!has_same_bytes(encoder, packed)) return false;
  pack_arguments(packed, ray::decode_value<Arguments>(view));
  if (!has_same_bytes(encoder, packed)) return false;
  encode_arguments(encoder, read_twice);
  if (!has_same_bytes(encoder, packed)) return false;
  const std::vector<Times> times = time_in_turn({[&](int64_t left) {
                                                   for (; left > 0; --left)
                                                     encode_arguments(encoder, arguments);
                                                 },
                                                 [&](int64_t left) {
                                                   for (; left > 0; --left) pack_arguments(packed, arguments);
                                                 },
                                                 [&](int64_t left) {
                                                   for (; left > 0; --left)
                                                     keep(ray::decode_value<Arguments>(view));
                                                 },
                                                 [&](int64_t left) {
                                                   for (; left > 0; --left)
                                                     keep(unpack_arguments<Arguments>(zone, view));
                                                 }},
                                                rounds);
  std::printf("| %s |", what);
  for (const Times& time : times) std::printf(" %s |", text_of(time).c_str());
  std::printf("\n");
  return true;
}

bool print_table(int rounds) {
  std::printf(
      "| arguments | write: ours | msgpack-cxx | read: ours | msgpack-cxx |\n|---|---|---|---|---|\n");
  std::map<std::string, Array> weights;
  for (const char* name : {"conv1/kernel", "conv1/bias", "dense1/kernel", "dense1/bias"}) {
    weights.emplace(name, Array::from(std::vector<float>(16, 0.5f), {16}));
  }
  return print_row("an int", std::tuple(7), rounds) &&
         print_row("two ints, a string of 24", std::tuple(7, 1'000'000, std::string(24, 'x')), rounds) &&
         print_row("an int, a map of names to 4 Arrays of 16 floats", std::tuple(7, weights), rounds);
}

}  // namespace
}  // namespace flowray::benchmarks

int main(int argc, char** argv) {
#ifndef NDEBUG
  std::fputs("this is a debug build: its times mean nothing\n", stderr);
  return 2;
#endif
  const int rounds = flowray::benchmarks::rounds_of(argc, argv, 3001);
  if (rounds == 0) {
    std::fputs("usage: msgpack_benchmark [--rounds N]\n", stderr);
    return 2;
  }
  if (flowray::benchmarks::print_table(rounds)) return 0;
  std::fputs("the two do not write and read the same\n", stderr);
  return 1;
}
