#include <flowray/tf/graph_def.h>
#include <flowray/tf/summary.h>

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "core/mutex.h"
#include "files/event_file.h"
#include "tf/build/user_line.h"
#include "wire/event.h"
#include "wire/summary.h"

namespace flowray::tf::summary {
namespace {

std::chrono::milliseconds interval_of(double seconds) {
  constexpr double kForever = 1e9;
  if (!(seconds >= 0)) throw ValueError(fmt::format("flush_secs is {}: it must not be negative", seconds));
  return std::chrono::milliseconds(std::llround(std::min(seconds, kForever) * 1000));
}

}  // namespace

struct FileWriter::State {
  std::filesystem::path logdir;
  FileWriterOptions options;
  std::chrono::milliseconds flush_interval;
  SharedMutex mutex;  // of `file`, not of what is in it
  std::unique_ptr<files::EventFile> file FLOWRAY_GUARDED_BY(mutex);

  void open() FLOWRAY_REQUIRES(mutex) {
    file = std::make_unique<files::EventFile>(logdir, options.filename_suffix, flush_interval);
  }
};

FileWriter::FileWriter(const std::filesystem::path& logdir, const FileWriterOptions& options,
                       Input::Where where)
    : state_(std::make_unique<State>()) {
  const ErrorLine errors(where);
  state_->logdir = logdir;
  state_->options = options;
  state_->flush_interval = interval_of(options.flush_secs);
  state_->open();
}
FileWriter::FileWriter(const std::filesystem::path& logdir, const Graph& graph,
                       const FileWriterOptions& options, Input::Where where)
    : FileWriter(logdir, options, where) {
  add_graph(graph, 0, where);
}
FileWriter::FileWriter(FileWriter&&) noexcept = default;
FileWriter& FileWriter::operator=(FileWriter&&) noexcept = default;
FileWriter::~FileWriter() = default;

void FileWriter::add_summary(const Summary& summary, int64_t global_step, Input::Where where) {
  const ErrorLine errors(where);
  std::vector<wire::SummaryValue> values;
  values.reserve(summary.values().size());
  for (const Summary::Value& value : summary.values()) {
    values.push_back({value.tag, static_cast<float>(value.simple_value)});
  }
  add_event(wire::encode_summary_event(files::wall_time(), global_step, values));
}

void FileWriter::add_serialized_summary(std::string_view summary, int64_t global_step, Input::Where where) {
  const ErrorLine errors(where);
  try {
    (void)wire::decode<wire::Summary>(summary);
  } catch (const errors::DataLossError&) {
    throw ValueError(fmt::format(
        "Error parsing message with type 'tensorflow.Summary'\nThe argument 'summary', {} bytes, is what a "
        "step gives for tf::summary::merge_all() and its siblings.",
        summary.size()));
  }
  add_event(wire::encode_summary_message_event(files::wall_time(), global_step, summary));
}

void FileWriter::add_graph(const Graph& graph, int64_t global_step, Input::Where where) {
  const ErrorLine errors(where);
  const std::string message = graph.as_graph_def({.add_shapes = true}).serialize_to_string();
  add_event(wire::encode_graph_event(files::wall_time(), global_step, message));
}

void FileWriter::add_event(const std::string& event) {
  const ReaderLock lock(state_->mutex);
  if (state_->file == nullptr) {
    throw RuntimeError(
        "Attempting to use a closed FileWriter. The operation will be a noop unless the FileWriter is "
        "explicitly "
        "reopened.\nCall reopen() first.");
  }
  state_->file->add(event);
}

void FileWriter::flush() {
  const ReaderLock lock(state_->mutex);
  if (state_->file != nullptr) state_->file->flush();
}

void FileWriter::close() {
  const WriterLock lock(state_->mutex);
  if (state_->file == nullptr) return;
  state_->file->flush();
  state_->file.reset();
}

void FileWriter::reopen() {
  const WriterLock lock(state_->mutex);
  if (state_->file == nullptr) state_->open();
}

const std::filesystem::path& FileWriter::get_logdir() const { return state_->logdir; }

}  // namespace flowray::tf::summary
