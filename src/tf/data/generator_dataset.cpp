// Datasets whose elements a function of the program makes.
#include <flowray/tf/array.h>
#include <flowray/tf/data.h>
#include <flowray/tf/py_func.h>

#include "core/mutex.h"
#include "tf/build/user_line.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <utility>

namespace flowray::tf::data {
namespace {

/// The generators of the walks that have begun, by number.
class Walks {
 public:
  Walks(std::function<ElementGenerator()> generator, std::vector<TensorSpec> spec)
      : generator_(std::move(generator)), spec_(std::move(spec)) {}

  int64_t begin() {
    auto walk = std::make_shared<ElementGenerator>(generator_());
    if (!*walk)
      throw ValueError("`generator` gave an empty function, and one that makes elements was expected.");
    const MutexLock lock(mutex_);
    walks_.emplace(num_begun_, std::move(walk));
    return num_begun_++;
  }

  /// A walk asks for one element after the other, never for two at once.
  std::vector<Array> next(int64_t number) {
    GeneratedElement element = (*walk(number))();
    if (!element.has_value()) throw errors::OutOfRangeError("End of sequence");
    check(*element);
    return *std::move(element);
  }

  void end(int64_t number) {
    std::shared_ptr<ElementGenerator> ended;  // ends without the lock
    const MutexLock lock(mutex_);
    const auto found = walks_.find(number);
    if (found == walks_.end()) return;
    ended = std::move(found->second);
    walks_.erase(found);
  }

 private:
  std::shared_ptr<ElementGenerator> walk(int64_t number) {
    const MutexLock lock(mutex_);
    const auto found = walks_.find(number);
    if (found == walks_.end())
      throw errors::InternalError(fmt::format("The generator of walk {} is not there", number));
    return found->second;
  }

  void check(const std::vector<Array>& element) const {
    if (element.size() != spec_.size()) {
      throw TypeError(
          fmt::format("`generator` yielded an element that did not match the expected structure.\nIt has {} "
                      "components, and "
                      "element_spec has {}.",
                      element.size(), spec_.size()));
    }
    for (size_t i = 0; i < spec_.size(); ++i) {
      if (element[i].dtype() != spec_[i].dtype) {
        throw TypeError(
            fmt::format("`generator` yielded an element that could not be converted to the expected "
                        "type.\nComponent {} is "
                        "{}, and element_spec says {}.",
                        i, element[i].has_value() ? dtype_name(element[i].dtype()) : "no value",
                        dtype_name(spec_[i].dtype)));
      }
      if (!spec_[i].shape.is_compatible_with(TensorShape(element[i].shape()))) {
        throw TypeError(fmt::format(
            "`generator` yielded an element of shape {} where an element of shape {} was expected.\nIt is "
            "component {}.",
            TensorShape(element[i].shape()).to_tuple_string(), spec_[i].shape.to_tuple_string(), i));
      }
    }
  }

  const std::function<ElementGenerator()> generator_;
  const std::vector<TensorSpec> spec_;
  Mutex mutex_;
  std::map<int64_t, std::shared_ptr<ElementGenerator>> walks_ FLOWRAY_GUARDED_BY(mutex_);
  int64_t num_begun_ FLOWRAY_GUARDED_BY(mutex_) = 0;
};

/// A scalar int64 that a function of the program gives of the walk's state.
Input number_of(const ProgramFunction& function, const List<Input>& state) {
  Tensor number = py_func(function, state, {DType::kInt64})[0];
  number.set_shape({});
  return number;
}

}  // namespace

Dataset Dataset::from_generator(const std::function<ElementGenerator()>& generator,
                                const std::vector<TensorSpec>& element_spec, const NameOption& options,
                                Input::Where where) {
  const ErrorLine errors(where);
  if (!generator)
    throw ValueError("`generator` must be a Python callable.\nHere: a function, and not an empty one.");
  if (element_spec.empty()) throw ValueError("from_generator: element_spec has no component.");
  std::vector<DType> dtypes;
  for (const TensorSpec& spec : element_spec) {
    if (spec.dtype == DType::kInvalid || !spec.dataset.empty())
      throw ValueError("from_generator: each component of element_spec needs a dtype of its own values.");
    dtypes.push_back(spec.dtype);
  }
  const auto walks = std::make_shared<Walks>(generator, element_spec);
  const auto begin = [&](const std::vector<Tensor>&) -> std::vector<Input> {
    return {number_of([walks](const std::vector<Array>&) { return std::vector{Array(walks->begin())}; }, {})};
  };
  const auto next = [&](const std::vector<Tensor>& state) -> std::vector<Input> {
    std::vector<Tensor> components = py_func(
        [walks](const std::vector<Array>& in) { return walks->next(*in[0].data<int64_t>()); }, state, dtypes);
    for (size_t i = 0; i < components.size(); ++i) components[i].set_shape(element_spec[i].shape);
    return {components.begin(), components.end()};
  };
  const auto end = [&](const std::vector<Tensor>& state) -> std::vector<Input> {
    return {number_of(
        [walks](const std::vector<Array>& in) {
          walks->end(*in[0].data<int64_t>());
          return std::vector{Array(int64_t{0})};
        },
        state)};
  };
  return generator_dataset(begin, next, end, options, where);
}

}  // namespace flowray::tf::data
