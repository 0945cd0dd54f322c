#include "compare/input_sets/test_rewrites.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "compare/input_sets/compare_sets.h"
#include "compare/input_sets/rewrite_models.h"
#include "compare/inputs/input_sets.h"
#include "compare/outputs/output_comparison.h"
#include "compare/proof/rewrites.h"
#include "compare/sides/model_side.h"
#include "compare/text/display_text.h"
#include "compare/text/short_text.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"

namespace onnxcmp {
namespace {

constexpr size_t kMostRewrites = 8;
constexpr absl::Duration kSearch = absl::Milliseconds(500);

// "the run had x from -3.1 to 4.1": of the first number that the left's nodes read.
std::string RangeOfRun(const Comparison& comparison, const Rewrite& rewrite) {
  for (const int n : rewrite.left) {
    for (const int read : comparison.left.nodes[Index(n)].inputs) {
      if (read == kNone) continue;
      const StreamResult& result = comparison.left.results[Index(read)];
      const bool constant = result.kind == ResultKind::kInitializer ||
                            OpTypeOf(result, comparison.left) == "Constant";
      if (constant || !result.fingerprint.has_sketch || result.fingerprint.size == 0) continue;
      const Statistics& statistics = result.fingerprint.numbers().statistics;
      return absl::StrFormat("; the run had `%s` from %.3g to %.3g", PrintableText(result.name),
                             statistics.min, statistics.max);
    }
  }
  return "";
}

// How the two differ; "" if they do not, or cannot be run alone.
std::string Counterexample(const PerSide<std::shared_ptr<const Model>>& models,
                           const OpRegistry& registry, const CompareOptions& options) {
  const EvaluatorOptions running = {.threads = options.threads};
  auto left = ModelSide::Create(models.left, registry, running);
  auto right = ModelSide::Create(models.right, registry, running);
  if (!left.ok() || !right.ok()) return "";
  auto inputs = InputSets::Open((*left)->graph(), (*right)->graph(), {});
  if (!inputs.ok()) return "";
  const absl::StatusOr<SetsResult> result =
      CompareSets(**left, **right, *inputs, options, {.sets = 4, .search = kSearch});
  if (!result.ok() || result->comparison.verdict != Verdict::kDifferent) return "";
  for (const OutputPair& pair : result->comparison.outputs.pairs) {
    const ValueDifference& difference = pair.difference;
    if (difference.agree) continue;
    if (!difference.reason.empty()) return PrintableText(difference.reason);
    return absl::StrCat(ElementsText(difference.max_absolute_pair), " at ",
                        PrintableText(pair.left), difference.max_absolute_at);
  }
  return "";
}

}  // namespace

std::vector<RewriteFault> TestRewrites(const PerSide<Side*>& sides, const Comparison& comparison,
                                       const OpRegistry& registry, const CompareOptions& options) {
  std::vector<RewriteFault> faults;
  CompareOptions brief;
  brief.tolerance = options.tolerance;
  brief.threads = options.threads;
  brief.stop = options.stop;
  brief.causes = false;
  size_t tested = 0;
  for (const Rewrite& rewrite : FindRewrites(comparison)) {
    if (rewrite.state != RewriteState::kTested || tested == kMostRewrites) continue;
    const auto models =
        CutRewrite({&sides.left->evaluator()->model(), &sides.right->evaluator()->model()},
                   comparison, rewrite);
    if (!models.ok()) continue;
    ++tested;
    std::string found = Counterexample(*models, registry, brief);
    if (found.empty()) continue;
    faults.push_back({rewrite.what, absl::StrCat(found, RangeOfRun(comparison, rewrite))});
  }
  return faults;
}

}  // namespace onnxcmp
