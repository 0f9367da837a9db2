#pragma once
/// The collections that Python keeps of a graph, for files of graphs.

#include "native/convert/convert.h"

#include <map>
#include <string>
#include <vector>

namespace flowray::python {

using CollectionLists = std::map<std::string, std::vector<std::string>>;

/// Those of nodes and tensors, by names.
CollectionLists node_lists_of(const nb::object& graph);
/// The queue runners, encoded.
CollectionLists bytes_lists_of(const nb::object& graph);
/// Lists of names for Python: {collection: [name]}.
nb::dict dict_of(const CollectionLists& lists);

}  // namespace flowray::python
