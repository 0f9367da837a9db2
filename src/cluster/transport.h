#pragma once
/// How requests travel between machines: named methods, bytes there and bytes back. What is behind it is
/// gRPC, in a library of its own (grpc/), opened when it is first needed: it must not share its copy of
/// protobuf with a Python process that has TensorFlow's, and programs that do not leave their process start
/// without it.
///
/// Only what is in this header and in those it includes crosses that border, so it has no symbols but those
/// of the standard library.

#include "cluster/message.h"
#include "core/cancellation.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace flowray::cluster {

/// A canonical status code (flowray::Code) and its text.
struct Status {
  int code = 0;
  std::string text;
  /// More about an error, for programs: bytes that travel beside it (status_payload.h).
  std::string details = {};
  bool ok() const { return code == 0; }
};

/// A request that has come. What it refers to stays until the reply is given.
struct Request {
  /// "/tensorflow.MasterService/RunStep"
  std::string_view method;
  /// Aligned by luck; but where most of it is one content of a message that came in pieces, that content is
  /// to 64.
  std::span<const std::byte> bytes;
  /// Keeps `bytes` where they are beyond the end of the call.
  std::shared_ptr<const void> owner;
  /// Given when the client is gone or its deadline is over.
  Cancellation& cancellation;
};

struct Response {
  Message message;
  Status status;
  /// Of an answer given to Channel::Done: whether the thread that brings it may run what the answer makes
  /// possible, because other threads take what comes meanwhile.
  bool thread_has_time = false;
};

/// Where a request that comes in pieces is put together; null if there is none to be had.
struct Memory {
  std::byte* data = nullptr;
  std::shared_ptr<const void> owner;
};
/// Does not throw.
using Allocate = std::function<Memory(size_t size_bytes)>;

/// Takes the answer to a request, once, at once or later, from any thread. Does not throw.
using Reply = std::function<void(Response)>;

/// Answers requests, many at once, each in a thread of its own for as long as it likes; or goes away and
/// gives the reply later, so that a request that waits holds no thread. Does not throw.
using Handler = std::function<void(const Request&, Reply)>;

/// What a side of a connection shows and what it asks of the other one. All empty: nothing, and all that is
/// sent can be read on the way.
struct Security {
  std::string certificate;  // PEM
  std::string key;          // of the certificate, PEM
  std::string authority;    // PEM: what has signed the other side's certificate
  std::string token;        // sent with each request, and compared
  bool has_tls() const { return !authority.empty(); }
};

/// What a server listens for.
struct ListenOptions {
  std::string address;  // "host:port"
  Security security = {};
  int64_t most_message_bytes = INT32_MAX;
};

/// Listens at an address until it is destroyed: then no request is accepted any more, those under way are
/// cancelled, and the destructor returns when they have been replied to.
class Listener {
 public:
  virtual ~Listener() = default;
  /// The port that was asked for, or the one that the system chose for port 0.
  virtual int port() const = 0;
};

/// A connection to a server, made when it is first used and made again when it breaks. Thread-safe.
class Channel {
 public:
  virtual ~Channel() = default;
  using Deadline = std::chrono::system_clock::time_point;
  /// Waits for the answer; its message is one piece. `deadline` of Deadline::max(): none.
  virtual Response call(std::string_view method, const Message& message, Deadline deadline,
                        Cancellation* cancellation) = 0;

  struct Limits {
    Deadline deadline = Deadline::max();  // none
    /// A server that is not there is waited for until the deadline; else that is UNAVAILABLE at once.
    bool waits_for_server = false;
  };
  /// Is given the answer once, perhaps before start() returns, in a thread of the transport's that others
  /// wait for, unless the response says that it has time. Must not throw.
  using Done = std::function<void(Response)>;
  /// Asks without waiting. What it returns gives the call up: `done` gets CANCELLED then, unless it has been
  /// called; it may be used at any time, also when the channel has gone, and does not wait.
  virtual std::function<void()> start(std::string_view method, const Message& message, const Limits& limits,
                                      Done done) = 0;
  /// Larger answers are RESOURCE_EXHAUSTED.
  virtual int64_t most_answer_bytes() const { return INT64_MAX; }
};

class Transport {
 public:
  virtual ~Transport() = default;
  /// Null and a text in `error` if the address cannot be had, or not with these certificates.
  virtual std::unique_ptr<Listener> listen(const ListenOptions& options, Handler handler, Allocate allocate,
                                           std::string& error) = 0;
  /// `allocate`: memory for answers that come in pieces; null: of the heap.
  /// `most_answer_bytes`: as of Channel.
  virtual std::unique_ptr<Channel> connect(const std::string& address, const Security& security = {},
                                           Allocate allocate = nullptr,
                                           int64_t most_answer_bytes = INT64_MAX) = 0;
};

/// The one of this process: opens the library. Throws errors::UnavailableError if it is not there or of
/// another version.
Transport& transport();

/// Memory of the arrays' pool, so that large requests find it warm.
Memory allocate_from_pool(size_t size_bytes);

/// Counts up with each change of this header; the library says which it was built for.
inline constexpr int kTransportVersion = 7;
/// What the library exports, as flowray_cluster_transport: null for another version.
using TransportFunction = Transport* (*)(int version);

}  // namespace flowray::cluster
