#pragma once
/// Where the parts of a step that run on different devices meet: one leaves a value under a key, another
/// takes it. The forms of keys and of frame numbers are TensorFlow's, so that its servers can be the other
/// side: tensorflow/core/framework/rendezvous.h, tensorflow/core/common_runtime/executor.cc.

#include "core/mutex.h"
#include "graph/op_schema.h"

#include <flowray/array.h>
#include <flowray/errors.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace flowray::graph {

/// What came: a value, word that there will be none because its branch was not taken, or an error.
struct Parcel {
  Array value = {};
  bool is_dead = false;
  Code code = Code::kOk;
  std::string text = {};
};

/// The place where values of one step are sent and received. Thread-safe.
class Rendezvous {
 public:
  using Taker = std::function<void(Parcel)>;

  virtual ~Rendezvous() = default;
  /// Does not wait. Throws errors::AbortedError for a key under which something was left before.
  virtual void send(const std::string& key, Parcel parcel) = 0;
  /// `take` hears once, perhaps before this returns and from whatever thread sends; it must not wait. Returns
  /// a way to give up before that; then `take` hears errors::CancelledError.
  virtual std::function<void()> receive(const std::string& key, Taker take) = 0;
};

/// Between parts that run in one process.
class LocalRendezvous final : public Rendezvous {
 public:
  void send(const std::string& key, Parcel parcel) override;
  std::function<void()> receive(const std::string& key, Taker take) override;
  /// The step has failed: pending and later receives get this error. Does nothing the second time.
  void fail(Code code, std::string text);

 private:
  struct Place {
    bool has_parcel = false;
    bool is_taken = false;
    Parcel parcel;
    Taker taker;
  };
  /// Shared with receives that may be cancelled when this has gone.
  struct Table {
    Mutex mutex;
    std::unordered_map<std::string, Place> places FLOWRAY_GUARDED_BY(mutex);
    Parcel failure FLOWRAY_GUARDED_BY(mutex);  // its code tells whether there was one
  };
  static void give_up(Table& table, const std::string& key);

  const std::shared_ptr<Table> table_ = std::make_shared<Table>();
};

/// Which iteration of which loop a node runs in; frame 0 is the step itself.
struct FrameIteration {
  uint64_t frame = 0;
  int64_t iteration = 0;
};
/// The number of the loop called `name` (the attribute frame_name of its Enter nodes) that is entered there.
uint64_t frame_inside(const FrameIteration& around, std::string_view name);

/// What a transfer knows of the run that it is a part of. Without a rendezvous it fails.
struct TransferContext {
  Rendezvous* rendezvous = nullptr;
  FrameIteration at = {};
  bool is_dead = false;  // the input of a _Send
};

/// Whether an op sends to, or receives from, another device: _Send, _Recv and their like.
bool is_transfer(const OpSchema& schema);

/// "SEND_DEVICE;INCARNATION;RECV_DEVICE;TENSOR_NAME;FRAME:ITERATION", by the attributes of a transfer.
std::string rendezvous_key(const Attrs& transfer, const FrameIteration& at);

}  // namespace flowray::graph
