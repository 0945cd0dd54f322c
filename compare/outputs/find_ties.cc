#include "compare/outputs/find_ties.h"

#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "compare/outputs/ties.h"
#include "evaluator/base/status_macros.h"
#include "record/differences/tensor_difference.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/replay.h"
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

// By result: the value that takes its place.
using Instead = absl::flat_hash_map<int, Value>;

// A side's outputs when these results are others; empty if it cannot run with them.
std::vector<Value> OutputsWith(const SideGraph& graph, const Feeds& feeds, const Instead& instead) {
  absl::flat_hash_map<int, Value> shown;
  for (const auto& [output, source] : graph.outputs()) shown[source] = Value();
  const bool ran =
      ReplayWhole(graph, LeavesOf(graph, feeds), [&](int r, const Value& own) -> Value {
        const auto it = instead.find(r);
        const Value& now = it == instead.end() ? own : it->second;
        if (const auto found = shown.find(r); found != shown.end()) found->second = now;
        return now;
      });
  if (!ran) return {};
  std::vector<Value> outputs;
  for (const auto& [output, source] : graph.outputs()) {
    outputs.push_back(source == kNone ? Value() : graph.ForModel(source, shown[source]));
  }
  return outputs;
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
  PerSide<Instead> ids;
  for (const Candidate& candidate : candidates) {
    const std::optional<ScoreMargin> margin = TieOf(candidate, tolerances);
    if (!margin.has_value()) continue;
    candidate.pair->ties = true;
    candidate.pair->margin = margin;
    for (const SideId id : kBothSides) {
      ids[id][candidate.sources.right.ids] = candidate.ids[id];
    }
  }
  if (!options.run_again || ids.left.empty()) return runs;
  // If the right cannot run on the left's ids, the judgement stands.
  runs.left = OutputsWith(right_graph, *right.side->feeds(), ids.left);
  if (right.side->node_runner() != nullptr) {
    runs.right = OutputsWith(right_graph, *right.side->feeds(), ids.right);
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
  Instead values;
  for (const Candidate& candidate : candidates) {
    const StreamResult& result = sides[follower].result(candidate.sources[follower].ids);
    const Value& other = candidate.ids[Other(follower)];
    values[candidate.sources[follower].ids] =
        IsMeasurable(other)
            ? ConvertedTo(other, result.dtype, other.tensor().shape()).value_or(other)
            : other;
    followed.margins.push_back(MarginOfIds(candidate));
  }
  followed.outputs = OutputsWith(graphs[follower], *sides[follower].side->feeds(), values);
  return followed;
}

}  // namespace onnxcmp
