// Tensors that are read where they lie: the reading itself, and what happens where it does not work.
#include "cluster/worker/direct_read.h"

#include "cluster/in_process_cluster.h"
#include "cluster/worker/step_rendezvous.h"
#include "cluster/worker_fixture.h"

#include <flowray/tf.h>
#include <gmock/gmock.h>

#include <memory>
#include <optional>
#include <vector>

namespace flowray::cluster {
namespace {

constexpr int64_t kElements = 1 << 20;
constexpr Nonce kNonce{1234567890123456789u, 9876543210987654321u};

Array rising() {
  Array array(DType::kFloat32, {kElements});
  float* const elements = array.mutable_data<float>();
  for (int64_t i = 0; i < kElements; ++i) elements[i] = static_cast<float>(i);
  return array;
}

wire::DirectOffer offer_of(const Nonce& nonce) {
  wire::DirectOffer offer;
  offer.host = direct_host();
  offer.nonce_low = nonce.low;
  offer.nonce_high = nonce.high;
  return offer;
}

TEST(DirectRead, ReadsWhatIsGranted) {
  std::optional<DirectGrant> grant(std::in_place, kNonce, rising());
  const wire::DirectSource source = grant->source();
  std::vector<float> read(kElements);
  const auto to = std::as_writable_bytes(std::span(read));
  ASSERT_TRUE(read_directly(source, kNonce, to));
  EXPECT_EQ(read.front(), 0.0f);
  EXPECT_EQ(read.back(), static_cast<float>(kElements - 1));
  EXPECT_FALSE(read_directly(source, {kNonce.low, kNonce.high + 1}, to));  // another's offer
  EXPECT_FALSE(read_directly(source, kNonce, to.first(8)));                // another tensor
  wire::DirectSource elsewhere = source;
  elsewhere.address = 8;  // where nothing is
  EXPECT_FALSE(read_directly(elsewhere, kNonce, to));
  grant.reset();
  EXPECT_FALSE(read_directly(source, kNonce, to));
}

TEST(DirectRead, IsForLargeNumbersOfOneHost) {
  EXPECT_TRUE(may_be_read_directly(rising(), offer_of(kNonce)));
  EXPECT_FALSE(may_be_read_directly(Array(1.0f), offer_of(kNonce)));
  EXPECT_FALSE(may_be_read_directly(Array(DType::kString, {kElements}), offer_of(kNonce)));
  wire::DirectOffer of_another = offer_of(kNonce);
  of_another.host = "another host";
  EXPECT_FALSE(may_be_read_directly(rising(), of_another));
}

/// Answers the first question with a source that cannot be read, others with the tensor.
class ForbiddenChannel final : public Channel {
 public:
  Response call(std::string_view, const Message&, Deadline, Cancellation*) override { return {{}, {12, ""}}; }
  std::function<void()> start(std::string_view method, const Message& message, const Limits&,
                              Done done) override {
    EXPECT_EQ(method, "/tensorflow.WorkerService/RecvTensor");
    const auto bytes = message.pieces().front().bytes;
    const auto asked =
        wire::decode<wire::RecvTensorRequest>({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    failed.push_back(asked.direct.has_value() && asked.direct->has_failed);
    wire::RecvTensorResponse response;
    const Array value = rising();
    response.tensor = wire::to_tensor_proto(value, wire::TensorForm::kBorrowed);
    if (!failed.back()) {
      response.tensor.tensor_content = {};
      response.direct = wire::DirectSource{
          .process = getpid(), .nonce_address = 8, .address = 8, .size_bytes = 4 * kElements};
    }
    done({Message(wire::encode(response)), {}});
    return [] {};
  }
  std::vector<bool> failed;
};

TEST(DirectRead, AsksAgainWhereItCannotRead) {
  const auto step = std::make_shared<StepRendezvous>(7);
  const auto channel = std::make_shared<ForbiddenChannel>();
  std::optional<graph::Parcel> got;
  step->fetch(channel, "key", [&](graph::Parcel parcel) { got = std::move(parcel); });
  EXPECT_THAT(channel->failed, ::testing::ElementsAre(false, true));
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->value, rising());
  EXPECT_FALSE(offers_direct_reads());  // once is enough
  offer_direct_reads(true);
}

TEST(DirectRead, LetsStepsHaveLargeTensorsOfOtherTasks) {
  tf::Graph graph;
  const auto scope = graph.as_default();
  {
    auto ps = tf::device("/job:ps/task:0");
    tf::Variable v(tf::range(0.0f, static_cast<float>(kElements), 1.0f), {.name = "v"});
    auto worker = tf::device("/job:worker/task:0");
    tf::add(v, 1.0f, {.name = "y"});
  }
  InProcessCluster cluster({{"ps", 1}, {"worker", 1}});
  ClusterClient client(cluster.member({"worker", 0}));
  client.create(graph::to_graph_def(*graph.get()));
  client.run({"v/Assign"});
  for (int i = 0; i < 3; ++i) {
    const Array y = client.run({"y:0"}).at(0);
    ASSERT_EQ(y.size(), kElements);
    EXPECT_EQ(y.data<float>()[0], 1.0f);
    EXPECT_EQ(y.data<float>()[kElements - 1], static_cast<float>(kElements));
  }
  EXPECT_EQ(cluster.calls_of("MarkRecvFinished"), 3);
}

class GrantingWorker : public WorkerTest {};

TEST_F(GrantingWorker, GivesWhatCouldNotBeRead) {
  // What is left for a step by RunGraph is what others may ask for.
  const std::string name = key(kDevice, kMaster, "edge_1_v");
  task_.steps.begin(5)->here().send(name, {rising()});
  wire::RecvTensorRequest request;
  request.step_id = 5;
  request.rendezvous_key = name;
  request.direct = offer_of(kNonce);
  const auto granted = read<wire::RecvTensorResponse>(ask("RecvTensor", wire::encode(request)));
  ASSERT_TRUE(granted.direct.has_value());
  EXPECT_TRUE(granted.tensor.tensor_content.empty());
  request.direct->has_failed = true;
  const auto given = read<wire::RecvTensorResponse>(ask("RecvTensor", wire::encode(request)));
  EXPECT_EQ(wire::to_array(given.tensor), rising());
  EXPECT_EQ(ask("RecvTensor", wire::encode(request)).status.code, static_cast<int>(Code::kAborted));
  // The reader says that it has read it, and then it is not there any more.
  task_.steps.begin(6)->here().send(name, {rising()});
  request.step_id = 6;
  request.direct = offer_of({7, 8});
  const auto again = read<wire::RecvTensorResponse>(ask("RecvTensor", wire::encode(request)));
  std::vector<std::byte> bytes(4 * kElements);
  EXPECT_TRUE(read_directly(*again.direct, {7, 8}, bytes));
  wire::MarkRecvFinishedRequest finished;
  finished.step_id = 6;
  finished.request_id = 7;
  EXPECT_TRUE(ask("MarkRecvFinished", wire::encode(finished)).status.ok());
  EXPECT_FALSE(read_directly(*again.direct, {7, 8}, bytes));
}

}  // namespace
}  // namespace flowray::cluster
