// Messages that TensorFlow's Python classes wrote: read, shown as text, written again; and the same ones
// made here.

#include "wire/graph_def.h"
#include "wire/recorded_messages.h"
#include "wire/tensor_value.h"
#include "wire/worker.h"

#include <flowray/errors.h>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <limits>

namespace flowray::wire {
namespace {

using testing::from_hexadecimal;
using testing::to_hexadecimal;

/// Reads a recorded message, compares its text form with Python's, and what is written with what was read.
/// (Not byte by byte: each library has an order of its own for maps.)
template <class M>
void expect_both_directions(const std::string& name) {
  const std::string bytes = recorded_message(name);
  const M message = decode<M>(bytes);
  EXPECT_EQ(to_text_format(message), recorded_messages().at("messages").at(name).at("text").text) << name;
  const std::string written = encode(message);
  EXPECT_EQ(written.size(), bytes.size()) << name;
  EXPECT_EQ(to_text_format(decode<M>(written)), to_text_format(message)) << name;
  // And Python's text is that message too.
  const M from_text = from_text_format<M>(recorded_messages().at("messages").at(name).at("text").text);
  EXPECT_EQ(to_hexadecimal(encode(from_text)), to_hexadecimal(written)) << name;
}

TEST(Message, IsReadAndWrittenAsPythonDoes) {
  expect_both_directions<NodeDef>("node_every_attribute");
  expect_both_directions<NodeDef>("node_empty");
  expect_both_directions<GraphDef>("graph_network");
  expect_both_directions<GraphDef>("graph_empty");
  expect_both_directions<GraphDef>("graph_versions");
  expect_both_directions<TensorProto>("tensor_lists");
}

// FunctionDef has fields that we do not list: their place moves to the end, nothing is lost.
TEST(Message, KeepsFieldsItDoesNotKnow) {
  const std::string bytes = recorded_message("graph_library");
  const GraphDef graph = decode<GraphDef>(bytes);
  ASSERT_TRUE(graph.library.has_value());
  ASSERT_EQ(graph.library->function.size(), 1u);
  EXPECT_EQ(graph.library->function[0].signature.name, "twice");
  EXPECT_FALSE(graph.library->function[0].unknown.empty());
  EXPECT_EQ(graph.library->gradient[0].gradient_func, "thrice");
  EXPECT_EQ(encode(graph).size(), bytes.size());

  // Field 99 as a varint, fixed32, fixed64 and text, in the middle of a VersionDef.
  const std::string known = from_hexadecimal("08aa13");
  const std::string unknown = from_hexadecimal(
      "980601"
      "9d0601020304"
      "99060102030405060708"
      "9a06026162");
  const std::string message = known + unknown + from_hexadecimal("100c");
  const VersionDef versions = decode<VersionDef>(message);
  EXPECT_EQ(versions.producer, 2474);
  EXPECT_EQ(versions.min_consumer, 12);
  EXPECT_EQ(to_hexadecimal(encode(versions)), to_hexadecimal(known + from_hexadecimal("100c") + unknown));
}

TEST(Message, TakesAFieldOfAnotherTypeForUnknown) {
  const std::string message = from_hexadecimal(
      "0a0161"
      "10ac02");  // producer as text, min_consumer as a number
  const VersionDef versions = decode<VersionDef>(message);
  EXPECT_EQ(versions.producer, 0);
  EXPECT_EQ(versions.min_consumer, 300);
  EXPECT_EQ(to_hexadecimal(encode(versions)), "10ac020a0161");
}

TEST(Message, ReadsNumbersThatAreNotPacked) {
  const VersionDef versions = decode<VersionDef>(from_hexadecimal("18011a02020318047a00"));
  EXPECT_EQ(versions.bad_consumers, (std::vector<int32_t>{1, 2, 3, 4}));
}

TEST(Message, MergesAMessageThatComesTwice) {
  const GraphDef graph =
      decode<GraphDef>(from_hexadecimal("22020801"
                                        "22021002"));
  EXPECT_EQ(graph.versions->producer, 1);
  EXPECT_EQ(graph.versions->min_consumer, 2);
}

TEST(Message, KeepsTheLastOfEqualKeysAndOfAOneof) {
  // attr {a: i 1}, attr {b: i 2}, attr {a: i 3 then f 0.5}
  const std::string bytes = from_hexadecimal(
      "2a070a016112021801"
      "2a070a016212021802"
      "2a0c0a0161120718032500"
      "00003f");
  const NodeDef node = decode<NodeDef>(bytes);
  ASSERT_EQ(node.attr.size(), 2u);
  EXPECT_EQ(std::get<AttrValue::kF>(node.attr.find("a")->value), 0.5f);
  EXPECT_EQ(std::get<AttrValue::kI>(node.attr.find("b")->value), 2);
}

TEST(Message, BorrowsContentsFromWhatWasRead) {
  TensorProto proto;
  proto.tensor_content = std::string(100, 'x');
  const std::string bytes = encode(proto);
  const TensorProto read = decode<TensorProto>(bytes);
  EXPECT_GE(read.tensor_content.view().data(), bytes.data());
  EXPECT_LE(read.tensor_content.view().data() + 100, bytes.data() + bytes.size());
  const TensorProto copied = proto;  // what is owned is copied
  EXPECT_NE(copied.tensor_content.view().data(), proto.tensor_content.view().data());
  EXPECT_EQ(copied.tensor_content, proto.tensor_content);
}

TEST(Message, InPiecesBorrowsWhatIsLarge) {
  GraphDef graph;
  NodeDef& node = graph.node.emplace_back();
  node.name = "n";
  TensorProto tensor;
  tensor.tensor_content = std::string(1000, 'y');
  node.attr.add("value").value.emplace<AttrValue::kTensor>(tensor);
  node.attr.add("z").value.emplace<AttrValue::kB>(false);
  const EncodedPieces encoded = encode_pieces(graph, 1000);
  ASSERT_EQ(encoded.pieces.size(), 3u);
  EXPECT_EQ(
      encoded.pieces[1].data(),
      std::get<AttrValue::kTensor>(graph.node[0].attr.find("value")->value)->tensor_content.view().data());
  std::string joined;
  for (const std::string_view piece : encoded.pieces) joined += piece;
  EXPECT_EQ(joined, encode(graph));
  EXPECT_EQ(encoded.size_bytes, joined.size());
}

/// Zeros that take no memory as long as nobody writes to them.
class EmptyPages {
 public:
  explicit EmptyPages(size_t size_bytes)
      : size_bytes_(size_bytes),
        begin_(::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~EmptyPages() { ::munmap(begin_, size_bytes_); }
  EmptyPages(const EmptyPages&) = delete;
  EmptyPages& operator=(const EmptyPages&) = delete;
  bool are_there() const { return begin_ != MAP_FAILED; }
  char* begin() const { return static_cast<char*>(begin_); }

 private:
  const size_t size_bytes_;
  void* const begin_;
};

TEST(Message, InPiecesMayBeLargerThanFourGib) {
  constexpr size_t kContent = size_t{5} << 30;
  constexpr size_t kHead = 64;  // at most
  const EmptyPages pages(kHead + kContent + kHead);
  if (!pages.are_there()) GTEST_SKIP() << "the system gives no such row of addresses";
  RecvTensorResponse message;
  message.tensor.tensor_content = Bytes::borrow({pages.begin(), kContent});
  message.send_start_micros = 7;
  const EncodedPieces encoded = encode_pieces(message);
  EXPECT_GT(encoded.size_bytes, kContent);
  // Put together, the content is the pages that are there already.
  std::string_view all;
  char* next = pages.begin();
  for (const std::string_view piece : encoded.pieces) {
    if (piece.size() < kContent) std::ranges::copy(piece, next);
    next += piece.size();
  }
  all = {pages.begin(), encoded.size_bytes};
  const auto read = decode<RecvTensorResponse>(all);
  EXPECT_EQ(read.tensor.tensor_content.size(), kContent);
  EXPECT_EQ(read.send_start_micros, 7);
  EXPECT_THROW(decode<RecvTensorResponse>(all.substr(0, all.size() - 1)), errors::DataLossError);
}

TEST(Message, MadeHereIsTheOneThatPythonMakes) {
  GraphDef graph;
  graph.library.emplace();
  graph.version = -3;
  graph.versions.emplace();
  EXPECT_EQ(encode(graph), recorded_message("graph_versions"));

  TensorProto tensor;
  tensor.dtype = DType::kInt32;
  tensor.tensor_shape = to_shape_proto(Shape({0, 1}));
  tensor.version_number = 2;
  tensor.tensor_content = std::string("ab\377");
  tensor.float_val = {1, 2.5f};
  tensor.double_val = {1e300};
  tensor.int_val = {-1, 300};
  tensor.string_val = {"x", ""};
  tensor.scomplex_val = {1, -2};
  tensor.int64_val = {-1};
  tensor.bool_val = {true, false};
  tensor.dcomplex_val = {0.1, 1};
  tensor.half_val = {1, 65535};
  tensor.uint32_val = {std::numeric_limits<uint32_t>::max()};
  tensor.uint64_val = {std::numeric_limits<uint64_t>::max()};
  EXPECT_EQ(to_hexadecimal(encode(tensor)), to_hexadecimal(recorded_message("tensor_lists")));
}

TEST(Message, ThatIsDamagedSaysWhichAndWhy) {
  try {
    decode<GraphDef>(from_hexadecimal("0a05"));
    FAIL() << "nothing was thrown";
  } catch (const errors::DataLossError& error) {
    EXPECT_TRUE(error.message().starts_with("Error parsing message with type 'tensorflow.GraphDef'"))
        << error.message();
  }
}

TEST(Message, NestedTooDeeplyIsAnErrorAndNoStackOverflow) {
  const auto wrap = [](int number, const std::string& inner) {
    std::string out(1, static_cast<char>(number << 3 | 2));
    size_t size = inner.size();
    for (; size >= 128; size >>= 7) out += static_cast<char>(size | 128);
    return out + static_cast<char>(size) + inner;
  };
  std::string bytes;
  for (int i = 0; i < 5000; ++i)
    bytes = wrap(10, wrap(2, wrap(2, bytes)));  // func { attr { value { func { ...
  EXPECT_THROW(decode<AttrValue>(bytes), errors::DataLossError);
}

}  // namespace
}  // namespace flowray::wire
