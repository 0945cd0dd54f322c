#include "compare/input_sets/real_differences.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compare/input_sets/padding.h"
#include "compare/input_sets/told_outputs.h"
#include "compare/outcome/verdict.h"
#include "compare/outputs/output_comparison.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/value.h"
#include "feed/input_fit.h"
#include "record/base/per_side.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {
namespace {

std::vector<NamedOutput> Named(const Side& side, const std::vector<Value>& values) {
  std::vector<NamedOutput> named;
  const Graph& graph = side.evaluator()->model().graph;
  for (size_t i = 0; i < std::min(values.size(), graph.outputs.size()); ++i) {
    named.push_back({graph.outputs[i].name, values[i]});
  }
  return named;
}

// True if a side computes with integers alone, so that nothing of it is rounding.
bool IsExact(const ResultStream& stream) {
  return std::none_of(stream.results.begin(), stream.results.end(),
                      [](const StreamResult& result) { return IsFloatingPoint(result.dtype); });
}

bool IntegersDiffer(const std::vector<Value>& left, const std::vector<Value>& right) {
  for (size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (left[i].is_tensor() && right[i].is_tensor() && IsInteger(left[i].tensor().dtype()) &&
        IsInteger(right[i].tensor().dtype()) && !HoldTheSame(left[i].tensor(), right[i].tensor())) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool Differs(const Comparison& comparison) {
  return comparison.verdict() == Verdict::kDifferent || comparison.verdict() == Verdict::kFailed;
}

bool OutputsDiffer(const Side& left, const Side& right, const ToleranceOptions& tolerance) {
  const auto ours = left.evaluator()->Run(*left.feeds());
  if (!ours.ok()) return false;
  const auto theirs = right.evaluator()->Run(*right.feeds());
  if (!theirs.ok()) return true;
  return !CompareOutputs(Named(left, *ours), Named(right, *theirs), tolerance).agree();
}

bool DifferBeyondNumbers(const Comparison& comparison) {
  return std::any_of(
      comparison.outputs.pairs.begin(), comparison.outputs.pairs.end(), [](const OutputPair& pair) {
        return !pair.agrees() &&
               (!pair.difference.reason.empty() || !std::isfinite(pair.difference.max_absolute));
      });
}

bool AgreeButForPadding(const Side& left, const Side& right, const std::vector<std::string>& masks,
                        const ToleranceOptions& tolerance) {
  if (masks.empty()) return false;
  const auto ours = left.evaluator()->Run(*left.feeds());
  const auto theirs = right.evaluator()->Run(*right.feeds());
  if (!ours.ok() || !theirs.ok()) return false;
  PerSide<std::vector<NamedOutput>> outputs = {Named(left, *ours), Named(right, *theirs)};
  for (const std::string& name : masks) {
    for (const Feeds* feeds : {left.feeds(), right.feeds()}) {
      const auto mask = feeds->find(name);
      if (mask == feeds->end() || !mask->second.is_tensor()) continue;
      outputs.left = WithoutPadding(std::move(outputs.left), mask->second.tensor());
      outputs.right = WithoutPadding(std::move(outputs.right), mask->second.tensor());
      break;
    }
  }
  return CompareOutputs(outputs.left, outputs.right, tolerance).agree();
}

std::string SetAsideText(int sets) {
  return absl::StrCat("outputs differ on ", sets, " more made-up ", sets == 1 ? "set" : "sets",
                      " by what numbers of unusual size or hidden rows make of rounding; ",
                      sets == 1 ? "it is" : "they are", " not counted");
}

bool DifferInDouble(const Side& left, const Side& right, const Comparison& comparison,
                    bool coarse) {
  // For coarse types: more than rounding of constants.
  constexpr double kMuch = 5e-2;
  const auto left_in_double = left.evaluator()->InDouble();
  const auto right_in_double = right.evaluator()->InDouble();
  if (!left_in_double.ok() || !right_in_double.ok()) return true;
  const auto ours = left_in_double->Run(*left.feeds());
  const auto theirs = right_in_double->Run(*right.feeds());
  if (!ours.ok() || !theirs.ok()) return true;
  if ((IsExact(comparison.left) || IsExact(comparison.right)) && IntegersDiffer(*ours, *theirs)) {
    return true;
  }
  ToleranceOptions tolerance;
  tolerance.rtol = coarse ? kMuch : 1e-4;
  if (coarse) tolerance.atol = kMuch * LargestOutput(comparison.left);
  return !CompareOutputs(Named(left, *ours), Named(right, *theirs), tolerance).agree();
}

}  // namespace onnxcmp
