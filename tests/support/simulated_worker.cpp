#include "support/simulated_worker.h"

#include <flowray/errors.h>
#include <flowray/ray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace flowray::ray {
namespace {

/// A stream that has ended with an error is worth nil.
constexpr size_t kEndOfStreamBytes = 17;

}  // namespace

// ---- messages

bool SimulatedWorker::can_step() const {
  return !started_ || can_step(current_, wait_) ||
         std::ranges::any_of(other_lanes_,
                             [this](const Lane& lane) { return can_step(lane.current, lane.wait); });
}

bool SimulatedWorker::can_step(const std::optional<Current>& current, const std::optional<Wait>& wait) const {
  const bool has_messages = !world_.processes().at(id_.value).to_worker.empty();
  if (wait) {
    return has_messages || (wait->has_deadline && !wait->is_cancelled) ||
           (current && current->has_thread && current->actions > 0);
  }
  return has_messages || !released_.empty() || !read_ended_.empty() ||
         (!broken_ && (current || !runs_.empty()));
}

/// One of the threads that can do something comes to be the one of current_ and wait_.
void SimulatedWorker::choose_lane() {
  std::vector<Lane*> others;
  for (Lane& lane : other_lanes_) {
    if (can_step(lane.current, lane.wait)) others.push_back(&lane);
  }
  if (others.empty() || (can_step(current_, wait_) && random_.one_in(2))) return;
  Lane& chosen = *others[random_.below(others.size())];
  std::swap(chosen.current, current_);
  std::swap(chosen.wait, wait_);
}

/// Where a thread waits for the answer; null: none does any more.
std::optional<SimulatedWorker::Wait>* SimulatedWorker::wait_of(uint64_t request) {
  if (wait_ && wait_->request == request) return &wait_;
  for (Lane& lane : other_lanes_) {
    if (lane.wait && lane.wait->request == request) return &lane.wait;
  }
  return nullptr;
}

void SimulatedWorker::step() {
  if (!other_lanes_.empty()) choose_lane();
  if (!started_) {
    started_ = true;
    post(Started{id_.value + 1000});
  } else if (wait_ && current_ && current_->has_thread && current_->actions > 0 && random_.one_in(3)) {
    act_beside_a_wait();
  } else if (wait_) {
    if (receive() && !random_.one_in(8)) return;
    if (!wait_ || !wait_->has_deadline || wait_->is_cancelled || !random_.one_in(4)) return;
    post(Cancel{wait_->request});
    wait_->is_cancelled = true;
    if (!wait_->is_wait && !wait_->is_next) wait_.reset();
  } else if (current_ && !broken_) {
    act();
  } else {
    tell_let_go();
    if (!broken_ && !runs_.empty() && random_.one_in(2)) {
      begin_next();
    } else if (!receive() && !broken_ && !runs_.empty()) {
      begin_next();
    }
  }
}

bool SimulatedWorker::receive() {
  auto& queue = world_.process(id_).to_worker;
  if (queue.empty()) return false;
  SimulatedMessage message = std::move(queue.front());
  queue.pop_front();
  std::vector<ValuePart> parts;
  const auto end_wait = [&](uint64_t request) {
    std::optional<Wait>* const wait = wait_of(request);
    if (wait != nullptr) wait->reset();
    return wait != nullptr;
  };
  switch (message.kind()) {
    case Run::kKind: {
      const TaskId task = read_message<Run>(message.bytes(), parts).task;
      auto ahead = std::exchange(arguments_[task.value], {});
      arguments_.erase(task.value);
      runs_.push_back({std::move(message), std::move(ahead)});
      break;
    }
    case RunArguments::kKind: {
      const auto arguments = read_message<RunArguments>(message.bytes(), parts);
      for (const ValuePart& part : arguments.parts) arguments_[arguments.task.value].push_back(came(part));
      break;
    }
    case Value::kKind: {
      const auto value = read_message<Value>(message.bytes(), parts);
      on_value_of(value.request, view_of(value.parts[0]));
      break;
    }
    case Waited::kKind:
      end_wait(read_message<Waited>(message.bytes(), parts).request);
      break;
    case Leased::kKind: {
      const auto leased = read_message<Leased>(message.bytes(), parts);
      end_wait(leased.request);
      if (leased.slab) leases_.push_back({leased, ExtentAllocator(leased.size_bytes)});
      break;
    }
    case FoundActor::kKind: {
      const auto found = read_message<FoundActor>(message.bytes(), parts);
      end_wait(found.request);
      if (found.actor) actors_.push_back(found.actor);
      break;
    }
    case Freed::kKind:
      on_freed(read_message<Freed>(message.bytes(), parts).extent);
      break;
    case Interrupt::kKind:
      on_interrupt(read_message<Interrupt>(message.bytes(), parts).task);
      break;
    case Cancelled::kKind:
      end_wait(read_message<Cancelled>(message.bytes(), parts).request);
      break;
    case Taken::kKind:
      on_taken(read_message<Taken>(message.bytes(), parts));
      break;
    case FoundNext::kKind:
      on_next(read_message<FoundNext>(message.bytes(), parts));
      break;
    case Exit::kKind:
      world_.process(id_).killed = true;  // it ends by itself
      break;
    case ToldResources::kKind:
      end_wait(read_message<ToldResources>(message.bytes(), parts).request);
      break;
    case Linked::kKind:  // damaged messages have asked for them
    case LinkEnded::kKind:
    case Handed::kKind:
    case ToldGroup::kKind:
      break;
    case ToldPendingCalls::kKind:
      end_wait(read_message<ToldPendingCalls>(message.bytes(), parts).request);
      break;
    case BecomeActor::kKind: {
      const auto become = read_message<BecomeActor>(message.bytes(), parts);
      size_t lanes = become.max_concurrency;
      for (const uint32_t size : become.group_sizes) lanes += size;
      other_lanes_.resize(lanes - 1);
      break;
    }
    default:
      SimulatedWorld::fail(fmt::format("a worker is sent a message of kind {}", message.kind()));
  }
  return true;
}

void SimulatedWorker::on_freed(const Extent& extent) {
  for (WritableRoom& room : leases_) {
    const bool is_there = room.leased.slab == extent.slab && extent.offset >= room.leased.offset &&
                          extent.offset - room.leased.offset < room.leased.size_bytes;
    if (!is_there || !world_.holds_lease(id_, room.leased.lease)) continue;
    try {
      room.free_space.free(extent.offset - room.leased.offset);
    } catch (const errors::InvalidArgumentError&) {
      if (!book_.is_hostile) throw;  // else it has sent a value twice
    }
  }
}

/// A call that has not begun is answered by an error; one that runs stops what it does, or does not hear it.
void SimulatedWorker::on_interrupt(TaskId task) {
  std::vector<ValuePart> parts;
  // The last one: those before it were taken back, and the same task was sent again.
  for (auto queued = runs_.rbegin(); queued != runs_.rend(); ++queued) {
    const Run run = read_message<Run>(queued->message.bytes(), parts);
    if (run.task != task) continue;
    for (const View& view : queued->ahead) {
      hold(view);
      end(view);
    }
    for (const ValuePart& part : std::vector<ValuePart>(parts)) end(view_of(part));
    const std::vector<std::byte> error = encode_failure("cancelled");
    ValuePart told;
    told.bytes = error;
    told.is_error = true;
    const std::vector<ValuePart> returned(run.num_returns, told);
    post(Done{task, 0, returned});
    runs_.erase(std::prev(queued.base()));
    return;
  }
  const auto stop = [&](std::optional<Current>& current, std::optional<Wait>& wait) {
    if (!current || current->task != task || random_.one_in(3)) return;
    current->actions = 0;
    if (!wait || wait->is_cancelled) return;
    post(Cancel{wait->request});
    wait->is_cancelled = true;
    if (!wait->is_next) wait.reset();  // a value may be on its way
  };
  stop(current_, wait_);
  for (Lane& lane : other_lanes_) stop(lane.current, lane.wait);
}

SimulatedWorker::View SimulatedWorker::came(const ValuePart& part) const {
  View view;
  view.object = part.object;
  view.is_error = part.is_error;
  if (part.extent) {
    if (!world_.has_region(id_, part.extent.slab, false))
      SimulatedWorld::fail("a value lies in a region that is not there");
    view.extent = part.extent;
  } else {
    view.bytes.assign(part.bytes.begin(), part.bytes.end());
  }
  return view;
}

SimulatedValue SimulatedWorker::read(const View& view) const {
  if (book_.is_stream(view.object) && !view.extent && view.bytes.size() == kEndOfStreamBytes)
    return {.number = view.object.value};
  try {
    if (view.extent) return decode({world_.data(view.extent), view.extent.size_bytes});
    return decode(view.bytes);
  } catch (const Error&) {
    if (!book_.is_hostile) throw;
    return {};
  }
}

void SimulatedWorker::check_reads() const {
  const auto check = [this](const std::vector<View>& views) {
    for (const View& view : views) {
      if (!view.is_error) read(view);
    }
  };
  check(views_);
  for (const QueuedRun& queued : runs_) check(queued.ahead);
  for (const auto& [task, views] : arguments_) check(views);
}

void SimulatedWorker::end(const View& view) {
  if (!view.extent) return;
  const auto found = std::ranges::find_if(
      views_, [&](const View& other) { return other.object == view.object && other.extent == view.extent; });
  if (found == views_.end()) return;
  if (!view.is_error) read(view);
  views_.erase(found);
  read_ended_.push_back(view.object);
}

void SimulatedWorker::adopt_refs(const View& view) {
  if (view.is_error) return;
  const SimulatedValue value = read(view);
  for (const ObjectId ref : value.refs) {
    post(Adopt{ref});
    keep(ref);
  }
  if (actors_.size() < 8) actors_.insert(actors_.end(), value.actors.begin(), value.actors.end());
}

void SimulatedWorker::keep(ObjectId object) {
  (book_.is_share(object) ? shares_ : handles_).push_back(object);
}

void SimulatedWorker::on_taken(const Taken& message) {
  const auto tell = [&](std::optional<Current>& current) {
    if (current && current->task == message.task) current->taken = message.count;
  };
  tell(current_);
  for (Lane& lane : other_lanes_) tell(lane.current);
}

void SimulatedWorker::on_next(const FoundNext& found) {
  std::optional<Wait>* const wait = wait_of(found.request);
  if (found.item) {
    handles_.push_back(found.item);
    if (wait == nullptr && !book_.is_hostile)
      SimulatedWorld::fail("a value is given to a worker that has not asked");
    book_.take(found.item);
  }
  if (wait != nullptr) wait->reset();
}

void SimulatedWorker::on_value_of(uint64_t request, View view) {
  std::optional<Wait>* const wait = wait_of(request);
  if (wait == nullptr) return end(view);  // came too late
  const bool is_not_small = view.bytes.empty() && !view.extent;
  if (is_not_small && !(*wait)->is_of_small_ones && !book_.is_hostile)
    SimulatedWorld::fail("nothing comes in place of a value");
  if (is_not_small && random_.one_in(2)) {  // it is asked for alone, and the others later, perhaps
    if (--(*wait)->left > 0) post(Cancel{request});
    (*wait)->request = ++last_request_;
    (*wait)->left = 1;
    (*wait)->is_of_small_ones = false;
    return post(GetValues{last_request_, {&view.object, 1}});
  }
  if (--(*wait)->left == 0) wait->reset();
  if (!is_not_small) on_value(std::move(view));
}

void SimulatedWorker::on_value(View view) {
  check_is_of_object(view);
  adopt_refs(view);
  if (random_.one_in(2)) end(view);
}

void SimulatedWorker::check_is_of_object(const View& view) const {
  if (view.is_error || book_.is_hostile || read(view).number == book_.number_in(view.object)) return;
  SimulatedWorld::fail(
      fmt::format("worker {} gets another value for object {}", id_.value, view.object.value));
}

void SimulatedWorker::tell_let_go() {
  if (!read_ended_.empty()) post(ReadEnded{read_ended_});
  if (!released_.empty()) post(Release{released_});
  read_ended_.clear();
  released_.clear();
}

void SimulatedWorker::let_go_of_everything() {
  for (const View& view : std::vector<View>(views_)) end(view);
  released_.insert(released_.end(), handles_.begin(), handles_.end());
  released_.insert(released_.end(), shares_.begin(), shares_.end());
  handles_.clear();
  shares_.clear();
  tell_let_go();
}

// ---- calls

void SimulatedWorker::begin_next() {
  QueuedRun queued = std::move(runs_.front());
  runs_.pop_front();
  std::vector<ValuePart> parts;
  const Run run = read_message<Run>(queued.message.bytes(), parts);
  std::vector<View> values = std::move(queued.ahead);
  for (const View& view : values) hold(view);
  if (values.size() != run.num_ahead) SimulatedWorld::fail("arguments that should be sent ahead were not");
  for (const ValuePart& part : parts) values.push_back(view_of(part));
  if (run.mode == CallMode::kTask && !world_.begin(id_, run)) {
    for (const View& view : values) end(view);
    return;
  }
  current_ = Current{.task = run.task, .mode = run.mode, .num_returns = run.num_returns};
  current_->actions = static_cast<uint32_t>(random_.below(7));
  current_->has_thread = random_.one_in(3);
  current_->is_stream = run.is_stream != 0;
  current_->most_ahead = run.most_ahead;
  const SimulatedValue arguments = read(values.at(0));
  current_->number = arguments.number;
  current_->first_return = book_.first_return(arguments.number);
  current_->budget = std::min(arguments.budget, 3u);
  world_.trace(fmt::format("{} begins call {}", id_.value, arguments.number));
  book_.begin(arguments.number);
  if (run.mode == CallMode::kMakeActor) maker_ = arguments.number;
  for (size_t i = 1; i < values.size(); ++i) check_is_of_object(values[i]);
  for (const View& view : values) adopt_refs(view);
  for (const View& view : values) {
    if (random_.one_in(2)) end(view);  // others are kept as arrays
  }
}

void SimulatedWorker::act() {
  if (current_->actions == 0) return done();
  --current_->actions;
  if (current_->is_stream && random_.one_in(2)) return give();
  switch (random_.below(8)) {
    case 0:
    case 1:
      return put();
    case 2:
    case 3:
      return submit();
    case 4:
    case 5:
      return ask();
    case 6:
      if (current_->mode == CallMode::kActorCall && maker_ != 0 && random_.one_in(12)) return exit_actor();
      if (!actors_.empty() && random_.one_in(4)) {
        const KillActor message{actors_[random_.below(actors_.size())],
                                static_cast<uint32_t>(random_.below(2))};
        post(message);
        book_.kill(message.actor, message.may_restart != 0);
      } else if (random_.one_in(4)) {
        if (actors_.empty() || random_.one_in(2)) {
          post(AskResources{++last_request_, internal::WhichResources::kFree});
        } else {
          post(AskPendingCalls{++last_request_, actors_[random_.below(actors_.size())]});
        }
        wait_ = Wait{.request = last_request_};
      } else {
        post(FindActor{++last_request_, "named"});
        wait_ = Wait{.request = last_request_};
      }
      return;
    default:
      return random_.one_in(3) ? cancel_one() : release_one();
  }
}

/// Another thread of the same call.
void SimulatedWorker::act_beside_a_wait() {
  --current_->actions;
  switch (random_.below(4)) {
    case 0:
      return put();
    case 1:
      return submit();
    case 2:
      return tell_let_go();
    default:
      return release_one();
  }
}

/// May refer to those before it.
SimulatedValue SimulatedWorker::make_return(uint32_t index) {
  const ObjectId object{current_->first_return.value + index};
  SimulatedValue value = make_value(object);
  // A damaged reference to one of several returns is soon a circle.
  if (index > 0 && !book_.is_hostile && random_.one_in(4)) {
    std::vector<ObjectId> other{ObjectId{current_->first_return.value + random_.below(index)}};
    book_.hold(object, other);
    value.refs.insert(value.refs.end(), other.begin(), other.end());
  }
  return value;
}

SimulatedValue SimulatedWorker::make_value(ObjectId object) {
  SimulatedValue value;
  value.number = object.value;
  for (uint64_t i = random_.below(3); i > 0 && !handles_.empty(); --i) value.refs.push_back(some_handle());
  if (!shares_.empty() && random_.one_in(3)) value.refs.push_back(shares_[random_.below(shares_.size())]);
  if (random_.one_in(3)) value.padding_bytes = random_.below(900);
  if (random_.one_in(2000)) value.padding_bytes = random_.below(9 << 20);
  if (book_.is_tight && random_.one_in(4)) value.padding_bytes = random_.below(3 << 20);
  if (object) book_.hold(object, value.refs);
  return value;
}

std::optional<ValuePart> SimulatedWorker::lend(ObjectId object) {
  if (views_.empty() || !random_.one_in(4)) return std::nullopt;
  const View& view = views_[random_.below(views_.size())];
  if (view.is_error) return std::nullopt;
  const SimulatedValue value = read(view);
  if (!value.refs.empty()) return std::nullopt;  // the real one lends arrays
  book_.lend(object, value.number);
  ValuePart part;
  part.extent = view.extent;
  part.lender = view.object;
  world_.trace(fmt::format("{} lends {} to {}", id_.value, view.object.value, object.value));
  return part;
}

std::optional<Extent> SimulatedWorker::allocate(size_t bytes) {
  // What is free again is heard of only here and while it waits.
  while (receive()) {
  }
  std::erase_if(leases_,
                [this](const WritableRoom& room) { return !world_.holds_lease(id_, room.leased.lease); });
  for (WritableRoom& room : leases_) {
    const auto offset = room.free_space.allocate(bytes);
    if (!offset || !world_.add_value(id_, room.leased.lease)) continue;
    return Extent{room.leased.slab, room.leased.offset + *offset, bytes};
  }
  if (wait_) return std::nullopt;  // it waits for one thing at a time
  post(Lease{++last_request_, bytes, random_.one_in(4) ? 1u : 0u});
  wait_ = Wait{.request = last_request_};
  return std::nullopt;
}

namespace {

/// What it can be replaced by where there is no room for it.
std::vector<std::byte> without_padding(const std::vector<std::byte>& bytes, bool is_error) {
  if (is_error) return encode_failure("no room for an error");
  SimulatedValue value = decode(bytes);
  value.padding_bytes = 0;
  return encode(value);
}

}  // namespace

ValuePart SimulatedWorker::place(const std::vector<std::byte>& value, bool is_error,
                                 std::vector<std::byte>& storage) {
  ValuePart part;
  part.is_error = is_error;
  storage = value;
  part.bytes = storage;
  const bool is_large = value.size() > 400;
  if (!is_large && !random_.one_in(4)) return part;
  const auto extent = allocate(value.size());
  if (!extent) {  // it is sent in the message this once
    if (value.size() > kInlineBytes) storage = without_padding(value, is_error);
    part.bytes = storage;
    return part;
  }
  if (!world_.has_region(id_, extent->slab, true)) SimulatedWorld::fail("a lease without its region");
  std::ranges::copy(value, world_.data(*extent));
  part.bytes = {};
  part.extent = *extent;
  return part;
}

void SimulatedWorker::put() {
  std::vector<std::byte> storage;
  const ObjectId object{(uint64_t{id_.value} << 40) + ++last_object_};
  const std::optional<ValuePart> lent = lend(object);
  ValuePart part = lent ? *lent : place(encode(make_value(object)), false, storage);
  part.object = object;
  const bool goes_on_reading = part.extent && !lent && random_.one_in(3);
  post(PutValue{{&part, 1}, goes_on_reading ? 1u : 0u});
  if (goes_on_reading) view_of(part);
  book_.put(part.object);
  handles_.push_back(part.object);
}

/// Where it may not be further ahead, it goes on to something else.
void SimulatedWorker::give() {
  const bool waits = current_->most_ahead > 0 &&
                     current_->given - std::min(current_->given, current_->taken) >= current_->most_ahead;
  if (waits) return tell_let_go();
  std::vector<std::byte> storage;
  const ObjectId item{(uint64_t{id_.value} << 40) + ++last_object_};
  book_.give(current_->first_return, item);
  const std::optional<ValuePart> lent = lend(item);
  ValuePart part = lent ? *lent : place(encode(make_value(item)), false, storage);
  part.object = item;
  post(Give{current_->task, current_->given++, {&part, 1}});
}

void SimulatedWorker::ask_next(ObjectId stream) {
  Wait wait{.request = ++last_request_, .has_deadline = true, .is_next = true, .objects = {stream}};
  post(AskNext{wait.request, stream, random_.one_in(4) ? 0u : 1u});
  wait_ = std::move(wait);
}

void SimulatedWorker::submit() {
  if (current_->budget == 0) return;
  SimulationBook::Call call;
  const uint64_t what = random_.below(5);
  call.mode = what < 3                       ? CallMode::kTask
              : what == 3 || actors_.empty() ? CallMode::kMakeActor
                                             : CallMode::kActorCall;
  if (call.mode == CallMode::kActorCall) call.actor = actors_[random_.below(actors_.size())];
  call.caller = id_.value;
  call.parent = current_->number;
  call.num_returns = call.mode == CallMode::kMakeActor ? 0 : 1 + static_cast<uint32_t>(random_.below(3));
  call.max_retries = SimulationBook::some_retries(call.mode, random_);
  call.cpu_milli = SimulationBook::some_cpu_milli(call.mode, random_);
  call.gpu_milli = SimulationBook::some_gpu_milli(call.mode, random_);
  call.max_concurrency = SimulationBook::some_concurrency(call.mode, random_);
  SimulationBook::choose_kind(call, random_);
  for (uint64_t i = random_.below(3); i > 0 && !handles_.empty(); --i) call.refs.push_back(some_handle());
  const ObjectId first{(uint64_t{id_.value} << 40) + last_object_ + 1};
  last_object_ += std::max(call.num_returns, 1u);
  if (call.mode == CallMode::kMakeActor) {
    call.actor = {first.value};
  } else {
    call.first_return = first;
  }

  SimulatedValue arguments = make_value({});
  arguments.budget = current_->budget - 1;
  if (call.is_counted) book_.hold({call.actor.value}, arguments.refs);  // it may be made again with them
  if (call.is_counted) book_.hold({call.actor.value}, call.refs);
  if (!actors_.empty()) arguments.actors.push_back(actors_[random_.below(actors_.size())]);
  if (call.actor) arguments.actors.push_back(call.actor);
  call.has_name = call.mode == CallMode::kMakeActor && random_.one_in(4);
  const SimulationBook::Call copy = call;
  arguments.number = book_.add(std::move(call));
  std::vector<std::byte> storage;
  ValuePart part = place(encode(arguments), false, storage);
  Submit message;
  message.parent = current_->task;
  message.mode = copy.mode;
  message.function = {1 + 3 * static_cast<uint64_t>(copy.mode) +
                      random_.below(3)};  // those of actors have a class
  message.actor = copy.actor;
  message.first_return = copy.first_return;
  message.terms = {copy.num_returns, copy.max_retries, {copy.cpu_milli}, copy.max_concurrency};
  message.terms.is_counted = copy.is_counted ? 1 : 0;
  message.terms.is_stream = copy.is_stream;
  message.terms.most_ahead = copy.most_ahead;
  message.terms.retry_exceptions = copy.retries_exceptions ? 1 : 0;
  message.function_name = "called";
  message.class_name = copy.mode == CallMode::kTask ? "" : "Class";
  message.name = copy.has_name ? "named" : "";
  const std::string resources = resources_text({{"GPU", copy.gpu_milli}});
  message.resources = resources;
  const std::string groups = SimulationBook::groups_of(copy);
  message.concurrency_groups = groups;
  message.refs = copy.refs;
  message.parts = {&part, 1};
  post(message);
  world_.trace(fmt::format("{} submits call {}, a {} of actor {}", id_.value, arguments.number,
                           static_cast<int>(copy.mode), copy.actor.value));
  for (uint32_t i = 0; i < copy.num_returns; ++i) handles_.push_back({copy.first_return.value + i});
  if (copy.mode == CallMode::kMakeActor) actors_.push_back(copy.actor);
  if (copy.is_counted) shares_.push_back({copy.actor.value});
}

void SimulatedWorker::ask() {
  if (handles_.empty()) return;
  tell_let_go();
  if (const ObjectId object = some_handle(); book_.is_stream(object) && random_.one_in(2))
    return ask_next(object);
  Wait wait;
  wait.request = ++last_request_;
  wait.is_wait = random_.one_in(3);
  wait.has_deadline = random_.one_in(2) || current_->mode != CallMode::kTask;
  std::vector<ObjectId> objects{some_handle()};
  wait.is_of_small_ones = !wait.is_wait && random_.one_in(2);
  while ((wait.is_wait || wait.is_of_small_ones) && random_.one_in(2)) objects.push_back(some_handle());
  for (const ObjectId object : objects)
    wait.has_deadline |= !book_.may_be_waited_for(object, current_->number);
  if (wait.is_wait) {
    post(WaitFor{wait.request, static_cast<uint32_t>(1 + random_.below(objects.size())), objects});
  } else {
    wait.left = static_cast<uint32_t>(objects.size());
    post(GetValues{wait.request, objects, wait.is_of_small_ones ? 1u : 0u});
  }
  wait.objects = std::move(objects);
  wait_ = std::move(wait);
}

void SimulatedWorker::exit_actor() {
  post(ExitActorCall());
  book_.actor_exited(maker_);
  broken_ = true;  // until it is killed
}

void SimulatedWorker::cancel_one() {
  if (handles_.empty()) return;
  CancelCall message;
  message.request = ++last_request_;
  message.object = some_handle();
  message.force = random_.one_in(4) ? 1 : 0;
  message.recursive = random_.one_in(2) ? 1 : 0;
  book_.cancel(message.object, message.recursive != 0);
  post(message);
  wait_ = Wait{.request = message.request};
}

void SimulatedWorker::release_one() {
  if (!views_.empty() && random_.one_in(2)) return end(View(views_[random_.below(views_.size())]));
  if (!shares_.empty() && random_.one_in(3)) {
    const size_t at = random_.below(shares_.size());
    released_.push_back(shares_[at]);
    shares_.erase(shares_.begin() + static_cast<ptrdiff_t>(at));
    return;
  }
  if (handles_.empty()) return;
  const size_t at = random_.below(handles_.size());
  if (is_waited_for(handles_[at])) return;
  released_.push_back(handles_[at]);
  handles_.erase(handles_.begin() + static_cast<ptrdiff_t>(at));
}

void SimulatedWorker::done() {
  const bool makes_actor = current_->mode == CallMode::kMakeActor;
  const bool fails = random_.one_in(6);
  const size_t num_parts = makes_actor ? (fails ? 1 : 0) : current_->num_returns;
  std::vector<std::vector<std::byte>> storage(num_parts);
  std::vector<ValuePart> parts;
  for (size_t i = 0; i < num_parts; ++i) {
    // A long error lies in the store, as any value does.
    const std::string text(random_.one_in(200) ? 300'000 : random_.one_in(3) ? 600 : 10, 'e');
    const std::optional<ValuePart> lent = fails ? std::nullopt : lend({current_->first_return.value + i});
    parts.push_back(lent    ? *lent
                    : fails ? place(encode_failure(text), true, storage[i])
                            : place(encode(make_return(static_cast<uint32_t>(i))), false, storage[i]));
    wait_.reset();  // a lease comes later, but is not waited for
  }
  post(Done{current_->task, random_.one_in(2) ? 100 : 1000 + random_.below(100'000), parts, fails ? 1u : 0u});
  world_.trace(fmt::format("{} has done call {}", id_.value, current_->number));
  broken_ = makes_actor && fails;
  if (broken_) book_.constructor_failed(current_->number);
  if (current_->mode == CallMode::kTask || random_.one_in(3)) {
    for (const View& view : std::vector<View>(views_)) end(view);
    release_all();
  }
  if (std::ranges::any_of(parts, [](const ValuePart& part) { return bool(part.lender); })) {
    tell_let_go();
    post(ReadEnded{});
  }
  current_.reset();
}

/// Another thread that waits for a value has a handle to it.
bool SimulatedWorker::is_waited_for(ObjectId object) const {
  const auto waits_for = [&](const std::optional<Wait>& wait) {
    return wait && std::ranges::find(wait->objects, object) != wait->objects.end();
  };
  return waits_for(wait_) ||
         std::ranges::any_of(other_lanes_, [&](const Lane& lane) { return waits_for(lane.wait); });
}

void SimulatedWorker::release_all() {
  std::erase_if(handles_, [this](ObjectId handle) {
    if (is_waited_for(handle)) return false;
    released_.push_back(handle);
    return true;
  });
  released_.insert(released_.end(), shares_.begin(), shares_.end());
  shares_.clear();
}

std::string SimulatedWorker::text() const {
  return fmt::format("worker {}: {} handles, {} views, {} runs{}{}", id_.value, handles_.size(),
                     views_.size(), runs_.size(),
                     current_ ? fmt::format(", in call {}", current_->number) : "",
                     wait_ ? fmt::format(", waits for {}", wait_->request) : "");
}

}  // namespace flowray::ray
