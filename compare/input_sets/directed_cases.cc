#include "compare/input_sets/directed_cases.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "evaluator/tensor/dtype.h"
#include "feed/made_up/traced_size.h"
#include "record/base/work_bounds.h"
#include "record/graphs/differing_rows.h"
#include "record/graphs/graph_scope.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

constexpr int64_t kLongestBatch = 1024;

SetCase OfLength(int64_t length) {
  SetCase one;
  one.sizes.set = 1;
  one.sizes.reach = length;
  return one;
}

// A length that is longer than inputs are made is the number of elements of a batch.
constexpr int64_t kLongestAxis = 2048;

// Both for axes that are sequences and for those that a batch would be along.
void AddLength(int64_t length, std::vector<SetCase>* cases) {
  constexpr int64_t kRowsOfBatch = 128;
  if (length > kLongestAxis) {
    cases->push_back(OfLength(length / kRowsOfBatch + 1));
    cases->back().sizes.batch = kRowsOfBatch;
    return;
  }
  cases->push_back(OfLength(length));
  if (length > kLongestBatch) return;
  SetCase one;
  one.sizes.set = 1;
  one.sizes.batch = length;
  cases->push_back(one);
}

// True if a value is made of sizes and constants.
bool IsMadeOfSizes(const GraphScope& scope, absl::string_view name) {
  absl::flat_hash_set<absl::string_view> seen;
  std::vector<absl::string_view> open = {name};
  bool any = false;
  while (!open.empty()) {
    const absl::string_view at = open.back();
    open.pop_back();
    if (at.empty() || ConstantIn(scope, at) != nullptr || !seen.insert(at).second) continue;
    const Node* node = ProducerIn(scope, at);
    if (node == nullptr || seen.size() > work_bounds::kCandidates) return false;
    if (IsOneOf(*node, {"Shape", "Size"})) {
      any = true;
      continue;
    }
    open.insert(open.end(), node->inputs.begin(), node->inputs.end());
  }
  return any;
}

// Where a Slice begins and ends, along an axis that an input makes as long as it is.
std::vector<int64_t> BoundsOfLength(const GraphScope& scope, const Node& node) {
  std::vector<int64_t> bounds;
  if (node.inputs.size() < 4) return bounds;
  const auto axis = NumberOf(ConstantIn(scope, node.inputs[3]));
  if (!axis.has_value()) return bounds;
  const Node* maker = ProducerIn(scope, node.inputs[0]);
  const bool joined = maker != nullptr && maker->op_type == "Concat" &&
                      IntAttribute(*maker, "axis") == static_cast<int64_t>(*axis);
  // A cache and what is new have some length, too.
  const absl::string_view sized = joined ? maker->inputs.back() : node.inputs[0];
  const auto size = SizeAlong(scope, sized, static_cast<int64_t>(*axis));
  if (!size.has_value() || !size->dim.has_value()) return bounds;
  for (const size_t i : {size_t{1}, size_t{2}}) {
    constexpr double kMost = 1e6;
    const auto bound = NumberOf(ConstantIn(scope, node.inputs[i]));
    if (bound.has_value() && std::abs(*bound) <= kMost) {
      bounds.push_back(static_cast<int64_t>(std::abs(*bound)));
    }
  }
  return bounds;
}

// The numbers that a graph compares sizes with or cuts them at, in order of size.
std::set<int64_t> SizeMarks(const Graph& graph) {
  constexpr double kLeastMark = 4;  // exporters compare sizes with 1 and -1
  constexpr size_t kMostMarks = 4;
  const auto scope = MakeScope(graph);
  std::set<int64_t> marks;
  for (const Node& node : graph.nodes) {
    if (IsOneOf(node, {"Slice"})) {
      for (const int64_t bound : BoundsOfLength(*scope, node)) {
        if (bound >= kLeastMark && bound <= kLongestAxis && marks.size() < kMostMarks)
          marks.insert(bound);
      }
      continue;
    }
    if (!IsOneOf(node, {"Greater", "Less", "GreaterOrEqual", "LessOrEqual", "Equal", "Min", "Max",
                        "Clip"})) {
      continue;
    }
    std::vector<double> numbers;
    bool sizes = false;
    for (const std::string& input : node.inputs) {
      if (const auto number = NumberOf(ConstantIn(*scope, input))) {
        numbers.push_back(std::abs(*number));
      } else if (!input.empty()) {
        sizes |= IsMadeOfSizes(*scope, input);
      }
    }
    for (const double number : numbers) {
      if (!sizes || number < kLeastMark || number > 3e4 || marks.size() >= kMostMarks) continue;
      marks.insert(static_cast<int64_t>(number));
    }
  }
  return marks;
}

bool HasPast(const ValueInfo& input) {
  return input.type.shape.has_value() &&
         std::any_of(input.type.shape->begin(), input.type.shape->end(), IsPastLength);
}

}  // namespace

bool TakesSignals(const Graph& graph) {
  return std::any_of(graph.inputs.begin(), graph.inputs.end(), [](const ValueInfo& input) {
    const auto& shape = input.type.shape;
    return IsFloatingPoint(input.type.dtype) && shape.has_value() && shape->size() == 3 &&
           (!(*shape)[1].value.has_value() || !(*shape)[2].value.has_value());
  });
}

std::vector<SetCase> CasesForRows(const UnreadRows& unread) {
  constexpr int64_t kFarthest = 8192;
  constexpr int64_t kUsualOffset = 2;  // of position tables that count from behind their padding
  const int64_t last = unread.last;
  std::vector<int64_t> lengths;
  for (const int64_t length :
       {last + 1, last + 1 - kUsualOffset, last - last / 4 + 1, last / 2 + 1}) {
    const bool known = std::find(lengths.begin(), lengths.end(), length) != lengths.end();
    if (length > 1 && length <= kFarthest && !known) lengths.push_back(length);
  }
  std::vector<SetCase> cases;
  for (const int64_t length : lengths) {
    if (length > kLongestAxis)
      cases.push_back(OfLength(length));
    else
      AddLength(length, &cases);
  }
  return cases;
}

std::vector<SetCase> CasesBetweenNumbers(const Graph& left, const Graph& right,
                                         const std::vector<double>& limits) {
  constexpr double kLongest = 1024;
  std::vector<double> probes = NumbersThatDiffer(left, right);
  for (const double limit : limits) {
    if (std::find(probes.begin(), probes.end(), limit) == probes.end()) probes.push_back(limit);
  }
  std::vector<SetCase> cases;
  for (const double probe : probes) {
    if (probe < 2 || probe > kLongest || 2 * probe != std::round(2 * probe)) continue;
    AddLength(static_cast<int64_t>(probe), &cases);
  }
  for (int set = 0; set < 2 && !probes.empty(); ++set) {
    SetCase one;
    one.probes = probes;
    one.regime = Regime::kWhole;
    one.sizes.set = set;
    cases.push_back(one);
  }
  return cases;
}

std::vector<SetCase> CasesForSizes(const Graph& left, const Graph& right) {
  const std::set<int64_t> ours = SizeMarks(left);
  const std::set<int64_t> theirs = SizeMarks(right);
  std::vector<int64_t> marks(ours.begin(), ours.end());
  std::set_difference(theirs.begin(), theirs.end(), ours.begin(), ours.end(),
                      std::back_inserter(marks));
  std::vector<SetCase> cases;
  if (std::any_of(left.inputs.begin(), left.inputs.end(), HasPast)) {
    SetCase& first_token = cases.emplace_back();
    first_token.sizes.set = 1;
    first_token.sizes.no_past = true;
  }
  for (const int64_t mark : marks) {
    // Differences of positions are below the length.
    for (const int64_t length : {mark + 2, mark - 1}) {
      AddLength(length, &cases);
      if (length > kLongestAxis) continue;
      SetCase& one = cases.emplace_back();
      one.sizes.set = 1;
      one.sizes.image = length;
    }
  }
  return cases;
}

std::vector<SetCase> CasesForSingleIntegers(const Graph& graph) {
  constexpr uint64_t kCases = 4;
  const auto is_single = [](const ValueInfo& input) {
    return IsInteger(input.type.dtype) && BitWidth(input.type.dtype) >= 32 &&
           input.type.shape.has_value() &&
           std::all_of(input.type.shape->begin(), input.type.shape->end(),
                       [](const TypeInfo::Dim& dim) { return dim.value == 1; });
  };
  std::vector<SetCase> cases;
  if (std::none_of(graph.inputs.begin(), graph.inputs.end(), is_single)) return cases;
  for (uint64_t i = 0; i < kCases; ++i) {
    SetCase& one = cases.emplace_back();
    one.regime = Regime::kHuge;
    one.numbers = i;
  }
  return cases;
}

std::vector<SetCase> CasesOfNothing(const Graph& left, const Graph& right) {
  const auto has_meaning = [](const Graph& graph) {
    return std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
      return IsOfOnnx(node) && node.body == nullptr &&
             !IsOneOf(node, {"Attention", "GRU", "If", "LSTM", "LogSoftmax", "Loop", "RNN",
                             "ReverseSequence", "Scan", "Softmax"});
    });
  };
  const bool counts =
      std::any_of(left.inputs.begin(), left.inputs.end(), [](const ValueInfo& input) {
        return IsInteger(input.type.dtype) || input.type.dtype == DType::kBool;
      });
  if (!counts || !has_meaning(left) || !has_meaning(right)) return {};
  SetCase one;
  one.regime = Regime::kNothing;
  return {one};
}

std::vector<Regime> AnswersTo(absl::string_view why) {
  using enum Regime;
  if (absl::StrContains(why, "below 0")) return {kNegative};
  if (absl::StrContains(why, "above 0")) return {kPositive};
  if (absl::StrContains(why, "limit")) return {kLarge, kHuge, kEnds};
  if (absl::StrContains(why, "condition")) return {kEnds, kTiny, kLarge, kTies, kZeros, kAscending};
  if (absl::StrContains(why, "took all")) return {kSmall, kTiny};
  if (absl::StrContains(why, "is equal")) return {kWhole, kEnds};
  if (absl::StrContains(why, "round")) return {kZeros, kOnes, kEnds};
  // A guard against a sum or norm of zeros.
  if (absl::StrContains(why, "never chosen")) return {kNegative, kPositive, kWhole, kZeros};
  if (absl::StrContains(why, "chose")) return {kNegative, kPositive, kWhole};
  return {};
}

std::vector<SetCase> CasesForMissing(const Coverage& coverage) {
  constexpr std::array<double, 10> kAlike = {1, -1, 10, -10, 100, -100, 0.1, 1e3, -1e3, 1e4};
  constexpr int kInSeveralRows = 3;
  std::vector<Regime> regimes;
  bool decided = false;
  for (const UnexercisedNode& node : coverage.missing) {
    const std::vector<Regime> answers = AnswersTo(node.why);
    std::copy_if(answers.begin(), answers.end(), std::back_inserter(regimes), [&](Regime one) {
      return std::find(regimes.begin(), regimes.end(), one) == regimes.end();
    });
    decided |= absl::StrContains(node.why, "condition") || absl::StrContains(node.why, "limit") ||
               absl::StrContains(node.why, "chose");
  }
  std::vector<SetCase> cases;
  for (const Regime regime : regimes) {
    SetCase one;
    one.regime = regime;
    cases.push_back(one);
    if (regime != Regime::kEnds) continue;
    one.sizes.set = 1;  // with ids beyond the table
    cases.push_back(one);
  }
  for (const double number : kAlike) {
    if (!decided) break;
    SetCase one;
    one.probes = {number};
    one.sizes.set = kInSeveralRows;
    cases.push_back(one);
  }
  return cases;
}

}  // namespace onnxcmp
