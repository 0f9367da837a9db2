#include <flowray/ray/containers.h>

#include <cmath>
#include <limits>

#include "ray/values/encoded_value.h"

#include <gtest/gtest.h>

namespace flowray::ray {
namespace {

using Bytes = std::vector<int>;

// Expectations are worked out by hand from the msgpack specification.

TEST(Encoding, WritesIntegersInTheirShortestForm) {
  EXPECT_EQ(stream_of(0), Bytes({0x00}));
  EXPECT_EQ(stream_of(127), Bytes({0x7F}));
  EXPECT_EQ(stream_of(128), Bytes({0xCC, 0x80}));
  EXPECT_EQ(stream_of(255), Bytes({0xCC, 0xFF}));
  EXPECT_EQ(stream_of(256), Bytes({0xCD, 0x01, 0x00}));
  EXPECT_EQ(stream_of(65535), Bytes({0xCD, 0xFF, 0xFF}));
  EXPECT_EQ(stream_of(65536), Bytes({0xCE, 0x00, 0x01, 0x00, 0x00}));
  EXPECT_EQ(stream_of(0x123456789A), Bytes({0xCF, 0, 0, 0, 0x12, 0x34, 0x56, 0x78, 0x9A}));
  EXPECT_EQ(stream_of(-1), Bytes({0xFF}));
  EXPECT_EQ(stream_of(-32), Bytes({0xE0}));
  EXPECT_EQ(stream_of(-33), Bytes({0xD0, 0xDF}));
  EXPECT_EQ(stream_of(-128), Bytes({0xD0, 0x80}));
  EXPECT_EQ(stream_of(-129), Bytes({0xD1, 0xFF, 0x7F}));
  EXPECT_EQ(stream_of(-32769), Bytes({0xD2, 0xFF, 0xFF, 0x7F, 0xFF}));
  EXPECT_EQ(stream_of(int64_t{-2147483649}), Bytes({0xD3, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF}));
  EXPECT_EQ(stream_of(uint64_t{0xFFFFFFFFFFFFFFFF}), Bytes({0xCF, 255, 255, 255, 255, 255, 255, 255, 255}));
}

TEST(Encoding, WritesTheOtherScalars) {
  EXPECT_EQ(stream_of(true), Bytes({0xC3}));
  EXPECT_EQ(stream_of(false), Bytes({0xC2}));
  EXPECT_EQ(stream_of(1.0f), Bytes({0xCA, 0x3F, 0x80, 0x00, 0x00}));
  EXPECT_EQ(stream_of(-2.5), Bytes({0xCB, 0xC0, 0x04, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(stream_of(std::monostate()), Bytes({0xC0}));
  EXPECT_EQ(stream_of(std::string("abc")), Bytes({0xA3, 'a', 'b', 'c'}));
}

TEST(Encoding, WritesLongStringsWithTheirLength) {
  const Bytes of_32 = stream_of(std::string(32, 'x'));
  EXPECT_EQ(Bytes(of_32.begin(), of_32.begin() + 3), Bytes({0xD9, 0x20, 'x'}));
  const Bytes of_256 = stream_of(std::string(256, 'x'));
  EXPECT_EQ(Bytes(of_256.begin(), of_256.begin() + 4), Bytes({0xDA, 0x01, 0x00, 'x'}));
  const Bytes of_65536 = stream_of(std::string(65536, 'x'));
  EXPECT_EQ(Bytes(of_65536.begin(), of_65536.begin() + 6), Bytes({0xDB, 0x00, 0x01, 0x00, 0x00, 'x'}));
  EXPECT_EQ(of_65536.size(), 65541u);
}

TEST(Encoding, WritesContainers) {
  EXPECT_EQ(stream_of(std::vector<int>{1, 2, 300}), Bytes({0x93, 0x01, 0x02, 0xCD, 0x01, 0x2C}));
  EXPECT_EQ(stream_of(std::vector<std::string>(16)).front(), 0xDC);
  EXPECT_EQ(stream_of(std::map<std::string, int>{{"a", 1}, {"b", -1}}),
            Bytes({0x82, 0xA1, 'a', 0x01, 0xA1, 'b', 0xFF}));
  EXPECT_EQ(stream_of(std::tuple<int, bool, std::string>{7, true, ""}), Bytes({0x93, 0x07, 0xC3, 0xA0}));
  EXPECT_EQ(stream_of(std::vector<uint8_t>{1, 255}), Bytes({0xC4, 0x02, 0x01, 0xFF}));
  EXPECT_EQ(stream_of(std::optional<int>()), Bytes({0xC0}));
  EXPECT_EQ(stream_of(std::optional<int>(5)), Bytes({0x05}));
  EXPECT_EQ(stream_of(std::variant<int, std::string>("x")), Bytes({0x92, 0x01, 0xA1, 'x'}));
}

TEST(Encoding, WritesAnArrayAsAnExtensionAndItsElementsBeside) {
  // fixext 16 would need 16 bytes; index 4, dtype 1, rank 1, two dimensions of 8: ext 8 of 22 bytes, type 1.
  const Array array = Array::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(stream_of(array),
            Bytes({0xC7, 22, 1, 0, 0, 0, 0, 1, 2, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Encoding, MarksATupleWhichReadsAsAList) {
  Encoder encoder;
  encoder.write_mark(internal::Extension::kTuple, 2);
  encoder.write_signed(1);
  encoder.write_signed(2);
  const EncodedValue value(encoder);
  const internal::ValueView view = value.view();
  Decoder in(view);
  EXPECT_EQ(in.next_item(), internal::Item::kTuple);
  EXPECT_EQ(in.read_list(), 2u);
  EXPECT_EQ(in.next_item(), internal::Item::kInteger);
  EXPECT_EQ(decode_value<std::vector<int>>(view), (std::vector<int>{1, 2}));
}

TEST(Encoding, RefusesAMarkThatCountsMoreThanThereIs) {
  Encoder encoder;
  encoder.write_mark(internal::Extension::kTuple, 1'000'000);
  encoder.write_nil();
  const EncodedValue value(encoder);
  EXPECT_THROW(value.decode<std::vector<int>>(), errors::DataLossError);
}

TEST(Encoding, TellsWhatComesNext) {
  using internal::Item;
  Encoder encoder;
  encoder.write_nil();
  encoder.write_bool(true);
  for (const int64_t number : {0, -1, -1000, 1 << 20}) encoder.write_signed(number);
  encoder.write_float(0.5f);
  encoder.write_double(0.5);
  encoder.write_string("a");
  encoder.write_binary({});
  encoder.begin_list(0);
  encoder.begin_map(0);
  encoder.write_array(Array(1.f));
  encoder.write_ref(nullptr);
  encoder.write_actor(ActorId{1});
  encoder.write_mark(internal::Extension::kPickled, 0);
  const EncodedValue value(encoder);
  const internal::ValueView view = value.view();
  Decoder in(view);
  const auto expect = [&](Item item, auto read) {
    EXPECT_EQ(in.next_item(), item);
    read();
  };
  expect(Item::kNil, [&] { in.read_nil(); });
  expect(Item::kBool, [&] { in.read_bool(); });
  for (int i = 0; i < 4; ++i) expect(Item::kInteger, [&] { in.read_signed(); });
  expect(Item::kFloat, [&] { in.read_float(); });
  expect(Item::kFloat, [&] { in.read_double(); });
  expect(Item::kString, [&] { in.read_string(); });
  expect(Item::kBinary, [&] { in.read_binary(); });
  expect(Item::kList, [&] { in.read_list(); });
  expect(Item::kMap, [&] { in.read_map(); });
  expect(Item::kArray, [&] { in.read_array(); });
  expect(Item::kObjectRef, [&] { EXPECT_EQ(in.read_ref(), nullptr); });
  expect(Item::kActor, [&] { in.read_actor(); });
  expect(Item::kPickled, [&] { in.read_mark(internal::Extension::kPickled); });
  EXPECT_EQ(in.next_item(), Item::kNone);
}

TEST(Encoding, LaysAValueOutAsDescribed) {
  const EncodedValue value = EncodedValue::of(Array(std::vector<uint8_t>{9, 8, 7}));
  // Header 16, one table entry 16, stream 3 + 14 = 17: 49 bytes; elements at 64.
  std::vector<std::byte> bytes = value.bytes();
  ASSERT_EQ(bytes.size(), 67u);
  const auto u32 = [&](size_t at) {
    uint32_t number;
    std::memcpy(&number, bytes.data() + at, 4);
    return number;
  };
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), 4), "frv1");
  EXPECT_EQ(u32(4), 17u);
  EXPECT_EQ(u32(8), 0u);
  EXPECT_EQ(u32(12), 1u);
  EXPECT_EQ(u32(16), 64u);
  EXPECT_EQ(u32(24), 3u);
  for (size_t i = 49; i < 64; ++i) EXPECT_EQ(bytes[i], std::byte{0}) << i;
  EXPECT_EQ(bytes[64], std::byte{9});
  EXPECT_EQ(bytes[66], std::byte{7});
}

template <typename T>
void expect_same(const T& value) {
  EXPECT_EQ(round_trip(value), value);
}

TEST(RoundTrip, KeepsNumbers) {
  for (int64_t value : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{-32}, int64_t{-33}, int64_t{127},
                        int64_t{128}, int64_t{-128}, int64_t{-129}, int64_t{32768}, int64_t{-32769},
                        int64_t{2147483648}, int64_t{-2147483649}, INT64_MAX, INT64_MIN}) {
    expect_same(value);
  }
  expect_same(uint64_t{UINT64_MAX});
  expect_same(int8_t{-128});
  expect_same(uint16_t{65535});
  expect_same('x');
  expect_same(true);
  expect_same(0.1f);
  expect_same(-1e300);
  expect_same(std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(round_trip(std::nan(""))));
  EXPECT_TRUE(std::signbit(round_trip(-0.0)));
  expect_same(std::complex<float>(1, -2));
  enum class Colour : uint8_t { kRed = 3, kBlue = 200 };
  expect_same(Colour::kBlue);
}

TEST(RoundTrip, KeepsContainers) {
  expect_same(std::string("with \0 inside", 13));
  expect_same(std::string(70000, 'y'));
  expect_same(std::vector<int>{});
  expect_same(std::vector<int>(31, -5));
  expect_same(std::vector<int>(100000, -5));
  expect_same(std::vector<float>(100, 0.5f));
  expect_same(std::vector<bool>{true, false, true});
  expect_same(std::vector<std::byte>(300, std::byte{7}));
  expect_same(std::vector<char>{'a', '\0'});
  expect_same(std::array<int, 3>{1, 2, 3});
  expect_same(std::array<double, 40>{1, 2, 3});
  expect_same(std::array<uint8_t, 3>{1, 2, 255});
  expect_same(std::array<std::string, 0>{});
  expect_same(std::list<int>{3, 1});
  expect_same(std::deque<std::string>{"a", "b"});
  expect_same(std::set<int>{5, -1});
  expect_same(std::multiset<int>{5, 5});
  expect_same(std::unordered_set<std::string>{"a", "b"});
  expect_same(std::map<int, std::vector<std::string>>{{1, {"x"}}, {2, {}}});
  expect_same(std::unordered_map<std::string, double>{{"a", 1}, {"b", 2}});
  expect_same(std::multimap<int, int>{{1, 1}, {1, 2}});
  expect_same(std::pair<int, std::string>{1, "one"});
  expect_same(std::tuple<int, float, std::vector<bool>>{1, 2.f, {true}});
  expect_same(std::tuple<>{});
}

TEST(RoundTrip, KeepsWhatMayBeMissing) {
  using Nested = std::optional<std::optional<int>>;
  expect_same(std::optional<std::string>());
  expect_same(std::optional<std::string>("x"));
  expect_same(Nested());
  expect_same(Nested(std::optional<int>()));
  expect_same(Nested(std::optional<int>(3)));
  expect_same(std::variant<std::monostate, int, std::string>());
  expect_same(std::variant<std::monostate, int, std::string>("text"));
  EXPECT_EQ(round_trip(std::shared_ptr<int>()), nullptr);
  EXPECT_EQ(*round_trip(std::make_shared<int>(4)), 4);
  EXPECT_EQ(*round_trip(std::make_unique<std::string>("u")), "u");
  EXPECT_EQ(*round_trip(std::shared_ptr<const int>(std::make_shared<int>(4))), 4);
  const auto inner = round_trip(std::make_shared<std::shared_ptr<int>>());
  ASSERT_NE(inner, nullptr);
  EXPECT_EQ(*inner, nullptr);
}

TEST(RoundTrip, KeepsArrays) {
  const Array floats = Array::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {3, 2});
  expect_same(floats);
  expect_same(Array(3.5));
  expect_same(Array(DType::kInt64, {0, 4}));
  expect_same(Array(DType::kBool, {2, 2, 1}));
  expect_same(Array::from(std::vector<std::string>{"a", "", std::string(300, 'z')}, {3, 1}));
  expect_same(Array("one string"));
  expect_same(Array(std::vector<std::complex<double>>{{1, 2}, {3, 4}}));
  EXPECT_FALSE(round_trip(Array()).has_value());
  const std::optional<Array> no_value = round_trip(std::optional<Array>(Array()));
  ASSERT_TRUE(no_value.has_value());
  EXPECT_FALSE(no_value->has_value());
  const std::map<std::string, Array> weights{{"w", floats}, {"b", Array(1.f)}, {"names", Array("x")}};
  expect_same(weights);
}

TEST(RoundTrip, KeepsTheRankOfArrays) {
  Shape shape;
  for (int i = 0; i < 254; ++i) shape.push_back(1);
  const Array array = Array::full(DType::kFloat32, shape, 2.f);
  expect_same(array);
}

TEST(RoundTrip, ConvertsNumbersWhereTheyFit) {
  EXPECT_EQ(EncodedValue::of(7).decode<double>(), 7.0);
  EXPECT_EQ(EncodedValue::of(-7).decode<float>(), -7.0f);
  EXPECT_EQ(EncodedValue::of(0.5f).decode<double>(), 0.5);
  EXPECT_EQ(EncodedValue::of(int64_t{7}).decode<uint8_t>(), 7);
  EXPECT_THROW(EncodedValue::of(300).decode<uint8_t>(), ValueError);
  EXPECT_THROW(EncodedValue::of(-1).decode<uint64_t>(), ValueError);
  EXPECT_THROW(EncodedValue::of(uint64_t{UINT64_MAX}).decode<int64_t>(), ValueError);
  EXPECT_THROW(EncodedValue::of(1.5).decode<int>(), TypeError);
}

// ---- types of the program

struct Point {
  int x = 0;
  double y = 0;
  bool operator==(const Point&) const = default;
  FLOWRAY_FIELDS(x, y);
};

class Secret {
 public:
  explicit Secret(std::string text) : text_(std::move(text)) {}
  bool operator==(const Secret&) const = default;

 private:
  Secret() = default;
  std::string text_;
  std::vector<Point> points_{{1, 2}};
  FLOWRAY_FIELDS(text_, points_);
};

struct Chain {
  int value = 0;
  std::unique_ptr<Chain> next;
  FLOWRAY_FIELDS(value, next);
};

struct Wide {
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t;
  bool operator==(const Wide&) const = default;
  FLOWRAY_FIELDS(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t);
};

struct Nothing {
  bool operator==(const Nothing&) const = default;
  FLOWRAY_FIELDS();
};

}  // namespace

struct Date {
  explicit Date(int64_t d) : days(d) {}
  int64_t days;
  bool operator==(const Date&) const = default;
};

namespace {

TEST(Fields, AreSentInOrder) {
  EXPECT_EQ(stream_of(Point{1, 0.5}), Bytes({0x92, 0x01, 0xCB, 0x3F, 0xE0, 0, 0, 0, 0, 0, 0}));
  expect_same(Point{3, -1});
  expect_same(std::vector<Point>{{1, 2}, {3, 4}});
}

TEST(Fields, MayBePrivateManyOrNone) {
  expect_same(Secret("s"));
  expect_same(Wide{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20});
  expect_same(Nothing());
}

Chain chain_of(int length) {
  Chain chain;
  for (int i = 1; i < length; ++i) {
    auto next = std::make_unique<Chain>(std::move(chain));
    chain = Chain{i, std::move(next)};
  }
  return chain;
}

TEST(Fields, MayContainTheirOwnType) {
  const Chain chain = round_trip(chain_of(500));
  int length = 0;
  for (const Chain* link = &chain; link != nullptr; link = link->next.get()) ++length;
  EXPECT_EQ(length, 500);
  EXPECT_EQ(chain.next->value, 498);
}

TEST(Fields, ThatLieTooDeepAreRefused) {
  EXPECT_THROW(EncodedValue::of(chain_of(501)), ValueError);
  Encoder encoder;
  for (int i = 0; i < 100000; ++i) {
    encoder.begin_list(2);
    encoder.write_signed(1);
  }
  encoder.write_nil();
  EXPECT_THROW(EncodedValue(encoder).decode<Chain>(), errors::DataLossError);
}

TEST(Fields, OfAnotherNumberAreRefused) {
  EXPECT_THROW((EncodedValue::of(std::tuple<int, double, int>{}).decode<Point>()), TypeError);
}

}  // namespace
}  // namespace flowray::ray

template <>
struct flowray::ray::Codec<flowray::ray::Date> {
  static void encode(Encoder& out, const Date& date) { out.write_signed(date.days); }
  static Date decode(Decoder& in) { return Date(in.read_signed()); }
};

namespace flowray::ray {
namespace {

TEST(Codec, MayBeSpecialised) {
  expect_same(Date(-5));
  expect_same(std::vector<Date>{Date(1), Date(2)});
  expect_same(std::optional<Date>(Date(7)));
}

}  // namespace
}  // namespace flowray::ray
