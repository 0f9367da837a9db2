#include "native/convert/docstrings.h"

#include <algorithm>

namespace flowray::python {
namespace {

struct Docstring {
  std::string_view name;
  const char* text;
};

/// Sorted by name.
constexpr Docstring kDocstrings[] = {
#include "docstrings.inc"  // which python/read_docstrings.py makes of include/flowray/tf
};

}  // namespace

const char* docstring_of(std::string_view name) {
  const Docstring* const found = std::ranges::lower_bound(kDocstrings, name, {}, &Docstring::name);
  return found != std::end(kDocstrings) && found->name == name ? found->text : nullptr;
}

}  // namespace flowray::python
