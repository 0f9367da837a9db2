// Texts that name parts of tensors.

#include "files/tensor_slice.h"
#include "fuzz/target.h"

namespace flowray::fuzz {

void run(std::string_view bytes) {
  const files::SliceSpec spec = files::parse_slice_spec(bytes);
  check(spec.slice.shape_in(spec.full) == spec.shape, "a part has the shape that its text says");
  for (int i = 0; i < spec.full.rank(); ++i)
    check(spec.shape.dim(i) <= spec.full.dim(i), "a part lies in its tensor");
  (void)files::slice_key("name", spec.slice);
}

std::vector<std::string> seeds() { return {"5 2 0,3:-", "4 3 1,2:0,1", "20000 60,10000", "1 "}; }

}  // namespace flowray::fuzz
