#include "compare/outputs/unknown_inputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "record/streams/fingerprint.h"

namespace onnxcmp {
namespace {

// A subset of the made-up inputs, by their numbers.
class InputSet {
 public:
  explicit InputSet(size_t inputs) : words_((inputs + 63) / 64) {}
  void Add(size_t input) { words_[input / 64] |= uint64_t{1} << input % 64; }
  void Add(const InputSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  bool IsIn(const InputSet& other) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      if ((words_[i] & ~other.words_[i]) != 0) return false;
    }
    return true;
  }

 private:
  std::vector<uint64_t> words_;
};

// True if a node reads only its input's shape.
bool ReadsShapeOnly(const StreamNode& node) {
  static constexpr std::array<absl::string_view, 5> kNames = {
      "Shape", "Size", "EyeLike", "RandomNormalLike", "RandomUniformLike"};
  return std::find(kNames.begin(), kNames.end(), node.op_type) != kNames.end();
}

// Dependence of a model's results on inputs.
class Dependence {
 public:
  Dependence(const ResultStream& model, absl::Span<const std::string> made_up)
      : count_(made_up.size()), all_(made_up.size()) {
    absl::flat_hash_map<absl::string_view, size_t> numbers;
    for (size_t i = 0; i < made_up.size(); ++i) numbers.emplace(made_up[i], i);
    absl::flat_hash_set<int> read;  // inputs without readers do not matter
    for (const StreamNode& node : model.nodes) {
      read.insert(node.inputs.begin(), node.inputs.end());
      read.insert(node.captures.begin(), node.captures.end());
    }
    may_.assign(model.results.size(), InputSet(count_));
    does_ = may_;
    for (size_t r = 0; r < model.results.size(); ++r) {
      const StreamResult& result = model.results[r];
      if (result.kind != ResultKind::kInput) continue;
      const auto it = numbers.find(result.name);
      if (it == numbers.end() || !read.contains(static_cast<int>(r))) continue;
      all_.Add(it->second);
      may_[r].Add(it->second);
      does_[r].Add(it->second);
    }
    for (const StreamNode& node : model.nodes) AddNode(node);
    for (size_t r = 0; r < model.results.size(); ++r) {
      const int source = model.results[r].source;
      if (source == kNone) continue;
      may_[r] = may_[Index(source)];
      does_[r] = does_[Index(source)];
    }
  }

  // For no result: all inputs that are read.
  const InputSet& May(int result) const { return result == kNone ? all_ : may_[Index(result)]; }
  // Inputs that it depends on by more than shapes, which agree easily.
  const InputSet& Does(int result) const { return does_[Index(result)]; }
  const InputSet& all() const { return all_; }

 private:
  void AddNode(const StreamNode& node) {
    InputSet may(count_);
    InputSet does(count_);
    // The inputs of a subgraph may depend on any.
    if (!node.closed) may.Add(all_);
    for (const FewResults* read : {&node.inputs, &node.captures}) {
      for (const int r : *read) {
        if (r == kNone) continue;
        may.Add(may_[Index(r)]);
        if (!ReadsShapeOnly(node)) does.Add(does_[Index(r)]);
      }
    }
    for (const int r : node.outputs) {
      if (r == kNone) continue;
      may_[Index(r)].Add(may);
      does_[Index(r)].Add(does);
    }
  }

  size_t count_;
  InputSet all_;
  std::vector<InputSet> may_;
  std::vector<InputSet> does_;
};

// True if two such values hardly agree by chance: numbers that are not integers.
bool IsTelling(const Fingerprint& fingerprint) {
  if (fingerprint.kind != ElementKind::kFloat || fingerprint.size == 0) return false;
  if (fingerprint.rich) return true;
  if (!fingerprint.has_sketch) return false;
  const Statistics& statistics = fingerprint.numbers().statistics;
  const auto is_whole = [](double x) { return !std::isfinite(x) || x == std::floor(x); };
  return !is_whole(statistics.min) || !is_whole(statistics.max);
}

}  // namespace

bool IsUntestedBecauseOf(absl::Span<const std::string> made_up, const ResultStream& left,
                         const ResultStream& right, const OutputComparison& judged) {
  if (made_up.empty() || left.recorded == right.recorded) return false;
  const ResultStream& model = left.recorded ? right : left;
  const Dependence dependence(model, made_up);
  const auto of_model = [&](const OutputPair& pair) {
    return left.recorded ? pair.right_result : pair.left_result;
  };
  InputSet known(made_up.size());
  for (const OutputPair& pair : judged.pairs) {
    const int r = of_model(pair);
    if (!pair.agrees() || r == kNone) continue;
    const StreamResult& result = model.results[Index(r)];
    if (result.kind == ResultKind::kInput || result.depth > 0) continue;
    if (IsTelling(result.fingerprint)) known.Add(dependence.Does(r));
  }
  if (judged.agree()) {
    return std::any_of(judged.pairs.begin(), judged.pairs.end(), [&](const OutputPair& pair) {
      return !dependence.May(of_model(pair)).IsIn(known);
    });
  }
  const bool missing = !judged.only_left.empty() || !judged.only_right.empty();
  if (missing && !judged.partial && dependence.all().IsIn(known)) return false;
  return std::none_of(judged.pairs.begin(), judged.pairs.end(), [&](const OutputPair& pair) {
    return !pair.agrees() && dependence.May(of_model(pair)).IsIn(known);
  });
}

}  // namespace onnxcmp
