#include <flowray/tf/keras/datasets.h>

#include <flowray/errors.h>

#include "files/idx.h"
#include "files/npz.h"
#include "tf/build/user_line.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <system_error>

namespace flowray::tf::keras::datasets {
namespace {

/// The folder of tf.keras.
std::filesystem::path keras_home() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::filesystem::path(value == nullptr ? "" : value);
  };
  const std::filesystem::path home = variable("KERAS_HOME");
  return home.empty() ? variable("HOME") / ".keras" : home;
}

std::filesystem::path found(const std::filesystem::path& path, const char* what) {
  const std::filesystem::path folder = keras_home() / "datasets";
  std::error_code none;
  for (const std::filesystem::path& place : {path, folder / path})
    if (std::filesystem::exists(place, none)) return place;
  throw errors::NotFoundError(
      fmt::format("{}: there is no file {}, here or in {}.\nNothing is fetched: put it there.", what,
                  path.string(), folder.string()));
}

Array idx_array(const char* name) {
  const files::IdxFile file =
      files::read_idx(found(std::filesystem::path("fashion-mnist") / name, "fashion_mnist.load_data"));
  Array array = Array::uninitialized(DType::kUint8, Shape(file.dims));
  if (!file.data.empty()) std::memcpy(array.mutable_raw_data(), file.data.data(), file.data.size());
  return array;
}

}  // namespace

TrainAndTest mnist::load_data(const std::filesystem::path& path, Input::Where where) {
  const ErrorLine line(where);
  const std::filesystem::path place = found(path, "mnist.load_data");
  const std::map<std::string, Array> arrays = files::read_npz(place);
  const auto array = [&](const char* name) {
    const auto found = arrays.find(name);
    if (found != arrays.end()) return found->second;
    throw errors::DataLossError(fmt::format(
        "'{}' has no array {}; expected are x_train, y_train, x_test and y_test", place.string(), name));
  };
  return {.train = {array("x_train"), array("y_train")}, .test = {array("x_test"), array("y_test")}};
}

TrainAndTest fashion_mnist::load_data(Input::Where where) {
  const ErrorLine line(where);
  return {.train = {idx_array("train-images-idx3-ubyte.gz"), idx_array("train-labels-idx1-ubyte.gz")},
          .test = {idx_array("t10k-images-idx3-ubyte.gz"), idx_array("t10k-labels-idx1-ubyte.gz")}};
}

}  // namespace flowray::tf::keras::datasets
