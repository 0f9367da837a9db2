// Messages cut short and with bytes changed at random: an error or another message, and never a crash.

#include "wire/example.h"
#include "wire/graph_def.h"
#include "wire/recorded_messages.h"
#include "wire/tensor_value.h"

#include <flowray/errors.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace flowray::wire {
namespace {

using std::string_literals::operator""s;

/// FLOWRAY_NIGHTLY asks for more.
int num_damages() { return std::getenv("FLOWRAY_NIGHTLY") != nullptr ? 200000 : 2000; }

/// Touches everything that was read, so that a sanitizer sees what points to nowhere. Returns whether it is
/// a message.
template <class M>
bool read_all(const std::string& bytes) {
  // An allocation of its own and of exactly that size: reading over its end is found.
  const std::vector<char> exact(bytes.begin(), bytes.end());
  try {
    const M message = decode<M>(std::string_view(exact.data(), exact.size()));
    const std::string text = to_text_format(message);
    const std::string again = encode(message);
    EXPECT_EQ(to_text_format(decode<M>(again)), text);
    return true;
  } catch (const errors::DataLossError&) {
    return false;
  }
}

template <class M>
void damage(const std::string& bytes, uint32_t seed) {
  std::mt19937 random(seed);
  for (size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 500)
    read_all<M>(bytes.substr(0, size));
  for (int i = 0; i < num_damages(); ++i) {
    std::string changed = bytes;
    for (size_t n = 1 + random() % 4; n > 0; --n)
      changed[random() % changed.size()] = static_cast<char>(random());
    if (random() % 4 == 0) changed.erase(random() % changed.size(), random() % 8);
    read_all<M>(changed);
  }
}

TEST(DamagedMessage, OfANodeIsNoCrash) { damage<NodeDef>(recorded_message("node_every_attribute"), 1); }
TEST(DamagedMessage, OfATensorIsNoCrash) { damage<TensorProto>(recorded_message("tensor_lists"), 2); }
TEST(DamagedMessage, OfALibraryIsNoCrash) { damage<GraphDef>(recorded_message("graph_library"), 3); }

TEST(DamagedMessage, CutShortIsAnError) {
  const std::string bytes = recorded_message("graph_network");
  EXPECT_TRUE(read_all<GraphDef>(bytes));
  EXPECT_FALSE(read_all<GraphDef>(bytes.substr(0, bytes.size() - 1)));
  EXPECT_FALSE(read_all<GraphDef>(bytes.substr(0, 1)));
}

TEST(DamagedMessage, WithALengthOfMoreThan32BitsIsAnError) {
  // 2^35 and 2^32 + 1 bytes, where none and one are there: of a field that is known, and of one that is not.
  for (const std::string& length : {"\x80\x80\x80\x80\x80\x01"s, "\x81\x80\x80\x80\x10"s}) {
    EXPECT_THROW(decode<NodeDef>("\x0a" + length + "x"), errors::DataLossError);
    EXPECT_THROW(decode<NodeDef>("\xa2\x06" + length + "x"), errors::DataLossError);
    EXPECT_THROW(read_example("\x0a" + length + "x"), errors::DataLossError);
    EXPECT_THROW(read_example("\x12" + length + "x"), errors::DataLossError);
  }
  EXPECT_EQ(decode<NodeDef>("\x0a\x81\x80\x80\x80\x00x"s).name, "x") << "a length may be written long";
}

TEST(DamagedMessage, WithAPartOfANumberIsAnError) {
  // float_val, field 5, packed.
  EXPECT_EQ(decode<TensorProto>(std::string_view("\x2a\x08\0\0\x80\x3f\0\0\0\x40", 10)).float_val,
            (std::vector<float>{1, 2}));
  EXPECT_THROW(decode<TensorProto>(std::string_view("\x2a\x07\0\0\x80\x3f\0\0\0", 9)), errors::DataLossError);
  EXPECT_THROW(decode<TensorProto>(std::string_view("\x2a\x03\0\0\x80", 5)), errors::DataLossError);
}

TEST(DamagedMessage, AsATensorIsAnErrorOrAValueOfItsShape) {
  std::mt19937 random(4);
  int num_values = 0;
  int num_refused = 0;
  for (const auto& [name, recorded] : recorded_messages().at("tensors").members) {
    const std::string bytes = testing::from_hexadecimal(recorded.at("proto").text);
    for (int i = 0; i < num_damages() / 20; ++i) {
      std::string changed = bytes;
      changed[random() % changed.size()] = static_cast<char>(random());
      try {
        const TensorProto proto = decode<TensorProto>(changed);
        if (proto.tensor_shape.has_value()) {
          int64_t elements = 1;  // what is huge is memory well spent, but not in a test
          for (const auto& dim : proto.tensor_shape->dim)
            elements *= std::min<int64_t>(std::max<int64_t>(dim.size, 1), 1 << 20);
          if (elements > 1 << 20) continue;
        }
        const Array array = to_array(proto);
        EXPECT_EQ(array.dtype(), proto.dtype);
        std::vector<int64_t> dims;
        if (proto.tensor_shape.has_value()) {
          for (const auto& dim : proto.tensor_shape->dim) dims.push_back(dim.size);
        }
        EXPECT_EQ(array.shape(), Shape(dims));
        ++num_values;
      } catch (const errors::DataLossError&) {
        ++num_refused;
      } catch (const errors::InvalidArgumentError&) {
        ++num_refused;
      } catch (const errors::ResourceExhaustedError&) {  // of a dimension of 2^62, say
        ++num_refused;
      } catch (const errors::UnimplementedError&) {  // of a dtype without elements
        ++num_refused;
      }
    }
  }
  EXPECT_GT(num_values, 100);
  EXPECT_GT(num_refused, 100);
}

}  // namespace
}  // namespace flowray::wire
