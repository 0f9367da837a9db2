#include <flowray/tf/array.h>
#include <flowray/tf/function.h>

#include "tf/build/function_graph.h"
#include "tf/build/tensor_text.h"
#include "tf/build/unset.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace flowray::tf {
namespace {

using graph::Endpoint;

/// The bodies of all branches at once, which end in the reverse order of their beginning.
class BranchBodies {
 public:
  BranchBodies() = default;
  BranchBodies(const BranchBodies&) = delete;
  BranchBodies& operator=(const BranchBodies&) = delete;
  ~BranchBodies() {
    while (!bodies_.empty()) bodies_.pop_back();
  }

  void add(graph::Graph& outer, const Branch& branch, size_t number) {
    FunctionGraph& body = *bodies_.emplace_back(std::make_unique<FunctionGraph>(outer));
    std::vector<BranchValue> given;
    {
      const LinesOfTheirOwn lines(body.graph());
      given = branch();
    }
    std::vector<Endpoint>& results = results_.emplace_back();
    for (size_t i = 0; i < given.size(); ++i) {
      if (given[i].input() == nullptr) {
        throw TypeError(
            fmt::format("Branch {} gave an operation at [{}]: a branch of tf::switch_case gives "
                        "tensors",
                        number, i));
      }
      check_returned(*given[i].input(), "branch_fns", i);
      results.push_back(
          body.bring_in(convert_to_endpoint(body.graph(), *given[i].input(), DType::kInvalid, "Const")));
    }
  }

  void check_alike() const {
    const std::vector<Endpoint>& first = results_.front();
    for (size_t b = 1; b < results_.size(); ++b) {
      if (results_[b].size() != first.size()) {
        throw ValueError(
            fmt::format("branch_fns[0] and branch_fns[{}] return different numbers of values: {} "
                        "and {}",
                        b, first.size(), results_[b].size()));
      }
      for (size_t i = 0; i < first.size(); ++i) {
        if (base_dtype(first[i].dtype()) == base_dtype(results_[b][i].dtype())) continue;
        throw TypeError(fmt::format(
            "branch_fns[0] and branch_fns[{}] arguments to tf.switch_case must have the same number, type, "
            "and overall structure of return values.\n\nbranch_fns[0] output: {}\nbranch_fns[{}] output: {}",
            b, tensor_text(first[i]), b, tensor_text(results_[b][i])));
      }
    }
  }

  /// What any of them uses of the program around, in the order in which they do.
  std::vector<Endpoint> captured() const {
    std::vector<Endpoint> all;
    for (const auto& body : bodies_) {
      for (const Tensor& tensor : body->captured()) {
        const Endpoint value = endpoint_of(tensor);
        if (std::ranges::find(all, value) == all.end()) all.push_back(value);
      }
    }
    return all;
  }

  /// Their names in the library, each for these arguments.
  std::vector<std::string> finish(const std::vector<Endpoint>& args) {
    std::vector<std::string> names;
    for (size_t b = 0; b < bodies_.size(); ++b)
      names.push_back(bodies_[b]->finish_for(fmt::format("branch{}", b), results_[b], args));
    return names;
  }

  bool is_stateful() const {
    return std::ranges::any_of(bodies_, [](const auto& body) {
      const std::vector<graph::Node*> nodes = body->graph().nodes();
      return std::ranges::any_of(nodes, [](const graph::Node* node) {
        return node->schema().row.stateful && !node->schema().row.is_placeholder;
      });
    });
  }

  std::vector<DType> dtypes() const {
    std::vector<DType> all;
    for (const Endpoint& result : results_.front()) all.push_back(base_dtype(result.dtype()));
    return all;
  }

  /// For each result, the shape that all branches agree on.
  std::vector<Shape> shapes() const {
    std::vector<Shape> all;
    for (size_t i = 0; i < results_.front().size(); ++i) {
      Shape shape = results_.front()[i].shape();
      for (const auto& results : results_) shape = common(shape, results[i].shape());
      all.push_back(shape);
    }
    return all;
  }

 private:
  static Shape common(const Shape& a, const Shape& b) {
    if (!a.has_rank() || !b.has_rank() || a.rank() != b.rank()) return Shape::unknown_rank();
    std::vector<int64_t> dims;
    for (int i = 0; i < a.rank(); ++i) dims.push_back(a.dim(i) == b.dim(i) ? a.dim(i) : -1);
    return Shape(dims);
  }

  std::vector<std::unique_ptr<FunctionGraph>> bodies_;
  std::vector<std::vector<Endpoint>> results_;
};

std::vector<Tensor> case_of_value(const Tensor& branch_index, const std::vector<Branch>& branches) {
  const int64_t wanted = branch_index.value().astype(DType::kInt64).item<int64_t>();
  const auto last = static_cast<int64_t>(branches.size()) - 1;
  const int64_t chosen = wanted < 0 || wanted > last ? last : wanted;
  std::vector<Tensor> results;
  for (const BranchValue& value : branches[static_cast<size_t>(chosen)]())
    results.push_back(value.input() == nullptr ? Tensor() : convert_to_tensor(*value.input()));
  return results;
}

std::vector<Branch> checked_branches(const Tensor& branch_index, const std::vector<Branch>& branch_fns,
                                     const SwitchCaseOptions& options) {
  (void)node_of(branch_index, "branch_index");
  if (!is_integer(base_dtype(branch_index.dtype()))) {
    throw TypeError(
        fmt::format("'branch_index' must be an integer Tensor, got {}", dtype_name(branch_index.dtype())));
  }
  std::vector<Branch> branches = branch_fns;
  if (branches.empty()) throw ValueError("Must provide at least one item in 'branch_fns'");
  if (options.default_fn.has_value()) branches.push_back(options.default_fn);
  for (size_t i = 0; i < branches.size(); ++i) {
    if (!branches[i].has_value())
      throw TypeError(fmt::format("Branch functions must be callable: branch_fns[{}] is empty", i));
  }
  return branches;
}

}  // namespace

std::vector<Tensor> switch_case(const Tensor& branch_index, const std::vector<Branch>& branch_fns,
                                const SwitchCaseOptions& options, Input::Where where) {
  const ErrorLine errors(where);
  const std::vector<Branch> branches = checked_branches(branch_index, branch_fns, options);
  if (branch_index.is_eager()) return case_of_value(branch_index, branches);
  graph::Graph& graph = default_graph();
  const UserLine line(graph, where);
  const graph::NameScope scope(graph, options.name.empty() ? "switch_case" : options.name);
  const graph::NameScope inner(graph, "indexed_case");
  BranchBodies bodies;
  for (size_t i = 0; i < branches.size(); ++i) bodies.add(graph, branches[i], i);
  bodies.check_alike();
  const std::vector<Endpoint> captured = bodies.captured();
  const std::vector<std::string> names = bodies.finish(captured);
  std::vector<Endpoint> inputs{endpoint_of(branch_index)};
  inputs.insert(inputs.end(), captured.begin(), captured.end());
  std::vector<DType> types;
  for (const Endpoint& value : captured) types.push_back(base_dtype(value.dtype()));
  graph::Node* const node = graph.add({.op = bodies.is_stateful() ? "Case" : "StatelessCase",
                                       .name = inner.path(),
                                       .inputs = std::move(inputs),
                                       .attrs = {{"branches", functions_attr(names)},
                                                 {"Tin", types},
                                                 {"Tout", bodies.dtypes()},
                                                 {"output_shapes", bodies.shapes()},
                                                 {"_lower_using_switch_merge", true}}});
  graph::Builder builder(graph);
  std::vector<Tensor> results;
  for (int i = 0; i < node->num_outputs(); ++i)
    results.push_back(tensor_of(builder.op("Identity", {node->output(i)})));
  return results;
}

}  // namespace flowray::tf
