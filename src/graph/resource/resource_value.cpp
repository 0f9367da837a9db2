#include "graph/resource/resource_value.h"

#include "core/buffer.h"

namespace flowray::graph {

Array resource_value(std::shared_ptr<Resource> resource) {
  Resource* const address = resource.get();
  auto owner = std::make_unique<std::shared_ptr<Resource>>(std::move(resource));
  BufferRef buffer = Buffer::adopt(
      nullptr, 0, [](void* held) { delete static_cast<std::shared_ptr<Resource>*>(held); }, owner.get(),
      false);
  (void)owner.release();
  return Array::wrap(buffer.leave(), address, DType::kResource, Shape());
}

}  // namespace flowray::graph
