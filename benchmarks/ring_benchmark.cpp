// A message to another process and back, and many one way: through a ring that both ends spin on, through one
// whose ends sleep, and through a pair of sockets as the peer.

#include <benchmark/benchmark.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <new>
#include <vector>

#include "ray/transport/ring.h"
#include "ray/transport/shared_region.h"

namespace flowray::ray {
namespace {

constexpr size_t kCapacity = size_t{1} << 18;

/// One direction: a doorbell of its reader, one of its writer, and the ring.
class Lane {
 public:
  explicit Lane(std::span<std::byte> memory)
      : reader_bell_(*new(memory.data()) Doorbell),
        writer_bell_(*new(memory.data() + 64) Doorbell),
        writer_(memory.subspan(128)),
        reader_(memory.subspan(128)) {}
  static constexpr size_t kBytes = 128 + ring_memory_bytes(kCapacity);

  void send(size_t bytes, int64_t spin_us) {
    std::byte* room = nullptr;
    while (!spin_until([&] { return (room = writer_.reserve(bytes)) != nullptr; }, spin_us)) {
      writer_bell_.announce(Doorbell::How::kFutex);
      if (writer_.ask_for_room(bytes)) {
        writer_bell_.cancel();
      } else {
        writer_bell_.sleep(-1);
      }
    }
    std::memset(room, 1, bytes);
    writer_.commit(bytes);
    reader_bell_.ring(-1);
  }

  void receive(int64_t spin_us) {
    while (!spin_until([&] { return !reader_.empty(); }, spin_us)) {
      reader_bell_.announce(Doorbell::How::kFutex);
      if (reader_.take_writer_waits()) writer_bell_.ring(-1);
      if (reader_.empty()) {
        reader_bell_.sleep(-1);
      } else {
        reader_bell_.cancel();
      }
    }
    benchmark::DoNotOptimize(reader_.peek()[0]);
    reader_.pop();
    if (reader_.take_writer_waits()) writer_bell_.ring(-1);
  }

 private:
  Doorbell& reader_bell_;
  Doorbell& writer_bell_;
  RingWriter writer_;
  RingReader reader_;
};

/// Two lanes, and a process that does `serve` at their other ends for ever.
class Peer {
 public:
  template <typename Serve>
  explicit Peer(Serve serve)
      : region_(SharedRegion::create("ring benchmark", 2 * Lane::kBytes)),
        there_(region_.bytes().first(Lane::kBytes)),
        back_(region_.bytes().subspan(Lane::kBytes)) {
    child_ = fork();
    if (child_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (;;) serve(there_, back_);
    }
  }
  ~Peer() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  Lane& there() { return there_; }
  Lane& back() { return back_; }

 private:
  SharedRegion region_;
  Lane there_;
  Lane back_;
  pid_t child_ = -1;
};

// Arguments: bytes of a message; microseconds that both ends spin before they sleep.
void BM_RingPingPong(benchmark::State& state) {
  const auto bytes = static_cast<size_t>(state.range(0));
  const int64_t spin_us = state.range(1);
  Peer peer([=](Lane& there, Lane& back) {
    there.receive(spin_us);
    back.send(bytes, spin_us);
  });
  for (auto _ : state) {
    peer.there().send(bytes, spin_us);
    peer.back().receive(spin_us);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_RingPingPong)->ArgsProduct({{64, 1024}, {50, 0}})->UseRealTime();

// One way, with an answer at the end of each batch only.
void BM_RingPipelined(benchmark::State& state) {
  constexpr int kBatch = 1000;
  const auto bytes = static_cast<size_t>(state.range(0));
  const int64_t spin_us = state.range(1);
  Peer peer([=](Lane& there, Lane& back) {
    for (int i = 0; i < kBatch; ++i) there.receive(spin_us);
    back.send(8, spin_us);
  });
  for (auto _ : state) {
    for (int i = 0; i < kBatch; ++i) peer.there().send(bytes, spin_us);
    peer.back().receive(spin_us);
  }
  state.SetItemsProcessed(state.iterations() * kBatch);
}
BENCHMARK(BM_RingPipelined)->ArgsProduct({{64, 1024}, {50, 0}})->UseRealTime();

// The peer: what the kernel offers for messages between two processes.
void BM_SocketPingPong(benchmark::State& state) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return state.SkipWithError("socketpair");
  const Descriptor here(ends[0]);
  const Descriptor other(ends[1]);
  std::vector<char> message(static_cast<size_t>(state.range(0)), 1);
  Peer peer([&](Lane&, Lane&) {
    if (recv(other.get(), message.data(), message.size(), 0) <= 0) _exit(0);
    if (send(other.get(), message.data(), message.size(), MSG_NOSIGNAL) < 0) _exit(1);
  });
  for (auto _ : state) {
    if (send(here.get(), message.data(), message.size(), MSG_NOSIGNAL) < 0 ||
        recv(here.get(), message.data(), message.size(), 0) <= 0) {
      state.SkipWithError("the other process is gone");
      break;
    }
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_SocketPingPong)->Arg(64)->Arg(1024)->UseRealTime();

// What a message costs its sender when the reader is awake: no other process.
void BM_RingSendAndReceiveHere(benchmark::State& state) {
  SharedRegion region = SharedRegion::create("ring benchmark", Lane::kBytes);
  Lane lane(region.bytes());
  for (auto _ : state) {
    lane.send(64, 0);
    lane.receive(0);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_RingSendAndReceiveHere);

}  // namespace
}  // namespace flowray::ray

BENCHMARK_MAIN();
