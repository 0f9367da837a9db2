#pragma once
/// tf.summary: operations whose value is a Summary message for TensorBoard, to be given to
/// FileWriter::add_serialized_summary.
///
///     tf::summary::scalar("loss", loss);
///     auto summaries = tf::summary::merge_all();
///     writer.add_serialized_summary(session.run(summaries, feeds).item<std::string>(), step);

#include <flowray/tf/input.h>

#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::summary {

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
/// The first `max_outputs` of images [batch, height, width, channels] with 1, 3 or 4 channels, uint8 or
/// float.
Tensor image(std::string_view name, const Input& tensor, int64_t max_outputs = 3,
             const SummaryOptions& options = {});
/// The first `max_outputs` of sounds [batch, frames] or [batch, frames, channels] with values from -1 to 1.
Tensor audio(std::string_view name, const Input& tensor, const Input& sample_rate, int64_t max_outputs = 3,
             const SummaryOptions& options = {});

struct TextOptions {
  std::vector<std::string> collections = {};
};
/// Texts of any shape, shown as Markdown. Throws ValueError for a tensor of another dtype.
Tensor text(std::string_view name, const Input& tensor, const TextOptions& options = {});

struct TensorSummaryOptions {
  std::string summary_description = {};
  std::vector<std::string> collections = {};
  /// A SummaryMetadata message in protobuf's encoding; title and description are written behind it.
  std::string summary_metadata = {};
  std::string family = {};
  /// The title that TensorBoard shows.
  std::string display_name = {};
};
/// A tensor of any dtype and shape, as it is.
Tensor tensor_summary(std::string_view name, const Input& tensor, const TensorSummaryOptions& options = {});

/// All values of several summaries in one. InvalidArgumentError of the step where two have one tag.
Tensor merge(const std::vector<Input>& inputs, const NameOption& options = {});
/// That of all summaries in the default graph's collection `key`; None if there are none.
Tensor merge_all(const std::string& key = "summaries", const NameOption& options = {});

}  // namespace flowray::tf::summary

#pragma GCC visibility pop
