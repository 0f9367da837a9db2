// The options of summaries of images and sounds. What the nodes are called and compute is tested with
// TensorFlow's (tests/golden/graphs/summaries.txt, tests/ops/file/summary_test.cpp).
#include <flowray/tf.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "wire/summary.h"

namespace flowray {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class MediaSummaries : public ::testing::Test {
 protected:
  /// What a step gives for it.
  wire::Summary run(const tf::Tensor& summary) {
    bytes_ = session_.run(summary).item<std::string>();
    return wire::decode<wire::Summary>(bytes_);
  }
  std::vector<std::string> tags(const tf::Tensor& summary) {
    std::vector<std::string> all;
    for (const auto& value : run(summary).value) all.emplace_back(value.tag.view());
    return all;
  }
  static std::vector<std::string> names(const std::string& collection) {
    std::vector<std::string> all;
    for (const tf::CollectionItem& item : tf::get_collection(collection)) all.push_back(item.name());
    return all;
  }

  const tf::Graph graph_;
  const tf::GraphScope scope_ = graph_.as_default();
  const tf::Tensor images_ = tf::zeros({5, 2, 3, 1});
  const tf::Tensor sounds_ = tf::zeros({4, 10, 2});
  tf::Session session_;
  std::string bytes_;
};

TEST_F(MediaSummaries, ShowThreeUnlessTheyAreToldAnotherNumber) {
  EXPECT_THAT(tags(tf::summary::image("i", images_)), ElementsAre("i/image/0", "i/image/1", "i/image/2"));
  EXPECT_THAT(tags(tf::summary::image("i", images_, {.max_outputs = 2})),
              ElementsAre("i_1/image/0", "i_1/image/1"));
  EXPECT_THAT(tags(tf::summary::image("i", images_, {.max_outputs = 1})), ElementsAre("i_2/image"));
  EXPECT_THAT(tags(tf::summary::audio("a", sounds_, 8000.0)),
              ElementsAre("a/audio/0", "a/audio/1", "a/audio/2"));
  EXPECT_THAT(tags(tf::summary::audio("a", sounds_, 8000.0, {.max_outputs = 1})), ElementsAre("a_1/audio"));
}

TEST_F(MediaSummaries, OfAFamilyBeginWithItsName) {
  EXPECT_THAT(tags(tf::summary::image("i", images_, {.max_outputs = 1, .family = "seen"})),
              ElementsAre("seen/seen/i/image"));
  EXPECT_THAT(tags(tf::summary::audio("a", sounds_, 8000.0, {.max_outputs = 1, .family = "heard"})),
              ElementsAre("heard/heard/a/audio"));
}

TEST_F(MediaSummaries, AreInTheCollectionsThatTheOptionsName) {
  tf::summary::image("i", images_);
  tf::summary::image("j", images_, {.collections = {"mine"}});
  tf::summary::audio("a", sounds_, 8000.0, {.collections = {"mine", tf::GraphKeys::SUMMARIES}});
  EXPECT_THAT(names(tf::GraphKeys::SUMMARIES), ElementsAre("i:0", "a:0"));
  EXPECT_THAT(names("mine"), ElementsAre("j:0", "a:0"));
  EXPECT_THAT(names("other"), IsEmpty());
}

TEST_F(MediaSummaries, HoldTheSizesOfWhatIsShown) {
  const wire::Summary of_image = run(tf::summary::image("i", images_, {.max_outputs = 1}));
  ASSERT_EQ(of_image.value.size(), 1u);
  const auto& image = std::get<wire::Summary::Image>(of_image.value[0].content);
  EXPECT_EQ(image.height, 2);
  EXPECT_EQ(image.width, 3);
  EXPECT_EQ(image.colorspace, 1);
  const wire::Summary of_sound = run(tf::summary::audio("a", sounds_, 8000.0, {.max_outputs = 1}));
  ASSERT_EQ(of_sound.value.size(), 1u);
  const auto& sound = std::get<wire::Summary::Audio>(of_sound.value[0].content);
  EXPECT_EQ(sound.sample_rate, 8000.0f);
  EXPECT_EQ(sound.num_channels, 2);
  EXPECT_EQ(sound.length_frames, 10);
}

}  // namespace
}  // namespace flowray
