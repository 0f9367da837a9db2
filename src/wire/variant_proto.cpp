#include "wire/variant_proto.h"

#include "wire/codec.h"

namespace flowray::wire {

template VariantTensorDataProto decode<VariantTensorDataProto>(std::string_view);
template std::string encode<VariantTensorDataProto>(const VariantTensorDataProto&);

template VariantTensorProto decode<VariantTensorProto>(std::string_view);
template std::string encode<VariantTensorProto>(const VariantTensorProto&);

}  // namespace flowray::wire
