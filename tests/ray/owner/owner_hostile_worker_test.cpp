// Workers that say what cannot be: the owner throws errors::DataLossError, and all others get what is theirs.

#include <flowray/errors.h>
#include <flowray/ray/containers.h>
#include <flowray/ray/encoding.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "ray/owner/owner.h"
#include "ray/values/value.h"

namespace flowray::ray {
namespace {

using Bytes = std::vector<std::byte>;

constexpr uint64_t kFunction = 77;

/// A world on paper: messages to workers are kept, regions are memory of this process.
class PaperWorld : public World {
 public:
  struct Paper {
    std::deque<Run> runs;  // without their parts
    std::set<uint64_t> begun;
    SlabId slab;
    std::vector<Linked> links;
    size_t num_links_made = 0;
  };

  void start_worker(WorkerId worker, std::string_view, WorkerKind) override { workers[worker.value]; }
  void kill_worker(WorkerId worker) override { to_die.insert(worker.value); }
  void interrupt_worker(WorkerId) override {}
  void pause(ActorId actor, uint32_t) override { pausing.push_back(actor); }
  void start_timer(TaskId, Timer, uint32_t) override {}
  void stop_timers(TaskId) noexcept override {}
  void send(WorkerId worker, const ToWorker& message) override {
    if (const auto* run = std::get_if<Run>(&message)) {
      auto& runs = workers.at(worker.value).runs;
      runs.push_back(*run);
      runs.back().parts = {};
    } else if (const auto* leased = std::get_if<Leased>(&message)) {
      workers.at(worker.value).slab = leased->slab;
    } else if (const auto* linked = std::get_if<Linked>(&message)) {
      if (linked->link && workers.contains(worker.value)) workers.at(worker.value).links.push_back(*linked);
    }
  }
  void issue(WorkerId, uint64_t) override {}
  bool revoke(WorkerId worker, uint64_t ticket) override {
    auto& paper = workers.at(worker.value);
    if (paper.begun.contains(ticket)) return false;
    std::erase_if(paper.runs,
                  [&](const Run& run) { return run.mode == CallMode::kTask && run.ticket == ticket; });
    return true;
  }
  bool has_begun(WorkerId worker, uint64_t ticket) override {
    return workers.at(worker.value).begun.contains(ticket);
  }
  void warn(const std::string&) override {}
  void start_spill(ObjectId, const Extent&) override {
    throw errors::ResourceExhaustedError("there is no disk");
  }
  void restore(const Spilled&, const Extent&) override {}
  void forget(const Spilled&) override {}
  std::span<const std::byte> view(const Extent& extent) override {
    const auto& region = regions.at(extent.slab.value);
    return std::span(region.get(), extent.offset + extent.size_bytes).subspan(extent.offset);
  }
  void create(SlabId slab, uint64_t bytes) override {
    regions.emplace(slab.value, Memory(static_cast<std::byte*>(std::calloc(bytes, 1)), &std::free));
  }
  void destroy(SlabId slab) override { regions.erase(slab.value); }
  void share(SlabId, WorkerId, bool) override {}
  void unshare(SlabId, WorkerId) override {}
  void open_lease(WorkerId, uint32_t) override {}
  bool end_lease(WorkerId, uint32_t, uint32_t) override { return false; }

  using Memory = std::unique_ptr<std::byte[], decltype(&std::free)>;
  std::map<uint32_t, Paper> workers;
  std::set<uint32_t> to_die;
  std::vector<ActorId> pausing;
  std::map<uint32_t, Memory> regions;
};

template <class Message>
Bytes bytes_of(const Message& message) {
  Bytes bytes(message_size_bytes(message));
  write_message(message, bytes.data());
  return bytes;
}

Bytes encoded(int number) {
  internal::EncoderLease encoder;
  encode(*encoder, number);
  Bytes bytes(encoded_size_bytes(*encoder));
  write_value(*encoder, bytes.data());
  return bytes;
}

/// A driver with tasks and an actor, and workers one of which goes mad.
class Schedule {
 public:
  explicit Schedule(uint32_t seed) : random_(seed), owner_(world_, {.num_cpus = 2, .store_bytes = 64 << 20}) {
    const ActorId actor = owner_.new_actor();
    submit(CallMode::kMakeActor, actor, {});
    other_ = owner_.new_actor();
    submit(CallMode::kMakeActor, other_, {});
    actor_ = actor;
    const ObjectId put = owner_.new_objects();
    owner_.put(put, stored());
    for (int i = 0; i < 6; ++i) {
      std::vector<ObjectId> refs{put};
      if (!returns_.empty()) refs.push_back(returns_[random_() % returns_.size()]);
      submit(i % 3 == 2 ? CallMode::kActorCall : CallMode::kTask, i % 2 == 0 ? actor : other_, refs);
    }
  }

  void run() {
    for (int step = 0; step < 60; ++step) {
      std::vector<uint32_t> ids;
      for (const auto& [id, paper] : world_.workers) ids.push_back(id);
      if (ids.empty()) break;
      const uint32_t id = ids[random_() % ids.size()];
      random_() % 3 == 0 ? say(id, madness(id)) : work(id);
      bury();
    }
    for (const uint32_t mad : mad_) world_.to_die.insert(mad);
    bury();
    for (int step = 0; step < 1000 && !all_ready(); ++step) {
      const auto workers = world_.workers;
      for (const auto& [id, paper] : workers) work(id);
      bury();
    }
  }

  bool all_ready() const {
    return std::ranges::all_of(returns_, [this](ObjectId id) { return owner_.is_ready(id); });
  }
  int refused() const { return refused_; }

 private:
  StoredValue stored() {
    const Bytes bytes = encoded(5);
    StoredValue value;
    value.bytes = Buffer::allocate(bytes.size());
    std::ranges::copy(bytes, value.bytes->data());
    return value;
  }

  void submit(CallMode mode, ActorId actor, const std::vector<ObjectId>& refs) {
    Submission call;
    call.mode = mode;
    call.function = {kFunction};
    call.function_name = "work";
    call.class_name = "Class";
    call.terms.max_retries = 1;
    if (mode != CallMode::kTask) call.actor = actor;
    call.terms.num_returns = 1;
    if (mode != CallMode::kMakeActor) call.first_return = owner_.new_objects();
    call.arguments = stored();
    call.refs = refs;
    owner_.submit(call);
    if (mode != CallMode::kMakeActor) returns_.push_back(call.first_return);
  }

  /// One step of a worker that is sound.
  void work(uint32_t id) {
    auto& paper = world_.workers.at(id);
    if (started_.insert(id).second) return say(id, bytes_of(Started{id}));
    if (paper.num_links_made < paper.links.size()) {
      const Linked& linked = paper.links[paper.num_links_made++];
      if (linked.is_caller == 0) return say(id, bytes_of(LinkMade{linked.link, 0}));
    }
    if (paper.runs.empty()) return;
    const Run run = paper.runs.front();
    paper.runs.pop_front();
    paper.begun.insert(run.ticket);
    const Bytes value = encoded(1);
    std::vector<ValuePart> parts(run.mode == CallMode::kMakeActor ? 0 : run.num_returns);
    for (ValuePart& part : parts) part.bytes = value;
    say(id, bytes_of(Done{run.task, 1000, parts}));
  }

  void say(uint32_t id, const Bytes& message) {
    try {
      owner_.on_message({id}, message);
    } catch (const errors::DataLossError&) {
      ++refused_;
      world_.to_die.insert(id);
    }
  }

  void bury() {
    while (!world_.to_die.empty()) {
      const uint32_t id = *world_.to_die.begin();
      world_.to_die.erase(id);
      if (!world_.workers.contains(id)) continue;
      owner_.on_worker_death({id}, "killed");
      world_.workers.erase(id);
    }
    while (!world_.pausing.empty()) {
      const ActorId actor = world_.pausing.back();
      world_.pausing.pop_back();
      owner_.on_pause_over(actor);
    }
  }

  uint64_t any_id(uint32_t worker) {
    const uint64_t own = uint64_t{worker} << 40;
    switch (random_() % 8) {
      case 6:
        return own + kFirstLinkedId + random_() % 4;
      case 7:
        return (uint64_t{1 + random_() % 4} << 40) + kFirstLinkedId + random_() % 4;
      case 0:
        return random_() % 30;  // the driver's
      case 1:
        return own + random_() % 4;
      case 2:
        return own + (1u << 20) + ++fresh_;
      case 3:
        return own + fresh_;
      case 4:
        return (uint64_t{random_() % 4} << 40) + random_() % 4;
      default:
        return (uint64_t{random_()} << 32) | random_();
    }
  }

  Extent any_extent(uint32_t worker) {
    const SlabId slab =
        random_() % 4 == 0 ? SlabId{static_cast<uint32_t>(random_() % 5)} : world_.workers.at(worker).slab;
    return {slab, random_() % 4 * 64 + (random_() % 8 == 0 ? 8 : 0), 1 + random_() % 200};
  }

  /// A message of a kind that there is, with ids and extents that mean something, and at times with
  /// damaged bytes.
  Bytes madness(uint32_t id) {
    mad_.insert(id);
    Bytes value = encoded(2);
    if (random_() % 4 == 0) value.resize(random_() % value.size());
    std::vector<ValuePart> parts(random_() % 3);
    for (ValuePart& part : parts) {
      part.object = {any_id(id)};
      part.is_error = random_() % 4 == 0;
      if (random_() % 2 == 0) {
        part.bytes = value;
      } else {
        part.extent = any_extent(id);
        if (random_() % 4 == 0) part.lender = {any_id(id)};
        if (!part.extent) part.bytes = value;
      }
    }
    std::vector<ObjectId> ids(random_() % 4);
    for (ObjectId& one : ids) one = {any_id(id)};
    Bytes bytes = message_of(id, parts, ids);
    if (random_() % 3 == 0) {
      for (uint32_t i = random_() % 4; i > 0; --i)
        bytes[random_() % bytes.size()] = static_cast<std::byte>(random_());
    }
    if (random_() % 8 == 0) bytes.resize(random_() % bytes.size());
    return bytes;
  }

  Bytes message_of(uint32_t id, const std::vector<ValuePart>& parts, const std::vector<ObjectId>& ids) {
    const auto& runs = world_.workers.at(id).runs;
    if (random_() % 3 == 0) return message_of_links(id, parts);
    switch (random_() % 12) {
      case 0:
        return bytes_of(
            Done{runs.empty() || random_() % 4 == 0 ? TaskId{any_id(id)} : runs.front().task, 1, parts});
      case 1: {
        Submit call;
        call.mode = static_cast<CallMode>(random_() % 4);
        call.actor = {any_id(id)};
        call.function = {kFunction + random_() % 2};
        call.first_return = {any_id(id)};
        call.terms.num_returns = static_cast<uint32_t>(random_() % 3);
        call.refs = ids;
        call.parts = parts;
        return bytes_of(call);
      }
      case 2:
        return bytes_of(PutValue{parts, random_() % 4 == 0 ? 1u : 0u});
      case 3:
        return bytes_of(GetValues{random_() % 4, ids});
      case 4:
        return bytes_of(WaitFor{random_() % 4, static_cast<uint32_t>(random_() % 5), ids});
      case 5:
        return bytes_of(Cancel{random_() % 4});
      case 6:
        return bytes_of(Adopt{{any_id(id)}});
      case 7:
        return bytes_of(Release{ids});
      case 8:
        return bytes_of(ReadEnded{ids});
      case 9:
        return bytes_of(Lease{random_() % 4, uint64_t{1} << random_() % 40, random_() % 4 == 0 ? 1u : 0u});
      case 10:
        return bytes_of(FindActor{random_() % 4, "name"});
      default:
        return bytes_of(Started{static_cast<uint32_t>(random_() % 100)});
    }
  }

  /// Of a link that there is, mostly.
  LinkId any_link(uint32_t worker) {
    const auto& links = world_.workers.at(worker).links;
    if (!links.empty() && random_() % 4 != 0) return links[random_() % links.size()].link;
    return {LinkId::kFirst + static_cast<uint32_t>(random_() % 4)};
  }

  Bytes message_of_links(uint32_t id, const std::vector<ValuePart>& parts) {
    switch (random_() % 7) {
      case 0:
      case 1:
        return bytes_of(AskLink{random_() % 2 == 0 ? actor_ : other_, random_() % 4});
      case 2:
        return bytes_of(LinkMade{any_link(id), static_cast<uint32_t>(random_() % 2)});
      case 3:
        return bytes_of(LinkClosed{any_link(id)});
      case 4:
        return bytes_of(Promise{any_link(id), {any_id(id)}, {any_id(id)}});
      case 5:
        return bytes_of(AnswerFor{any_link(id), parts});
      default:
        calls_ = {any_id(id), kFunction + random_() % 2, random_(), random_()};
        return bytes_of(RanLinked{calls_});
    }
  }

  std::minstd_rand random_;
  PaperWorld world_;
  Owner owner_;
  std::vector<ObjectId> returns_;
  std::set<uint32_t> started_;
  std::set<uint32_t> mad_;
  uint64_t fresh_ = 0;
  ActorId actor_, other_;
  std::vector<uint64_t> calls_;
  int refused_ = 0;
};

TEST(HostileWorker, HarmsOnlyItself) {
  const uint32_t seeds = std::getenv("FLOWRAY_NIGHTLY") != nullptr ? 200'000 : 1'000;
  int refused = 0;
  for (uint32_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    Schedule schedule(seed);
    ASSERT_NO_THROW(schedule.run());
    ASSERT_TRUE(schedule.all_ready());
    refused += schedule.refused();
  }
  EXPECT_GT(refused, static_cast<int>(seeds));  // or the worker was not hostile
}

}  // namespace
}  // namespace flowray::ray
