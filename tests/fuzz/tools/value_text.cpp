// Values as they are written on a command line: --feed 'x=[[1, 2], [3, 4]]'.

#include "value_text.h"

#include <flowray/errors.h>

#include "fuzz/target.h"

namespace flowray::fuzz {

void run(std::string_view bytes) {
  const Literal value = tools::parse_value(std::string(bytes));
  for (const DType dtype : {DType::kInvalid, DType::kFloat32, DType::kInt8, DType::kString, DType::kBool}) {
    try {
      (void)value.to_array(dtype).to_string();
    } catch (const Error&) {  // half a number as int8, a list in a list of numbers
    }
  }
}

std::vector<std::string> seeds() {
  return {"3.5",      "true",     "\"te\\\"xt\"",         "[1, 2]",         "[[1, 2], [3, -4]]", "[]",
          "[[], []]", "1e300",    "-9223372036854775808", "[\"a\", \"b\"]", "[0.5, 7]",          "[false]",
          "nan",      "[[[[1]]]]"};
}

}  // namespace flowray::fuzz
