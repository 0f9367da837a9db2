// Random programs on the actor runtime's state machine, with workers that die at any moment and messages
// that come in any order that processes allow. A failure names its seed; FLOWRAY_SIMULATION_SEED runs that
// one alone.

#include <flowray/errors.h>
#include <flowray/ray/errors.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/sanitizers.h"
#include "ray/owner/owner.h"
#include "ray/values/value.h"
#include "support/simulated_value.h"
#include "support/simulated_worker.h"
#include "support/simulated_world.h"

namespace flowray::ray {
namespace {

constexpr const char* kSeedVariable = "FLOWRAY_SIMULATION_SEED";

struct Program {
  uint64_t seed = 0;
  uint32_t actions = 40;                // of the driver
  bool workers_die = true;              // now and then
  uint64_t one_dies_at = ~uint64_t{0};  // step
  bool is_hostile = false;
  bool lacks_processes = false;             // at times
  bool lacks_regions = false;               // at times
  bool is_tight = false;                    // values are large and the store is small
  bool fills_disk = false;                  // at times
  uint64_t lacks_memory_at = ~uint64_t{0};  // call of the world by the owner
};

class Simulation {
 public:
  explicit Simulation(const Program& program)
      : program_(program), random_(program.seed), world_(limits().num_cpus), owner_(world_, limits()) {
    world_.is_hostile = program.is_hostile;
    world_.cpu_milli_of = [this](uint64_t call) { return book_.calls().at(call - 1).cpu_milli; };
    world_.gpu_milli_of = [this](uint64_t call) { return book_.calls().at(call - 1).gpu_milli; };
    world_.traces_all = std::getenv(kSeedVariable) != nullptr;
    book_.is_hostile = program.is_hostile;
    book_.is_tight = program.is_tight;
    book_.lacks_processes = program.lacks_processes;
    world_.lack_memory_at(program.lacks_memory_at);
  }

  /// Returns how many steps the program took, until all was done.
  uint64_t run() {
    uint32_t left = program_.actions;
    uint64_t step = 0;
    for (;; ++step) {
      if (step > 1'000'000) SimulatedWorld::fail("it does not come to an end");
      if (left > 0 && random_.one_in(6)) {
        --left;
        act();
      } else if (!advance() && left == 0) {
        if (groups_.empty()) break;
        remove_group();
      }
      if (program_.lacks_processes && random_.one_in(60)) world_.refuse_processes(random_.one_in(2));
      if (program_.lacks_regions && random_.one_in(40)) world_.refuse_regions(random_.one_in(2));
      if (program_.fills_disk && random_.one_in(40)) world_.fill_disk(random_.one_in(2));
      if (program_.workers_die && random_.one_in(150)) kill_some();
      if (step == program_.one_dies_at) kill_some();
      if (program_.is_hostile && random_.one_in(40)) damage_some();
      if (step % 16 == 0) check();
    }
    world_.refuse_processes(false);
    world_.refuse_regions(false);
    world_.fill_disk(false);
    check_that_all_is_done();
    let_go();
    check_that_nothing_is_left();
    return step;
  }

  /// Runs until the owner finds no memory, which must reach the one that asked: from then on nobody asks it
  /// for more than the driver does that breaks down. Returns false if nothing was lacking.
  bool run_until_memory_lacks() {
    try {
      run();
    } catch (const std::bad_alloc&) {
      if (!world_.has_lacked_memory()) throw;
      for (const auto& [id, process] : world_.processes()) (void)owner_.pid({id});
      (void)owner_.last_id();
      return true;
    }
    if (world_.has_lacked_memory()) SimulatedWorld::fail("nobody was told that there was no memory");
    return false;
  }

  std::string trace() const {
    std::string text = world_.last_trace();
    for (const auto& [id, worker] : workers_) text += "  " + worker->text() + "\n";
    return text + fmt::format("  {} tasks, {} objects", owner_.num_tasks(), owner_.num_objects());
  }

 private:
  Owner::Limits limits() const {
    Owner::Limits limits;
    limits.num_cpus = 1 + static_cast<uint32_t>(program_.seed % 3);
    limits.store_bytes = uint64_t{64} << 20;
    if (program_.seed % 5 == 0 || program_.is_tight) limits.store_bytes = uint64_t{16} << 20;  // two slabs
    limits.resources = {{"GPU", 2000}};
    limits.unschedulable_ms = program_.seed % 4 == 1 ? 1000 : 0;
    limits.run_message_bytes = 300;
    limits.most_in_flight = SimulatedWorld::kTickets / 2;
    return limits;
  }

  // ---- the world goes on

  bool advance() {
    std::vector<std::pair<WorkerId, bool>> possible;  // true: its message arrives; false: it does something
    for (auto& [id, process] : world_.processes()) {
      if (!process.to_owner.empty()) possible.emplace_back(WorkerId{id}, true);
      if (process.killed || worker({id}).can_step()) possible.emplace_back(WorkerId{id}, false);
    }
    if (!world_.pauses().empty() && (possible.empty() || random_.one_in(4))) {
      const auto pause =
          world_.pauses().begin() + static_cast<ptrdiff_t>(random_.below(world_.pauses().size()));
      const ActorId actor = pause->actor;
      world_.pauses().erase(pause);
      owner_.on_pause_over(actor);
      return true;
    }
    if (!world_.timers().empty() && (possible.empty() || random_.one_in(8))) {
      end_some_timer();
      return true;
    }
    if (owner_.has_calls_behind_others() && random_.one_in(8)) owner_.look_for_stuck();
    if (!world_.leaving().empty() && (possible.empty() || random_.one_in(6))) {
      end_some_spill();
      return true;
    }
    if (possible.empty()) return false;
    const auto [id, arrives] = possible[random_.below(possible.size())];
    if (arrives) {
      deliver(id);
    } else if (world_.process(id).killed && (random_.one_in(5) || !worker(id).can_step())) {
      die(id, "was killed");
    } else {
      worker(id).step();
    }
    return true;
  }

  void end_some_timer() {
    const auto timer =
        world_.timers().begin() + static_cast<ptrdiff_t>(random_.below(world_.timers().size()));
    const auto [task, kind, after_ms] = *timer;
    world_.timers().erase(timer);
    owner_.on_timer(task, kind);
    if (kind != Timer::kDeadline) return;
    const auto timed = timed_.find(task);
    if (timed == timed_.end() && !program_.is_hostile) SimulatedWorld::fail("a deadline of no call");
    if (timed != timed_.end()) book_.cancel(timed->second, true);
  }

  void end_some_spill() {
    const std::vector<ObjectId> leaving = world_.leaving();
    world_.end_spill(owner_, leaving[random_.below(leaving.size())]);
  }

  void deliver(WorkerId id) {
    try {
      world_.deliver(owner_, id);
    } catch (const errors::DataLossError& error) {
      if (!is_damaged(id))
        SimulatedWorld::fail(fmt::format("worker {} is to blame: {}", id.value, error.message()));
      world_.process(id).to_owner.clear();
      die(id, "was out of its mind");
    }
  }

  void die(WorkerId id, std::string_view reason) {
    if (program_.is_hostile) {
      while (world_.processes().contains(id.value) && !world_.process(id).to_owner.empty()) deliver(id);
      if (!world_.processes().contains(id.value)) return;
    }
    if (world_.process(id).is_actors) book_.process_died(worker(id).maker());
    world_.die(owner_, id, reason);
    workers_.erase(id.value);
  }

  void kill_some() {
    if (world_.processes().empty()) return;
    auto found = world_.processes().begin();
    std::advance(found, random_.below(world_.processes().size()));
    die({found->first}, "died");
  }

  /// Half of the workers send damaged messages; the others must not have to suffer for it.
  bool is_damaged(WorkerId id) const { return program_.is_hostile && id.value % 2 == 0; }

  void damage_some() {
    for (auto& [id, process] : world_.processes()) {
      if (!is_damaged({id}) || process.to_owner.empty() || !random_.one_in(2)) continue;
      SimulatedMessage& message = process.to_owner[random_.below(process.to_owner.size())];
      const size_t bytes = message.bytes().size();
      if (bytes == 0) continue;  // all of it was cut off before
      switch (random_.below(4)) {
        case 0:
          process.to_owner.push_back(message);
          break;
        case 1:
          message.truncate(random_.below(bytes + 1));
          break;
        case 2:
          for (uint64_t i = 1 + random_.below(3); i > 0; --i) {
            message.data()[random_.below(bytes)] ^= static_cast<std::byte>(1u << random_.below(8));
          }
          break;
        default:
          for (size_t i = 8; i < bytes; ++i) message.data()[i] = static_cast<std::byte>(random_.below(256));
      }
    }
  }

  SimulatedWorker& worker(WorkerId id) {
    auto& worker = workers_[id.value];
    if (worker == nullptr) worker = std::make_unique<SimulatedWorker>(id, world_, book_, random_);
    return *worker;
  }

  // ---- the driver's program

  void act() {
    switch (random_.below(10)) {
      case 0:
      case 1:
      case 2:
        return submit(CallMode::kTask);
      case 3:
        return submit(CallMode::kMakeActor);
      case 4:
      case 5:
        return submit(actors_.empty() ? CallMode::kTask : CallMode::kActorCall);
      case 6:
        return put();
      case 7:
        return get();
      case 8:
        return release();
      default:
        if (random_.one_in(4)) return cancel();
        if (random_.one_in(4)) return make_group();
        if (!groups_.empty() && random_.one_in(3)) return remove_group();
        if (!actors_.empty() && random_.one_in(6))
          kill(actors_[random_.below(actors_.size())], random_.one_in(2));
    }
  }

  SimulatedValue make_value(ObjectId object) {
    SimulatedValue value;
    value.number = object.value;
    for (uint64_t i = random_.below(3); i > 0 && !handles_.empty(); --i) value.refs.push_back(some_handle());
    if (!shares_.empty() && random_.one_in(3)) value.refs.push_back(shares_[random_.below(shares_.size())]);
    if (random_.one_in(3)) value.padding_bytes = random_.below(900);
    if (program_.is_tight && random_.one_in(4)) value.padding_bytes = random_.below(3 << 20);
    if (object) book_.hold(object, value.refs);
    return value;
  }

  /// For a message, where the store has no room.
  static std::vector<std::byte> without_padding(const std::vector<std::byte>& bytes) {
    SimulatedValue value = decode(bytes);
    value.padding_bytes = 0;
    return encode(value);
  }

  StoredValue store(const std::vector<std::byte>& bytes) {
    StoredValue value;
    while (bytes.size() > 400) {
      try {
        value.extent = owner_.allocate(bytes.size());
        std::ranges::copy(bytes, world_.data(value.extent));
        return value;
      } catch (const errors::ResourceExhaustedError&) {
        if (!world_.leaving().empty() && random_.one_in(2)) {
          end_some_spill();
          continue;
        }
        if (bytes.size() > kInlineBytes) return store(without_padding(bytes));
        break;
      }
    }
    value.bytes = Buffer::allocate(bytes.size());
    std::ranges::copy(bytes, value.bytes->data());
    return value;
  }

  void submit(CallMode mode) {
    SimulationBook::Call call;
    call.mode = mode;
    call.num_returns = mode == CallMode::kMakeActor ? 0 : 1 + static_cast<uint32_t>(random_.below(3));
    call.max_retries = SimulationBook::some_retries(mode, random_);
    call.cpu_milli = SimulationBook::some_cpu_milli(mode, random_);
    call.gpu_milli = SimulationBook::some_gpu_milli(mode, random_);
    call.max_concurrency = SimulationBook::some_concurrency(mode, random_);
    SimulationBook::choose_kind(call, random_);
    if (mode == CallMode::kMakeActor) call.actor = owner_.new_actor();
    if (mode == CallMode::kActorCall) call.actor = actors_[random_.below(actors_.size())];
    if (call.num_returns > 0) call.first_return = owner_.new_objects(call.num_returns);
    for (uint64_t i = random_.below(3); i > 0 && !handles_.empty(); --i) call.refs.push_back(some_handle());
    SimulatedValue arguments = make_value({});
    arguments.budget = static_cast<uint32_t>(random_.below(4));
    if (call.is_counted) book_.hold({call.actor.value}, arguments.refs);  // it may be made again with them
    if (call.is_counted) book_.hold({call.actor.value}, call.refs);
    if (call.actor) arguments.actors.push_back(call.actor);
    if (!actors_.empty()) arguments.actors.push_back(actors_[random_.below(actors_.size())]);
    call.has_name = mode == CallMode::kMakeActor && random_.one_in(2);
    const SimulationBook::Call copy = call;
    arguments.number = book_.add(std::move(call));
    world_.trace(fmt::format("driver submits call {}, a {}", arguments.number, static_cast<int>(mode)));

    Submission submission;
    submission.mode = mode;
    submission.function = {1 + 3 * static_cast<uint64_t>(copy.mode) +
                           random_.below(3)};  // those of actors have a class
    submission.function_name = "called";
    submission.class_name = mode == CallMode::kTask ? "" : "Class";
    submission.name = copy.has_name ? "named" : "";
    submission.actor = copy.actor;
    submission.first_return = copy.first_return;
    submission.terms = {copy.num_returns, copy.max_retries, {copy.cpu_milli}, copy.max_concurrency};
    submission.terms.is_counted = copy.is_counted ? 1 : 0;
    submission.terms.is_stream = copy.is_stream;
    submission.terms.most_ahead = copy.most_ahead;
    submission.terms.retry_exceptions = copy.retries_exceptions ? 1 : 0;
    const std::string resources = resources_text({{"GPU", copy.gpu_milli}});
    submission.resources = resources;
    const std::string groups = SimulationBook::groups_of(copy);
    submission.concurrency_groups = groups;
    submission.arguments = store(encode(arguments));
    submission.refs = copy.refs;
    submission.terms.deadline_ms = mode != CallMode::kMakeActor && random_.one_in(12) ? 100 : 0;
    owner_.submit(submission);
    for (const auto& timer : world_.timers()) timed_.try_emplace(timer.task, copy.first_return);
    for (uint32_t i = 0; i < copy.num_returns; ++i) handles_.push_back({copy.first_return.value + i});
    if (mode == CallMode::kMakeActor) actors_.push_back(copy.actor);
    if (copy.is_counted) shares_.push_back({copy.actor.value});
    if (mode == CallMode::kTask) open_.push_back(arguments.number);
  }

  void kill(ActorId actor, bool may_restart) {
    owner_.kill_actor(actor, may_restart);
    book_.kill(actor, may_restart);
  }

  void cancel() {
    if (handles_.empty()) return;
    const ObjectId object = some_handle();
    const bool recursive = random_.one_in(2);
    try {
      owner_.cancel_call(object, random_.one_in(4), recursive);
    } catch (const RayException&) {  // an actor's cannot be forced
    }
    book_.cancel(object, recursive);
  }

  /// Of processors that tasks lack then, until it is removed.
  void make_group() {
    const std::vector<NamedResources> bundles(1 + random_.below(2), {{"CPU", 500 * (1 + random_.below(3))}});
    const ObjectId group = owner_.new_objects();
    owner_.make_group({group, static_cast<uint32_t>(random_.below(4)), "", bundles_text(bundles)});
    groups_.push_back(group);
  }

  void remove_group() {
    const size_t at = random_.below(groups_.size());
    owner_.remove_group(groups_[at]);
    groups_.erase(groups_.begin() + static_cast<ptrdiff_t>(at));
  }

  void put() {
    const ObjectId object = owner_.new_objects();
    book_.put(object);
    owner_.put(object, store(encode(make_value(object))));
    handles_.push_back(object);
    failed_[object.value] = false;
  }

  void get() {
    if (handles_.empty()) return;
    const ObjectId object = some_handle();
    if (owner_.next_item(object) == internal::NextItem::kItem) {
      const ObjectId item = owner_.take_item(object);
      book_.take(item);
      handles_.push_back(item);
      return;
    }
    if (!owner_.is_ready(object) || book_.is_stream(object)) return;
    StoredValue value;
    try {
      value = owner_.begin_read(object);
    } catch (const StoreFullError&) {
      if (!program_.is_tight && !program_.lacks_regions) throw;
      return;  // it was spilled
    }
    if (!value.is_error) {
      const SimulatedValue read_value = read(value);
      if (!program_.is_hostile && read_value.number != book_.number_in(object)) {
        SimulatedWorld::fail(fmt::format("the driver gets another value for object {}", object.value));
      }
      for (const ObjectId ref : read_value.refs) {
        owner_.adopt(ref);
        (book_.is_share(ref) ? shares_ : handles_).push_back(ref);
      }
    }
    if (!value.extent) return;
    reads_.push_back({object, value});
    if (random_.one_in(2)) end_read(reads_.size() - 1);
  }

  std::span<const std::byte> bytes_of(const StoredValue& value) {
    if (value.extent) return world_.view(value.extent);
    return {std::as_const(*value.bytes).data(), value.bytes->size_bytes()};
  }

  SimulatedValue read(const StoredValue& value) {
    try {
      return decode(bytes_of(value));
    } catch (const Error&) {
      if (!program_.is_hostile) throw;
      return {};
    }
  }

  void end_read(size_t at) {
    if (!reads_[at].second.is_error) read(reads_[at].second);
    owner_.read_ended(reads_[at].first);
    reads_.erase(reads_.begin() + static_cast<ptrdiff_t>(at));
  }

  void release() {
    if (!reads_.empty() && random_.one_in(2)) return end_read(random_.below(reads_.size()));
    if (!shares_.empty() && random_.one_in(3)) {
      const size_t at = random_.below(shares_.size());
      owner_.release(shares_[at]);
      shares_.erase(shares_.begin() + static_cast<ptrdiff_t>(at));
      return;
    }
    if (handles_.empty()) return;
    const size_t at = random_.below(handles_.size());
    owner_.release(handles_[at]);
    handles_.erase(handles_.begin() + static_cast<ptrdiff_t>(at));
  }

  ObjectId some_handle() { return handles_[random_.below(handles_.size())]; }

  // ---- what must hold

  void check() {
    if (!program_.is_hostile) {
      for (const ObjectId handle : handles_) {
        if (!owner_.is_known(handle))
          SimulatedWorld::fail(fmt::format("the driver's object {} is gone", handle.value));
      }
      for (const auto& [object, value] : reads_) {
        if (!owner_.is_known(object))
          SimulatedWorld::fail(fmt::format("object {} is gone while it is read", object.value));
        if (!value.is_error) read(value);
      }
      for (const auto& [id, worker] : workers_) worker->check_reads();
    }
    std::erase_if(open_, [&](uint64_t number) { return check_outcome(book_.calls()[number - 1]); });
  }

  /// Whether the call's outcome is known. One that failed as its worker died was begun as often as it may be.
  bool check_outcome(const SimulationBook::Call& call) {
    if (!owner_.is_known(call.first_return)) return true;  // let go
    for (uint32_t i = 0; i < call.num_returns; ++i) {
      const ObjectId object{call.first_return.value + i};
      if (owner_.is_ready(call.first_return) && owner_.is_known(object) && !owner_.is_ready(object)) {
        SimulatedWorld::fail("a call returned only some of its values");
      }
    }
    if (!owner_.is_ready(call.first_return)) return false;
    const std::optional<DecodedError> error = error_of(call.first_return);
    failed_[call.first_return.value] = error.has_value();
    if (error && !program_.is_hostile && error->kind == ErrorKind::kTaskCancelled && call.refs.empty() &&
        !book_.may_be_cancelled(call)) {
      SimulatedWorld::fail("a call that nobody has cancelled says that it was");
    }
    const bool has_thrown = error && error->kind == ErrorKind::kTask && call.retries_exceptions &&
                            call.mode == CallMode::kTask && !book_.may_be_cancelled(call);
    if (!error || program_.is_hostile || (error->kind != ErrorKind::kWorker && !has_thrown)) return true;
    const bool arguments_were_there = std::ranges::all_of(call.refs, [&](ObjectId ref) {
      const auto known = failed_.find(ref.value);
      return known != failed_.end() && !known->second;
    });
    // Some workers in a row may die before they come up.
    const bool found_no_process = error->failure.message.starts_with("No process");
    if (arguments_were_there && !found_no_process && call.begun != 1 + call.max_retries) {
      SimulatedWorld::fail(fmt::format("a task that began {} times of {} failed all the same", call.begun,
                                       1 + call.max_retries));
    }
    return true;
  }

  std::optional<DecodedError> error_of(ObjectId object) {
    StoredValue value;
    try {
      value = owner_.begin_read(object);
    } catch (const StoreFullError&) {
      return std::nullopt;  // it was spilled: errors are not
    }
    std::optional<DecodedError> error;
    if (value.is_error) {
      internal::ValueView view;
      view.bytes = bytes_of(value);
      error = program_.is_hostile ? DecodedError{} : decode_error(view);  // which may be damaged
    }
    if (value.extent) owner_.read_ended(object);
    return error;
  }

  void check_that_all_is_done() {
    for (const ObjectId handle : handles_) {
      if (!program_.is_hostile && !owner_.is_ready(handle)) {
        SimulatedWorld::fail(fmt::format("object {} never comes", handle.value));
      }
    }
    book_.check_living(owner_.living_actors());
    check_that_held_actors_live();
    for (const auto& [id, worker] : workers_) {
      if (worker->is_waiting() && !program_.is_hostile)
        SimulatedWorld::fail(fmt::format("worker {} waits for ever", id));
    }
    if (!program_.is_hostile && owner_.num_tasks() > 0) {
      SimulatedWorld::fail(fmt::format("{} tasks are never done", owner_.num_tasks()));
    }
  }

  /// The driver's handle is one that keeps an actor.
  void check_that_held_actors_live() {
    if (program_.is_hostile) return;
    for (const ObjectId share : shares_) {
      if (!owner_.is_known(share)) SimulatedWorld::fail("a handle to an actor counts for nothing");
      if (owner_.has_ended_forsaken({share.value}))
        SimulatedWorld::fail(fmt::format("actor {} has ended as if there were no handle", share.value));
    }
  }

  void let_go() {
    while (!reads_.empty()) end_read(0);
    for (const ObjectId handle : std::exchange(handles_, {})) owner_.release(handle);
    for (const ObjectId share : std::exchange(shares_, {})) owner_.release(share);
    if (random_.one_in(2)) kill_all();
    settle();
    for (const ActorId actor : owner_.living_actors()) {
      if (!book_.is_share({actor.value})) owner_.kill_actor(actor, false);  // its arguments may hold others
    }
    for (auto& [id, worker] : workers_) worker->let_go_of_everything();
    settle();
    book_.check_none_is_forsaken(owner_.living_actors());
    for (const ActorId actor : owner_.living_actors()) owner_.kill_actor(actor, false);
    settle();
    for (auto& [id, worker] : workers_) worker->let_go_of_everything();
    settle();
    // Workers may have been left waiting for what a damaged message should have asked for; nothing is damaged
    // any more, so that their tasks come to an end when they are run again.
    for (int i = 0; i < 50 && program_.is_hostile && (owner_.num_tasks() > 0 || !world_.processes().empty());
         ++i) {
      kill_all();
      for (const ActorId actor : owner_.living_actors()) owner_.kill_actor(actor, false);
      settle();
    }
  }

  void settle() {
    while (advance()) {
    }
  }

  /// Those that are there now: tasks of theirs may be run again by others.
  void kill_all() {
    for (const WorkerId id : world_.started()) die(id, "died");
  }

  void check_that_nothing_is_left() {
    if (owner_.num_tasks() > 0) SimulatedWorld::fail(fmt::format("{} tasks are left", owner_.num_tasks()));
    if (owner_.num_objects() > 0)
      SimulatedWorld::fail(fmt::format("{} objects are left", owner_.num_objects()));
    if (owner_.store().used_bytes() > 0)
      SimulatedWorld::fail(fmt::format("{} bytes are left", owner_.store().used_bytes()));
    if (owner_.num_leaving() > 0)
      SimulatedWorld::fail(fmt::format("{} values are on their way to disk", owner_.num_leaving()));
    if (owner_.spilled_bytes() > 0 || world_.num_spilled() > 0)
      SimulatedWorld::fail(fmt::format("{} spilled bytes are left", owner_.spilled_bytes()));
  }

  const Program program_;
  SimulationRandom random_;
  SimulatedWorld world_;
  SimulationBook book_;
  Owner owner_;
  std::map<uint32_t, std::unique_ptr<SimulatedWorker>> workers_;
  std::vector<ObjectId> handles_;  // the driver's, one entry for each
  std::vector<ObjectId> shares_;   // of actors that count
  std::vector<ObjectId> groups_;
  std::vector<std::pair<ObjectId, StoredValue>> reads_;
  std::vector<ActorId> actors_;
  std::vector<uint64_t> open_;  // the driver's tasks whose outcome is not known
  std::map<uint64_t, bool> failed_;
  std::unordered_map<TaskId, ObjectId> timed_;  // calls with timers: their first returns
};

/// What `run` returns of the program's simulation; nothing if it broke a rule.
template <class Result>
std::optional<Result> run_simulation(const Program& program, Result (Simulation::*run)()) {
  Simulation simulation(program);
  try {
    return (simulation.*run)();
  } catch (const std::exception& error) {
    const char* test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    ADD_FAILURE() << error.what() << "\nTo repeat it and to see all of it: " << kSeedVariable << "="
                  << program.seed << " test-ray --gtest_filter=OwnerSimulation." << test << "\n"
                  << simulation.trace();
    return std::nullopt;
  }
}

/// The program's steps; none if it broke a rule.
std::optional<uint64_t> run_program(const Program& program) {
  return run_simulation(program, &Simulation::run);
}

template <class RunOne>
void with_each_seed(uint64_t count, const RunOne& run_one) {
  uint64_t first = 1;
  if (const char* only = std::getenv(kSeedVariable)) {
    first = std::strtoull(only, nullptr, 10);
    count = 1;
  } else if (std::getenv("FLOWRAY_NIGHTLY") != nullptr) {
    count *= 100;
  } else if (kSanitized) {
    count = std::max<uint64_t>(count / 10, 1);
  }
  for (uint64_t seed = first; seed < first + count; ++seed) {
    if (!run_one(seed)) return;
  }
}

void run_programs(Program program, uint64_t count) {
  with_each_seed(count, [&](uint64_t seed) {
    program.seed = seed;
    return run_program(program).has_value();
  });
}

TEST(OwnerSimulation, KeepsItsPromisesWhenNobodyDies) { run_programs({.workers_die = false}, 1500); }

TEST(OwnerSimulation, KeepsItsPromisesWhileWorkersDie) { run_programs({}, 3500); }

TEST(OwnerSimulation, KeepsItsPromisesWhereverAWorkerDies) {
  with_each_seed(10, [](uint64_t seed) {
    Program program{.seed = seed, .actions = 20, .workers_die = false};
    for (program.one_dies_at = 0;; ++program.one_dies_at) {
      const std::optional<uint64_t> steps = run_program(program);
      if (!steps) return false;
      if (*steps < program.one_dies_at) return true;
    }
  });
}

TEST(OwnerSimulation, KeepsItsPromisesInLongPrograms) { run_programs({.actions = 300}, 200); }

TEST(OwnerSimulation, KeepsItsPromisesWhenProcessesRunOut) { run_programs({.lacks_processes = true}, 1800); }

TEST(OwnerSimulation, KeepsItsPromisesWhenRegionsRunOut) { run_programs({.lacks_regions = true}, 1500); }

TEST(OwnerSimulation, KeepsItsPromisesWhenValuesGoToDisk) { run_programs({.is_tight = true}, 150); }

TEST(OwnerSimulation, KeepsItsPromisesWhenTheDiskIsFullAtTimes) {
  run_programs({.is_tight = true, .fills_disk = true}, 100);
}

// An exception in the middle of whatever the owner does: the one that asked hears of it,
// and the owner can be destroyed.
TEST(OwnerSimulation, TellsOfALackOfMemoryWhereverThatIs) {
  with_each_seed(20, [](uint64_t seed) {
    Program program{.seed = seed, .actions = 25};
    for (program.lacks_memory_at = 0;; ++program.lacks_memory_at) {
      const std::optional<bool> has_lacked = run_simulation(program, &Simulation::run_until_memory_lacks);
      if (!has_lacked) return false;
      if (!*has_lacked) return true;
    }
  });
}

TEST(OwnerSimulation, OutlivesWorkersThatSendDamagedMessages) { run_programs({.is_hostile = true}, 2000); }

}  // namespace
}  // namespace flowray::ray
