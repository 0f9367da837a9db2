#include "compare/pattern.h"

#include <algorithm>

namespace flowray::compare {

Array pattern(const Shape& shape, int64_t factor, float scale) {
  Array values(DType::kFloat32, shape);
  float* out = values.mutable_data<float>();
  for (int64_t i = 0; i < values.size(); ++i) {
    out[i] = static_cast<float>((i * factor) % 2000 - 1000) / 1000.0f * scale;
  }
  return values;
}

Array labels_of(int64_t batch) {
  constexpr int64_t kClasses = 10;
  Array labels(DType::kFloat32, {batch, kClasses});
  float* out = labels.mutable_data<float>();
  std::fill(out, out + labels.size(), 0.0f);
  for (int64_t row = 0; row < batch; ++row) out[row * kClasses + row * 7 % kClasses] = 1;
  return labels;
}

}  // namespace flowray::compare
