/// A session on a server, from the client's side: TensorFlow's MasterService.

#include "cluster/asked_call.h"
#include "cluster/bodies.h"
#include "cluster/security.h"
#include "cluster/server/awaited_answer.h"
#include "cluster/server/step_token.h"
#include "cluster/transport.h"
#include "core/mutex.h"
#include "core/said_lines.h"
#include "engine/servers.h"
#include "graph/exchange/graph_export.h"
#include "tf/train/waits_for_token.h"
#include "wire/master.h"
#include "wire/tensor_value.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <future>
#include <optional>
#include <string_view>
#include <utility>

namespace flowray::cluster {
namespace {

/// The node that an error's text names last: "... [[{{node NAME}}]]".
std::string node_in(std::string_view text) {
  constexpr std::string_view kNode = "{{node ";
  const size_t begin = text.rfind(kNode);
  const size_t end = begin == std::string_view::npos ? begin : text.find("}}", begin);
  if (end == std::string_view::npos) return {};
  return std::string(text.substr(begin + kNode.size(), end - begin - kNode.size()));
}

[[noreturn]] void throw_status(int code, const std::string& text) {
  errors::throw_error(static_cast<Code>(code), text, node_in(text));
}

/// Nothing listens at the address, or not yet.
bool is_nobody_there(const Status& status) {
  return status.code == static_cast<int>(Code::kUnavailable) &&
         status.text.find("Connection refused") != std::string::npos;
}

/// 0 for none.
Channel::Deadline deadline_in(int64_t timeout_ms) {
  if (timeout_ms <= 0) return Channel::Deadline::max();
  return std::chrono::system_clock::now() + std::chrono::milliseconds(timeout_ms);
}

class GrpcSession final : public engine::RemoteSession {
 public:
  GrpcSession(const std::string& target, graph::Graph& graph, const engine::RemoteOptions& options)
      : graph_(graph), options_(options) {
    const ParsedTarget parsed = parse_target(target);
    address_ = parsed.address;
    channel_ = transport().connect(parsed.address, read_security(parsed.files));
  }
  GrpcSession(const GrpcSession&) = delete;
  GrpcSession& operator=(const GrpcSession&) = delete;
  ~GrpcSession() override {
    close();
    std::shared_ptr<Sending> left;
    {
      const MutexLock lock(mutex_);
      left = sending_;
    }
    if (left != nullptr) left->answer->wait();  // it was given up, and borrows from the graph until it ends
  }

  std::vector<Array> run(const engine::RemoteStep& step) override {
    const int64_t timeout_ms = step.timeout_ms > 0 ? step.timeout_ms : options_.operation_timeout_ms;
    const std::string handle = send_graph(timeout_ms, step.cancellation);
    if (step.fetches.empty() && step.targets.empty() && step.partial_run.empty()) return {};
    wire::RunStepRequest request = request_of(step, handle);
    request.partial_run_handle = step.partial_run;
    request.options.timeout_in_ms = step.timeout_ms;
    if (step.traces) request.options.trace_level = wire::RunOptions::TraceLevel::kFull;
    request.options.output_partition_graphs = step.gives_graphs;
    request.store_errors_in_response_body = true;  // a status takes only short ones
    const Answer answer = ask("RunStep", large_message(request), timeout_ms > 0 ? timeout_ms + kGraceMs : 0,
                              step.cancellation, &step);
    const auto response = wire::decode<wire::RunStepResponse>(answer.bytes);
    if (response.status_code != 0) throw_status(response.status_code, response.status_error_message.str());
    if (step.told && response.metadata) step.told(*response.metadata);
    return fetched(step, response, answer.owner);
  }

  std::string explain(const engine::RemoteStep& step, int measured_runs) override {
    wire::ExplainRequest request;
    const std::string handle = send_graph(options_.operation_timeout_ms);
    request.step = request_of(step, handle);
    request.measured_runs = measured_runs;
    const Response response = channel_->call(kExplain, large_message(request),
                                             deadline_in(options_.operation_timeout_ms), &closing_);
    if (response.status.code == static_cast<int>(Code::kUnimplemented) &&
        (response.status.text.empty() || response.status.text.find(kExplain) != std::string::npos)) {
      throw errors::UnimplementedError(fmt::format(
          "The server at {} explains no steps\nIt is not one of Flowray's, or an older one: trace the step "
          "(RunOptions.trace_level).",
          address_));
    }
    return std::string(answer_in(response).bytes);
  }

  std::string begin_partial_run(const std::vector<std::string>& feeds,
                                const std::vector<std::string>& fetches,
                                const std::vector<std::string>& targets) override {
    wire::PartialRunSetupRequest request;
    const std::string handle = send_graph(options_.operation_timeout_ms);
    request.session_handle = handle;
    request.feed.assign(feeds.begin(), feeds.end());
    request.fetch.assign(fetches.begin(), fetches.end());
    request.target.assign(targets.begin(), targets.end());
    const Answer answer =
        ask("PartialRunSetup", Message(wire::encode(request)), options_.operation_timeout_ms);
    return wire::decode<wire::PartialRunSetupResponse>(answer.bytes).partial_run_handle.str();
  }

  std::vector<engine::RemoteDevice> list_devices() override {
    wire::ListDevicesRequest request;
    request.session_handle = send_graph(options_.operation_timeout_ms);
    const Answer answer = ask("ListDevices", Message(wire::encode(request)), options_.operation_timeout_ms);
    const auto response = wire::decode<wire::ListDevicesResponse>(answer.bytes);
    std::vector<engine::RemoteDevice> devices;
    for (const auto* list : {&response.local_device, &response.remote_device}) {
      for (const wire::DeviceAttributes& device : *list) {
        devices.push_back(
            {device.name.str(), device.device_type.str(), device.memory_limit, device.incarnation.value});
      }
    }
    return devices;
  }

  void close() override {
    closing_.cancel();  // a call that sends the graph meanwhile is not waited for
    std::string handle;
    {
      const MutexLock lock(mutex_);
      handle = std::exchange(handle_, {});
    }
    close_there(handle);
  }

 private:
  /// Borrows from both.
  static wire::RunStepRequest request_of(const engine::RemoteStep& step, const std::string& handle) {
    wire::RunStepRequest request;
    request.session_handle = handle;
    for (const auto& [name, value] : step.feeds) {
      auto& feed = request.feed.emplace_back();
      feed.name = name;
      feed.tensor = wire::to_tensor_proto(*value, wire::TensorForm::kBorrowed);
    }
    request.fetch.assign(step.fetches.begin(), step.fetches.end());
    request.target.assign(step.targets.begin(), step.targets.end());
    return request;
  }

  struct Answer {
    std::string_view bytes;
    std::shared_ptr<const void> owner;
  };

  /// What a server says itself about a step that takes too long tells more: it gets so much longer.
  static constexpr int64_t kGraceMs = 200;
  static constexpr auto kGraceOfSession = std::chrono::seconds(1);
  static constexpr int64_t kMostCloseMs = 5'000;
  static constexpr auto kSilence = std::chrono::seconds(10);  // until awaited tasks are logged

  [[noreturn]] static void throw_closed() {
    throw errors::CancelledError("Step was cancelled by an explicit call to `Session::Close()`.");
  }

  /// `timeout_ms`: 0 for none; `cancellation`: beside the session's end, or null; `step`: what
  /// is run, or null.
  Answer ask(std::string_view method, const Message& message, int64_t timeout_ms,
             Cancellation* cancellation = nullptr, const engine::RemoteStep* step = nullptr) {
    const auto call = [&](Cancellation& ends) {
      return step != nullptr && has_tokens_
                 ? call_with_words(method, message, timeout_ms, ends, *step)
                 : channel_->call(path_of(method), message, deadline_in(timeout_ms), &ends);
    };
    if (cancellation == nullptr) return answer_in(call(closing_));
    Cancellation either;
    const Cancellation::Listening to_session(closing_, [&either] { either.cancel(); });
    const Cancellation::Listening to_caller(*cancellation, [&either] { either.cancel(); });
    const Response response = call(either);
    if (!response.status.ok() && cancellation->is_cancelled())
      throw errors::CancelledError("Step was cancelled");
    return answer_in(response);
  }

  /// A step that waits for the chief says so.
  Response call_with_words(std::string_view method, const Message& message, int64_t timeout_ms,
                           Cancellation& ends, const engine::RemoteStep& step) {
    const Channel::Limits limits{.deadline = deadline_in(timeout_ms)};
    std::optional<bool> waits;
    return AskedCall(*channel_, path_of(method), message, limits, ends).answer(kSilence, [&] {
      if (!waits.has_value()) {
        std::vector<std::string> fed;
        for (const auto& [name, value] : step.feeds) fed.push_back(name);
        waits = takes_step_token(graph_, step.fetches, fed) || takes_step_token(graph_, step.targets, fed);
      }
      if (*waits) say_unless_just_said(tf::train::kWaitsForToken, kSilence / 2);
    });
  }

  static std::string path_of(std::string_view method) {
    return std::string("/tensorflow.MasterService/").append(method);
  }

  Answer answer_in(const Response& response) const {
    if (!response.status.ok() && closing_.is_cancelled()) throw_closed();
    if (!response.status.ok()) throw_status(response.status.code, response.status.text);
    if (response.message.pieces().empty()) return {};
    const Message::Piece& piece = response.message.pieces().front();
    return {{reinterpret_cast<const char*>(piece.bytes.data()), piece.bytes.size()}, piece.owner};
  }

  /// Ends the session `handle` on the server; "": no session. A server that is gone has closed it already;
  /// one that does not answer is not waited for.
  void close_there(const std::string& handle) {
    if (handle.empty()) return;
    wire::CloseSessionRequest request;
    request.session_handle = handle;
    (void)channel_->call("/tensorflow.MasterService/CloseSession", Message(wire::encode(request)),
                         deadline_in(kMostCloseMs), nullptr);
  }

  /// The graph is on its way, by which a session is made or extended: one at a time. A session that is being
  /// made ends with the step that makes it. An extension goes on when its step is cancelled: whether the
  /// server has taken it could not be known, and both sides count extensions.
  struct Sending {
    explicit Sending(std::string of) : handle(std::move(of)) {}
    const std::shared_ptr<AwaitedAnswer> answer = std::make_shared<AwaitedAnswer>();
    std::string handle;                    // of the session that is extended; empty: it is made
    wire::ExtendSessionRequest extension;  // which the message borrows from
    std::optional<Cancellation::Listening> to_session;
  };

  /// Makes the session or extends it by what is new, and returns its handle. Waits for others that do so,
  /// until `caller` (or null) is cancelled or for `timeout_ms` (0: no limit).
  std::string send_graph(int64_t timeout_ms, Cancellation* caller = nullptr) {
    const Channel::Deadline end = deadline_in(timeout_ms);
    const int num_wanted = graph_.num_nodes();
    while (true) {
      std::shared_ptr<Sending> sending;
      bool is_new = false;
      {
        const MutexLock lock(mutex_);
        if (closing_.is_cancelled()) throw_closed();
        take_in_extension();
        if (sending_ == nullptr && !handle_.empty() && num_sent_ >= num_wanted) return handle_;
        is_new = sending_ == nullptr;
        if (is_new) sending_ = std::make_shared<Sending>(handle_);
        sending = sending_;
      }
      if (is_new) send(sending, caller);
      sending->answer->wait(caller, end);
      check_sent(*sending, caller);
    }
  }

  void check_sent(const Sending& sending, const Cancellation* caller) const {
    if (sending.answer->is_there()) {
      (void)answer_in(sending.answer->response());
      return;
    }
    if (caller != nullptr && caller->is_cancelled()) throw errors::CancelledError("Step was cancelled");
    throw errors::DeadlineExceededError(fmt::format(
        "Deadline Exceeded\nThe server at {} has not yet taken the graph. Give the step more time "
        "(timeout_in_ms, or operation_timeout_in_ms of the session).",
        address_));
  }

  /// Where the server has answered it. What it refused may be sent again.
  void take_in_extension() FLOWRAY_REQUIRES(mutex_) {
    if (sending_ == nullptr || !sending_->answer->is_there()) return;
    const std::shared_ptr<Sending> sent = std::exchange(sending_, nullptr);
    const Response& response = sent->answer->response();
    if (!response.status.ok()) return;
    version_ = wire::decode<wire::ExtendSessionResponse>(answer_in(response).bytes).new_graph_version;
    num_sent_ += static_cast<int>(sent->extension.graph_def.node.size());  // there may be more since
  }

  /// By the thread that has begun it.
  void send(const std::shared_ptr<Sending>& sending, Cancellation* caller) {
    const auto end = [&] {
      {
        const MutexLock lock(mutex_);
        sending_.reset();
      }
      sending->answer->set({});  // others look what is left to send
    };
    try {
      if (!sending->handle.empty()) return extend(sending);
      create(caller);
    } catch (...) {
      end();
      throw;
    }
    end();
  }

  /// Without a deadline: a step that has one leaves it to the next.
  void extend(const std::shared_ptr<Sending>& sending) {
    wire::ExtendSessionRequest& request = sending->extension;
    request.session_handle = sending->handle;
    int first_node = 0;
    {
      const MutexLock lock(mutex_);
      first_node = num_sent_;
      request.current_graph_version = version_;
    }
    request.graph_def = graph::to_graph_def(graph_, {.first_node = first_node});
    if (has_step_tokens(request.graph_def)) has_tokens_ = true;
    const auto give_up =
        channel_->start(path_of("ExtendSession"), large_message(request), {},
                        [answer = sending->answer](Response response) { answer->set(std::move(response)); });
    sending->to_session.emplace(closing_, give_up);
  }

  /// Makes the session, which `caller` may end.
  void create(Cancellation* caller) {
    wire::CreateSessionRequest request;
    request.graph_def = graph::to_graph_def(graph_);
    request.config.allow_soft_placement = options_.allow_soft_placement;
    request.config.operation_timeout_in_ms = options_.operation_timeout_ms;
    request.config.intra_op_parallelism_threads = options_.intra_op_threads;
    request.config.log_device_placement = options_.log_device_placement;
    request.config.device_filters.assign(options_.device_filters.begin(), options_.device_filters.end());
    request.config.isolate_session_state = options_.isolate_session_state;
    request.config.graph_options = options_.graph_options;
    const Response made = ask_for_session(large_message(request), caller);
    if (!made.status.ok() && caller != nullptr && caller->is_cancelled())
      throw errors::CancelledError("Step was cancelled");
    const Answer answer = answer_in(made);
    const auto response = wire::decode<wire::CreateSessionResponse>(answer.bytes);
    const std::string handle = response.session_handle.str();
    if (has_step_tokens(request.graph_def)) has_tokens_ = true;
    {
      const MutexLock lock(mutex_);
      version_ = response.graph_version;
      num_sent_ = static_cast<int>(request.graph_def.node.size());
      if (!closing_.is_cancelled()) {
        handle_ = handle;
        return;
      }
    }
    close_there(handle);  // close() came before there was anything to close
    throw_closed();
  }

  /// Returns when there is one, at the deadline or when nobody wants it any more.
  void await_server(Channel::Deadline deadline, Cancellation& ends) {
    const auto answered = std::make_shared<std::promise<void>>();
    const auto give_up = channel_->start("/tensorflow.WorkerService/GetStatus", Message(),
                                         {.deadline = deadline, .waits_for_server = true},
                                         [answered](const Response&) { answered->set_value(); });
    const Cancellation::Listening listening(ends, give_up);
    answered->get_future().wait();
  }

  /// A client may be started before its server, which is waited for, as the server waits for others.
  Response ask_for_session(const Message& request, Cancellation* caller) {
    Cancellation ends;
    const Cancellation::Listening to_session(closing_, [&ends] { ends.cancel(); });
    std::optional<Cancellation::Listening> to_caller;
    if (caller != nullptr) to_caller.emplace(*caller, [&ends] { ends.cancel(); });
    const auto say = [this] {
      fmt::print(stderr, "flowray: still waiting for a session at {}: for tasks that its graph names\n",
                 address_);
    };
    const Channel::Deadline end = deadline_in(options_.operation_timeout_ms);
    // The server has the same deadline, and says which task it has waited for.
    const Channel::Deadline end_of_call = end == Channel::Deadline::max() ? end : end + kGraceOfSession;
    auto next_word = std::chrono::system_clock::now() + kSilence;
    while (true) {
      Response response =
          AskedCall(*channel_, path_of("CreateSession"), request, {.deadline = end_of_call}, ends)
              .answer(kSilence, say);
      if (!is_nobody_there(response.status) || ends.is_cancelled()) return response;
      await_server(std::min(end, next_word), ends);
      const auto now = std::chrono::system_clock::now();
      if (now >= end) {
        return {{},
                {static_cast<int>(Code::kDeadlineExceeded),
                 fmt::format("There is no server at {}\nStart it, or give the session more time "
                             "(operation_timeout_in_ms).",
                             address_)}};
      }
      if (now < next_word) continue;
      next_word += kSilence;
      fmt::print(stderr, "flowray: still waiting for a server at {}\n", address_);
    }
  }

  /// The values in the order in which they were asked for; the server names them.
  static std::vector<Array> fetched(const engine::RemoteStep& step, const wire::RunStepResponse& response,
                                    const std::shared_ptr<const void>& owner) {
    std::vector<Array> values;
    for (const std::string& name : step.fetches) {
      for (const wire::NamedTensorProto& given : response.tensor) {
        if (given.name.str() != name) continue;
        values.push_back(wire::to_array(given.tensor, owner));
        break;
      }
    }
    if (values.size() == step.fetches.size()) return values;
    throw errors::InternalError("The server's answer lacks values that were fetched.");
  }

  graph::Graph& graph_;
  const engine::RemoteOptions options_;
  std::string address_;
  std::unique_ptr<Channel> channel_;
  Cancellation closing_;
  std::atomic<bool> has_tokens_{false};  // of SyncReplicasOptimizer, in the graph
  Mutex mutex_;                          // never held during a call
  std::string handle_ FLOWRAY_GUARDED_BY(mutex_);
  int64_t version_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  int num_sent_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  std::shared_ptr<Sending> sending_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace
}  // namespace flowray::cluster

namespace flowray::engine {

std::unique_ptr<RemoteSession> connect_session(const std::string& target, graph::Graph& graph,
                                               const RemoteOptions& options) {
  return std::make_unique<cluster::GrpcSession>(target, graph, options);
}

void reset_server(const std::string& target, const std::vector<std::string>& containers,
                  const RemoteOptions& options) {
  const cluster::ParsedTarget parsed = cluster::parse_target(target);
  const auto channel = cluster::transport().connect(parsed.address, cluster::read_security(parsed.files));
  wire::ResetRequest request;
  request.container.assign(containers.begin(), containers.end());
  request.device_filters.assign(options.device_filters.begin(), options.device_filters.end());
  const cluster::Response response =
      channel->call("/tensorflow.MasterService/Reset", cluster::Message(wire::encode(request)),
                    cluster::deadline_in(options.operation_timeout_ms), nullptr);
  if (!response.status.ok()) cluster::throw_status(response.status.code, response.status.text);
}

}  // namespace flowray::engine
