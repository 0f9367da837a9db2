#include "wire/meta_graph.h"

#include "wire/codec.h"

namespace flowray::wire {

template VariableDef decode<VariableDef>(std::string_view);
template std::string encode<VariableDef>(const VariableDef&);

template MetaGraphDef decode<MetaGraphDef>(std::string_view);
template std::string encode<MetaGraphDef>(const MetaGraphDef&);

}  // namespace flowray::wire
