#include "wire/tensor_proto.h"

#include "wire/text_codec.h"

namespace flowray::wire::codec {

template const MessageTable* fill_table<TensorProto>();
template const MessageTable* fill_table<TensorShapeProto>();

}  // namespace flowray::wire::codec

namespace flowray::wire {

template TensorProto decode<TensorProto>(std::string_view);
template std::string encode<TensorProto>(const TensorProto&);
template EncodedPieces encode_pieces<TensorProto>(const TensorProto&, size_t);
template std::string to_text_format<TensorProto>(const TensorProto&);
template TensorProto from_text_format<TensorProto>(std::string_view);

template TensorShapeProto decode<TensorShapeProto>(std::string_view);
template std::string encode<TensorShapeProto>(const TensorShapeProto&);

}  // namespace flowray::wire
