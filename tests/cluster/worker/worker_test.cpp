// A worker that is driven by messages, as a master of TensorFlow's drives it.
#include "cluster/worker/worker.h"

#include "cluster/status_payload.h"
#include "cluster/worker_fixture.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <memory>
#include <string>

namespace flowray::cluster {
namespace {

using ::testing::HasSubstr;

TEST_F(WorkerTest, TellsItsDeviceAndIncarnation) {
  const auto answer = read<wire::GetStatusResponse>(ask("GetStatus", ""));
  ASSERT_EQ(answer.device_attributes.size(), 1u);
  EXPECT_EQ(answer.device_attributes[0].name, kDevice);
  EXPECT_EQ(answer.device_attributes[0].device_type, "CPU");
  EXPECT_EQ(answer.device_attributes[0].incarnation.value, task_.incarnation);
}

TEST_F(WorkerTest, RunsAPartWithWhatIsSentAndTaken) {
  wire::RunGraphRequest request = run_of(register_doubling(), 7, 1.5f);
  request.recv_key = {key(kDevice, kMaster, "out")};
  const auto answer = read<wire::RunGraphResponse>(ask("RunGraph", wire::encode(request)));
  ASSERT_EQ(answer.recv.size(), 1u);
  EXPECT_EQ(answer.recv[0].name, key(kDevice, kMaster, "out"));
  EXPECT_EQ(wire::to_array(answer.recv[0].tensor), Array(3.0f));
}

TEST_F(WorkerTest, CallsNoFunctionOfItsProgram) {
  wire::RegisterGraphRequest request;
  request.graph_def.node = {python_call("call", "PyFunc")};
  const Response direct = ask("RegisterGraph", wire::encode(request));
  EXPECT_EQ(direct.status.code, static_cast<int>(Code::kNotFound));
  EXPECT_THAT(direct.status.text, HasSubstr("Op type not registered 'PyFunc'"));
  EXPECT_THAT(direct.status.text, HasSubstr("A server runs no functions of programs"));
  request.graph_def.node.clear();
  request.graph_def.library.emplace().function = {function_of("calls", {python_call("call", "EagerPyFunc")})};
  const Response within = ask("RegisterGraph", wire::encode(request));
  EXPECT_EQ(within.status.code, static_cast<int>(Code::kNotFound));
  EXPECT_THAT(within.status.text, HasSubstr("Op type not registered 'EagerPyFunc'"));
}

TEST_F(WorkerTest, HoldsAQuestionUntilThePartHasRun) {
  const std::string graph = register_doubling();
  const auto early = begin("RecvTensor", question(7, key(kDevice, kMaster, "out")));
  read<wire::RunGraphResponse>(ask("RunGraph", wire::encode(run_of(graph, 7, 2.0f))));
  const auto answer = read<wire::RecvTensorResponse>(early->answer.get_future().get());
  EXPECT_EQ(wire::to_array(answer.tensor), Array(4.0f));
  EXPECT_FALSE(answer.is_dead);
  ask("CleanupGraph", cleanup(7));
  EXPECT_EQ(task_.steps.size(), 0u);
  const Response late = ask("RecvTensor", question(7, key(kDevice, kMaster, "out")));
  EXPECT_EQ(late.status.code, static_cast<int>(Code::kAborted));
}

TEST_F(WorkerTest, EndsWhatWaitsWhenTheStepIsCleanedUp) {
  const auto question_of_it = begin("RecvTensor", question(7, key(kDevice, kMaster, "out")));
  wire::RunGraphRequest request;
  request.graph_handle = register_doubling();
  request.step_id = 7;  // nothing is sent, so it waits
  const auto run = begin("RunGraph", wire::encode(request));
  ask("CleanupGraph", cleanup(7));
  for (const auto& waiting : {question_of_it, run}) {
    const Response response = waiting->answer.get_future().get();
    EXPECT_EQ(response.status.code, static_cast<int>(Code::kAborted));
    EXPECT_THAT(response.status.text, HasSubstr("Cleanup 7"));
  }
}

TEST_F(WorkerTest, ForgetsAQuestionWhoseAskerHasGone) {
  const auto question_of_it = begin("RecvTensor", question(7, key(kDevice, kMaster, "out")));
  EXPECT_EQ(task_.steps.size(), 1u);
  question_of_it->cancellation.cancel();
  EXPECT_EQ(question_of_it->answer.get_future().get().status.code, static_cast<int>(Code::kCancelled));
  EXPECT_EQ(task_.steps.size(), 0u);
}

TEST_F(WorkerTest, RefusesWhatWasMeantForAnEarlierProcess) {
  const std::string other = fmt::format("{};{:016x};{};x;0:0", kDevice, task_.incarnation + 1, kMaster);
  const Response stale = ask("RecvTensor", question(7, other));
  EXPECT_EQ(stale.status.code, static_cast<int>(Code::kAborted));
  EXPECT_THAT(stale.status.text, HasSubstr("RecvTensor expects a different device incarnation: "));
  EXPECT_TRUE(says(stale.status.details, kRestartedUrl));

  wire::RunGraphRequest request;
  request.session_handle = "h";
  const Response unknown = ask("RunGraph", wire::encode(request));
  EXPECT_EQ(unknown.status.code, static_cast<int>(Code::kAborted));
  EXPECT_EQ(
      unknown.status.text,
      "Session handle is not found: h. Possibly this worker (\"/job:ps/replica:0/task:0\") just restarted.");
  EXPECT_TRUE(says(unknown.status.details, kRestartedUrl));

  request.session_handle = "";
  request.graph_handle = "g";
  EXPECT_EQ(ask("RunGraph", wire::encode(request)).status.text, "Graph handle is not found: g");
}

TEST_F(WorkerTest, RefusesKeysThatAreNone) {
  for (const char* bad : {"foo", "", "a;b;c;d;e", ";;;;", "/job:ps/task:0;zz;/job:ps/task:0;x;0:0"}) {
    const Response response = ask("RecvTensor", question(7, bad));
    EXPECT_EQ(response.status.code, static_cast<int>(Code::kInvalidArgument)) << bad;
    EXPECT_EQ(response.status.text, std::string("Invalid  rendezvous key: ") + bad);
  }
}

TEST_F(WorkerTest, RunsNoRequestTwice) {
  wire::RunGraphRequest request = run_of(register_doubling(), 7, 1.0f);
  request.request_id = 42;
  EXPECT_TRUE(ask("RunGraph", wire::encode(request)).status.ok());
  const Response again = ask("RunGraph", wire::encode(request));
  EXPECT_EQ(again.status.code, static_cast<int>(Code::kAborted));
  EXPECT_THAT(again.status.text, HasSubstr("The same RunGraph (Worker) request was received twice."));
}

TEST_F(WorkerTest, KnowsASessionAgainThatItHasNoRoomForAnew) {
  engine::ServerOptions options;
  options.limits.sessions = 1;
  Task task({"ps", 0}, {}, options, Security());
  Worker worker(task);
  const auto create = [&](const char* handle) {
    wire::CreateWorkerSessionRequest request;
    request.session_handle = handle;
    const auto bytes = std::make_shared<std::string>(wire::encode(request));
    Cancellation cancellation;
    std::promise<Response> answer;
    worker.handle({"/tensorflow.WorkerService/CreateWorkerSession", std::as_bytes(std::span(*bytes)), bytes,
                   cancellation},
                  [&answer](Response response) { answer.set_value(std::move(response)); });
    return static_cast<Code>(answer.get_future().get().status.code);
  };
  EXPECT_EQ(create("first"), Code::kOk);
  EXPECT_EQ(create("first"), Code::kOk);
  EXPECT_EQ(create("second"), Code::kResourceExhausted);
  EXPECT_EQ(worker.num_sessions(), 1u);
}

TEST_F(WorkerTest, DropsTheSessionsOfAMasterThatWasStartedAnew) {
  wire::CreateWorkerSessionRequest request;
  request.session_handle = "first";
  request.master_task = "/job:worker/replica:0/task:0";
  request.master_incarnation = 1;
  ask("CreateWorkerSession", wire::encode(request));
  ask("CreateWorkerSession", wire::encode(request));  // once more is the same
  EXPECT_EQ(worker_.num_sessions(), 1u);
  register_doubling("first");
  request.session_handle = "second";
  request.master_incarnation = 2;
  ask("CreateWorkerSession", wire::encode(request));
  EXPECT_EQ(worker_.num_sessions(), 1u);
  wire::DeleteWorkerSessionRequest end;
  end.session_handle = "second";
  EXPECT_TRUE(ask("DeleteWorkerSession", wire::encode(end)).status.ok());
  EXPECT_TRUE(ask("DeleteWorkerSession", wire::encode(end)).status.ok());
  EXPECT_EQ(worker_.num_sessions(), 0u);
}

/// As a master of TensorFlow's makes a partial run.
class PartialRunOfWorker : public WorkerTest {
 protected:
  Response run(int64_t step, std::vector<std::pair<const char*, float>> sent, std::vector<wire::Text> wanted,
               bool is_last = false) {
    return begin_run(step, std::move(sent), std::move(wanted), is_last)->answer.get_future().get();
  }
  std::shared_ptr<Pending> begin_run(int64_t step, std::vector<std::pair<const char*, float>> sent,
                                     std::vector<wire::Text> wanted, bool is_last = false) {
    wire::RunGraphRequest request;
    request.graph_handle = graph_;
    request.step_id = step;
    request.is_partial = true;
    request.is_last_partial_run = is_last;
    const std::string name = sent.empty() ? "" : key(kDevice, kDevice, sent[0].first);
    for (const auto& [of, value] : sent) {
      auto& one = request.send.emplace_back();
      one.name = name;
      one.tensor = scalar(value);
    }
    request.recv_key = std::move(wanted);
    return begin("RunGraph", wire::encode(request));
  }
  /// Two pairs of nodes: "out_a" is twice "in_a", "out_b" twice "in_b".
  std::string register_two() {
    struct Names {
      const char *got, *in, *sum, *left, *out;
    };
    wire::RegisterGraphRequest request;
    for (const Names& names : {Names{"got_a", "in_a", "sum_a", "left_a", "out_a"},
                               Names{"got_b", "in_b", "sum_b", "left_b", "out_b"}}) {
      wire::NodeDef sum = node(names.sum, "AddV2", {names.got, names.got}, DType::kFloat32);
      sum.device = kDevice;
      request.graph_def.node.push_back(transfer(names.got, "_Recv", {}, kDevice, kDevice, names.in));
      request.graph_def.node.push_back(std::move(sum));
      request.graph_def.node.push_back(
          transfer(names.left, "_Send", {names.sum}, kDevice, kMaster, names.out));
    }
    return read<wire::RegisterGraphResponse>(ask("RegisterGraph", wire::encode(request))).graph_handle.str();
  }

  const std::string graph_ = register_two();
  const std::string out_a_ = key(kDevice, kMaster, "out_a");
  const std::string out_b_ = key(kDevice, kMaster, "out_b");
};

TEST_F(PartialRunOfWorker, RunsWhatTheFeedsSoFarAreEnoughFor) {
  EXPECT_TRUE(run(7, {}, {}).status.ok());  // starts what there is
  const auto first = read<wire::RunGraphResponse>(run(7, {{"in_a", 1.5f}}, {wire::Text(out_a_)}));
  ASSERT_EQ(first.recv.size(), 1u);
  EXPECT_EQ(first.recv[0].name, out_a_);
  EXPECT_EQ(wire::to_array(first.recv[0].tensor), Array(3.0f));
  const auto last = read<wire::RunGraphResponse>(run(7, {{"in_b", 4.0f}}, {wire::Text(out_b_)}, true));
  ASSERT_EQ(last.recv.size(), 1u);
  EXPECT_EQ(wire::to_array(last.recv[0].tensor), Array(8.0f));
  ask("CleanupGraph", cleanup(7));
  EXPECT_EQ(task_.steps.size(), 0u);
  EXPECT_EQ(run(7, {{"in_a", 1.5f}}, {}).status.code, static_cast<int>(Code::kAborted));  // it is over
}

TEST_F(PartialRunOfWorker, LeavesWhatOtherTasksAskFor) {
  const auto question_of_it = begin("RecvTensor", question(7, out_b_));
  EXPECT_TRUE(run(7, {{"in_b", 2.0f}}, {}).status.ok());
  const auto answer = read<wire::RecvTensorResponse>(question_of_it->answer.get_future().get());
  EXPECT_EQ(wire::to_array(answer.tensor), Array(4.0f));
  EXPECT_TRUE(run(7, {{"in_a", 2.0f}}, {}, true).status.ok());
}

TEST_F(PartialRunOfWorker, OfSeveralStepsAreApart) {
  const auto a = begin_run(7, {}, {wire::Text(out_a_)});
  const auto b = begin_run(8, {}, {wire::Text(out_a_)});
  EXPECT_TRUE(run(8, {{"in_a", 5.0f}}, {}).status.ok());
  EXPECT_TRUE(run(7, {{"in_a", 1.0f}}, {}).status.ok());
  EXPECT_EQ(wire::to_array(read<wire::RunGraphResponse>(a->answer.get_future().get()).recv.at(0).tensor),
            Array(2.0f));
  EXPECT_EQ(wire::to_array(read<wire::RunGraphResponse>(b->answer.get_future().get()).recv.at(0).tensor),
            Array(10.0f));
}

TEST_F(PartialRunOfWorker, EndsWithItsFirstError) {
  const auto waiting = begin_run(7, {}, {wire::Text(out_b_)});
  EXPECT_EQ(run(7, {{"in_a", 1.0f}}, {}).status.code, 0);
  const Response twice = run(7, {{"in_a", 1.0f}}, {});  // under a key where something was left before
  EXPECT_EQ(twice.status.code, static_cast<int>(Code::kAborted)) << twice.status.text;
  EXPECT_EQ(waiting->answer.get_future().get().status.code, static_cast<int>(Code::kAborted));
  EXPECT_EQ(run(7, {{"in_b", 1.0f}}, {wire::Text(out_b_)}, true).status.code,
            static_cast<int>(Code::kAborted));
}

TEST_F(PartialRunOfWorker, EndsWhereItCannotBringWhatItsFetchNeeds) {
  for (const bool is_last : {false, true}) {
    const int64_t step = is_last ? 10 : 9;
    EXPECT_EQ(run(step, {{"in_a", 1.0f}}, {}).status.code, 0);
    // A value stands under that key already, and nobody brings in_b.
    const Response twice = run(step, {{"in_a", 1.0f}}, {wire::Text(out_b_)}, is_last);
    EXPECT_EQ(twice.status.code, static_cast<int>(Code::kAborted)) << twice.status.text;
  }
}

TEST_F(PartialRunOfWorker, EndsWhenItsStepIsCleanedUp) {
  const auto waiting = begin_run(7, {}, {wire::Text(out_a_)});
  const auto last = begin_run(7, {{"in_b", 1.0f}}, {}, true);
  ask("CleanupGraph", cleanup(7));
  for (const auto& one : {waiting, last})
    EXPECT_EQ(one->answer.get_future().get().status.code, static_cast<int>(Code::kAborted));
}

TEST_F(PartialRunOfWorker, EndsWhenItsMasterGivesUp) {
  const auto waiting = begin_run(7, {}, {wire::Text(out_a_)});
  waiting->cancellation.cancel();
  EXPECT_EQ(waiting->answer.get_future().get().status.code, static_cast<int>(Code::kCancelled));
  // What nobody leaves is given up, too, when all nodes have run.
  EXPECT_TRUE(run(8, {{"in_a", 1.0f}}, {}).status.ok());
  const auto for_nothing = begin_run(8, {{"in_b", 1.0f}}, {wire::Text(key(kDevice, kMaster, "nothing"))});
  for_nothing->cancellation.cancel();
  EXPECT_EQ(for_nothing->answer.get_future().get().status.code, static_cast<int>(Code::kCancelled));
}

TEST_F(WorkerTest, TellsInTheBodyWhatWentWrongWhereItIsAskedTo) {
  wire::RunGraphRequest request = run_of(register_doubling(), 7, 1.0f);
  request.send[0].tensor = wire::to_tensor_proto(Array(1), wire::TensorForm::kConstant);  // int32
  request.store_errors_in_response_body = true;
  const auto answer = read<wire::RunGraphResponse>(ask("RunGraph", wire::encode(request)));
  EXPECT_EQ(answer.status_code, static_cast<int>(Code::kInternal));
  EXPECT_THAT(answer.status_error_message.str(), HasSubstr("{{node got}}"));
}

TEST_F(WorkerTest, SaysThatItHasNoCollectives) {
  for (const char* method : {"RecvBuf", "CompleteGroup", "CompleteInstance", "GetStepSequence", "Tracing"})
    EXPECT_EQ(ask(method, "").status.code, static_cast<int>(Code::kUnimplemented)) << method;
  EXPECT_THAT(ask("RecvBuf", "").status.text,
              HasSubstr("/tensorflow.WorkerService/RecvBuf is not served here\nThere are no collective"));
  EXPECT_TRUE(ask("Logging", "").status.ok());
  EXPECT_TRUE(ask("CleanupAll", "").status.ok());
}

TEST_F(WorkerTest, RefusesBytesThatAreNoMessage) {
  for (const char* method :
       {"RunGraph", "RecvTensor", "RegisterGraph", "CreateWorkerSession", "CleanupGraph"})
    EXPECT_EQ(ask(method, "\xff\xff\xff").status.code, static_cast<int>(Code::kInternal)) << method;
}

}  // namespace
}  // namespace flowray::cluster
