#include <flowray/tf/array.h>
#include <flowray/tf/keras/callbacks.h>

#include "core/checked_size.h"
#include "tf/keras/watched_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace flowray::tf::keras::callbacks {

TensorBoard::TensorBoard(std::filesystem::path log_dir, const TensorBoardOptions& options)
    : log_dir_(std::move(log_dir)), options_(options) {
  if (options_.update_freq.value_or(1) < 1) {
    throw ValueError(
        fmt::format("TensorBoard: update_freq is {}; it is a number of elements, at least 1, and left out "
                    "for epochs alone.",
                    *options_.update_freq));
  }
  if (options_.histogram_freq < 0)
    throw ValueError(
        fmt::format("TensorBoard: histogram_freq is {}; it is a number of epochs, and 0 for none.",
                    options_.histogram_freq));
}

TensorBoard::~TensorBoard() = default;

void TensorBoard::on_train_begin() {
  writer_ = std::make_unique<summary::FileWriter>(log_dir_);
  is_graph_written_ = false;
}

void TensorBoard::write_graph() {
  if (options_.write_graph && !is_graph_written_) writer_->add_graph(model().inputs()[0].graph());
  is_graph_written_ = true;
}

void TensorBoard::on_train_end() {
  writer_->close();
  writer_.reset();
}

void TensorBoard::write(const char* prefix, const Logs& logs, int64_t step) {
  for (const auto& [name, value] : logs) {
    Summary scalar;
    scalar.add_value(prefix + name, value);
    writer_->add_summary(scalar, step);
  }
  writer_->flush();
}

void TensorBoard::on_batch_end(int64_t /*batch*/, const Logs& logs) {
  write_graph();  // which has the step of training now, and all of a model that its first batch has built
  num_elements_ = checked(num_elements_) + batch_size();
  if (options_.update_freq.has_value() &&
      num_elements_ - num_elements_at_last_write_ >= *options_.update_freq) {
    write("batch_", logs, num_batches_);
    num_elements_at_last_write_ = num_elements_;
  }
  ++num_batches_;
}

void TensorBoard::on_epoch_end(int64_t epoch, const Logs& logs) {
  write("epoch_", logs, options_.update_freq.has_value() ? num_elements_ : epoch);
  // As in TensorFlow, a training that has been stopped has none: weights that are NaN could have none.
  if (options_.histogram_freq > 0 && !model().stop_training && epoch % options_.histogram_freq == 0)
    write_histograms(epoch);
}

void TensorBoard::write_histograms(int64_t epoch) {
  const std::vector<Variable> weights = model().weights();
  const std::vector<Array> values = model().get_weights();
  const Graph graph;  // of its own: the model's does not grow
  const GraphScope in_graph = graph.as_default();
  Session session;
  for (size_t i = 0; i < weights.size(); ++i) {
    std::string name = weights[i].name();
    std::ranges::replace(name, ':', '_');
    const Tensor histogram = summary::histogram(name, constant(values[i]));
    writer_->add_serialized_summary(session.run(histogram).item<std::string>(), epoch);
  }
  writer_->flush();
}

}  // namespace flowray::tf::keras::callbacks
