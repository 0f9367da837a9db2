#include "wire/master.h"

#include "wire/codec.h"

namespace flowray::wire {

// What a server reads, a client and tests write; and the other way around.
template NamedTensorProto decode(std::string_view);
template std::string encode(const NamedTensorProto&);
template CreateSessionRequest decode(std::string_view);
template std::string encode(const CreateSessionRequest&);
template EncodedPieces encode_pieces(const CreateSessionRequest&, size_t);
template CreateSessionResponse decode(std::string_view);
template std::string encode(const CreateSessionResponse&);
template ExtendSessionRequest decode(std::string_view);
template std::string encode(const ExtendSessionRequest&);
template EncodedPieces encode_pieces(const ExtendSessionRequest&, size_t);
template ExtendSessionResponse decode(std::string_view);
template std::string encode(const ExtendSessionResponse&);
template RunStepRequest decode(std::string_view);
template std::string encode(const RunStepRequest&);
template EncodedPieces encode_pieces(const RunStepRequest&, size_t);
template ExplainRequest decode(std::string_view);
template std::string encode(const ExplainRequest&);
template EncodedPieces encode_pieces(const ExplainRequest&, size_t);
template RunStepResponse decode(std::string_view);
template std::string encode(const RunStepResponse&);
template EncodedPieces encode_pieces(const RunStepResponse&, size_t);
template PartialRunSetupRequest decode(std::string_view);
template std::string encode(const PartialRunSetupRequest&);
template PartialRunSetupResponse decode(std::string_view);
template std::string encode(const PartialRunSetupResponse&);
template CloseSessionRequest decode(std::string_view);
template std::string encode(const CloseSessionRequest&);
template ResetRequest decode(std::string_view);
template std::string encode(const ResetRequest&);
template ListDevicesRequest decode(std::string_view);
template std::string encode(const ListDevicesRequest&);
template ListDevicesResponse decode(std::string_view);
template std::string encode(const ListDevicesResponse&);
template MakeCallableRequest decode(std::string_view);
template std::string encode(const MakeCallableRequest&);
template MakeCallableResponse decode(std::string_view);
template std::string encode(const MakeCallableResponse&);
template RunCallableRequest decode(std::string_view);
template std::string encode(const RunCallableRequest&);
template RunCallableResponse decode(std::string_view);
template std::string encode(const RunCallableResponse&);
template EncodedPieces encode_pieces(const RunCallableResponse&, size_t);
template ReleaseCallableRequest decode(std::string_view);
template std::string encode(const ReleaseCallableRequest&);

}  // namespace flowray::wire
