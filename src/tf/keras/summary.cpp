#include "core/checked_size.h"
#include "tf/build/user_line.h"
#include "tf/keras/model_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

namespace flowray::tf::keras {
namespace {

std::string dims_text(const TensorShape& shape) {
  if (!shape.has_rank()) return "None";
  std::string text = "(";
  for (int i = 0; i < shape.rank(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", shape.dim(i) < 0 ? "None" : std::to_string(shape.dim(i)));
  return text + (shape.rank() == 1 ? ",)" : ")");
}

std::string list_text(const std::vector<std::string>& items) {
  return fmt::format("[{}]", fmt::join(items, ", "));
}

/// A table of columns that end here; what is too long for a cell goes on in the next line.
class Table {
 public:
  explicit Table(std::vector<size_t> ends) : ends_(std::move(ends)) {}

  std::string row(std::vector<std::string> rest) const {
    std::string text;
    while (std::ranges::any_of(rest, [](const std::string& cell) { return !cell.empty(); })) {
      std::string line = " ";
      for (size_t i = 0; i < rest.size(); ++i) {
        const bool is_last = i + 1 == rest.size();
        const size_t begin = i == 0 ? 0 : ends_[i - 1];
        const size_t taken = cut(rest[i], ends_[i] - begin - (is_last ? 0 : 3));
        line += rest[i].substr(0, taken);
        rest[i].erase(0, taken);
        if (line.size() < ends_[i]) line += std::string(ends_[i] - line.size(), ' ');
      }
      text += line + "\n";
    }
    return text;
  }

 private:
  /// How much of a cell goes into a line: up to the end of an item, where one ends.
  static size_t cut(const std::string& cell, size_t room) {
    const std::string part = cell.substr(0, room);
    size_t taken = part.size();
    for (const char* end : {"),", "},", "],", "',"}) {
      const size_t found = part.find(end);
      if (found != std::string::npos) taken = std::min(taken, found + 2);
    }
    return taken;
  }

  std::vector<size_t> ends_;
};

std::string size_text(int64_t count) {
  double bytes = 4.0 * static_cast<double>(count);
  for (const char* unit : {"Byte", "KB", "MB"}) {
    if (bytes < 1024) return fmt::format("{} ({:.2f} {})", count, bytes, unit);
    bytes /= 1024;
  }
  return fmt::format("{} ({:.2f} GB)", count, bytes);
}

int64_t elements_in(const std::vector<Variable>& variables) {
  CheckedSize count(0);
  for (const Variable& variable : variables) count += variable.shape().num_elements();
  return count;
}

}  // namespace

std::string Model::shape_text(const Layer& layer) const {
  if (model_->is_deferred) return "multiple";
  for (const KerasTensor& input : model_->input_ends) {
    if (input.call()->layer.get() == &layer) return list_text({dims_text(input.shape())});
  }
  std::vector<std::string> first;
  for (const std::vector<KerasTensor>& outputs : layer.outputs_of_calls()) {
    std::vector<std::string> shapes;
    for (const KerasTensor& output : outputs) shapes.push_back(dims_text(output.shape()));
    if (first.empty()) first = shapes;
    if (first != shapes) return "multiple";
  }
  if (first.empty()) {
    for (const TensorShape& shape : layer.output_shapes()) first.push_back(dims_text(shape));
  }
  // An operation of the graph has a list of outputs, of which tf.keras shows one, too, as a list.
  const bool is_list = first.size() != 1 || layer.class_name() == "TensorFlowOpLayer";
  return is_list ? list_text(first) : first[0];
}

std::string Model::inbound_text(const Layer& layer) const {
  std::vector<std::string> names;
  for (const NetworkCall& call : model_->network.calls()) {
    if (call.layer.get() != &layer) continue;
    for (const auto& [from, index] : call.inputs) {
      const NetworkCall& maker = model_->network.calls()[from];
      names.push_back(fmt::format("'{}[{}][{}]'", maker.layer->name(), maker.number, index));
    }
  }
  return list_text(names);
}

namespace {

constexpr double kWidest = 10000;

/// Where columns end, in letters. Throws ValueError for positions that make no table.
std::vector<size_t> column_ends(std::vector<double> positions, size_t width, bool is_chain) {
  if (positions.empty()) {
    positions = is_chain ? std::vector<double>{.45, .85, 1.0} : std::vector<double>{.3, .6, .7, 1.0};
  }
  const size_t count = is_chain ? 3 : 4;
  const bool are_growing = std::ranges::adjacent_find(positions, std::greater_equal<>()) == positions.end() &&
                           positions.front() > 0;
  if (positions.size() != count || !are_growing || positions.back() > kWidest) {
    throw ValueError(
        fmt::format("summary: this table has {} columns, so positions are {} growing numbers above 0 and at "
                    "most {}, but they "
                    "are [{}]",
                    count, count, kWidest, fmt::join(positions, ", ")));
  }
  const bool are_parts = positions.back() <= 1;
  std::vector<size_t> ends;
  for (const double position : positions)
    ends.push_back(static_cast<size_t>(are_parts ? position * static_cast<double>(width) : position));
  // The narrowest columns hold a letter beside the space in front and those behind.
  const auto is_too_narrow = [&](size_t i) { return ends[i] < (i == 0 ? 0 : ends[i - 1]) + 5; };
  for (size_t i = 0; i < ends.size(); ++i) {
    if (!is_too_narrow(i)) continue;
    throw ValueError(fmt::format(
        "summary: a column has at least 5 letters, but they end at [{}].\nGive a greater line_length.",
        fmt::join(ends, ", ")));
  }
  return ends;
}

}  // namespace

std::string Model::summary(const SummaryOptions& options, Where where) const {
  const UserLine line(*model_->graph.get(), where);
  if (!model_->is_built) {
    throw ValueError(
        "This model has not yet been built. Build the model first by calling `build()` or by calling the "
        "model on a batch of "
        "data.");
  }
  const bool is_chain = model_->is_sequential || model_->network.is_a_chain();
  const size_t width = options.line_length != 0 ? options.line_length : is_chain ? 65 : 98;
  const Table table(column_ends(options.positions, width, is_chain));
  std::vector<std::string> head = {"Layer (type)", "Output Shape", "Param #"};
  if (!is_chain) head.emplace_back("Connected to");
  std::string text = fmt::format("Model: \"{}\"\n{}\n", name(), std::string(width, '_'));
  text += table.row(head) + std::string(width, '=') + "\n";
  for (const std::shared_ptr<Layer>& layer : model_->layers) {
    std::vector<std::string> cells = {fmt::format("{} ({})", layer->name(), layer->class_name()),
                                      shape_text(*layer), std::to_string(layer->count_params())};
    if (!is_chain) cells.push_back(inbound_text(*layer));
    text += table.row(cells) + std::string(width, ' ') + "\n";
  }
  text += std::string(width, '=') + "\n";
  text += fmt::format("Total params: {}\nTrainable params: {}\nNon-trainable params: {}\n",
                      size_text(elements_in(weights())), size_text(elements_in(trainable_weights())),
                      size_text(elements_in(non_trainable_weights())));
  return text + std::string(width, '_') + "\n";
}

}  // namespace flowray::tf::keras
