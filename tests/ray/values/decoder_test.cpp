// Bytes that were cut off or changed give an error or a value, and never a read out of bounds (run
// under asan).
#include <flowray/ray/object_ref.h>

#include <exception>
#include <functional>

#include "ray/functions/run_function.h"
#include "ray/local_runtime.h"
#include "ray/values/encoded_value.h"

namespace flowray::ray {
namespace {

struct Inner {
  int number = 1;
  std::optional<std::string> text = "text";
  FLOWRAY_FIELDS(number, text);
};
struct Everything {
  int8_t small = -100;
  uint64_t large = UINT64_MAX;
  double real = 0.1;
  float single = 2.5f;
  bool yes = true;
  std::string text = std::string(40, 't');
  std::vector<int> numbers{1, 2, 3000};
  std::vector<float> packed = std::vector<float>(40, 1.5f);
  std::vector<std::byte> bytes{std::byte{1}, std::byte{2}};
  std::array<int, 2> pair{5, 6};
  std::map<std::string, Array> weights{{"w", Array(std::vector<float>{1, 2, 3})}, {"b", Array(7)}};
  std::unordered_map<int, std::set<int>> sets{{1, {2, 3}}};
  std::variant<std::monostate, int, Inner> variant = Inner();
  std::shared_ptr<Inner> shared = std::make_shared<Inner>();
  std::unique_ptr<int> none;
  std::tuple<int, std::vector<bool>> tuple{1, {true, false}};
  Array strings = Array(std::vector<std::string>{"a", "bcd"});
  Array empty;
  Array zero = Array(DType::kInt32, {0, 3});
  FLOWRAY_FIELDS(small, large, real, single, yes, text, numbers, packed, bytes, pair, weights, sets, variant,
                 shared, none, tuple, strings, empty, zero);
};

/// Touches every element of what was read, so that one that lies elsewhere is seen.
uint64_t sum_of(const Array& array) {
  uint64_t sum = 0;
  if (array.has_value() && array.dtype() != DType::kString) {
    const auto* bytes = static_cast<const unsigned char*>(array.raw_data());
    for (size_t i = 0; i < array.size_bytes(); ++i) sum += bytes[i];
  }
  return sum + array.shape().to_string().size();
}
uint64_t sum_of(const Everything& value) {
  uint64_t sum = sum_of(value.strings) + sum_of(value.empty) + sum_of(value.zero) + value.text.size();
  for (const auto& [name, array] : value.weights) sum += sum_of(array) + name.size();
  for (const float number : value.packed) sum += number > 0;
  return sum;
}

/// Reads damaged bytes; every error must be one of ours.
template <typename T>
bool reads(const std::vector<std::byte>& bytes, bool in_place) {
  try {
    const T value = EncodedValue(bytes).decode<T>(in_place);
    static volatile uint64_t sink;
    if constexpr (std::is_same_v<T, Everything> || std::is_same_v<T, Array>) sink = sum_of(value);
    static_cast<void>(sink);
    return true;
  } catch (const Error&) {
    return false;
  }
}

template <typename T>
void damage_in_all_ways(const T& value) {
  const std::vector<std::byte> good = EncodedValue::of(value).bytes();
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(reads<T>(
        std::vector<std::byte>(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)), true))
        << size;
  }
  EXPECT_TRUE(reads<T>(good, true));
  for (size_t at = 0; at < good.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xFF, 0x10, 0x7F}) {
      std::vector<std::byte> bad = good;
      bad[at] ^= static_cast<std::byte>(flip);
      reads<T>(bad, at % 2 == 0);
    }
  }
}

TEST(DamagedValues, NeverReadOutOfBounds) {
  damage_in_all_ways(Array::from(std::vector<double>{1, 2, 3, 4}, {2, 2}));
  damage_in_all_ways(std::map<std::string, int>{{"a", 1}, {"bc", 70000}});
  damage_in_all_ways(Everything());
}

TEST(DamagedValues, OfRandomBytesAreRefused) {
  uint32_t random = 12345;
  for (int round = 0; round < 20000; ++round) {
    // A good head, then a stream of anything.
    std::vector<std::byte> bytes(16 + 40);
    const uint32_t head[] = {0x31767266, 40, 0, 0};
    std::memcpy(bytes.data(), head, sizeof head);
    for (size_t i = 16; i < bytes.size(); ++i) {
      random = random * 1664525 + 1013904223;
      bytes[i] = static_cast<std::byte>(random >> 24);
    }
    reads<std::vector<std::variant<int, std::string, std::vector<double>>>>(bytes, true);
    reads<std::map<std::string, Array>>(bytes, true);
    reads<std::vector<std::vector<std::vector<int>>>>(bytes, true);
  }
}

/// A value of one array, with the head that the test wants.
EncodedValue array_with(uint32_t index, uint8_t dtype, const std::vector<int64_t>& dims, uint64_t offset,
                        uint64_t size) {
  std::vector<std::byte> stream;
  const auto put = [&](const void* from, size_t count) {
    const auto* bytes = static_cast<const std::byte*>(from);
    stream.insert(stream.end(), bytes, bytes + count);
  };
  const uint8_t marker[] = {0xC7, static_cast<uint8_t>(6 + 8 * dims.size()), 1};
  const auto rank = static_cast<uint8_t>(dims.size());
  put(marker, 3);
  put(&index, 4);
  put(&dtype, 1);
  put(&rank, 1);
  for (const int64_t dim : dims) put(&dim, 8);
  std::vector<std::byte> bytes(256);
  const uint32_t head[] = {0x31767266, static_cast<uint32_t>(stream.size()), 0, 1};
  std::memcpy(bytes.data(), head, 16);
  std::memcpy(bytes.data() + 16, &offset, 8);
  std::memcpy(bytes.data() + 24, &size, 8);
  std::memcpy(bytes.data() + 32, stream.data(), stream.size());
  return EncodedValue(bytes);
}

TEST(DamagedValues, ThatAreWrittenOverAfterTheyWereCheckedAreRefused) {
  const EncodedValue value = array_with(0, static_cast<uint8_t>(DType::kFloat32), {2, 4}, 128, 32);
  for (const uint64_t offset : {uint64_t{1} << 40, uint64_t{256}, ~uint64_t{0} - 63}) {
    const internal::ValueView view = value.view(true);
    Decoder decoder(view);
    std::memcpy(value.buffer().data() + 16, &offset, 8);
    EXPECT_THROW(decoder.read_array(), errors::DataLossError) << offset;
    const uint64_t right = 128;
    std::memcpy(value.buffer().data() + 16, &right, 8);
  }
}

/// Whether the array's elements are those of the value, not copies.
bool lies_in(const Array& array, const EncodedValue& value) {
  const auto* const data = static_cast<const std::byte*>(array.raw_data());
  return data >= value.buffer().data() && data < value.buffer().data() + value.buffer().size_bytes();
}

TEST(Arrays, OfNumbersThatKernelsUseAsIndicesAreCopied) {
  const std::vector<int64_t> numbers(100, 1);
  const auto value_of = [](const auto& elements) { return EncodedValue::of(Array(elements)); };
  const EncodedValue wide = value_of(numbers);
  const EncodedValue narrow = value_of(std::vector<int32_t>(100, 1));
  const EncodedValue floats = value_of(std::vector<float>(100, 1.0f));
  EXPECT_FALSE(lies_in(wide.decode<Array>(true), wide));
  EXPECT_FALSE(lies_in(narrow.decode<Array>(true), narrow));
  EXPECT_TRUE(lies_in(floats.decode<Array>(true), floats));
}

TEST(Arrays, OfBoolHaveTruthValuesWhateverTheirBytesAre) {
  const EncodedValue value = array_with(0, static_cast<uint8_t>(DType::kBool), {3}, 128, 3);
  std::memcpy(value.buffer().data() + 128, "\xff\x00\x02", 3);
  for (const bool in_place : {false, true}) {
    const Array read = value.decode<Array>(in_place);
    EXPECT_EQ(std::memcmp(read.raw_data(), "\x01\x00\x01", 3), 0);
  }
}

TEST(DamagedValues, WithArraysThatCannotBeAreRefused) {
  constexpr auto kFloat = static_cast<uint8_t>(DType::kFloat32);
  EXPECT_EQ(array_with(0, kFloat, {2, 4}, 128, 32).decode<Array>().shape(), Shape({2, 4}));
  EXPECT_THROW(array_with(1, kFloat, {2, 4}, 128, 32).decode<Array>(), errors::DataLossError)
      << "no such array";
  EXPECT_THROW(array_with(0, kFloat, {2, 4}, 128, 28).decode<Array>(), errors::DataLossError)
      << "another size";
  EXPECT_THROW(array_with(0, kFloat, {2, 4}, 256, 32).decode<Array>(), errors::DataLossError)
      << "behind the end";
  EXPECT_THROW(array_with(0, kFloat, {2, 4}, 100, 32).decode<Array>(), errors::DataLossError)
      << "not aligned";
  EXPECT_THROW(array_with(0, kFloat, {2, 4}, 0, 32).decode<Array>(), errors::DataLossError) << "in the head";
  EXPECT_THROW(array_with(0, kFloat, {1}, UINT64_MAX - 63, 4).decode<Array>(), errors::DataLossError)
      << "offset overflows";
  EXPECT_THROW(array_with(0, kFloat, {8}, 128, UINT64_MAX).decode<Array>(), errors::DataLossError)
      << "size overflows";
  EXPECT_THROW(array_with(0, kFloat, {INT64_MAX, 4}, 128, 16).decode<Array>(), errors::DataLossError)
      << "count overflows";
  EXPECT_THROW(array_with(0, kFloat, {int64_t{1} << 62, 4}, 128, 0).decode<Array>(), errors::DataLossError)
      << "wraps to 0";
  EXPECT_THROW(array_with(0, kFloat, {-1}, 128, 4).decode<Array>(), errors::DataLossError) << "negative";
  EXPECT_THROW(array_with(0, 0, {1}, 128, 4).decode<Array>(), errors::DataLossError) << "no dtype";
  EXPECT_THROW(array_with(0, 99, {1}, 128, 4).decode<Array>(), errors::DataLossError) << "no dtype";
  EXPECT_THROW(array_with(0, static_cast<uint8_t>(DType::kString), {1}, 128, 32).decode<Array>(),
               errors::DataLossError);
  EXPECT_THROW(array_with(0, kFloat, {1}, 128, 4).decode<int>(), TypeError);
}

TEST(DamagedValues, SayWhatWasFound) {
  try {
    EncodedValue::of(std::string("text")).decode<Array>();
    FAIL() << "a string was read as an Array";
  } catch (const TypeError& error) {
    EXPECT_NE(error.message().find("an Array was expected and a string found at byte 0"), std::string::npos)
        << error.what();
  }
}

// ---- arrays in place

struct Owner {
  int released = 0;
  static void release(void* owner) { ++static_cast<Owner*>(owner)->released; }
};

TEST(InPlace, ArraysLieInTheValuesMemoryAndKeepIt) {
  Encoder encoder;
  encode(encoder, std::pair(Array(std::vector<float>{1, 2, 3}), Array(std::vector<float>{4})));
  const size_t bytes = encoded_size_bytes(encoder);
  const BufferRef memory = Buffer::allocate(bytes);
  write_value(encoder, memory->data());
  Owner owner;
  std::pair<Array, Array> read;
  {
    internal::ValueView view;
    view.bytes = {memory->data(), bytes};
    view.buffer = Buffer::adopt(memory->data(), bytes, Owner::release, &owner, false).leave();
    view.in_place = true;
    read = decode_value<std::pair<Array, Array>>(view);
  }
  const auto inside = [&](const Array& array) {
    const auto* at = static_cast<const std::byte*>(array.raw_data());
    return at >= memory->data() && at + array.size_bytes() <= memory->data() + bytes;
  };
  EXPECT_TRUE(inside(read.first));
  EXPECT_TRUE(inside(read.second));
  EXPECT_EQ(owner.released, 0);
  read.first.mutable_data<float>()[0] = 9;
  EXPECT_FALSE(inside(read.first));
  EXPECT_EQ(read.second.data<float>()[0], 4);
  EXPECT_EQ(owner.released, 0);
  read.second = Array();
  EXPECT_EQ(owner.released, 1);
}

TEST(InPlace, IsNotUsedWhereTheMemoryIsNotAligned) {
  Encoder encoder;
  encode(encoder, Array(std::vector<float>{1, 2, 3}));
  const BufferRef memory = Buffer::allocate(encoded_size_bytes(encoder) + 8);
  write_value(encoder, memory->data() + 8);
  internal::ValueView view;
  view.bytes = {memory->data() + 8, encoded_size_bytes(encoder)};
  view.buffer = BufferRef(memory).leave();
  view.in_place = true;
  const Array array = decode_value<Array>(view);
  EXPECT_EQ(array, Array(std::vector<float>{1, 2, 3}));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(array.raw_data()) % 64, 0u);
}

// ---- references

using NestedRefs = LocalRuntime;

TEST_F(NestedRefs, AreFoundWithoutDecoding) {
  Encoder one;
  encode(one, 1);
  const ObjectRef<int> first(backend_.put(one)), second(backend_.put(one));
  const EncodedValue value = EncodedValue::of(std::vector{first, second, ObjectRef<int>(), first});
  EXPECT_EQ(nested_object_ids(value.view().bytes),
            (std::vector{first.object(), second.object(), first.object()}));
  const auto read = value.decode<std::vector<ObjectRef<int>>>();
  EXPECT_TRUE(read[0] == first && read[1] == second && !read[2].has_value() && read[3] == first);
}

TEST_F(NestedRefs, ArgumentsThatAreReferencesAreNot) {
  Encoder encoder;
  encode(encoder, 1);
  const ObjectRef<int> ref(backend_.put(encoder));
  encoder.clear();
  encoder.begin_list(2);
  encoder.argument_ref(ref.handle());
  encoder.write_ref(ref.handle());
  const EncodedValue value(encoder);
  EXPECT_EQ(nested_object_ids(value.view().bytes).size(), 1u);
  ASSERT_EQ(encoder.argument_refs().size(), 1u);
  EXPECT_EQ(encoder.argument_refs()[0]->id(), ref.object());
  // As an argument: the value where there is one; damaged, an error.
  std::vector<internal::ValueView> references;
  const internal::ValueView view = value.view();
  Arguments without(view, references);
  without.expect(2);
  EXPECT_THROW(without.next<int>(), errors::DataLossError);
}

TEST_F(NestedRefs, DamagedOnesAreRefused) {
  Encoder encoder;
  encode(encoder, 1);
  const ObjectRef<int> ref(backend_.put(encoder));
  const std::vector<std::byte> good = EncodedValue::of(std::pair(ref, 5)).bytes();
  for (size_t at = 0; at < good.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xFF}) {
      std::vector<std::byte> bad = good;
      bad[at] ^= static_cast<std::byte>(flip);
      reads<std::pair<ObjectRef<int>, int>>(bad, false);
    }
  }
}

// ---- the encoder itself

TEST(Encoders, AreUsedAgainAfterAnErrorInBetween) {
  struct Circle {
    std::shared_ptr<Circle> next;
    FLOWRAY_FIELDS(next);
  };
  auto circle = std::make_shared<Circle>();
  circle->next = circle;
  Encoder encoder;
  EXPECT_THROW(encode(encoder, *circle), ValueError);
  circle->next.reset();
  encoder.clear();
  encode(encoder, 7);
  EXPECT_EQ(EncodedValue(encoder).decode<int>(), 7);
}

TEST(Encoders, OfAThreadMayBeNeededTwiceAtOnce) {
  const internal::EncoderLease outer;
  encode(*outer, 1);
  {
    const internal::EncoderLease inner;
    encode(*inner, std::string("inner"));
    EXPECT_EQ(EncodedValue(*inner).decode<std::string>(), "inner");
  }
  EXPECT_EQ(EncodedValue(*outer).decode<int>(), 1);
}

TEST(ErrorValues, ThrowTheirClass) {
  Encoder encoder;
  RemoteFailure failure;
  failure.message = "the store is full";
  encode_error(encoder, ErrorKind::kObjectStoreFull, failure);
  const EncodedValue value(encoder);
  EXPECT_TRUE(value.view().is_error);
  EXPECT_THROW(throw_error(value.view()), ObjectStoreFullException);
  encode_error(encoder, ErrorKind::kWorker, failure);
  EXPECT_THROW(throw_error(EncodedValue(encoder).view()), RayWorkerException);
  encode_error(encoder, ErrorKind::kActor, failure);
  EXPECT_THROW(throw_error(EncodedValue(encoder).view()), RayActorException);
  const std::vector<std::byte> good = EncodedValue(encoder).bytes();
  for (size_t at = 0; at < good.size(); ++at) {
    std::vector<std::byte> bad = good;
    bad[at] ^= std::byte{0xFF};
    EXPECT_THROW(throw_error(EncodedValue(bad).view()), Error) << at;
  }
}

}  // namespace
}  // namespace flowray::ray
