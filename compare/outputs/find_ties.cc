#include "compare/outputs/find_ties.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "compare/outputs/ties.h"
#include "compare/sides/replacer.h"
#include "evaluator/base/status_macros.h"
#include "record/differences/tensor_difference.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {
namespace {

// An output whose ids may differ by ties, with the values needed to tell.
struct Candidate {
  OutputPair* pair = nullptr;
  PerSide<ScoreSource> sources;
  PerSide<Value> ids;
  PerSide<Value> scores;
};

std::vector<Candidate> CandidatesOf(const SideGraph& left, const SideGraph& right,
                                    OutputComparison* outputs) {
  std::vector<Candidate> candidates;
  for (OutputPair& pair : outputs->pairs) {
    if (pair.agrees() || !pair.difference.reason.empty() || pair.recorded ||
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
    Candidate& candidate = candidates->at(i / 2);
    (i % 2 == 0 ? candidate.ids : candidate.scores) = {a, b};
    return absl::OkStatus();
  });
}

std::optional<ScoreMargin> MarginOfIds(const Candidate& candidate) {
  if (candidate.sources.left.scores == candidate.sources.left.ids) return std::nullopt;
  for (const PerSide<Value>& values : {candidate.ids, candidate.scores}) {
    if (!IsMeasurable(values.left) || !IsMeasurable(values.right)) return std::nullopt;
  }
  return MarginOf(candidate.sources.left,
                  {{candidate.ids.left.tensor(), candidate.ids.right.tensor()},
                   {candidate.scores.left.tensor(), candidate.scores.right.tensor()}});
}

// The margin, if the scores differ by no more than rounding and the ids are ties.
std::optional<ScoreMargin> TieOf(const Candidate& candidate, const PairTolerances& tolerances) {
  // Something else makes outputs of equal ids.
  if (ContentOf(candidate.ids.left) == ContentOf(candidate.ids.right)) return std::nullopt;
  const std::optional<ScoreMargin> margin = MarginOfIds(candidate);
  if (!margin.has_value() || !margin->ties) return std::nullopt;
  const PerSide<ScoreSource>& sources = candidate.sources;
  DifferenceOptions options;
  options.tolerance = tolerances.Of(sources.left.scores, sources.right.scores).tolerances;
  options.parts = true;
  const PerSide<Value>& scores = candidate.scores;
  if (!TensorDifferenceOf(scores.left, scores.right, options).values.agree()) return std::nullopt;
  return margin;
}

// A side's outputs of another run, in which results have the values that are given by name; empty
// if it cannot run with these.
std::vector<Value> OutputsWith(const RecordedSide& side,
                               absl::flat_hash_map<absl::string_view, Value> values) {
  Replacer replacer(std::move(values));
  absl::StatusOr<std::vector<Value>> outputs =
      side.evaluator()->Run(*side.side->feeds(), &replacer);
  return outputs.ok() ? *std::move(outputs) : std::vector<Value>();
}

}  // namespace

absl::StatusOr<PerSide<std::vector<Value>>> FindTies(const PerSide<RecordedSide>& sides,
                                                     const PairTolerances& tolerances,
                                                     const TieOptions& options,
                                                     OutputComparison* outputs) {
  const auto& [left, right] = sides;
  PerSide<std::vector<Value>> runs;
  if (left.evaluator() == nullptr || right.evaluator() == nullptr) return runs;
  const SideGraph left_graph(*left.stream, left.evaluator());
  const SideGraph right_graph(*right.stream, right.evaluator());
  std::vector<Candidate> candidates = CandidatesOf(left_graph, right_graph, outputs);
  if (candidates.empty()) return runs;
  OC_RETURN_IF_ERROR(ReadValues(sides, options, &candidates));
  PerSide<absl::flat_hash_map<absl::string_view, Value>> ids;
  for (const Candidate& candidate : candidates) {
    const std::optional<ScoreMargin> margin = TieOf(candidate, tolerances);
    if (!margin.has_value()) continue;
    candidate.pair->ties = true;
    candidate.pair->margin = margin;
    for (const SideId id : kBothSides) {
      ids[id][right_graph.result(candidate.sources.right.ids).name] = candidate.ids[id];
    }
  }
  if (!options.run_again || ids.left.empty()) return runs;
  // If the right cannot run on the left's ids, the judgement stands.
  runs.left = OutputsWith(right, std::move(ids.left));
  if (right.side->node_runner() != nullptr) {
    runs.right = OutputsWith(right, std::move(ids.right));
    if (runs.right.empty()) runs.left.clear();
  }
  return runs;
}

absl::StatusOr<FollowedChoices> FollowChoices(const PerSide<RecordedSide>& sides, SideId follower,
                                              absl::Span<const ResultPair> choices,
                                              const TieOptions& options) {
  const PerSide<SideGraph> graphs = {SideGraph(*sides.left.stream, sides.left.evaluator()),
                                     SideGraph(*sides.right.stream, sides.right.evaluator())};
  std::vector<Candidate> candidates;
  for (const ResultPair& choice : choices) {
    // A choice whose scores are not known has ids alone.
    Candidate& candidate = candidates.emplace_back();
    for (const SideId id : kBothSides) {
      const int r = OfSide(choice, id);
      candidate.sources[id] = FindScores(graphs[id], r).value_or(ScoreSource());
      if (candidate.sources[id].ids == r) continue;
      candidate.sources[id] = {.ids = r, .scores = r};
    }
  }
  OC_RETURN_IF_ERROR(ReadValues(sides, options, &candidates));
  FollowedChoices followed;
  absl::flat_hash_map<absl::string_view, Value> values;
  for (const Candidate& candidate : candidates) {
    const StreamResult& result = sides[follower].result(candidate.sources[follower].ids);
    const Value& other = candidate.ids[Other(follower)];
    values[result.name] =
        IsMeasurable(other)
            ? ConvertedTo(other, result.dtype, other.tensor().shape()).value_or(other)
            : other;
    followed.margins.push_back(MarginOfIds(candidate));
  }
  followed.outputs = OutputsWith(sides[follower], std::move(values));
  return followed;
}

}  // namespace onnxcmp
