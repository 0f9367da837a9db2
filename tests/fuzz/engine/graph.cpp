// A GraphDef into import, plan and runs of 100 ms. Half of the changes are those of tests/hostile, which
// know what a graph is, the others the fuzzer's own.
//
// fuzz: -timeout=120 -rss_limit_mb=4096

#include <flowray/errors.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <random>

#include "core/block_pool.h"
#include "files/decompress.h"
#include "files/file_contents.h"
#include "files/record.h"
#include "fuzz/target.h"
#include "hostile/drawn_graph.h"
#include "hostile/mutation.h"
#include "ops/all_ops.h"
#include "support/graph_trial.h"

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

void run(std::string_view bytes) {
  enter_a_folder();
  const auto graph = wire::decode<wire::GraphDef>(bytes);
  if (graph.node.size() > 200) return;
  for (const wire::NodeDef& node : graph.node) {
    if (node.op.view() == "Abort") return;  // as it is meant to
  }
  const bool even = bytes.size() % 2 == 0;
  try {
    (void)testing::try_graph(graph,
                             {.passes = bytes.size() % 3 != 0, .threads = even ? 1 : 2, .limit_ms = 100});
  } catch (const std::bad_alloc&) {  // an answer, too
  }
}

std::vector<std::string> seeds() {
  const std::string file = files::read_file("tests/hostile/seeds.tfrecord", files::FileAccess::all());
  const std::string records = files::decompressed(file, "GZIP", 0);
  files::RecordReader reader(records);
  std::vector<std::string> found;
  while (const auto record = reader.next()) found.emplace_back(*record);
  return found;
}

/// The bytes of a changed graph; none where the fuzzer is to change them itself.
std::string changed(std::string_view bytes, uint32_t seed) {
  std::mt19937 random(seed);
  if (random() % 8 == 0) return hostile::DrawnGraph(ops::op_table(), random()).draw("");
  if (random() % 2 == 0) return {};
  try {
    auto graph = wire::decode<wire::GraphDef>(bytes);
    hostile::Mutation mutation(ops::op_table(), random());
    mutation.apply(graph);
    return wire::encode(graph);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace flowray::fuzz

extern "C" {

size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  const std::string bytes = flowray::fuzz::changed({reinterpret_cast<const char*>(data), size}, seed);
  if (bytes.empty() || bytes.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

}  // extern "C"
