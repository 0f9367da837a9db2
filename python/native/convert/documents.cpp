#include "native/convert/documents.h"

#include <algorithm>

namespace flowray::python {
namespace {

struct Document {
  std::string_view name;
  const char* text;
};

/// Sorted by name.
constexpr Document kDocuments[] = {
#include "documents.inc"  // which python/read_documents.py makes of include/flowray/tf
};

}  // namespace

const char* document_of(std::string_view name) {
  const Document* const found = std::ranges::lower_bound(kDocuments, name, {}, &Document::name);
  return found != std::end(kDocuments) && found->name == name ? found->text : nullptr;
}

}  // namespace flowray::python
