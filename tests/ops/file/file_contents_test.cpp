// Files that ops find, write and read.

#include "ops/array_testing.h"

#include <filesystem>

#include "support/idx_files.h"

namespace flowray::testing {
namespace {

Array strings(const std::vector<std::string>& values) { return Array(values); }

TEST(Files, AreFoundWrittenAndRead) {
  const TestFolder folder;
  const std::string path = folder.path() / "a" / "b.txt";
  run_op_all("WriteFile", {Array(path), Array("text")});
  EXPECT_EQ(run_op("ReadFile", {Array(path)}), Array("text"));
  EXPECT_EQ(run_op("MatchingFiles", {Array(std::string(folder.path() / "*" / "?.txt"))}), strings({path}));
  EXPECT_THROW(run_op("ReadFile", {Array(path + "x")}), errors::NotFoundError);
}

}  // namespace
}  // namespace flowray::testing
