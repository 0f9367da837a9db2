#include "wire/graph_def.h"

#include "wire/text_codec.h"

namespace flowray::wire::codec {

template const MessageTable* fill_table<GraphDef>();
template const MessageTable* fill_table<AttrValue>();
template const MessageTable* fill_table<NodeDef>();

}  // namespace flowray::wire::codec

namespace flowray::wire {

template AttrValue decode<AttrValue>(std::string_view);
template std::string encode<AttrValue>(const AttrValue&);

template NodeDef decode<NodeDef>(std::string_view);
template std::string encode<NodeDef>(const NodeDef&);
template std::string to_text_format<NodeDef>(const NodeDef&);
template NodeDef from_text_format<NodeDef>(std::string_view);

template VersionDef decode<VersionDef>(std::string_view);
template std::string encode<VersionDef>(const VersionDef&);

template FunctionDefLibrary decode<FunctionDefLibrary>(std::string_view);
template std::string encode<FunctionDefLibrary>(const FunctionDefLibrary&);

template GraphDef decode<GraphDef>(std::string_view);
template std::string encode<GraphDef>(const GraphDef&);
template EncodedPieces encode_pieces<GraphDef>(const GraphDef&, size_t);
template std::string to_text_format<GraphDef>(const GraphDef&);
template GraphDef from_text_format<GraphDef>(std::string_view);

}  // namespace flowray::wire
