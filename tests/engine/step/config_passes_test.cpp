// A client's options in bytes, as TensorFlow's Python writes them, and the passes that they leave.

#include "engine/step/config_passes.h"

#include <gtest/gtest.h>

#include <string>

namespace flowray::engine {
namespace {

/// The passes that are on, by their first letters: raise, fold, drop, share, fuse.
std::string passes_with(std::string_view graph_options) {
  std::string bytes = "\x52";  // graph_options is field 10
  bytes += static_cast<char>(graph_options.size());
  bytes += graph_options;
  const PassOptions passes = passes_of(wire::decode<wire::ConfigProto>(bytes).graph_options);
  std::string on;
  if (passes.raise) on += " raise";
  if (passes.fold) on += " fold";
  if (passes.drop) on += " drop";
  if (passes.share) on += " share";
  if (passes.fuse) on += " fuse";
  return on;
}

TEST(ConfigPasses, AreAllOnUnlessTheClientSaysOtherwise) {
  const PassOptions passes = passes_of(std::nullopt);
  EXPECT_TRUE(passes.raise && passes.fold && passes.drop && passes.share && passes.fuse);
  EXPECT_EQ(passes_with(""), " raise fold drop share fuse");
  // GraphOptions(optimizer_options=OptimizerOptions(do_common_subexpression_elimination=True))
  EXPECT_EQ(passes_with(std::string_view("\x1a\x02\x08\x01", 4)), " raise fold drop share fuse");
  // rewrite_options=RewriterConfig(remapping=RewriterConfig.ON)
  EXPECT_EQ(passes_with(std::string_view("\x52\x02\x70\x01", 4)), " raise fold drop share fuse");
}

TEST(ConfigPasses, OfLevelZeroNeitherFoldNorShare) {
  // GraphOptions(optimizer_options=OptimizerOptions(opt_level=OptimizerOptions.L0))
  EXPECT_EQ(passes_with("\x1a\x0b\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), " raise drop fuse");
  // The same with do_common_subexpression_elimination=True or do_constant_folding=True
  EXPECT_EQ(passes_with(std::string_view("\x1a\x0d\x08\x01\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 15)),
            " raise drop share fuse");
  EXPECT_EQ(passes_with(std::string_view("\x1a\x0d\x10\x01\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 15)),
            " raise fold drop fuse");
}

TEST(ConfigPasses, AreOffOneByOneWithTheirRewrites) {
  EXPECT_EQ(passes_with("\x52\x02\x18\x02"), " raise drop share fuse");     // constant_folding=OFF
  EXPECT_EQ(passes_with("\x52\x02\x40\x02"), " raise fold share fuse");     // dependency_optimization=OFF
  EXPECT_EQ(passes_with("\x52\x02\x70\x02"), " raise fold drop share");     // remapping=OFF
  EXPECT_EQ(passes_with("\x52\x03\xc0\x01\x02"), " raise fold drop fuse");  // common_subgraph_elimination=OFF
  EXPECT_EQ(passes_with("\x52\x03\x98\x01\x01"), " raise fold share");      // disable_meta_optimizer=True
}

}  // namespace
}  // namespace flowray::engine
