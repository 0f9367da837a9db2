#include "wire/bundle.h"

#include "wire/codec.h"

namespace flowray::wire {

template BundleHeaderProto decode<BundleHeaderProto>(std::string_view);
template std::string encode<BundleHeaderProto>(const BundleHeaderProto&);

template BundleEntryProto decode<BundleEntryProto>(std::string_view);
template std::string encode<BundleEntryProto>(const BundleEntryProto&);

}  // namespace flowray::wire
