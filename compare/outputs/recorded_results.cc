#include "compare/outputs/recorded_results.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/alignment/recorded_reach.h"
#include "compare/outputs/rulings.h"
#include "record/base/per_side.h"
#include "record/base/thresholds.h"
#include "record/differences/tolerance.h"
#include "record/differences/value_difference.h"
#include "record/streams/result_names.h"

namespace onnxcmp {
namespace {

constexpr Mark kMeantMarks[] = {Mark::kNamed, Mark::kGiven, Mark::kPlaced, Mark::kRepaired};

class RecordedJudge {
 public:
  RecordedJudge(const ComparedSides& sides, const PairTolerances& tolerances,
                OutputComparison outputs)
      : sides_(sides), tolerances_(tolerances), outputs_(std::move(outputs)) {
    for (const SideId side : kBothSides) {
      rows_[side].assign(Stream(side).results.size(), kNone);
      for (const StreamResult& result : Stream(side).results) {
        bits_[side].insert(result.fingerprint.bits);
      }
    }
    for (size_t i = 0; i < sides_.rows.size(); ++i) {
      const AlignedRow& row = sides_.rows[i].aligned;
      if (!row.paired()) continue;
      // A merged row repeats a partner; its own result is that at the end of the other side.
      Own(kLeft, row.left.back(), static_cast<int>(i));
      Own(kRight, row.right.back(), static_cast<int>(i));
    }
    for (const OutputPair& pair : outputs_.pairs) {
      told_.left.insert(pair.left_result);
      told_.right.insert(pair.right_result);
    }
  }

  OutputComparison Run() {
    absl::flat_hash_set<int> rows;
    for (const SideId side : kBothSides) {
      if (!Stream(side).recorded) continue;
      for (size_t r = 0; r < Stream(side).results.size(); ++r) {
        const auto number = static_cast<int>(r);
        if (!Counts(side, number)) continue;
        ++outputs_.recorded;
        const int row = rows_[side][r];
        if (row == kNone) {
          const DerivedResult* const derived = DerivedOf(side, number);
          if (derived != nullptr && !derived->how.empty()) continue;
          if (derived != nullptr || IsMissed(side, number))
            Missing(side).push_back(FullName(Result(side, number)));
        } else if (rows.insert(row).second) {
          outputs_.pairs.push_back(PairOf(sides_.rows[Index(row)]));
        }
      }
    }
    if (sides_.left.recorded != sides_.right.recorded && !AnyComputed()) outputs_.pairs.clear();
    NoteLayouts();
    NoteDerived();
    return std::move(outputs_);
  }

 private:
  using enum SideId;

  // Weights and inputs were given to the model, so their equality proves nothing.
  bool AnyComputed() const {
    const SideId model = sides_.left.recorded ? kRight : kLeft;
    return std::any_of(outputs_.pairs.begin(), outputs_.pairs.end(), [&](const OutputPair& pair) {
      const int r = model == kLeft ? pair.left_result : pair.right_result;
      return r == kNone || Result(model, r).node != kNone ||
             Result(model, r).kind == ResultKind::kOutput;
    });
  }

  const ResultStream& Stream(SideId side) const {
    return side == kLeft ? sides_.left : sides_.right;
  }
  const StreamResult& Result(SideId side, int r) const { return Stream(side).results[Index(r)]; }
  std::vector<std::string>& Missing(SideId side) {
    return side == kLeft ? outputs_.only_left : outputs_.only_right;
  }

  void Own(SideId side, int result, int row) {
    int& now = rows_[side][Index(result)];
    // A result belongs to its row that is not merged.
    if (now == kNone || Has(sides_.rows[Index(now)].aligned.marks, Mark::kMerged)) now = row;
  }

  // Inputs were fed to the model; outputs have been compared; weights are the model's own, and an
  // optimized model may have others.
  bool Counts(SideId side, int r) const {
    const StreamResult& result = Result(side, r);
    if (result.kind == ResultKind::kInput || told_[side].contains(r)) return false;
    if (result.kind == ResultKind::kOutput) return rows_[side][Index(r)] == kNone;
    return result.kind != ResultKind::kInitializer || rows_[side][Index(r)] != kNone;
  }

  bool IsMissed(SideId side, int r) const {
    const StreamResult& result = Result(side, r);
    return result.fingerprint.kind == ElementKind::kFloat &&
           (result.fingerprint.size > kHandful || MayBeOutput(side, result)) &&
           !IsNarrowMask(result) && !IsCopy(side, r) && !IsRoundedInput(side, result);
  }

  // True for a model's input in a narrower type, as a model that was converted to that type begins
  // with.
  bool IsRoundedInput(SideId side, const StreamResult& recorded) const {
    return BitWidth(recorded.dtype) <= 16 &&
           absl::c_any_of(Stream(Other(side)).results, [&](const StreamResult& input) {
             return input.kind == ResultKind::kInput && input.shape == recorded.shape &&
                    BitWidth(input.dtype) > BitWidth(recorded.dtype) &&
                    input.fingerprint.finite == recorded.fingerprint.finite &&
                    AreNear(recorded, input);
           });
  }

  // True if an output of the model of this shape was not recorded otherwise: a few scores count.
  bool MayBeOutput(SideId side, const StreamResult& recorded) const {
    if (recorded.fingerprint.size < 2 || !recorded.fingerprint.rich) return false;
    const ResultStream& model = Stream(Other(side));
    for (size_t r = 0; r < model.results.size(); ++r) {
      const StreamResult& output = model.results[r];
      if (output.kind != ResultKind::kOutput || output.shape != recorded.shape ||
          output.fingerprint.kind != ElementKind::kFloat) {
        continue;
      }
      const bool is_paired =
          rows_[Other(side)][r] != kNone ||
          (output.source != kNone && rows_[Other(side)][Index(output.source)] != kNone);
      if (!is_paired) return true;
    }
    return false;
  }

  // The explanation of a result that the other side no longer has; null if there is none.
  const DerivedResult* DerivedOf(SideId side, int r) const {
    const auto it = absl::c_find_if(sides_.alignment.derived, [&](const DerivedResult& derived) {
      return derived.side == side && derived.result == r;
    });
    return it == sides_.alignment.derived.end() ? nullptr : &*it;
  }

  // "recorded as NHWC, compared as the other side has it: a, b, … 3 more".
  void NoteLayouts() {
    for (const SideId side : kBothSides) {
      std::vector<std::pair<std::string, std::vector<std::string>>> layouts;
      for (const StreamResult& result : Stream(side).results) {
        if (result.recorded_as.empty() || result.kind == ResultKind::kOutput) continue;
        auto it = absl::c_find_if(
            layouts, [&](const auto& layout) { return layout.first == result.recorded_as; });
        if (it == layouts.end()) it = layouts.insert(it, {result.recorded_as, {}});
        it->second.push_back(FullName(result));
      }
      for (const auto& [layout, names] : layouts) {
        outputs_.notes.push_back(absl::StrCat("recorded as ", layout,
                                              ", compared in the layout of the ",
                                              SideName(Other(side)), ": ", SomeOf(names)));
      }
    }
  }

  void NoteDerived() {
    std::vector<std::pair<std::string, std::vector<std::string>>> ways;
    for (const DerivedResult& derived : sides_.alignment.derived) {
      if (derived.how.empty()) continue;
      auto it = absl::c_find_if(ways, [&](const auto& way) { return way.first == derived.how; });
      if (it == ways.end()) it = ways.insert(it, {derived.how, {}});
      std::string name = FullName(Result(derived.side, derived.result));
      if (derived.of != kNone) {
        absl::StrAppend(&name, " of ", FullName(Result(Other(derived.side), derived.of)));
      }
      it->second.push_back(std::move(name));
    }
    for (const auto& [how, names] : ways) {
      outputs_.notes.push_back(absl::StrCat(how, ", found so: ", SomeOf(names)));
    }
  }

  // True for values far from 0 that are within what quantization does to them, and have nothing
  // else in common: all that varies in them is noise.
  static bool HideEachOther(const StreamResult& left, const StreamResult& right,
                            const ValueDifference& difference) {
    constexpr double kMostOfDeviation = 0.75;
    constexpr double kMostSteps = 2.0 / 255;
    constexpr double kTooLittle = 0.03;
    if (!difference.agree() || !difference.reason.empty() ||
        left.fingerprint.kind != ElementKind::kFloat ||
        right.fingerprint.kind != ElementKind::kFloat || !left.fingerprint.finite ||
        !right.fingerprint.finite || left.fingerprint.size < kEnoughElements) {
      return false;
    }
    const Statistics& ours = left.fingerprint.numbers().statistics;
    const Statistics& theirs = right.fingerprint.numbers().statistics;
    const double moved = ours.mean - theirs.mean;
    const double apart = std::sqrt(std::max(0.0, difference.rms * difference.rms - moved * moved));
    const double size =
        std::max(std::hypot(ours.mean, ours.deviation), std::hypot(theirs.mean, theirs.deviation));
    const double most = std::max(
        {std::abs(ours.min), std::abs(ours.max), std::abs(theirs.min), std::abs(theirs.max)});
    return apart > kMostOfDeviation * std::min(ours.deviation, theirs.deviation) &&
           apart > kMostSteps * most && apart > kTooLittle * size;
  }

  // True if no element is beyond its tolerance, and numbers that passed through integers are too
  // few to vary as others do: small shares of a Softmax are of one step.
  static bool HasFewSteps(const StreamResult& recorded, const ValueDifference& difference) {
    return !difference.agree() && difference.reason.empty() && difference.beyond == 0 &&
           IsInteger(recorded.own_precision) && IsFloatingPoint(recorded.dtype) &&
           !recorded.fingerprint.rich && recorded.fingerprint.finite &&
           difference.apart <= ToleranceOfQuantized(recorded.own_precision).whole;
  }

  // A mask that its type cannot represent resembles nothing of the other side.
  static bool IsNarrowMask(const StreamResult& result) {
    return BitWidth(result.dtype) <= 16 && !result.fingerprint.rich &&
           result.fingerprint.numbers().statistics.infinities > 0;
  }

  // True if the recorded results of the pair exist, bit for bit, somewhere on the other side.
  bool HasCopies(const OutputPair& pair) const {
    const auto has = [&](SideId side, int r) {
      return !Stream(side).recorded ||
             bits_[Other(side)].contains(Result(side, r).fingerprint.bits);
    };
    return has(kLeft, pair.left_result) && has(kRight, pair.right_result);
  }

  // True if the other side has the elements in this order, or if the recording has them once more
  // with a partner.
  bool IsCopy(SideId side, int r) const {
    const Hash128& bits = Result(side, r).fingerprint.bits;
    if (bits_[Other(side)].contains(bits)) return true;
    for (size_t i = 0; i < Stream(side).results.size(); ++i) {
      if (rows_[side][i] != kNone && Stream(side).results[i].fingerprint.bits == bits) return true;
    }
    return false;
  }

  OutputPair PairOf(const ComparedRow& row) const {
    OutputPair pair;
    pair.left_result = row.aligned.left.back();
    pair.right_result = row.aligned.right.back();
    const StreamResult& left = Result(kLeft, pair.left_result);
    const StreamResult& right = Result(kRight, pair.right_result);
    pair.left = FullName(left);
    pair.right = FullName(right);
    pair.type = left.type;
    pair.recorded = true;
    pair.same_bits = left.fingerprint.bits == right.fingerprint.bits;
    pair.tolerance_reason = tolerances_.Of(pair.left_result, pair.right_result).why;
    if (row.difference != nullptr) pair.difference = row.difference->values;
    pair.difference.elements = left.fingerprint.size;
    if (HideEachOther(left, right, pair.difference)) {
      Rule(Ground::kUnrelated, "they are near each other and do not vary together", &pair);
    }
    if (HasFewSteps(left, pair.difference) || HasFewSteps(right, pair.difference)) {
      Rule(Ground::kHonestNoise, "", &pair);
    }
    const auto disagree = [&](std::string reason) {
      Rule(Ground::kOrder, std::move(reason), &pair);
    };
    const StreamResult& moved = left.other_rows ? left : right;
    if (moved.other_rows && pair.agrees()) {
      pair.reordered = true;
      if (outputs_.any_row_order) return pair;  // a note has the order
      disagree(
          absl::StrCat("in another order, ", moved.recorded_as, " (--any-row-order accepts that)"));
      return pair;
    }
    // The alignment may have paired another of several equal results, unless something else than
    // values has made the pair.
    const bool is_meant = pair.left == pair.right || absl::c_any_of(kMeantMarks, [&](Mark mark) {
                            return Has(row.aligned.marks, mark);
                          });
    if (!is_meant && HasCopies(pair)) {
      pair.difference = {};
      pair.rulings.clear();
      pair.difference.elements = left.fingerprint.size;
      return pair;
    }
    if (Has(row.aligned.marks, Mark::kTransposed)) {
      disagree(absl::StrCat("the same elements in another order: ", left.type, " | ", right.type));
    } else if (Has(row.aligned.marks, Mark::kEntry)) {
      pair.entry = true;
      disagree(absl::StrCat("one entry of the other's first axis: ", left.type, " | ", right.type));
    }
    return pair;
  }

  const ComparedSides sides_;
  const PairTolerances& tolerances_;
  OutputComparison outputs_;
  PerSide<std::vector<int>> rows_;  // by result
  PerSide<absl::flat_hash_set<Hash128>> bits_;
  PerSide<absl::flat_hash_set<int>> told_;  // compared as outputs
};

}  // namespace

OutputComparison JudgeRecorded(const ComparedSides& sides, const PairTolerances& tolerances,
                               OutputComparison outputs) {
  if (!sides.left.recorded && !sides.right.recorded) return outputs;
  return RecordedJudge(sides, tolerances, std::move(outputs)).Run();
}

namespace {

// True if most of a difference is common to all elements: rounding goes in all directions.
bool IsSystematic(const Fingerprint& left, const Fingerprint& right, double rms) {
  constexpr double kMostOfDifference = 0.6;
  const Statistics& ours = left.numbers().statistics;
  const Statistics& theirs = right.numbers().statistics;
  const double size = std::hypot(ours.mean, ours.deviation);
  const double other = std::hypot(theirs.mean, theirs.deviation);
  return std::max(std::abs(ours.mean - theirs.mean), std::abs(size - other)) >
         kMostOfDifference * rms;
}

}  // namespace

OutputComparison WithoutHonestNoise(const PerSide<const ResultStream*>& streams,
                                    absl::Span<const ResultPair> suspected,
                                    OutputComparison outputs) {
  constexpr double kLeastCosine = 0.95;
  if (outputs.agree() || streams.left->recorded == streams.right->recorded) return outputs;
  const SideId model = streams.left->recorded ? SideId::kRight : SideId::kLeft;
  absl::flat_hash_set<int> shown;  // results of the model that are its outputs
  for (size_t r = 0; r < streams[model]->results.size(); ++r) {
    const StreamResult& result = streams[model]->results[r];
    if (result.kind != ResultKind::kOutput) continue;
    shown.insert(static_cast<int>(r));
    if (result.source != kNone) shown.insert(result.source);
  }
  const auto is_output = [&](const OutputPair& pair) {
    return shown.contains(model == SideId::kLeft ? pair.left_result : pair.right_result);
  };
  const auto is_noise = [&](const OutputPair& pair) {
    const ValueDifference& difference = pair.difference;
    const bool is_suspect = absl::c_any_of(suspected, [&](const ResultPair& one) {
      return one.left == pair.left_result && one.right == pair.right_result;
    });
    return !IsAccepted(outputs, pair) && difference.reason.empty() && !is_output(pair) &&
           !(is_suspect && difference.beyond > 0) &&
           !IsSystematic(streams.left->results[Index(pair.left_result)].fingerprint,
                         streams.right->results[Index(pair.right_result)].fingerprint,
                         difference.rms) &&
           difference.cosine >= kLeastCosine &&
           difference.rms <= thresholds::kMostHonestNoise * difference.scale;
  };
  const bool outputs_agree = absl::c_any_of(outputs.pairs, is_output) &&
                             absl::c_all_of(outputs.pairs, [&](const OutputPair& pair) {
                               return !is_output(pair) || IsAccepted(outputs, pair);
                             });
  if (!outputs_agree || absl::c_none_of(outputs.pairs, is_noise)) return outputs;
  std::vector<std::string> names;
  std::vector<OutputPair> rest;
  for (OutputPair& pair : outputs.pairs) {
    if (is_noise(pair)) {
      names.push_back(model == SideId::kLeft ? pair.right : pair.left);
    } else {
      rest.push_back(std::move(pair));
    }
  }
  outputs.pairs = std::move(rest);
  outputs.recorded -= static_cast<int64_t>(names.size());
  outputs.notes.push_back(
      absl::StrCat("noise of quantization that adds up to more than the "
                   "tolerance, while the outputs agree: ",
                   SomeOf(names)));
  return outputs;
}

}  // namespace onnxcmp
