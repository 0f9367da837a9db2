// What is said of a graph when a session is made or extended with it. Codes and texts are those of
// TensorFlow 2.21's server.

#include "cluster/master_fixture.h"

namespace flowray::cluster {
namespace {

class SessionGraph : public MasterTest {
 protected:
  std::pair<Code, std::string> of_creating(std::vector<wire::NodeDef> nodes,
                                           const wire::ConfigProto& config = {}) {
    wire::CreateSessionRequest request;
    request.graph_def.node = std::move(nodes);
    request.config = config;
    (void)ask<wire::CreateSessionResponse>("CreateSession", request);
    return status();
  }
  static std::pair<Code, std::string> refused(const char* text) { return {Code::kInvalidArgument, text}; }
  static wire::NodeDef placed(const char* device) {
    wire::NodeDef node = without_attrs("kn", "NoOp");
    node.device = device;
    return node;
  }
  static wire::ConfigProto soft() {
    wire::ConfigProto config;
    config.allow_soft_placement = true;
    return config;
  }
  const std::pair<Code, std::string> ok_{Code::kOk, ""};
};

TEST_F(SessionGraph, MustHaveOpsThatAreThere) {
  const auto [code, text] = of_creating({without_attrs("x", "NoOp"), without_attrs("y", "Dance", {"^x"})});
  EXPECT_EQ(code, Code::kNotFound);
  EXPECT_EQ(text.rfind("Op type not registered 'Dance' in binary running on ", 0), 0u) << text;
  const std::string advice =
      "Make sure the Op and Kernel are registered in the binary running in this process.";
  EXPECT_NE(text.find(advice), std::string::npos) << text;
}

TEST_F(SessionGraph, MayNotCallFunctionsOfTheServersProgram) {
  for (const char* op : {"PyFunc", "EagerPyFunc"}) {
    const auto [code, text] = of_creating({python_call("call", op)});
    EXPECT_EQ(code, Code::kNotFound);
    EXPECT_EQ(text.rfind(std::string("Op type not registered '") + op + "' in binary running on ", 0), 0u)
        << text;
    EXPECT_EQ(text.find("similar"), std::string::npos) << text;

    wire::CreateSessionRequest request;
    request.graph_def.library.emplace().function = {function_of("calls", {python_call("call", op)})};
    (void)ask<wire::CreateSessionResponse>("CreateSession", request);
    EXPECT_EQ(status().first, Code::kNotFound);
    EXPECT_EQ(status().second.rfind("Op type not registered", 0), 0u) << status().second;
  }
}

TEST_F(SessionGraph, MustHaveNamesThatAreSome) {
  EXPECT_EQ(of_creating({without_attrs("x y", "NoOp")}),
            refused("Illegal op name 'x y'\n\t [[{{node x y}}]]"));
  EXPECT_EQ(of_creating({without_attrs("_x", "NoOp")}), refused("Illegal op name '_x'\n\t [[{{node _x}}]]"));
  EXPECT_EQ(of_creating({without_attrs("y", "NoOp"), without_attrs("y", "NoOp")}),
            refused("Node 'y' is not unique"));
}

TEST_F(SessionGraph, MustHaveTheAttributesThatTypesFollowFrom) {
  EXPECT_EQ(of_creating({without_attrs("x", "Placeholder")}),
            std::pair(Code::kNotFound,
                      std::string("No attr named 'dtype' in NodeDef:\n\t [[{{node x}}]]\n\t [[x]]")));
  EXPECT_EQ(
      of_creating({without_attrs("y", "AddN")}),
      std::pair(Code::kNotFound, std::string("No attr named 'N' in NodeDef:\n\t [[{{node y}}]]\n\t [[y]]")));
}

TEST_F(SessionGraph, MustHaveItsControlInputsLast) {
  EXPECT_EQ(of_creating({without_attrs("c", "NoOp"), node("x", "Placeholder", {}, DType::kFloat32),
                         node("y", "Identity", {"^c", "x"}, DType::kFloat32)}),
            refused("All control inputs must follow all data inputs\n\t [[{{node y}}]]"));
}

TEST_F(SessionGraph, MayNameTheDeviceThatThereIs) {
  for (const char* device : {"/cpu:0", "/device:CPU:*", "/job:worker", "/task:3", "/device:cpu:0",
                             "/device:CPU", "/job:worker/replica:0/task:3/device:CPU:0"}) {
    EXPECT_EQ(of_creating({placed(device)}), ok_) << device;
    EXPECT_EQ(of_creating({placed(device)}, soft()), ok_) << device;
  }
}

TEST_F(SessionGraph, MayNameAnotherDeviceOfTheTaskWhenPlacedSoftly) {
  const std::string no_gpu = " The requested device appears to be a GPU, but CUDA is not enabled.";
  for (const auto& [device, hint] : std::vector<std::pair<std::string, std::string>>{
           {"/device:GPU:0", no_gpu}, {"/gpu:0", no_gpu}, {"/cpu:7", ""}, {"/device:FOO:0", ""}}) {
    const std::string text =
        std::string("Cannot assign a device for operation kn: {{node kn}} was explicitly assigned to ") +
        device +
        " but available devices are [ /job:worker/replica:0/task:3/device:CPU:0 ]. Make sure the device "
        "specification refers to a valid device." +
        hint + "\n\t [[kn]]";
    EXPECT_EQ(of_creating({placed(device.c_str())}), refused(text.c_str()));
    EXPECT_EQ(of_creating({placed(device.c_str())}, soft()), ok_) << device;
  }
}

TEST_F(SessionGraph, MayNotNameAnotherTask) {
  for (const char* device :
       {"/job:nope", "/job:worker/task:0", "/replica:1", "/job:local/task:3/device:CPU:0"}) {
    for (const auto& config : {wire::ConfigProto(), soft()}) {
      const auto [code, text] = of_creating({placed(device)}, config);
      EXPECT_EQ(code, Code::kInvalidArgument) << device;
      EXPECT_EQ(text.rfind("Cannot assign a device for operation kn: ", 0), 0u) << text;
    }
  }
  for (const char* device : {"garbage", "/job", "/task:x", "/device:", "/job:"}) {
    const auto [code, text] = of_creating({placed(device)}, soft());
    EXPECT_EQ(code, Code::kInvalidArgument) << device;
    EXPECT_EQ(text.rfind(std::string("Malformed device specification '") + device + "' in node: ", 0), 0u)
        << text;
  }
}

TEST_F(SessionGraph, StaysAsItWasWhenWhatIsAddedIsRefused) {
  wire::ExtendSessionRequest more;
  more.session_handle = create(doubling());
  more.graph_def.node = {without_attrs("fine", "NoOp"), placed("/job:nope")};
  (void)ask<wire::ExtendSessionResponse>("ExtendSession", more);
  EXPECT_EQ(status().first, Code::kInvalidArgument);
  more.graph_def.node = {without_attrs("fine", "NoOp")};
  EXPECT_EQ(ask<wire::ExtendSessionResponse>("ExtendSession", more).new_graph_version, 1) << status_.text;
}

TEST_F(SessionGraph, MayNotComeWithThreadPoolsOfItsOwn) {
  const auto expected = refused("Distributed session does not support session thread pool options.");
  wire::ConfigProto config;
  config.use_per_session_threads = true;
  EXPECT_EQ(of_creating({}, config), expected);
  config.use_per_session_threads = false;
  config.session_inter_op_thread_pool.emplace_back();
  EXPECT_EQ(of_creating({}, config), expected);
}

// ---- names of containers

class Containers : public MasterTest {
 protected:
  /// A session with a variable v, and its handle.
  std::string with_variable(const char* container, const char* shared_name,
                            const wire::ConfigProto& config = {}) {
    wire::CreateSessionRequest request;
    request.config = config;
    wire::NodeDef v = variable("v");
    v.attr.add("container").value = wire::Bytes(container);
    v.attr.add("shared_name").value = wire::Bytes(shared_name);
    request.graph_def.node = {v, constant("two", 2), node("set", "Assign", {"v", "two"}, DType::kFloat32)};
    return ask<wire::CreateSessionResponse>("CreateSession", request).session_handle.str();
  }
  std::pair<Code, std::string> set(const std::string& session) {
    wire::RunStepRequest request;
    request.session_handle = session;
    request.target = {"set"};
    (void)ask<wire::RunStepResponse>("RunStep", request);
    return status();
  }
  Code read(const std::string& session) {
    wire::RunStepRequest request;
    request.session_handle = session;
    request.fetch = {"v:0"};
    (void)ask<wire::RunStepResponse>("RunStep", request);
    return status().first;
  }
};

TEST_F(Containers, HoldWhatSessionsShareUntilTheyAreReset) {
  EXPECT_EQ(set(with_variable("good", "")).first, Code::kOk);
  EXPECT_EQ(set(with_variable("", "")).first, Code::kOk);
  EXPECT_EQ(read(with_variable("good", "v")), Code::kOk);
  EXPECT_EQ(read(with_variable("good", "other")), Code::kFailedPrecondition);
  wire::ConfigProto isolated;
  isolated.isolate_session_state = true;
  EXPECT_EQ(read(with_variable("good", "", isolated)), Code::kFailedPrecondition);
  wire::ResetRequest reset;
  reset.container = {"good"};
  call("Reset", wire::encode(reset));
  EXPECT_EQ(read(with_variable("good", "")), Code::kFailedPrecondition);
  EXPECT_EQ(read(with_variable("", "")), Code::kOk);
  call("Reset", "");
  EXPECT_EQ(read(with_variable("", "")), Code::kFailedPrecondition);
}

TEST_F(Containers, MustHaveNamesThatAreSome) {
  EXPECT_EQ(set(with_variable("a/b-c.d", "s p")).first, Code::kOk);
  for (const char* name : {"a b", "_x", "-a", "\xc3\xa9"}) {
    EXPECT_EQ(set(with_variable(name, "")),
              std::pair(Code::kInvalidArgument, std::string("container contains invalid characters: ") +
                                                    name + "\n\t [[{{node v}}]]"));
  }
  EXPECT_EQ(set(with_variable("", "_s")),
            std::pair(Code::kInvalidArgument,
                      std::string("shared_name cannot start with '_':_s\n\t [[{{node v}}]]")));
}

// ---- clusters that a client names

class NamedCluster : public MasterTest {
 protected:
  std::string create_with(std::vector<std::pair<const char*, int>> tasks, const char* address = "here:2222") {
    wire::CreateSessionRequest request;
    request.target = "grpc://here:2222";
    request.graph_def.node = {without_attrs("x", "NoOp")};
    request.config.cluster_def.emplace();
    for (const auto& [job, task] : tasks) {
      auto& added = request.config.cluster_def->job.emplace_back();
      added.name = job;
      added.tasks.add(task, address);
    }
    return ask<wire::CreateSessionResponse>("CreateSession", request).session_handle.str();
  }
  void expect_refused(const char* beginning) {
    EXPECT_EQ(status().first, Code::kInvalidArgument);
    EXPECT_EQ(status().second.rfind(beginning, 0), 0u) << status().second;
  }
};

TEST_F(NamedCluster, GivesTheTaskAnotherNameForASession) {
  wire::ListDevicesRequest request;
  request.session_handle = create_with({{"trainer", 5}});
  ASSERT_EQ(status_.code, 0) << status_.text;
  const auto answer = ask<wire::ListDevicesResponse>("ListDevices", request);
  EXPECT_EQ(answer.local_device.at(0).name, "/job:trainer/replica:0/task:5/device:CPU:0");
  wire::ExtendSessionRequest more;
  more.session_handle = request.session_handle;
  more.graph_def.node = {without_attrs("y", "NoOp")};
  more.graph_def.node[0].device = "/job:trainer/task:5";
  EXPECT_EQ(ask<wire::ExtendSessionResponse>("ExtendSession", more).new_graph_version, 1) << status_.text;
}

TEST_F(NamedCluster, MustNameTheTaskOnceAndAnew) {
  create_with({{"trainer", 0}}, "elsewhere:2222");
  expect_refused("The master (current machine) is not included in the provided cluster_def. ");
  create_with({{"trainer", 0}, {"ps", 0}});
  expect_refused(
      "Found multiple matching tasks that correspond to to the master. Master target: 'grpc://here:2222'.");
  create_with({{"worker", 3}});
  expect_refused(
      "The ClusterSpec names the job and task index to be the same names that were provided when the server "
      "booted. "
      "This is currently not allowed. Job: worker, task index: 3");
}

}  // namespace
}  // namespace flowray::cluster
