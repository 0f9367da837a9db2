// NumPy's files.

#include "files/npy.h"

#include "fuzz/target.h"

namespace flowray::fuzz {

void run(std::string_view bytes) {
  const InputFile file(bytes);
  const Array array = files::read_npy(file.path());
  // What was read is written and read again.
  const InputFile again("");
  files::write_npy(again.path(), array);
  const Array same = files::read_npy(again.path());
  check(same.shape() == array.shape(), "an array keeps its shape");
  check(same.dtype() == array.dtype(), "an array keeps its dtype");
}

std::vector<std::string> seeds() { return files_of_tests("golden/npy", ".npy"); }

}  // namespace flowray::fuzz
