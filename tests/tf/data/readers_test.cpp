// tests/oracle/programs/readers.py in C++, and records of a file.
#include "support/golden_graph.h"
#include "support/idx_files.h"
#include "tf/eager/expect_error.h"

#include <flowray/tf/errors.h>
#include <flowray/tf/queue.h>
#include <flowray/tf/readers.h>
#include <flowray/tf/session.h>

#include <fstream>
#include <string>

namespace flowray {
namespace {

GOLDEN_PROGRAM(readers_of_files) {
  tf::FIFOQueue names(4, {tf::string}, {.shapes = {tf::TensorShape()}, .name = "names"});
  tf::TextLineReader lines({.skip_header_lines = 1});
  lines.read(names);
  lines.read_up_to(names, 3);
  lines.num_records_produced();
  lines.num_work_units_completed();
  lines.reset();
  tf::WholeFileReader({.name = "whole"}).read(names, {.name = "file"});
  tf::FixedLengthRecordReader(8, {.header_bytes = 4}).read(names);
  tf::TFRecordReader().read(names);
  tf::IdentityReader().read(names);
}

TEST(Readers, GiveARecordInEachStepUntilTheFilesEnd) {
  const testing::TestFolder folder;
  const std::string path = (folder.path() / "lines").string();
  std::ofstream(path) << "head\none\ntwo\n";
  const tf::Graph graph;
  const auto scope = graph.as_default();
  tf::FIFOQueue names(4, {tf::string}, {.shapes = {tf::TensorShape()}});
  auto fill = names.enqueue({path});
  auto close = names.close();
  tf::TextLineReader reader({.skip_header_lines = 1});
  auto record = reader.read(names);
  auto count = reader.num_records_produced();
  tf::Session session;
  session.run(fill);
  session.run(close);
  const auto [key, value] = session.run({record.key, record.value});
  EXPECT_EQ(key, Array(path + ":2"));
  EXPECT_EQ(value, Array("one"));
  EXPECT_EQ(session.run(record.value), Array("two"));
  EXPECT_EQ(session.run(count), Array(int64_t{2}));
  expect_error<errors::OutOfRangeError>([&] { session.run(record.value); }, "is closed and has insufficient");
}

}  // namespace
}  // namespace flowray
