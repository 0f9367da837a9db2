#include "support/filled_memory.h"

#include "core/buffer.h"
#include "support/graph_trial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace flowray::testing {
namespace {

TEST(FilledMemory, IsWhatBuffersAreMadeOf) {
  if (!can_fill_free_memory()) GTEST_SKIP() << "no block is kept under a sanitizer";
  for (const std::byte fill : {std::byte{0x12}, std::byte{0xfe}}) {
    fill_free_memory(fill);
    for (const size_t bytes : {size_t{4}, size_t{100}, size_t{5000}, size_t{50'000}, kMostFilledBytes}) {
      const BufferRef buffer = Buffer::allocate(bytes);
      EXPECT_EQ(std::count(buffer->data(), buffer->data() + bytes, fill), bytes);
    }
  }
}

constexpr const char* kShapeAndUse =
    "node { name: 'shape' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } attr { key: 'value' "
    "value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 20 } } } } "
    "node { name: 'x' op: 'OP' input: 'shape' ATTRS } "
    "node { name: 'y' op: 'Neg' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } }";

wire::GraphDef graph_of(const std::string& op, const std::string& attrs) {
  std::string text = kShapeAndUse;
  text.replace(text.find("OP"), 2, op);
  text.replace(text.find("ATTRS"), 5, attrs);
  return wire::from_text_format<wire::GraphDef>(text);
}

TEST(FilledMemory, DoesNotShowInWhatIsWritten) {
  const std::string dtype = "attr { key: 'dtype' value { type: DT_FLOAT } }";
  EXPECT_EQ(node_that_is_not_written(graph_of("Empty", dtype)), std::nullopt);
}

TEST(FilledMemory, DoesNotShowInWhatIsDrawnByLot) {
  const std::string attrs =
      "attr { key: 'T' value { type: DT_INT32 } } attr { key: 'dtype' value { type: DT_FLOAT } }";
  EXPECT_EQ(node_that_is_not_written(graph_of("RandomUniform", attrs)), std::nullopt);
}

}  // namespace
}  // namespace flowray::testing
