// The index of a checkpoint as bytes: LevelDB's table.

#include "files/bundle_index.h"

#include "fuzz/target.h"
#include "wire/bundle.h"

namespace flowray::fuzz {

void run(std::string_view bytes) {
  const InputFile file(bytes);
  const files::BundleIndex index(file.path(), files::FileAccess::all());
  index.for_each([&](std::string_view key, std::string_view message) {
    check(index.find(key) == message, "what is listed is found");
  });
}

std::vector<std::string> seeds() { return files_of_tests("golden/checkpoints", ".index"); }

}  // namespace flowray::fuzz
