#include "graph/resource/resource_value.h"

#include "graph/resource/kept_value.h"

namespace flowray::graph {

Array resource_value(std::shared_ptr<Resource> resource) {
  return keeping_array(std::move(resource), DType::kResource);
}

}  // namespace flowray::graph
