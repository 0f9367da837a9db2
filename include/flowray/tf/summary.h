#pragma once
/// tf.Summary, tf.summary.FileWriter, and operations whose value is a Summary message: numbers
/// for TensorBoard.
///
///     tf::summary::scalar("loss", loss);
///     auto summaries = tf::summary::merge_all();
///     writer.add_serialized_summary(session.run(summaries, feeds).item<std::string>(), step);

#include <flowray/tf/errors.h>
#include <flowray/tf/graph.h>
#include <flowray/tf/input.h>

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
    /// The name by which TensorBoard knows it.
    std::string tag;
    double simple_value = 0;  // float32 in the file
  };
  Summary() = default;
  /// As braces: {{"loss", 0.5}, {"accuracy", 0.9}}.
  Summary(std::initializer_list<Value> values) : values_(values) {}
  /// Adds a scalar; a tag may come again.
  void add_value(std::string tag, double simple_value) { values_.push_back({std::move(tag), simple_value}); }
  /// The scalars, in the order in which they were added.
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
  /// path is not a folder), ...: "<path>; Permission denied".
  explicit FileWriter(const std::filesystem::path& logdir, const FileWriterOptions& options = {},
                      Input::Where where = Input::Where::current());
  /// The same, and adds `graph`.
  FileWriter(const std::filesystem::path& logdir, const Graph& graph, const FileWriterOptions& options = {},
             Input::Where where = Input::Where::current());
  FileWriter(FileWriter&&) noexcept;
  FileWriter& operator=(FileWriter&&) noexcept;
  ~FileWriter();

  /// Throws RuntimeError once the writer is closed (Python only warns, and drops it).
  void add_summary(const Summary& summary, int64_t global_step = 0,
                   Input::Where where = Input::Where::current());
  /// Adds a Summary as a step gives it: the value of tf::summary::merge_all() and its siblings. Throws
  /// ValueError for anything else.
  void add_serialized_summary(std::string_view summary, int64_t global_step = 0,
                              Input::Where where = Input::Where::current());
  /// What TensorBoard's Graphs tab shows: the nodes of now, with their shapes.
  void add_graph(const Graph& graph, int64_t global_step = 0, Input::Where where = Input::Where::current());
  /// A tensorflow.Event message as it is.
  void add_event(const std::string& event);
  /// What was added is in the file, as far as other processes see it.
  void flush();
  /// Flushes and closes the file; again is fine.
  void close();
  /// After close: goes on in a new file.
  void reopen();

  /// The folder of the event file.
  const std::filesystem::path& get_logdir() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// ---- operations

struct SummaryOptions {
  /// Graph collections to add it to; empty: SUMMARIES.
  std::vector<std::string> collections = {};
  /// TensorBoard shows summaries of one family together; the tag begins with it.
  std::string family = {};
};

/// A scalar. The tag is the node's name, made unique in its scope; what no name may have becomes '_'.
Tensor scalar(std::string_view name, const Input& tensor, const SummaryOptions& options = {});
/// How a tensor's values, of any number, are distributed. Not finite values are an InvalidArgumentError of
/// the step.
Tensor histogram(std::string_view name, const Input& values, const SummaryOptions& options = {});
/// The first `max_outputs` of images [batch, height, width, channels] with 1, 3 or 4 channels, uint8
/// or float.
Tensor image(std::string_view name, const Input& tensor, int64_t max_outputs = 3,
             const SummaryOptions& options = {});
/// The first `max_outputs` of sounds [batch, frames] or [batch, frames, channels] with values from -1 to 1.
Tensor audio(std::string_view name, const Input& tensor, const Input& sample_rate, int64_t max_outputs = 3,
             const SummaryOptions& options = {});

/// The options of images and sounds.
struct MediaOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// How many of the batch are shown.
  int64_t max_outputs = 3;
  /// Graph collections to add it to; empty: SUMMARIES.
  std::vector<std::string> collections = {};
  /// TensorBoard shows summaries of one family together; the tag begins with it.
  std::string family = {};
};
/// image() with all of its options by name: {.max_outputs = 1}.
Tensor image(std::string_view name, const Input& tensor, const MediaOptions& options);
/// audio() with all of its options by name.
Tensor audio(std::string_view name, const Input& tensor, const Input& sample_rate,
             const MediaOptions& options);

struct TextOptions {
  /// Graph collections to add it to; empty: SUMMARIES.
  std::vector<std::string> collections = {};
};
/// Texts of any shape, shown as Markdown. Throws ValueError for a tensor of another dtype.
Tensor text(std::string_view name, const Input& tensor, const TextOptions& options = {});

struct TensorSummaryOptions {
  /// A text that TensorBoard shows with it.
  std::string summary_description = {};
  /// Graph collections to add it to; empty: SUMMARIES.
  std::vector<std::string> collections = {};
  /// A SummaryMetadata message in protobuf's encoding; title and description are written behind it.
  std::string summary_metadata = {};
  /// TensorBoard shows summaries of one family together; the tag begins with it.
  std::string family = {};
  /// The title that TensorBoard shows.
  std::string display_name = {};
};
/// A tensor of any dtype and shape, as it is.
Tensor tensor_summary(std::string_view name, const Input& tensor, const TensorSummaryOptions& options = {});

/// All values of several summaries in one. InvalidArgumentError of the step where two have one tag.
Tensor merge(const List<Input>& inputs, const NameOption& options = {});
/// merge of all summaries in the default graph's collection `key`; None if there are none.
Tensor merge_all(const std::string& key = "summaries", const NameOption& options = {},
                 Input::Where where = Input::Where::current());

}  // namespace summary

}  // namespace flowray::tf

#pragma GCC visibility pop
