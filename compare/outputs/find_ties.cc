#include "compare/outputs/find_ties.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "compare/differences/tensor_difference.h"
#include "compare/graphs/side_graph.h"
#include "compare/outputs/ties.h"
#include "compare/sides/replacer.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

// An output whose ids may differ by ties, with the values needed to tell.
struct Candidate {
  OutputPair* pair;
  PerSide<ScoreSource> sources;
  PerSide<Value> ids;
  PerSide<Value> scores;
};

std::vector<Candidate> CandidatesOf(const SideGraph& left, const SideGraph& right,
                                    OutputComparison* outputs) {
  std::vector<Candidate> candidates;
  for (OutputPair& pair : outputs->pairs) {
    if (pair.difference.agree || !pair.difference.reason.empty() || pair.recorded ||
        pair.left_result == kNone || pair.right_result == kNone) {
      continue;
    }
    const StreamResult& result = left.result(pair.left_result);
    if (!result.shape.has_value() || (!IsInteger(result.dtype) && result.dtype != DType::kString)) {
      continue;
    }
    const auto ours = FindScores(left, result.source);
    const auto theirs = FindScores(right, right.result(pair.right_result).source);
    if (!ours.has_value() || !theirs.has_value() || ours->kind != theirs->kind) continue;
    candidates.push_back({&pair, {*ours, *theirs}, {}, {}});
  }
  return candidates;
}

absl::Status ReadValues(const PerSide<RecordedSide>& sides, const TieOptions& options,
                        std::vector<Candidate>* candidates) {
  std::vector<ResultPair> pairs;
  for (const Candidate& candidate : *candidates) {
    pairs.push_back({candidate.sources.left.ids, candidate.sources.right.ids});
    pairs.push_back({candidate.sources.left.scores, candidate.sources.right.scores});
  }
  PairValues values(sides, options.keep_values, options.watch);
  return values.ForEach(pairs, [&](size_t i, const Value& a, const Value& b) {
    Candidate& candidate = (*candidates)[i / 2];
    (i % 2 == 0 ? candidate.ids : candidate.scores) = {a, b};
    return absl::OkStatus();
  });
}

bool IsTie(const Candidate& candidate, const PairTolerances& tolerances) {
  const auto& [pair, sources, ids, scores] = candidate;
  for (const Value* value : {&ids.left, &ids.right, &scores.left, &scores.right}) {
    if (!value->is_tensor() || !value->tensor().defined()) return false;
  }
  // Scores that differ by more than rounding are no ties.
  const PairTolerance tolerance = tolerances.Of(sources.left.scores, sources.right.scores);
  DifferenceOptions options;
  options.tolerance = tolerance.tolerances;
  options.parts = true;
  if (!TensorDifferenceOf(scores.left, scores.right, options).values.agree) return false;
  return DifferByTies(sources.left, ids.left.tensor(), ids.right.tensor(), scores.left.tensor(),
                      scores.right.tensor());
}

}  // namespace

absl::StatusOr<std::vector<Value>> FindTies(const PerSide<RecordedSide>& sides,
                                            const PairTolerances& tolerances,
                                            const TieOptions& options, OutputComparison* outputs) {
  const auto& [left, right] = sides;
  if (left.evaluator() == nullptr || right.evaluator() == nullptr) return std::vector<Value>();
  const SideGraph left_graph(*left.stream, left.evaluator());
  const SideGraph right_graph(*right.stream, right.evaluator());
  std::vector<Candidate> candidates = CandidatesOf(left_graph, right_graph, outputs);
  if (candidates.empty()) return std::vector<Value>();
  OC_RETURN_IF_ERROR(ReadValues(sides, options, &candidates));
  absl::flat_hash_map<absl::string_view, Value> ids;
  for (const Candidate& candidate : candidates) {
    if (!IsTie(candidate, tolerances)) continue;
    candidate.pair->ties = true;
    ids[right_graph.result(candidate.sources.right.ids).name] = candidate.ids.left;
  }
  if (!options.run_again || ids.empty()) return std::vector<Value>();
  Replacer replacer(std::move(ids));
  absl::StatusOr<std::vector<Value>> again =
      right.evaluator()->Run(*right.side->feeds(), &replacer);
  // If the right cannot run on the left's ids, the judgement stands.
  return again.ok() ? *std::move(again) : std::vector<Value>();
}

}  // namespace onnxcmp
