#include "compare/outcome/nearer_outputs.h"

#include <cmath>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "compare/in_double/shadow.h"
#include "compare/outcome/verdict.h"
#include "compare/outputs/output_comparison.h"
#include "compare/outputs/rulings.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {
namespace {

// In double, where rounding plays no part.
constexpr double kMostApart = 1e-9;

const TruthDistance* DistanceOf(const SideShadow& shadow, int result) {
  if (!shadow.ran || result == kNone || Index(result) >= shadow.distances.size() ||
      shadow.misleading[Index(result)]) {
    return nullptr;
  }
  const std::optional<TruthDistance>& distance = shadow.distances[Index(result)];
  return distance.has_value() ? &*distance : nullptr;
}

bool IsNearer(const ShadowReport& shadow, const OutputPair& pair) {
  if (!pair.difference.reason.empty()) return false;
  const TruthDistance* left = DistanceOf(shadow.left, pair.left_result);
  const TruthDistance* right = DistanceOf(shadow.right, pair.right_result);
  // Where all numbers are masks, none was measured.
  return left != nullptr && right != nullptr && left->scale > 0 &&
         std::isfinite(left->max_absolute) && right->max_absolute <= left->max_absolute &&
         right->rms <= left->rms;
}

}  // namespace

bool AcceptNearerOutputs(const Comparison& in_double, Comparison* comparison) {
  OutputComparison& outputs = comparison->outputs;
  const bool same_runs = in_double.left.results.size() == comparison->left.results.size() &&
                         in_double.right.results.size() == comparison->right.results.size();
  if (!in_double.shadow.has_value() || !same_runs ||
      in_double.shadow->apart.value_or(2 * kMostApart) > kMostApart) {
    return false;
  }
  const auto is_fine = [&](const OutputPair& pair) {
    return IsAccepted(outputs, pair) || IsNearer(*in_double.shadow, pair);
  };
  if (!absl::c_all_of(outputs.pairs, is_fine)) return false;
  OutputComparison accepted = outputs;
  for (OutputPair& pair : accepted.pairs) {
    if (IsAccepted(accepted, pair)) continue;
    Rule(Ground::kNearer, "", &pair);
  }
  if (!accepted.agree()) return false;
  outputs = std::move(accepted);
  return true;
}

}  // namespace onnxcmp
