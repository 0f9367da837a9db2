#include "wire/summary.h"

#include "wire/text_codec.h"

namespace flowray::wire {

template SummaryMetadata decode<SummaryMetadata>(std::string_view);
template std::string encode<SummaryMetadata>(const SummaryMetadata&);

template Summary decode<Summary>(std::string_view);
template std::string encode<Summary>(const Summary&);
template std::string to_text_format<Summary>(const Summary&);
template Summary from_text_format<Summary>(std::string_view);

}  // namespace flowray::wire
