#include <flowray/tf/linalg.h>

#include "tf/build/composite.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <tuple>

namespace flowray::tf {
namespace {

/// What "..." is while an equation is read: one letter like all others.
constexpr char kDots = '0';

struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  while (true) {
    const size_t at = text.find(from);
    result += text.substr(0, at);
    if (at == std::string_view::npos) return result;
    result += to;
    text.remove_prefix(at + from.size());
  }
}

/// The letters that occur once, and the dots.
std::string implied_output(const std::string& inputs) {
  std::map<char, int> counts;
  for (const char letter : inputs) ++counts[letter];
  std::string output;
  for (const auto& [letter, count] : counts) {
    if (letter != ',' && count == 1) output += letter;
  }
  return output;
}

Equation parsed(std::string_view written, size_t num_inputs) {
  const std::string tight = replaced(written, " ", "");
  const bool has_dots = tight.find("...") != std::string::npos;
  if (has_dots && tight.find(kDots) != std::string::npos) {
    throw ValueError(fmt::format("Invalid character \"0\" in equation: {}.", written));
  }
  const std::string text = replaced(tight, "...", std::string(1, kDots));
  const size_t arrow = text.find("->");
  const std::string inputs = text.substr(0, arrow);
  std::string output = arrow == std::string::npos ? "" : text.substr(arrow + 2);
  const auto is_letter = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (has_dots && c == kDots);
  };
  if (!std::ranges::all_of(inputs, [&](char c) { return c == ',' || is_letter(c); }) ||
      !std::ranges::all_of(output, is_letter)) {
    throw ValueError(fmt::format("Subscripts have incorrect format: {}", text));
  }
  Equation equation;
  for (size_t begin = 0;;) {
    const size_t comma = inputs.find(',', begin);
    equation.inputs.push_back(inputs.substr(begin, comma == std::string::npos ? comma : comma - begin));
    if (comma == std::string::npos) break;
    begin = comma + 1;
  }
  if (equation.inputs.size() != num_inputs) {
    throw ValueError(fmt::format("Got {} inputs for equation \"{}\", expecting {}", num_inputs, written,
                                 equation.inputs.size()));
  }
  if (arrow == std::string::npos) output = implied_output(inputs);
  for (const char letter : output) {
    if (std::ranges::count(output, letter) > 1) {
      throw ValueError(
          fmt::format("Output subscripts contain a label appearing more than once: {}", written));
    }
    if (letter != kDots && inputs.find(letter) == std::string::npos) {
      throw ValueError(
          fmt::format("Output subscripts contain the label {} not present in the input subscripts.", letter));
    }
  }
  equation.output = output;
  return equation;
}

/// The size of each letter; what is not known counts as 1.
std::map<char, int64_t> sizes_of(const Equation& equation, const std::vector<Tensor>& tensors,
                                 std::string_view written) {
  std::map<char, int64_t> sizes;
  for (const std::string& letters : equation.inputs) {
    for (const char letter : letters) sizes.try_emplace(letter, 1);
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorShape& shape = tensors[i].shape();
    if (!shape.has_rank()) continue;
    const std::string& letters = equation.inputs[i];
    const int dots =
        shape.rank() + 1 - static_cast<int>(letters.size());  // how many dimensions they stand for
    if (letters.find(kDots) == std::string::npos ? dots != 1 : dots < 0) {
      throw ValueError(
          letters.find(kDots) == std::string::npos
              ? fmt::format("Number of named labels in input #{} of equation {} must be equal to the number "
                            "of dimensions "
                            "in shape {}",
                            i, written, shape.to_tuple_string())
              : fmt::format(
                    "Too many named labels in {}th subscript string of equation {} for input shape {} ", i,
                    written, shape.to_tuple_string()));
    }
    int dimension = 0;
    for (const char letter : letters) {
      int64_t size = 1;
      for (int j = 0; j < (letter == kDots ? dots : 1); ++j)
        size *= std::max<int64_t>(1, shape.dim(dimension++));
      sizes[letter] = std::max(sizes[letter], size);
    }
  }
  return sizes;
}

using Letters = std::set<char>;

Letters both(const Letters& a, const Letters& b) {
  Letters result;
  std::ranges::set_intersection(a, b, std::inserter(result, result.end()));
  return result;
}
Letters either(const Letters& a, const Letters& b) {
  Letters result = a;
  result.insert(b.begin(), b.end());
  return result;
}

/// Which two tensors to multiply next: opt_einsum's greedy search, which takes the pair that makes memory
/// smallest. Tensors are numbered as they are made. Source: opt_einsum's paths.ssa_greedy_optimize.
class GreedySearch {
 public:
  using Pair = std::pair<int, int>;

  GreedySearch(const Equation& equation, std::map<char, int64_t> sizes)
      : output_(equation.output.begin(), equation.output.end()), sizes_(std::move(sizes)) {
    next_ = static_cast<int>(equation.inputs.size());
    int number = 0;
    for (const std::string& letters : equation.inputs) add({letters.begin(), letters.end()}, number++);
  }

  std::vector<Pair> pairs() {
    std::vector<Letters> keys;
    for (const auto& [letters, number] : left_) keys.push_back(letters);
    std::ranges::sort(keys, {}, [&](const Letters& letters) { return left_.at(letters); });
    for (const char letter : summed_letters()) {
      std::vector<Letters> holders;
      std::ranges::copy_if(keys, std::back_inserter(holders),
                           [&](const Letters& k) { return k.contains(letter); });
      for (size_t i = 0; i + 1 < holders.size(); ++i)
        push_best(holders[i], {holders.begin() + static_cast<ptrdiff_t>(i) + 1, holders.end()});
    }
    while (!queue_.empty()) {
      const Candidate candidate = queue_.top();
      queue_.pop();
      if (left_.contains(candidate.first) && left_.contains(candidate.second)) multiply(candidate);
    }
    multiply_the_rest();
    return pairs_;
  }

 private:
  struct Candidate {
    int64_t cost;
    int later, earlier;  // the numbers of the two
    Letters first, second, product;
    bool operator<(const Candidate& other) const {  // the least costly is on top of the queue
      return std::tie(cost, later, earlier) > std::tie(other.cost, other.later, other.earlier);
    }
  };

  /// Tensors of the same letters are multiplied at once.
  void add(const Letters& letters, int number) {
    const auto [there, is_new] = left_.try_emplace(letters, number);
    if (is_new) return;
    pairs_.emplace_back(there->second, number);
    there->second = next_++;
  }

  Letters summed_letters() const {
    Letters letters;
    for (const auto& [key, number] : left_) {
      for (const char letter : key) {
        if (!output_.contains(letter)) letters.insert(letter);
      }
    }
    return letters;
  }

  /// The letters that are summed over and that `count` tensors or more have.
  Letters in_at_least(size_t count) const {
    std::map<char, size_t> counts;
    for (const auto& [key, number] : left_) {
      for (const char letter : key) ++counts[letter];
    }
    Letters letters;
    for (const auto& [letter, number] : counts) {
      if (number >= count && !output_.contains(letter)) letters.insert(letter);
    }
    return letters;
  }

  int64_t size(const Letters& letters) const {
    int64_t product = 1;
    for (const char letter : letters) product *= sizes_.at(letter);
    return product;
  }

  Candidate candidate(const Letters& a, const Letters& b) const {
    const Letters all = either(a, b);
    const Letters shared = both(a, b);
    Letters single;
    std::ranges::set_difference(all, shared, std::inserter(single, single.end()));
    const Letters product =
        either(either(both(all, output_), both(shared, in_at_least(3))), both(single, in_at_least(2)));
    const int first = left_.at(a);
    const int second = left_.at(b);
    const int64_t cost = size(product) - size(a) - size(b);
    if (first > second) return {cost, first, second, b, a, product};
    return {cost, second, first, a, b, product};
  }

  void push_best(const Letters& one, const std::vector<Letters>& others) {
    std::vector<Candidate> candidates;
    for (const Letters& other : others) candidates.push_back(candidate(one, other));
    queue_.push(*std::ranges::max_element(candidates, [](const auto& a, const auto& b) { return a < b; }));
  }

  void multiply(const Candidate& candidate) {
    const int first = left_.at(candidate.first);
    const int second = left_.at(candidate.second);
    left_.erase(candidate.first);
    left_.erase(candidate.second);
    pairs_.emplace_back(first, second);
    if (const auto same = left_.find(candidate.product); same != left_.end()) {
      pairs_.emplace_back(same->second, next_++);
      same->second = next_++;
    } else {
      left_[candidate.product] = next_++;
    }
    std::vector<Letters> others;
    for (const auto& [letters, number] : left_) {
      const Letters shared = both(letters, candidate.product);
      const bool summed = std::ranges::any_of(shared, [&](char c) { return !output_.contains(c); });
      if (letters != candidate.product && summed) others.push_back(letters);
    }
    if (!others.empty()) push_best(candidate.product, others);
  }

  /// What shares no letters: the smallest first.
  void multiply_the_rest() {
    std::set<std::tuple<int64_t, int, Letters>> rest;
    for (const auto& [letters, number] : left_) rest.emplace(size(both(letters, output_)), number, letters);
    while (rest.size() > 1) {
      const auto [size_a, a, letters_a] = rest.extract(rest.begin()).value();
      const auto [size_b, b, letters_b] = rest.extract(rest.begin()).value();
      pairs_.emplace_back(std::min(a, b), std::max(a, b));
      const Letters product = both(either(letters_a, letters_b), output_);
      rest.emplace(size(product), next_++, product);
    }
  }

  Letters output_;
  std::map<char, int64_t> sizes_;
  std::map<Letters, int> left_;
  std::priority_queue<Candidate> queue_;
  std::vector<Pair> pairs_;
  int next_ = 0;
};

Tensor einsum_op(const std::vector<Input>& inputs, const std::vector<std::string>& letters,
                 const std::string& output) {
  std::string equation;
  for (const std::string& input : letters)
    equation += (equation.empty() && &input == &letters.front() ? "" : ",") + input;
  equation = replaced(equation + "->" + output, std::string(1, kDots), "...");
  return apply_op({.op = "Einsum", .args = {inputs}, .attrs = {{"equation", equation}}});
}

/// The letters of a product that are still needed, in the order in which its factors have them.
std::string product_letters(const std::vector<std::string>& factors, const std::vector<std::string>& others,
                            const std::string& output) {
  std::string needed = output;
  for (const std::string& other : others) needed += other;
  std::string letters;
  for (const std::string& factor : factors) {
    for (const char letter : factor) {
      if (needed.find(letter) != std::string::npos && letters.find(letter) == std::string::npos)
        letters += letter;
    }
  }
  return letters;
}

}  // namespace

Tensor einsum(std::string_view equation, const List<Input>& inputs, const NameOption& options) {
  const Input::Where where = place_in_program(inputs);
  Composite scope({{"inputs", inputs}}, options.name, "einsum", where);
  Equation parts = parsed(equation, inputs.size());
  if (inputs.size() <= 2) return einsum_op(inputs, parts.inputs, parts.output);
  std::vector<Tensor> tensors;
  for (const Input& input : inputs) tensors.push_back(scope.convert(input, "Const"));
  std::vector<int> numbers;  // of `tensors`, in the search's counting
  for (size_t i = 0; i < tensors.size(); ++i) numbers.push_back(static_cast<int>(i));
  int next = static_cast<int>(tensors.size());
  for (const auto& [a, b] : GreedySearch(parts, sizes_of(parts, tensors, equation)).pairs()) {
    std::vector<Input> factors;
    std::vector<std::string> letters;
    for (const int number : {std::max(a, b), std::min(a, b)}) {
      const auto at = std::ranges::find(numbers, number) - numbers.begin();
      factors.emplace_back(tensors[static_cast<size_t>(at)]);
      letters.push_back(parts.inputs[static_cast<size_t>(at)]);
      tensors.erase(tensors.begin() + at);
      numbers.erase(numbers.begin() + at);
      parts.inputs.erase(parts.inputs.begin() + at);
    }
    const std::string product =
        tensors.empty() ? parts.output : product_letters(letters, parts.inputs, parts.output);
    tensors.push_back(einsum_op(factors, letters, product));
    parts.inputs.push_back(product);
    numbers.push_back(next++);
  }
  return tensors.front();
}

}  // namespace flowray::tf
