#include "wire/session_config.h"

#include "wire/text_codec.h"

namespace flowray::wire::codec {

template const MessageTable* fill_table<ConfigProto>();
template const MessageTable* fill_table<RunOptions>();
template const MessageTable* fill_table<CallableOptions>();

}  // namespace flowray::wire::codec

namespace flowray::wire {

template ClusterDef decode(std::string_view);
template std::string encode(const ClusterDef&);
template std::string to_text_format<ClusterDef>(const ClusterDef&);
template ConfigProto decode(std::string_view);
template std::string encode(const ConfigProto&);
template RunOptions decode(std::string_view);
template std::string encode(const RunOptions&);
template CallableOptions decode(std::string_view);
template std::string encode(const CallableOptions&);

}  // namespace flowray::wire
