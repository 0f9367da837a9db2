#pragma once
/// What files of models have of the language's initializers.

#include <flowray/tf/config.h>

#include <cstdint>
#include <optional>

namespace flowray::tf {

/// {"class_name": ..., "config": options}; of those that tf.keras knows a dtype of, float32 stands behind the
/// options.
inline Config initializer_config(const char* class_name, Config options, bool has_dtype = true) {
  if (options.is_null()) options = Config::items();
  if (has_dtype) options.set("dtype", "float32");
  return Config::items({{"class_name", class_name}, {"config", options}});
}

inline Config seed_config(const std::optional<int64_t>& seed) { return seed ? Config(*seed) : Config(); }

}  // namespace flowray::tf
