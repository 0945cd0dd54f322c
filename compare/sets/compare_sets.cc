#include "compare/sets/compare_sets.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "compare/comparison/verdict.h"
#include "compare/coverage/coverage.h"
#include "compare/differences/value_difference.h"
#include "compare/pair/per_side.h"
#include "compare/sides/constant_nodes.h"
#include "compare/sides/value_bank.h"
#include "compare/streams/quantized_streams.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

// What is like what is not known to be wrong.
bool Differs(const Comparison& comparison) {
  return comparison.verdict == Verdict::kDifferent || comparison.verdict == Verdict::kFailed;
}

bool LeftFailed(const Comparison& comparison) { return !comparison.left_summary.status.ok(); }

// The output rows of a stream: what they are.
std::vector<const StreamResult*> OutputsOf(const ResultStream& stream) {
  std::vector<const StreamResult*> outputs;
  for (const StreamResult& result : stream.results) {
    if (result.kind == ResultKind::kOutput) outputs.push_back(&result);
  }
  return outputs;
}

class SetsComparison {
 public:
  SetsComparison(Side& left, Side& right, InputSets& inputs, const CompareOptions& options,
                 const SetsOptions& sets)
      : left_(left),
        right_(right),
        inputs_(inputs),
        options_(options),
        seen_(options.letters),
        sets_(sets) {
    options_.made_up = true;
    if (options_.seen == nullptr) options_.seen = &seen_;
  }

  absl::StatusOr<SetsResult> Run() {
    OC_RETURN_IF_ERROR(First());
    if (!Differs(worst_.comparison) && inputs_.takes_any()) OC_RETURN_IF_ERROR(Further());
    if (!Differs(worst_.comparison) && inputs_.takes_any() && sets_.search.has_value()) {
      OC_RETURN_IF_ERROR(Search());
    }
    Comparison& comparison = worst_.comparison;
    if (const std::vector<std::string> purposes = inputs_.Purposes(); !purposes.empty()) {
      comparison.notes.insert(comparison.notes.begin(),
                              absl::StrCat("made up as ", absl::StrJoin(purposes, "; ")));
    }
    comparison.made_up_sets = count_;
    comparison.coverage = coverage_.Get();
    if (!Differs(comparison) && inputs_.takes_any() && ToldNothing()) {
      comparison.verdict = Verdict::kUntested;
    }
    // Whoever asks the sides what they were fed means what is shown.
    if (to_feed_again_.has_value()) {
      OC_ASSIGN_OR_RETURN(worst_.fed, Feed(*to_feed_again_));
    } else {
      left_.SetFeeds(worst_.fed.left);
      right_.SetFeeds(worst_.fed.right);
    }
    return std::move(worst_);
  }

 private:
  struct Case {
    SizeChoice sizes;
    Regime regime = Regime::kUsual;
    uint64_t numbers = 0;
    std::optional<uint64_t> mixture;
  };

  absl::StatusOr<FedInputs> Feed(const Case& one) {
    // What was fed before gives its memory to what is to come.
    left_.SetFeeds({});
    right_.SetFeeds({});
    OC_ASSIGN_OR_RETURN(FedInputs fed,
                        inputs_.MakeUp(one.sizes, one.regime, one.numbers, one.mixture));
    left_.SetFeeds(fed.left);
    right_.SetFeeds(fed.right);
    return fed;
  }

  // What the result will be, unless one that is less alike comes. Large inputs are not held until
  // then: making them again takes less time than a run does.
  void Hold(const Case& one, Comparison comparison, FedInputs fed) {
    int64_t bytes = 0;
    for (const SideId side : kBothSides) {
      for (const auto& [name, value] : OfSide(fed, side)) bytes += BytesHeldBy(value);
    }
    to_feed_again_.reset();
    if (bytes > options_.keep_values) {
      to_feed_again_ = one;
      for (const SideId side : kBothSides) OfSide(fed, side).clear();
    }
    worst_ = {std::move(comparison), std::move(fed)};
  }

  // Without what only a reader wants to know.
  CompareOptions Brief() const {
    CompareOptions brief = options_;
    brief.causes = false;
    brief.repro = false;
    brief.shadow = false;
    brief.quantization = false;
    brief.explain = "";
    return brief;
  }

  void Count(const Comparison& comparison) {
    ++count_;
    for (const SideId side : kBothSides) coverage_.Add(OfSide(comparison, side), side);
    std::vector<Hash128> contents;
    for (const StreamResult* output : OutputsOf(comparison.left)) {
      contents.push_back(output->fingerprint.content);
      told_.resize(std::max(told_.size(), contents.size()));
      const bool tells = output->fingerprint.size > 0 &&
                         output->fingerprint.numbers().statistics.nans < output->fingerprint.size;
      Told& told = told_[contents.size() - 1];
      told.tells |= tells;
      if (!told.contents.empty() && told.contents.back() != contents.back()) told.varies = true;
      told.contents.push_back(contents.back());
    }
  }

  // Outputs that are NaN, empty, or the same on all sets.
  bool ToldNothing() const {
    return !told_.empty() && std::all_of(told_.begin(), told_.end(), [&](const Told& told) {
      return !told.tells || (told.contents.size() > 1 && !told.varies);
    });
  }

  absl::Status First() {
    std::vector<std::string> tried;
    std::optional<SetsResult> first;
    for (int attempt = 0; attempt < kSizeAttempts; ++attempt) {
      Case one;
      one.sizes.attempt = attempt;
      absl::StatusOr<FedInputs> fed = Feed(one);
      if (!fed.ok()) {
        if (!first.has_value()) return fed.status();
        break;
      }
      OC_ASSIGN_OR_RETURN(Comparison comparison, Compare(left_, right_, options_));
      const bool failed = LeftFailed(comparison);
      const std::string sizes = inputs_.Sizes(one.sizes);
      tried.push_back(sizes);
      if (!failed) {
        attempt_ = attempt;
        Count(comparison);
        Hold(one, std::move(comparison), *std::move(fed));
        return absl::OkStatus();
      }
      if (!first.has_value()) first = SetsResult{std::move(comparison), *std::move(fed)};
      if (sizes.empty()) break;  // there is nothing to choose
    }
    if (tried.size() > 1) {
      first->comparison.notes.push_back(absl::StrCat(
          "the left model ran on none of the sizes that were tried: ", absl::StrJoin(tried, "; "),
          "; give --inputs, or --dim NAME=N"));
    }
    count_ = 1;
    worst_ = *std::move(first);
    return absl::OkStatus();
  }

  absl::Status Further() {
    // What its scales were calibrated for is not known: more sets would show that, and no more.
    if (IsCalibrated()) return absl::OkStatus();
    const bool small = IsSmall(worst_.comparison);
    for (int set = 1; set < sets_.sets; ++set) {
      const int64_t seen = coverage_.seen();
      OC_ASSIGN_OR_RETURN(const bool ran, Try(FurtherCase(set)));
      if (Differs(worst_.comparison)) break;
      if (ran && coverage_.seen() == seen && !small) break;
    }
    return absl::OkStatus();
  }

  // A batch of 1, then whole numbers and halves, then large numbers along longer axes. Coarse types
  // are none for large numbers.
  Case FurtherCase(int set) const {
    Case one;
    one.sizes.set = set;
    if (set % 4 == 2 && MayShow(Regime::kWhole)) one.regime = Regime::kWhole;
    if (set % 4 == 3) {
      if (MayShow(Regime::kLarge)) one.regime = Regime::kLarge;
      one.sizes.stretch = 3;
    }
    return one;
  }

  // So little that further sets cost next to nothing.
  static bool IsSmall(const Comparison& comparison) {
    constexpr int64_t kFewElements = 2'000'000;
    constexpr size_t kFewResults = 1500;
    if (comparison.left.results.size() > kFewResults) return false;
    int64_t elements = 0;
    for (const StreamResult& result : comparison.left.results) elements += result.fingerprint.size;
    return elements < kFewElements;
  }

  // Compares on one more set; false if the left model cannot run on it.
  absl::StatusOr<bool> Try(Case one) {
    for (const int attempt : {attempt_, attempt_ + 2}) {
      one.sizes.attempt = std::min(attempt, kSizeAttempts - 1);
      absl::StatusOr<FedInputs> fed = Feed(one);
      if (!fed.ok()) return false;
      OC_ASSIGN_OR_RETURN(Comparison comparison, Compare(left_, right_, Brief()));
      if (LeftFailed(comparison)) continue;
      if (Differs(comparison) && one.regime != Regime::kUsual) {
        if (!IsReal(comparison, one.regime)) return true;
      }
      Count(comparison);
      if (comparison.verdict > worst_.comparison.verdict) {
        OC_ASSIGN_OR_RETURN(comparison, Compare(left_, right_, options_));
        if (comparison.verdict > worst_.comparison.verdict) {
          Hold(one, std::move(comparison), *std::move(fed));
        }
      }
      return true;
    }
    return false;
  }

  // --- The search.

  absl::Status Search() {
    const absl::Time end = absl::Now() + *sets_.search;
    const std::vector<Case> cases = FirstCases();
    for (uint64_t i = 0; absl::Now() < end; ++i) {
      Case one = i < cases.size() ? cases[static_cast<size_t>(i)] : Mixture(i);
      if (IsCoarse()) one.mixture.reset();
      // Where halves overflow is worth knowing, though.
      const bool overflows = one.regime == Regime::kLarge && !IsCalibrated();
      if (!MayShow(one.regime) && !overflows) continue;
      ++searched_;
      absl::StatusOr<FedInputs> fed = Feed(one);
      if (!fed.ok()) continue;
      if (!OutputsDiffer()) continue;
      OC_ASSIGN_OR_RETURN(Comparison comparison, Compare(left_, right_, Brief()));
      if (LeftFailed(comparison) || !Differs(comparison)) continue;
      if (!IsReal(comparison, one.regime)) continue;
      ++count_;
      return Show(one, *std::move(fed));
    }
    worst_.comparison.notes.push_back(
        absl::StrFormat("a search of %s over %d further sets found none on which they differ",
                        absl::FormatDuration(*sets_.search), searched_));
    return absl::OkStatus();
  }

  // Sizes and regimes one by one.
  static std::vector<Case> FirstCases() {
    std::vector<Case> cases;
    for (int regime = 1; regime < kRegimes; ++regime) {
      for (const int set : {0, 1}) {
        Case one;
        one.regime = static_cast<Regime>(regime);
        one.sizes.set = set;
        cases.push_back(one);
      }
    }
    for (const int stretch : {2, 3, 5, 9, 17, 33}) {
      Case one;
      one.sizes.stretch = stretch;
      cases.push_back(one);
    }
    for (const int attempt : {3, 6, 7}) {
      Case one;
      one.sizes.attempt = attempt;
      cases.push_back(one);
    }
    return cases;
  }

  static Case Mixture(uint64_t i) {
    Case one;
    one.numbers = i;
    one.sizes.set = static_cast<int>(i % 7);
    one.sizes.stretch = i % 5 == 0 ? static_cast<int>(1 + i % 4) : 1;
    // Every other one has the usual numbers, but others.
    if (i % 2 == 0) one.mixture = i;
    return one;
  }

  bool IsCalibrated() const {
    const Comparison& comparison = worst_.comparison;
    return DifferInQuantization(comparison.left, comparison.right) ||
           (comparison.verdict == Verdict::kClose && IsQuantized(comparison.right));
  }

  // Whether outputs agree by the tolerance of a type that is coarser than float, or by one that
  // somebody gave for numbers as they usually are.
  bool IsCoarse() const {
    constexpr double kFine = 1e-3;
    if (options_.tolerance.atol.has_value() || !options_.tolerance.by_name.empty()) return true;
    const std::vector<OutputPair>& pairs = worst_.comparison.outputs.pairs;
    return IsCalibrated() || std::any_of(pairs.begin(), pairs.end(), [](const OutputPair& pair) {
             return !pair.same_bits && pair.difference.tolerance.whole > kFine;
           });
  }

  // Numbers of other sizes are nothing that coarse types were made for.
  bool MayShow(Regime regime) const {
    switch (regime) {
      case Regime::kTiny:
      case Regime::kSmall:
      case Regime::kLarge:
      case Regime::kHuge:
      case Regime::kWhole:
        return !IsCoarse();
      default:
        return true;
    }
  }

  // By the outputs alone, each by its own type.
  bool OutputsDiffer() const {
    const auto left = left_.evaluator()->Run(*left_.feeds());
    if (!left.ok()) return false;
    const auto right = right_.evaluator()->Run(*right_.feeds());
    if (!right.ok()) return true;
    const OutputComparison outputs =
        CompareOutputs(Named(left_, *left), Named(right_, *right), options_.tolerance);
    return !outputs.agree;
  }
  static std::vector<NamedOutput> Named(const Side& side, const std::vector<Value>& values) {
    std::vector<NamedOutput> named;
    const Graph& graph = side.evaluator()->model().graph;
    for (size_t i = 0; i < std::min(values.size(), graph.outputs.size()); ++i) {
      named.push_back({graph.outputs[i].name, values[i]});
    }
    return named;
  }

  // What numbers of unusual sizes do by rounding alone is not the models' doing: it is gone in
  // double. What is infinite or NaN on one side alone counts; of coarse types nothing else does.
  bool IsReal(const Comparison& comparison, Regime regime) const {
    if (comparison.verdict == Verdict::kFailed) return true;
    for (const OutputPair& pair : comparison.outputs.pairs) {
      if (pair.difference.agree) continue;
      if (!pair.difference.reason.empty() || std::isnan(pair.difference.max_absolute) ||
          std::isinf(pair.difference.max_absolute)) {
        return true;
      }
    }
    if (!MayShow(regime) || IsCalibrated()) return false;
    const auto left = left_.evaluator()->InDouble();
    const auto right = right_.evaluator()->InDouble();
    if (!left.ok() || !right.ok()) return true;
    const auto a = left->Run(*left_.feeds());
    const auto b = right->Run(*right_.feeds());
    if (!a.ok() || !b.ok()) return true;
    ToleranceOptions tolerance;
    tolerance.rtol = 1e-4;
    return !CompareOutputs(Named(left_, *a), Named(right_, *b), tolerance).agree;
  }

  // Made smaller as long as it differs, and compared the whole way.
  absl::Status Show(Case one, FedInputs fed) {
    for (const int set : {1, 0}) {
      Case smaller = one;
      smaller.sizes.set = set;
      smaller.sizes.stretch = 1;
      absl::StatusOr<FedInputs> less = Feed(smaller);
      if (!less.ok() || !OutputsDiffer()) continue;
      one = smaller;
      fed = *std::move(less);
      break;
    }
    left_.SetFeeds(fed.left);
    right_.SetFeeds(fed.right);
    OC_ASSIGN_OR_RETURN(Comparison comparison, Compare(left_, right_, options_));
    comparison.notes.push_back(
        absl::StrFormat("found by searching: set %d of those that were tried", searched_));
    Hold(one, std::move(comparison), std::move(fed));
    return absl::OkStatus();
  }

  struct Told {
    bool tells = false;   // more than NaN
    bool varies = false;  // with the inputs
    std::vector<Hash128> contents;
  };

  Side& left_;
  Side& right_;
  InputSets& inputs_;
  CompareOptions options_;
  SeenConstants seen_;
  const SetsOptions& sets_;
  SetsResult worst_;
  std::optional<Case> to_feed_again_;  // the case of the result, if its inputs are not held
  CoverageCounter coverage_;
  std::vector<Told> told_;  // by output of the left
  int count_ = 0;
  int searched_ = 0;
  int attempt_ = 0;
};

}  // namespace

absl::StatusOr<SetsResult> CompareSets(Side& left, Side& right, InputSets& inputs,
                                       const CompareOptions& options, const SetsOptions& sets) {
  return SetsComparison(left, right, inputs, options, sets).Run();
}

}  // namespace onnxcmp
