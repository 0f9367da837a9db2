// The text form of a GraphDef into import, plan and runs of 100 ms: what `flowray run` reads.
//
// fuzz: -timeout=120 -rss_limit_mb=4096

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <new>

#include "core/block_pool.h"
#include "files/decompress.h"
#include "files/file_contents.h"
#include "files/record.h"
#include "fuzz/target.h"
#include "support/graph_trial.h"
#include "wire/graph_def.h"

namespace flowray::fuzz {
namespace {

constexpr int64_t kMostMemory = int64_t{1} << 30;  // of arrays

/// What graphs write goes to a folder of its own.
void enter_a_folder() {
  static const bool entered = [] {
    std::string folder = (std::filesystem::temp_directory_path() / "flowray-fuzz-XXXXXX").string();
    check(::mkdtemp(folder.data()) != nullptr, "there is a folder for what graphs write");
    std::filesystem::current_path(folder);
    limit_block_pool(kMostMemory);
    return true;
  }();
  (void)entered;
}

}  // namespace

void run(std::string_view text) {
  enter_a_folder();
  const auto graph = wire::from_text_format<wire::GraphDef>(text);
  const auto ends_the_program = [](const wire::NodeDef& node) { return node.op.view() == "Abort"; };
  if (graph.node.size() > 200 || std::ranges::any_of(graph.node, ends_the_program)) return;
  try {
    (void)testing::try_graph(graph,
                             {.passes = text.size() % 3 != 0, .limit_ms = 100, .may_be_at_fault = true});
  } catch (const std::bad_alloc&) {  // an answer, too
  }
}

/// Of the graphs of tests/hostile the small ones.
std::vector<std::string> seeds() {
  constexpr size_t kMostBytes = 800;
  const std::string file = files::read_file("tests/hostile/seeds.tfrecord", files::FileAccess::all());
  const std::string records = files::decompressed(file, "GZIP", 0);
  files::RecordReader reader(records);
  std::vector<std::string> found;
  while (const auto record = reader.next()) {
    if (record->size() <= kMostBytes)
      found.push_back(wire::to_text_format(wire::decode<wire::GraphDef>(*record)));
  }
  return found;
}

}  // namespace flowray::fuzz
