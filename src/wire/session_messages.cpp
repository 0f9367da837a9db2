#include "wire/session_messages.h"

#include "wire/codec.h"

namespace flowray::wire {

#define FLOWRAY_MESSAGE(M)                 \
  template M decode<M>(std::string_view); \
  template std::string encode<M>(const M&)
FLOWRAY_MESSAGE(CreateSessionRequest);
FLOWRAY_MESSAGE(CreateSessionResponse);
FLOWRAY_MESSAGE(ExtendSessionRequest);
FLOWRAY_MESSAGE(ExtendSessionResponse);
FLOWRAY_MESSAGE(PartialRunSetupRequest);
FLOWRAY_MESSAGE(PartialRunSetupResponse);
FLOWRAY_MESSAGE(RunStepRequest);
FLOWRAY_MESSAGE(RunStepResponse);
FLOWRAY_MESSAGE(CloseSessionRequest);
FLOWRAY_MESSAGE(ListDevicesRequest);
FLOWRAY_MESSAGE(ListDevicesResponse);
FLOWRAY_MESSAGE(ResetRequest);
FLOWRAY_MESSAGE(MakeCallableRequest);
FLOWRAY_MESSAGE(MakeCallableResponse);
FLOWRAY_MESSAGE(RunCallableRequest);
FLOWRAY_MESSAGE(RunCallableResponse);
FLOWRAY_MESSAGE(ReleaseCallableRequest);
#undef FLOWRAY_MESSAGE
template EncodedPieces encode_pieces<RunStepResponse>(const RunStepResponse&, size_t);
template EncodedPieces encode_pieces<RunCallableResponse>(const RunCallableResponse&, size_t);

}  // namespace flowray::wire
