#include "wire/worker.h"

#include "wire/codec.h"

namespace flowray::wire {

// What a worker reads, a master and tests write; and the other way around.
template CreateWorkerSessionRequest decode(std::string_view);
template std::string encode(const CreateWorkerSessionRequest&);
template DeleteWorkerSessionRequest decode(std::string_view);
template std::string encode(const DeleteWorkerSessionRequest&);
template SessionHandles decode(std::string_view);
template std::string encode(const SessionHandles&);
template RegisterGraphRequest decode(std::string_view);
template std::string encode(const RegisterGraphRequest&);
template DeregisterGraphRequest decode(std::string_view);
template std::string encode(const DeregisterGraphRequest&);
template RunGraphRequest decode(std::string_view);
template std::string encode(const RunGraphRequest&);
template CleanupGraphRequest decode(std::string_view);
template std::string encode(const CleanupGraphRequest&);
template CleanupAllRequest decode(std::string_view);
template std::string encode(const CleanupAllRequest&);
template MarkRecvFinishedRequest decode(std::string_view);
template std::string encode(const MarkRecvFinishedRequest&);
template RecvTensorRequest decode(std::string_view);
template std::string encode(const RecvTensorRequest&);
template LoggingRequest decode(std::string_view);
template std::string encode(const LoggingRequest&);
template LoggingResponse decode(std::string_view);
template std::string encode(const LoggingResponse&);
template GetStatusResponse decode(std::string_view);
template std::string encode(const GetStatusResponse&);
template RegisterGraphResponse decode(std::string_view);
template std::string encode(const RegisterGraphResponse&);
template RunGraphResponse decode(std::string_view);
template std::string encode(const RunGraphResponse&);
template RecvTensorResponse decode(std::string_view);
template std::string encode(const RecvTensorResponse&);
template ServerDef decode(std::string_view);
template std::string encode(const ServerDef&);
template EncodedPieces encode_pieces(const RegisterGraphRequest&, size_t);
template EncodedPieces encode_pieces(const RunGraphRequest&, size_t);
template EncodedPieces encode_pieces(const RunGraphResponse&, size_t);
template EncodedPieces encode_pieces(const RecvTensorResponse&, size_t);

}  // namespace flowray::wire
