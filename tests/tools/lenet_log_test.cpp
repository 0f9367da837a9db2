// The event files of flowray-lenet --logdir: read back by hand, by their formats alone, and by real
// TensorFlow where FLOWRAY_ORACLE_PYTHON names a Python that has it.

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <span>

#include "tools/lenet_job.h"

namespace flowray {
namespace {

using testing::ChildProcess;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kEndless;
using testing::lines_of;

template <class Number>
Number number_at(std::string_view bytes, size_t begin) {
  Number number;
  std::memcpy(&number, bytes.substr(begin, sizeof number).data(), sizeof number);
  return number;
}

/// One field of a protobuf message: the number of varints, the bytes of all others.
struct Field {
  uint64_t number = 0;
  std::string_view bytes;
};

uint64_t take_varint(std::string_view& message) {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<uint8_t>(message.at(0));
    message.remove_prefix(1);
    value |= uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return value;
  }
}

/// By field number. https://protobuf.dev/programming-guides/encoding
std::multimap<uint64_t, Field> fields_of(std::string_view message) {
  std::multimap<uint64_t, Field> fields;
  while (!message.empty()) {
    const uint64_t tag = take_varint(message);
    Field field;
    size_t size = 0;
    switch (tag & 7) {
      case 0:
        field.number = take_varint(message);
        break;
      case 1:
        size = 8;
        break;
      case 2:
        size = take_varint(message);
        break;
      case 5:
        size = 4;
        break;
      default:
        ADD_FAILURE() << "wire type " << (tag & 7);
        return fields;
    }
    field.bytes = message.substr(0, size);
    message.remove_prefix(size);
    fields.emplace(tag >> 3, field);
  }
  return fields;
}

struct Event {
  double wall_time = 0;
  uint64_t step = 0;
  bool has_graph = false;
  std::map<std::string, float> values;
};

/// tensorflow.Event: wall_time = 1, step = 2, graph_def = 4, summary = 5; Summary: value = 1; Value: tag = 1,
/// simple_value = 2.
Event parse_event(std::string_view message) {
  Event event;
  const auto fields = fields_of(message);
  event.wall_time = number_at<double>(fields.find(1)->second.bytes, 0);
  if (const auto step = fields.find(2); step != fields.end()) event.step = step->second.number;
  if (const auto graph = fields.find(4); graph != fields.end())
    event.has_graph = !graph->second.bytes.empty();
  if (const auto summary = fields.find(5); summary != fields.end()) {
    for (const auto& [number, value] : fields_of(summary->second.bytes)) {
      EXPECT_EQ(number, 1u);
      const auto parts = fields_of(value.bytes);
      event.values[std::string(parts.find(1)->second.bytes)] =
          number_at<float>(parts.find(2)->second.bytes, 0);
    }
  }
  return event;
}

/// The only file of a folder.
std::filesystem::path file_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  EXPECT_EQ(files.size(), 1u) << folder;
  return files.at(0);
}

/// The events of a run but for the first two, which tell the version and the graph. A record is the length of
/// its data in 8 bytes, their checksum in 4, the data, and their checksum in 4.
std::vector<Event> events_of(const std::filesystem::path& run) {
  std::ifstream file(file_in(run), std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  std::vector<Event> events;
  for (size_t begin = 0; begin < bytes.size();) {
    const auto size = number_at<uint64_t>(bytes, begin);
    const std::string_view message = std::string_view(bytes).substr(begin + 12, size);
    EXPECT_EQ(message.size(), size) << "a truncated record";
    if (begin > 0) events.push_back(parse_event(message));
    begin += 12 + size + 4;
  }
  EXPECT_TRUE(!events.empty() && events[0].has_graph);
  if (!events.empty()) events.erase(events.begin());
  return events;
}

std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

class LenetLog : public testing::LenetJob {
 protected:
  const std::filesystem::path logdir_ = folder_.path() / "a" / "logs";
};

void expect_steps(const std::vector<Event>& events, size_t steps) {
  ASSERT_EQ(events.size(), steps);
  for (size_t i = 0; i < steps; ++i) {
    const Event& event = events[i];
    EXPECT_EQ(event.step, i + 1);
    ASSERT_EQ(event.values.size(), 3u);
    EXPECT_GE(event.values.at("loss"), 0);  // learnt, at last
    EXPECT_GE(event.values.at("accuracy"), 0);
    EXPECT_LE(event.values.at("accuracy"), 1);
    EXPECT_TRUE(std::isfinite(event.values.at("images/s")));
    EXPECT_GT(event.values.at("images/s"), 0);
    EXPECT_GE(event.wall_time, events[i > 0 ? i - 1 : 0].wall_time);
  }
}

/// Of all events of all runs.
double mean(const std::vector<std::vector<Event>>& runs, const std::string& tag) {
  double sum = 0;
  double count = 0;
  for (const auto& run : runs) {
    for (const Event& event : run) {
      sum += event.values.at(tag);
      ++count;
    }
  }
  return sum / count;
}

/// "step 30/30  loss 0.1234  accuracy 0.5678 ..." tells the means of the steps since the line before.
void expect_means(const std::vector<std::vector<Event>>& runs, const std::string& line) {
  std::smatch found;
  ASSERT_TRUE(std::regex_search(line, found, std::regex("loss ([0-9.]+)  accuracy ([0-9.]+)"))) << line;
  EXPECT_NEAR(mean(runs, "loss"), std::stod(found[1]), 1e-4);
  EXPECT_NEAR(mean(runs, "accuracy"), std::stod(found[2]), 1e-4);
}

TEST_F(LenetLog, HasARunForEachActor) {
  const auto lines = lines_of(output_of({"--steps", "30", "--average-every", "7", "--logdir", logdir_}));
  EXPECT_THAT(names_in(logdir_), ElementsAre("actor_0", "actor_1"));
  const std::vector<std::vector<Event>> runs{events_of(logdir_ / "actor_0"), events_of(logdir_ / "actor_1")};
  for (const auto& run : runs) expect_steps(run, 30);
  EXPECT_NE(runs[0][0].values.at("loss"), runs[1][0].values.at("loss")) << "each has images of its own";
  expect_means(runs, lines.at(0));
}

TEST_F(LenetLog, IsOneRunWithoutActors) {
  const auto lines = lines_of(output_of({"--steps", "30", "--actors", "0", "--logdir", logdir_}));
  const std::vector<std::vector<Event>> runs{events_of(logdir_)};
  expect_steps(runs[0], 30);
  expect_means(runs, lines.at(0));
}

// From the tenth step on, images/s is that of ten steps of 100 images.
TEST_F(LenetLog, TellsTheRateOfTheLastTenSteps) {
  output_of({"--steps", "100", "--actors", "1", "--logdir", logdir_});
  const auto events = events_of(logdir_ / "actor_0");
  std::vector<double> ratios;
  for (size_t i = 10; i < events.size(); ++i) {
    const double rate = 1000 / (events[i].wall_time - events[i - 10].wall_time);
    ratios.push_back(events[i].values.at("images/s") / rate);
  }
  std::sort(ratios.begin(), ratios.end());  // some steps are interrupted between the one clock and the other
  EXPECT_NEAR(ratios.at(ratios.size() / 2), 1, 0.1);
}

TEST_F(LenetLog, HasAllStepsWhenTheTrainingIsInterrupted) {
  for (const char* actors : {"0", "2"}) {
    const auto logdir = logdir_ / actors;
    ChildProcess job(command({"--steps", kEndless, "--actors", actors, "--logdir", logdir}));
    job.await_output("step ");
    job.send_signal(SIGINT);
    EXPECT_EQ(job.wait(), 130);
    std::smatch found;
    const std::string last = lines_of(job.output()).back();
    ASSERT_TRUE(std::regex_search(last, found, std::regex("after ([0-9]+) of")));
    expect_steps(events_of(*actors == '0' ? logdir : logdir / "actor_1"), std::stoul(found[1]));
  }
}

TEST_F(LenetLog, IsRefusedWhereItCannotBeWritten) {
  std::ofstream(folder_.path() / "file") << "text";
  const std::string logdir = folder_.path() / "file";
  for (const char* actors : {"0", "2"}) {
    const std::string complaint = complaint_of({"--actors", actors, "--logdir", logdir});
    EXPECT_THAT(complaint, HasSubstr("--logdir '" + logdir + "' cannot be written: "));
    EXPECT_THAT(complaint, HasSubstr("Not a directory"));
  }
}

// Prints how many events TensorFlow finds, their last step and tags.
constexpr const char* kReader = R"(
import os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow.compat.v1 as tf
events = [e for e in tf.train.summary_iterator(sys.argv[1]) if e.HasField("summary")]
print(len(events), events[-1].step, sorted(v.tag for v in events[-1].summary.value))
)";

TEST_F(LenetLog, IsReadByTensorFlow) {
  const char* python = std::getenv("FLOWRAY_ORACLE_PYTHON");
  if (python == nullptr) GTEST_SKIP() << "FLOWRAY_ORACLE_PYTHON names no Python with TensorFlow";
  output_of({"--steps", "30", "--logdir", logdir_});
  for (const char* run : {"actor_0", "actor_1"}) {
    ChildProcess reader({python, "-c", kReader, file_in(logdir_ / run)});
    EXPECT_EQ(reader.wait(), 0) << reader.errors();
    EXPECT_EQ(reader.output(), "30 30 ['accuracy', 'images/s', 'loss']\n");
  }
}

}  // namespace
}  // namespace flowray
