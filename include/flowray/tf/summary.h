#pragma once
/// tf.Summary and tf.summary.FileWriter: numbers for TensorBoard.

#include <flowray/tf/errors.h>
#include <flowray/tf/graph.h>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

/// tf.Summary: scalars by tag, to be added to a file at a step.
///
///     tf::Summary summary({{"loss", 0.25}, {"accuracy", 0.9}});
///     summary.add_value("images/s", 1200);
class Summary {
 public:
  struct Value {
    std::string tag;
    double simple_value = 0;  // float32 in the file
  };
  Summary() = default;
  Summary(std::initializer_list<Value> values) : values_(values) {}
  void add_value(std::string tag, double simple_value) { values_.push_back({std::move(tag), simple_value}); }
  const std::vector<Value>& values() const { return values_; }

 private:
  std::vector<Value> values_;
};

namespace summary {

struct FileWriterOptions {
  /// Seconds after which the next thing that is added takes all that was collected into the file. Not
  /// negative (ValueError); 0: at once.
  double flush_secs = 120;
  /// At the end of the file's name, such as ".train".
  std::string filename_suffix = {};
};

/// tf.summary.FileWriter: writes an event file for TensorBoard,
/// LOGDIR/events.out.tfevents.<seconds since 1970>.<host><suffix>. It may be used from several threads.
///
/// Adding collects in memory, about a microsecond; what was collected goes to the file every flush_secs, at
/// flush, at close and when the object goes. Where that fails, add_summary, flush and close throw
/// (ResourceExhaustedError: the disk is full), and nothing is lost as long as a later flush succeeds.
class FileWriter {
 public:
  /// Makes the folder and the file. Throws PermissionDeniedError, FailedPreconditionError (something in the
  /// path is no folder), ...: "<path>; Permission denied".
  explicit FileWriter(const std::filesystem::path& logdir, const FileWriterOptions& options = {});
  /// The same, and adds `graph`.
  FileWriter(const std::filesystem::path& logdir, const Graph& graph, const FileWriterOptions& options = {});
  FileWriter(FileWriter&&) noexcept;
  FileWriter& operator=(FileWriter&&) noexcept;
  ~FileWriter();

  /// Throws RuntimeError once the writer is closed (Python only warns, and drops it).
  void add_summary(const Summary& summary, int64_t global_step = 0);
  /// The same of a Summary as a step gives it: the value of tf::summary::merge_all() and its siblings.
  void add_serialized_summary(std::string_view summary, int64_t global_step = 0);
  /// What TensorBoard's Graphs tab shows: the nodes of now, with their shapes.
  void add_graph(const Graph& graph, int64_t global_step = 0);
  /// A tensorflow.Event message as it is.
  void add_event(const std::string& event);
  /// What was added is in the file, as far as other processes see it.
  void flush();
  /// Flushes and closes the file; again is fine.
  void close();
  /// After close: goes on in a new file.
  void reopen();

  const std::filesystem::path& get_logdir() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace summary
}  // namespace flowray::tf

#pragma GCC visibility pop
