// Writes the cache of a dataset and is killed by a system call on the way.
//     test-tf-killed_caching FOLDER NUMBER
// walks through a dataset of 10, 20, 30, each with a text, that is cached in FOLDER/cache, and gets SIGKILL
// in place of the call of this number on files below FOLDER; ends with 0 where there are fewer.

#include <flowray/tf.h>

#include <string>

#include "support/interposed/file_calls.h"

namespace tf = flowray::tf;

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::filesystem::path folder = argv[1];
  using tf::data::Dataset;
  const auto numbers =
      Dataset::zip({Dataset::range(10, 40, 10), Dataset::from_tensor_slices({"ten", "twenty", "thirty"})});
  flowray::testing::FileCalls calls(folder);
  calls.kill_at(std::stoul(argv[2]));
  int count = 0;
  for (const auto& element : numbers.cache((folder / "cache").string()))
    count += static_cast<int>(element.size());
  return count == 6 ? 0 : 3;
}
