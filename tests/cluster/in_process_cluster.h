#pragma once
// Several tasks of a cluster in one process, whose network loses connections when a test says so.

#include "cluster/master/master.h"
#include "cluster/worker/worker.h"
#include "core/job_queue.h"
#include "graph/exchange/graph_export.h"
#include "wire/master.h"
#include "wire/tensor_value.h"
#include "wire/worker.h"

#include <flowray/errors.h>

#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace flowray::cluster {

/// A call of one task to another: answered once, by the other one or because one of them died.
class FakeCall {
 public:
  FakeCall(std::string method, const Message& message, Channel::Done done)
      : method_(std::move(method)), done_(std::move(done)) {
    for (const Message::Piece& piece : message.pieces())
      bytes_->append(reinterpret_cast<const char*>(piece.bytes.data()), piece.bytes.size());
  }
  void run(const Handler& handler, const std::shared_ptr<FakeCall>& self) {
    handler({method_, std::as_bytes(std::span(*bytes_)), bytes_, cancellation_}, [self](Response response) {
      self->answer(std::move(response));
      self->handled_.set_value();
    });
  }
  void answer(Response response) {
    Channel::Done done;
    {
      const std::lock_guard lock(mutex_);
      done = std::exchange(done_, nullptr);
    }
    if (done == nullptr) return;
    Response in_one_piece{{}, std::move(response.status)};
    std::string bytes;
    for (const Message::Piece& piece : response.message.pieces())
      bytes.append(reinterpret_cast<const char*>(piece.bytes.data()), piece.bytes.size());
    if (damage != nullptr) damage(bytes);
    in_one_piece.message.add(std::move(bytes));
    answers_now = true;
    done(std::move(in_one_piece));
    answers_now = false;
  }
  /// Whether this thread is one of the transport's, which has other answers to bring.
  static inline thread_local bool answers_now = false;

  void cancel() { cancellation_.cancel(); }
  /// By the caller: a call that is held is answered by nobody else.
  void give_up(const std::shared_ptr<FakeCall>& self) {
    cancel();
    if (is_held) default_jobs().post([self] { self->answer({{}, {1, "CANCELLED"}}); });
  }
  bool is_held = false;                                       // set before the caller can give it up
  std::function<void(std::string& answer)> damage = nullptr;  // likewise
  void wait_until_handled() { handled_.get_future().wait(); }

 private:
  const std::string method_;
  const std::shared_ptr<std::string> bytes_ = std::make_shared<std::string>();
  Cancellation cancellation_;
  std::promise<void> handled_;
  std::mutex mutex_;
  Channel::Done done_;
};

class InProcessCluster {
 public:
  struct Member {
    Member(InProcessCluster& cluster, const Identity& who)
        : task(who, cluster.addresses_, {},
               [&cluster, from = who.name()](const std::string& address) {
                 return std::make_shared<FakeChannel>(cluster, from, address);
               }),
          worker(task),
          master(task) {}
    Response answer(const Request& request) {
      const auto answer = std::make_shared<std::promise<Response>>();
      handle(request, [answer](Response response) { answer->set_value(std::move(response)); });
      return answer->get_future().get();
    }
    void handle(const Request& request, Reply reply) {
      if (request.method.starts_with(Worker::kService)) return worker.handle(request, std::move(reply));
      master.handle(request, std::move(reply));
    }
    Task task;
    Worker worker;
    Master master;
  };

  /// Numbers of tasks by job.
  explicit InProcessCluster(const std::map<std::string, int>& jobs) {
    for (const auto& [job, count] : jobs) {
      for (int i = 0; i < count; ++i) addresses_[job][i] = Identity{job, i}.name();
    }
    for (const auto& [job, tasks] : addresses_) {
      for (const auto& [number, address] : tasks) start({job, number});
    }
  }
  ~InProcessCluster() {
    while (!members_.empty()) kill(members_.begin()->first);
  }

  void start(const Identity& who) {
    auto member = std::make_shared<Member>(*this, who);
    const std::lock_guard lock(mutex_);
    members_[who.name()] = std::move(member);
  }
  /// Ends the task, whose calls and those of others to it are over at once.
  void kill(std::string name) {  // a copy: that of the member goes with it
    std::shared_ptr<Member> killed;
    std::vector<std::shared_ptr<FakeCall>> incoming;
    std::vector<std::shared_ptr<FakeCall>> outgoing;
    {
      const std::lock_guard lock(mutex_);
      killed = std::move(members_.at(name));
      members_.erase(name);
      for (const auto& open : open_) {
        if (open.to == name) incoming.push_back(open.call);
        if (open.from == name) outgoing.push_back(open.call);
      }
    }
    for (const auto& call : incoming) {
      call->answer({{}, {14, "Socket closed"}});
      call->cancel();
    }
    for (const auto& call : outgoing) {
      call->cancel();
      call->answer({{}, {14, "Socket closed"}});
    }
    for (const auto& call : incoming) call->wait_until_handled();
    while (killed.use_count() > 1) std::this_thread::yield();  // a thread that answers it is about to go
  }
  Member& member(const Identity& who) { return *members_.at(who.name()); }

  /// Calls of the method do not arrive from now on, until let_go().
  void hold(const std::string& method) {
    const std::lock_guard lock(mutex_);
    held_method_ = "/tensorflow.WorkerService/" + method;
  }
  void let_go() {
    std::vector<std::function<void()>> held;
    {
      const std::lock_guard lock(mutex_);
      held_method_.clear();
      held.swap(held_);
    }
    for (const auto& send_on : held) send_on();
  }

  /// Answers to the method come changed from now on; null: no more.
  void damage(const std::string& method, std::function<void(std::string& answer)> change) {
    const std::lock_guard lock(mutex_);
    damaged_method_ = "/tensorflow.WorkerService/" + method;
    damage_ = std::move(change);
  }

  /// How often a method has been called, "RunGraph", by threads that bring answers.
  int calls_while_answering(const std::string& method) {
    const std::lock_guard lock(mutex_);
    return counts_while_answering_["/tensorflow.WorkerService/" + method];
  }
  /// How often a method has been called, "RunGraph".
  int calls_of(const std::string& method) {
    const std::lock_guard lock(mutex_);
    return counts_["/tensorflow.WorkerService/" + method];
  }

 private:
  class FakeChannel final : public Channel {
   public:
    FakeChannel(InProcessCluster& cluster, std::string from, std::string to)
        : cluster_(cluster), from_(std::move(from)), to_(std::move(to)) {}
    Response call(std::string_view, const Message&, Deadline, Cancellation*) override {
      return {{}, {12, "tasks do not wait"}};
    }
    std::function<void()> start(std::string_view method, const Message& message, const Limits& limits,
                                Done done) override {
      auto call = std::make_shared<FakeCall>(std::string(method), message, std::move(done));
      cluster_.send(from_, to_, std::string(method), limits, call);
      return [call] { call->give_up(call); };
    }

   private:
    InProcessCluster& cluster_;
    const std::string from_;
    const std::string to_;
  };
  struct Open {
    std::string from;
    std::string to;
    std::shared_ptr<FakeCall> call;
    bool operator<(const Open& other) const { return call < other.call; }
  };

  void send(const std::string& from, const std::string& to, const std::string& method,
            const Channel::Limits& limits, const std::shared_ptr<FakeCall>& call) {
    std::shared_ptr<Member> member;
    const Open open{from, to, call};
    {
      const std::lock_guard lock(mutex_);
      ++counts_[method];
      if (FakeCall::answers_now) ++counts_while_answering_[method];
      if (method == damaged_method_) call->damage = damage_;
      if (method == held_method_) {
        call->is_held = true;
        held_.emplace_back([=, this] { send(from, to, method, limits, call); });
        if (limits.deadline != Channel::Deadline::max()) {
          default_jobs().post([call, until = limits.deadline] {
            std::this_thread::sleep_until(until);
            call->answer({{}, {4, "Deadline Exceeded"}});
          });
        }
        return;
      }
      if (const auto found = members_.find(to); found != members_.end()) {
        member = found->second;
        open_.insert(open);
      }
    }
    if (member == nullptr) {
      while (limits.waits_for_server && std::chrono::system_clock::now() < limits.deadline)
        std::this_thread::yield();
      call->answer({{}, {limits.waits_for_server ? 4 : 14, "failed to connect"}});
      return;
    }
    default_jobs().post([this, member, call, open]() mutable {
      call->run(
          [&](const Request& request, const Reply& reply) {
            member->handle(request, [this, open, reply](Response response) {
              {
                const std::lock_guard lock(mutex_);
                open_.erase(open);
              }
              reply(std::move(response));
            });
          },
          call);
    });
  }

  engine::ClusterAddresses addresses_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Member>> members_;
  std::set<Open> open_;
  std::map<std::string, int> counts_;
  std::map<std::string, int> counts_while_answering_;
  std::string held_method_;
  std::string damaged_method_;
  std::function<void(std::string&)> damage_;
  std::vector<std::function<void()>> held_;
};

/// A session with one member's master, as a client's.
class ClusterClient {
 public:
  explicit ClusterClient(InProcessCluster::Member& member) : member_(member) {}

  template <class Answer, class Question>
  Answer ask(const std::string& method, const Question& question) {
    const std::string path = "/tensorflow.MasterService/" + method;
    const auto bytes = std::make_shared<std::string>(wire::encode(question));
    const Response response = member_.answer({path, std::as_bytes(std::span(*bytes)), bytes, cancellation});
    if (!response.status.ok()) errors::throw_error(Code{response.status.code}, response.status.text);
    answer_.clear();
    for (const Message::Piece& piece : response.message.pieces())
      answer_.append(reinterpret_cast<const char*>(piece.bytes.data()), piece.bytes.size());
    return wire::decode<Answer>(answer_);
  }
  void create(const wire::GraphDef& graph, const wire::ConfigProto& config = {}) {
    wire::CreateSessionRequest request;
    request.graph_def = graph;
    request.config = config;
    session = ask<wire::CreateSessionResponse>("CreateSession", request).session_handle.str();
  }
  /// The values of `fetches` ("y:0"), in that order; others are targets.
  std::vector<Array> run(const std::vector<std::string>& fetches,
                         const std::map<std::string, Array>& feeds = {},
                         const wire::RunOptions& options = {}) {
    wire::RunStepRequest request;
    request.session_handle = session;
    request.options = options;
    for (const std::string& name : fetches)
      (name.find(':') == std::string::npos ? request.target : request.fetch).emplace_back(name);
    for (const auto& [name, value] : feeds) {
      auto& feed = request.feed.emplace_back();
      feed.name = name;
      feed.tensor = wire::to_tensor_proto(value, wire::TensorForm::kBorrowed);
    }
    const auto answer = ask<wire::RunStepResponse>("RunStep", request);
    metadata = answer.metadata.value_or(wire::RunMetadata());
    std::vector<Array> values;
    for (const std::string& name : fetches) {
      for (const auto& tensor : answer.tensor) {
        if (tensor.name == name) values.push_back(wire::to_array(tensor.tensor));
      }
    }
    return values;
  }
  void close() {
    wire::CloseSessionRequest request;
    request.session_handle = session;
    const std::string path = "/tensorflow.MasterService/CloseSession";
    const auto bytes = std::make_shared<std::string>(wire::encode(request));
    (void)member_.answer({path, std::as_bytes(std::span(*bytes)), bytes, cancellation});
  }

  std::string session;
  Cancellation cancellation;
  wire::RunMetadata metadata;

 private:
  InProcessCluster::Member& member_;
  std::string answer_;  // what metadata borrow from
};

}  // namespace flowray::cluster
