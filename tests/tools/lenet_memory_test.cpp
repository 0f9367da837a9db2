// Whether flowray-lenet refuses the actors that do not fit, and only those: what it says of an actor's memory
// is measured.

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <regex>

#include "core/sanitizers.h"
#include "tools/lenet_job.h"

namespace flowray {
namespace {

using testing::Bytes;
using testing::ChildProcess;
using ::testing::HasSubstr;
using testing::idx_bytes;
using testing::kEndless;
using ::testing::MatchesRegex;
using testing::write_file;

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class LenetMemory : public testing::LenetJob {
 protected:
  /// More actors than this machine's memory holds at 10 MB each, and data with an image for each of them.
  std::string too_many() const {
    const auto memory_bytes =
        static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    const auto actors = static_cast<uint32_t>(memory_bytes / 10'000'000);
    std::filesystem::remove(data("train-images-idx3-ubyte.gz"));
    std::filesystem::remove(data("train-labels-idx1-ubyte.gz"));
    write_file(data("train-images-idx3-ubyte"), idx_bytes({actors, 28, 28}, Bytes(actors * 28 * 28)));
    write_file(data("train-labels-idx1-ubyte"), idx_bytes({actors}, Bytes(actors)));
    return std::to_string(actors);
  }

  /// What all processes of a training together take of the memory, each page once.
  double megabytes_of_training(int actors) const {
    ChildProcess job(command({"--steps", kEndless, "--actors", std::to_string(actors)}));
    job.await_output("100/");
    double kilobytes = 0;
    for (const auto& process : std::filesystem::directory_iterator("/proc")) {
      if (content_of(process.path() / "cmdline").find(folder_.path()) == std::string::npos) continue;
      const std::string rollup = content_of(process.path() / "smaps_rollup");
      std::smatch found;
      if (std::regex_search(rollup, found, std::regex("\nPss: +([0-9]+) kB")))
        kilobytes += std::stod(found[1]);
    }
    job.send_signal(SIGTERM);
    EXPECT_EQ(job.wait(), 143);
    return kilobytes / 1024;
  }
};

TEST_F(LenetMemory, RefusesMoreActorsThanFit) {
  const std::string actors = too_many();
  EXPECT_THAT(
      complaint_of({"--actors", actors}),
      MatchesRegex(
          "flowray-lenet: --actors " + actors +
          ": about [0-9]+ MB each is more than the [0-9]+ MB of memory that are free; [0-9]+ would fit\n"));
}

TEST_F(LenetMemory, SaysNoLessThanAnActorTakes) {
  if (kSanitized) GTEST_SKIP() << "sanitizers have memory of their own";
  const double one = (megabytes_of_training(10) - megabytes_of_training(2)) / 8;
  ASSERT_GT(one, 1) << "the processes were not found";
  const std::string complaint = complaint_of({"--actors", too_many()});
  std::smatch found;
  ASSERT_TRUE(std::regex_search(complaint, found, std::regex("about ([0-9]+) MB each")));
  const double told = std::stod(found[1]);
  EXPECT_LE(one, told);
  EXPECT_GT(2 * one, told) << "actors that fit would be refused";
}

}  // namespace
}  // namespace flowray
