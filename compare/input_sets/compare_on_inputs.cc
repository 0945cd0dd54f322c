#include "compare/input_sets/compare_on_inputs.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "compare/input_sets/batch_entry.h"
#include "compare/input_sets/runtime_sets.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

absl::StatusOr<SetsResult> CompareOnSet(Side& left, Side& right, InputSets* inputs, int64_t set,
                                        CompareOptions options) {
  SetsResult result;
  const bool models = left.evaluator() != nullptr && right.evaluator() != nullptr;
  if (inputs != nullptr) {
    options.made_up =
        inputs->made_up() && left.node_runner() == nullptr && right.node_runner() == nullptr;
    // The inputs in a recording are a single set.
    OC_ASSIGN_OR_RETURN(result.fed, inputs->Get(inputs->size() > 1 ? set : 0));
    if (!inputs->ramp() && !models) options.made_up_inputs = result.fed.made_up;
    options.longer = result.fed.longer;
    left.SetFeeds(result.fed.left);
    right.SetFeeds(result.fed.right);
  }
  OC_ASSIGN_OR_RETURN(result.comparison, Compare(left, right, options));
  OC_ASSIGN_OR_RETURN(std::optional<Comparison> of_entry,
                      CompareOnEntry(left, right, options, result.comparison, &result.fed));
  if (of_entry.has_value()) result.comparison = *std::move(of_entry);
  if (!models) result.comparison.fed_from = result.fed.from;
  return result;
}

}  // namespace

absl::StatusOr<SetsResult> CompareOnInputs(Side& left, Side& right, InputSets* inputs, int64_t set,
                                           const CompareOptions& options, const SetsOptions& sets) {
  const bool models = left.evaluator() != nullptr && right.evaluator() != nullptr;
  const bool ours = left.node_runner() == nullptr && right.node_runner() == nullptr;
  const bool several = models && inputs != nullptr && inputs->made_up() && !inputs->ramp();
  if (several && ours) return CompareSets(left, right, *inputs, options, sets);
  if (sets.search.has_value() || (sets.sizes && !several)) {
    return absl::InvalidArgumentError(
        absl::StrCat(sets.search.has_value() ? "--search" : "--sizes",
                     ours                      ? " is for two models: a recording has its inputs"
                     : sets.search.has_value() ? " is for our interpreter"
                                               : " needs inputs that are made up"));
  }
  absl::StatusOr<SetsResult> result = several
                                          ? CompareRuntimeSets(left, right, *inputs, options, sets)
                                          : CompareOnSet(left, right, inputs, set, options);
  if (result.ok()) result->comparison.fed_made_up = result->fed.made_up;
  return result;
}

}  // namespace onnxcmp
