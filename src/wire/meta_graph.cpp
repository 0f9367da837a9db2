#include "wire/meta_graph.h"

#include "wire/codec.h"

namespace flowray::wire {

template VariableDef decode<VariableDef>(std::string_view);
template std::string encode<VariableDef>(const VariableDef&);

template SignatureDef decode<SignatureDef>(std::string_view);
template std::string encode<SignatureDef>(const SignatureDef&);

template AssetFileDef decode<AssetFileDef>(std::string_view);
template std::string encode<AssetFileDef>(const AssetFileDef&);

template SavedModel decode<SavedModel>(std::string_view);
template std::string encode<SavedModel>(const SavedModel&);

template MetaGraphDef decode<MetaGraphDef>(std::string_view);
template std::string encode<MetaGraphDef>(const MetaGraphDef&);

}  // namespace flowray::wire
