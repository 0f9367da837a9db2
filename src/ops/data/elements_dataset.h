#pragma once
/// Datasets of elements that are there already: windows and groups.

#include "ops/data/dataset.h"

#include <memory>
#include <vector>

namespace flowray::ops {

class ElementsDataset final : public Dataset {
 public:
  explicit ElementsDataset(std::vector<Element> elements);
  /// The same as a value of the graph.
  static Array value(std::vector<Element> elements);
  const std::vector<Element>& elements() const { return *elements_; }

 private:
  std::unique_ptr<DatasetIterator> begin(const IterationContext& context) const override;

  const std::shared_ptr<const std::vector<Element>> elements_;  // walks share it
};

}  // namespace flowray::ops
