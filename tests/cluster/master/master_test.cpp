// The calls of MasterService as messages, without a network.

#include "cluster/master_fixture.h"

namespace flowray::cluster {
namespace {

TEST_F(MasterTest, RunsAStep) {
  const Array fed({1.5f, -2.0f});
  const auto answer = ask<wire::RunStepResponse>("RunStep", step(create(doubling()), "y:0", fed));
  ASSERT_EQ(status_.code, 0) << status_.text;
  ASSERT_EQ(answer.tensor.size(), 1u);
  EXPECT_EQ(answer.tensor[0].name, "y:0");
  EXPECT_EQ(wire::to_array(answer.tensor[0].tensor), Array({3.0f, -4.0f}));
}

TEST_F(MasterTest, ExtendsTheGraphOfASessionAtItsVersion) {
  const std::string session = create(doubling());
  wire::ExtendSessionRequest more;
  more.session_handle = session;
  more.graph_def.node = {node("z", "Neg", {"y"}, DType::kFloat32)};
  more.current_graph_version = 9;
  call("ExtendSession", wire::encode(more));
  EXPECT_EQ(status_.code, static_cast<int>(Code::kAborted));
  EXPECT_EQ(status_.text, "Current version is 0 but caller expected 9.");
  more.current_graph_version = 0;
  EXPECT_EQ(ask<wire::ExtendSessionResponse>("ExtendSession", more).new_graph_version, 1);
  const Array fed(1.0f);
  const auto answer = ask<wire::RunStepResponse>("RunStep", step(session, "z:0", fed));
  ASSERT_EQ(answer.tensor.size(), 1u) << status_.text;
  EXPECT_EQ(wire::to_array(answer.tensor[0].tensor), Array(-2.0f));
  more.current_graph_version = 1;
  call("ExtendSession", wire::encode(more));
  EXPECT_EQ(status_.code, static_cast<int>(Code::kInvalidArgument));
  EXPECT_EQ(status_.text.rfind("GraphDef argument to Extend includes node 'z'", 0), 0u) << status_.text;
  // A client that knows an earlier graph, as one that knows a later one.
  more.graph_def.node = {node("w", "Neg", {"y"}, DType::kFloat32)};
  more.current_graph_version = 0;
  call("ExtendSession", wire::encode(more));
  EXPECT_EQ(status_.code, static_cast<int>(Code::kAborted));
  EXPECT_EQ(status_.text, "Current version is 1 but caller expected 0.");
}

TEST_F(MasterTest, TellsWhatIsWrongInTheWordsOfTensorFlow) {
  const std::string session = create(doubling());
  const Array fed(1.0f);
  const auto error_of = [&](const wire::RunStepRequest& request) {
    call("RunStep", wire::encode(request));
    return std::pair(static_cast<Code>(status_.code), status_.text);
  };
  EXPECT_EQ(error_of(step(session, "zz:0", fed)),
            std::pair(Code::kNotFound, std::string("FetchOutputs node zz:0: not found")));
  EXPECT_EQ(error_of(step(session, "y:1", fed)),
            std::pair(Code::kInvalidArgument,
                      std::string("FetchOutputs y:1: output index too large, must be < 1")));
  EXPECT_EQ(error_of(step("none", "y:0", fed)),
            std::pair(Code::kAborted, std::string("Session none is not found.")));
  auto request = step(session, "y:0", fed);
  request.feed.push_back(request.feed[0]);
  EXPECT_EQ(error_of(request),
            std::pair(Code::kInvalidArgument, std::string("Endpoint \"x:0\" fed more than once.")));
  request = step(session, "y:0", fed);
  request.feed[0].name = "q:0";
  EXPECT_EQ(error_of(request),
            std::pair(Code::kNotFound, std::string("FeedInputs: unable to find feed output q:0")));
  request = step(session, "y:0", fed);
  request.target = {"t", "u"};
  EXPECT_EQ(error_of(request),
            std::pair(Code::kNotFound, std::string("PruneForTargets: Some target nodes not found: t u ")));
  request.target.clear();
  request.fetch.clear();
  EXPECT_EQ(error_of(request),
            std::pair(Code::kInvalidArgument,
                      std::string("Must specify at least one target to fetch or execute.")));
}

TEST_F(MasterTest, PutsErrorsIntoTheBodyWhereTheClientWantsThem) {
  const Array fed({1, 2});
  auto request = step(create(doubling()), "y:0", fed);
  request.store_errors_in_response_body = true;
  const auto answer = ask<wire::RunStepResponse>("RunStep", request);
  EXPECT_EQ(status_.code, 0);
  EXPECT_EQ(answer.status_code, static_cast<int>(Code::kInternal));
  EXPECT_EQ(answer.status_error_message,
            "From /job:worker/replica:0/task:3:\n"
            "Output 0 of type int32 does not match declared output type float for node {{node _recv_x_0}}");
}

TEST_F(MasterTest, PutsTextIntoTheBodyThatIsUtf8) {
  const Array fed(1.0f);
  auto request = step(create(doubling()), "none\xff:0", fed);
  request.store_errors_in_response_body = true;
  const auto answer = ask<wire::RunStepResponse>("RunStep", request);
  EXPECT_EQ(answer.status_code, static_cast<int>(Code::kNotFound));
  EXPECT_EQ(answer.status_error_message, "FetchOutputs node none\xef\xbf\xbd:0: not found");
}

TEST_F(MasterTest, MeasuresAStepNoLongerThanItsClientIsThere) {
  wire::ExplainRequest request;
  const Array fed(4.0f);
  request.step = step(create(doubling()), "y:0", fed);
  request.measured_runs = 2;
  EXPECT_NE(call("/flowray.Master1/Explain", wire::encode(request)).find(" us"), std::string::npos);
  cancellation_.cancel();
  call("/flowray.Master1/Explain", wire::encode(request));
  EXPECT_EQ(status_.code, static_cast<int>(Code::kCancelled)) << status_.text;
}

TEST_F(MasterTest, RunsCallables) {
  wire::MakeCallableRequest make;
  make.session_handle = create(doubling());
  make.options.feed = {"x:0"};
  make.options.fetch = {"y:0"};
  wire::RunCallableRequest run;
  run.session_handle = make.session_handle;
  run.handle = ask<wire::MakeCallableResponse>("MakeCallable", make).handle;
  const Array fed(4.0f);
  run.feed = {wire::to_tensor_proto(fed, wire::TensorForm::kBorrowed)};
  const auto answer = ask<wire::RunCallableResponse>("RunCallable", run);
  ASSERT_EQ(answer.fetch.size(), 1u) << status_.text;
  EXPECT_EQ(wire::to_array(answer.fetch[0]), Array(8.0f));
  run.feed.clear();
  call("RunCallable", wire::encode(run));
  EXPECT_EQ(status_.code, static_cast<int>(Code::kInvalidArgument));
  wire::ReleaseCallableRequest release;
  release.session_handle = make.session_handle;
  release.handle = run.handle;
  call("ReleaseCallable", wire::encode(release));
  EXPECT_EQ(status_.code, 0);
  call("RunCallable", wire::encode(run));
  EXPECT_EQ(status_.code, static_cast<int>(Code::kInvalidArgument));
  EXPECT_EQ(status_.text, "Attempted to run callable after handle was released: 0");
}

TEST_F(MasterTest, RefusesCallablesWithMoreThanThereIs) {
  wire::MakeCallableRequest make;
  make.session_handle = create(doubling());
  make.options.feed = {"x:0"};
  make.options.fetch = {"y:0"};
  const auto code_of = [&](const wire::MakeCallableRequest& request) {
    call("MakeCallable", wire::encode(request));
    return static_cast<Code>(status_.code);
  };
  for (const char* cpu : {"/job:worker/replica:0/task:3/device:CPU:0", "/cpu:0", "CPU:0", ""}) {
    auto placed = make;
    placed.options.feed_devices.add("x:0", cpu);
    placed.options.fetch_devices.add("y:0", cpu);
    EXPECT_EQ(code_of(placed), Code::kOk) << status_.text;
  }
  auto fed_on_gpu = make;
  fed_on_gpu.options.feed_devices.add("x:0", "/device:GPU:0");
  EXPECT_EQ(code_of(fed_on_gpu), Code::kUnimplemented);
  EXPECT_NE(status_.text.find("feed_devices wants 'x:0' on '/device:GPU:0'"), std::string::npos)
      << status_.text;
  auto fetched_on_gpu = make;
  fetched_on_gpu.options.fetch_devices.add("y:0", "GPU:1");
  EXPECT_EQ(code_of(fetched_on_gpu), Code::kUnimplemented);
  // Field 2, options, with a field 5, tensor_connection { from_tensor: "y:0" to_tensor: "x:0" }.
  call("MakeCallable", wire::encode(make) + "\x12\x0c\x2a\x0a\x0a\x03y:0\x12\x03x:0");
  EXPECT_EQ(static_cast<Code>(status_.code), Code::kUnimplemented);
  EXPECT_NE(status_.text.find("tensor_connection (of 'y:0' to 'x:0')"), std::string::npos) << status_.text;
}

TEST_F(MasterTest, ForgetsSessionsThatAreClosedOrReset) {
  wire::CloseSessionRequest close;
  close.session_handle = create(doubling());
  call("CloseSession", wire::encode(close));
  EXPECT_EQ(status_.code, 0);
  call("CloseSession", wire::encode(close));
  EXPECT_EQ(status_.code, static_cast<int>(Code::kAborted));
  const std::string session = create(doubling());
  call("Reset", "");
  EXPECT_EQ(status_.code, 0);
  const Array fed(1.0f);
  call("RunStep", wire::encode(step(session, "y:0", fed)));
  EXPECT_EQ(status_.code, static_cast<int>(Code::kAborted));
}

TEST_F(MasterTest, NamesItsDevice) {
  const auto answer = ask<wire::ListDevicesResponse>("ListDevices", wire::ListDevicesRequest{});
  ASSERT_EQ(answer.local_device.size(), 1u);
  EXPECT_EQ(answer.local_device[0].name, "/job:worker/replica:0/task:3/device:CPU:0");
  EXPECT_EQ(answer.local_device[0].device_type, "CPU");
}

TEST_F(MasterTest, RefusesWhatIsNoMessageAndNoMethod) {
  call("RunStep", "\xff\xff\xff");
  EXPECT_EQ(status_.code, static_cast<int>(Code::kInternal));
  EXPECT_EQ(status_.text.rfind("Unable to parse request", 0), 0u) << status_.text;
  call("Dance", "");
  EXPECT_EQ(status_.code, static_cast<int>(Code::kUnimplemented));
}

}  // namespace
}  // namespace flowray::cluster
