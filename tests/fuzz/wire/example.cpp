// tf.train.Example.

#include "wire/example.h"

#include <flowray/errors.h>

#include "fuzz/target.h"

namespace flowray::fuzz {

void run(std::string_view bytes) {
  for (const auto& [name, feature] : wire::read_example(bytes)) {
    try {
      switch (feature.kind) {
        case wire::Feature::Kind::kBytes:
          (void)feature.bytes();
          break;
        case wire::Feature::Kind::kFloats:
          (void)feature.floats();
          break;
        case wire::Feature::Kind::kIntegers:
          (void)feature.integers();
          break;
        case wire::Feature::Kind::kNone:
          break;
      }
    } catch (const Error&) {
    }
  }
}

std::vector<std::string> seeds() {
  // {"f": [1.5, -2], "i": [3, -1], "s": ["ab", ""]}, packed, and {"f": [1.5], "i": [7], "":
  // nothing}, not packed.
  return {
      from_hexadecimal(
          "0a380a110a0166120c120a0a080000c03f000000c00a140a0169120f1a0d0a0b03ffffffffffffffffff010a0d0a0173"
          "12080a060a0261620a00"),
      from_hexadecimal("0a1f0a0c0a0166120712050d0000c03f0a090a016912041a0208070a040a001200")};
}

}  // namespace flowray::fuzz
