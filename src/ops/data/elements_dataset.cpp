#include "ops/data/elements_dataset.h"

#include "ops/data/walk_state.h"

#include <utility>

namespace flowray::ops {
namespace {

struct ElementsWalk {
  static constexpr std::string_view kKind = "Elements";
  std::shared_ptr<const std::vector<Element>> all;
  size_t at = 0;

  bool next(Element& element) {
    if (at == all->size()) return false;
    element = (*all)[at++];
    return true;
  }
  void keep(WalkState& state) { state.count("at", at, all->size()); }
};

DatasetParts parts_of_elements(const std::vector<Element>& elements) {
  DatasetParts parts;
  for (const Element& element : elements)
    parts.others.insert(parts.others.end(), element.begin(), element.end());
  parts.cardinality = std::ssize(elements);
  return parts;
}

}  // namespace

ElementsDataset::ElementsDataset(std::vector<Element> elements)
    : Dataset(parts_of_elements(elements)),
      elements_(std::make_shared<const std::vector<Element>>(std::move(elements))) {}

Array ElementsDataset::value(std::vector<Element> elements) {
  return graph::variant_array(std::make_shared<ElementsDataset>(std::move(elements)));
}

std::unique_ptr<DatasetIterator> ElementsDataset::begin(const IterationContext&) const {
  return make_iterator(ElementsWalk{elements_});
}

}  // namespace flowray::ops
