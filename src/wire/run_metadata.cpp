#include "wire/run_metadata.h"

#include "wire/codec.h"

namespace flowray::wire::codec {

template const MessageTable* fill_table<RunMetadata>();
template const MessageTable* fill_table<DeviceAttributes>();

}  // namespace flowray::wire::codec

namespace flowray::wire {

template StepStats decode(std::string_view);
template std::string encode(const StepStats&);
template RunMetadata decode(std::string_view);
template std::string encode(const RunMetadata&);
template DeviceAttributes decode(std::string_view);
template std::string encode(const DeviceAttributes&);

}  // namespace flowray::wire
