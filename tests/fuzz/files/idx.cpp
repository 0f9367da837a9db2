// idx files, plain and gzipped.

#include "files/idx.h"

#include "fuzz/target.h"

namespace flowray::fuzz {

void run(std::string_view bytes) {
  const InputFile file(bytes);
  const files::IdxFile idx = files::read_idx(file.path());
  size_t count = 1;
  for (const int64_t dim : idx.dims) count *= static_cast<size_t>(dim);
  check(idx.data.size() == count, "there are as many elements as the dimensions say");
}

std::vector<std::string> seeds() {
  return {from_hexadecimal("0000080100000003010203"),
          from_hexadecimal("00000803000000010000000200000002"
                           "01020304"),
          from_hexadecimal("1f8b08000000000002036360e0606460606066646206008be5bda40b000000")};
}

}  // namespace flowray::fuzz
