#include "compare/quantization/cause_review.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "compare/causes/cause_class.h"
#include "compare/quantization/quantized_weights.h"
#include "record/base/per_side.h"
#include "record/base/thresholds.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

enum class Finding : uint8_t { kUnknown, kInnocent, kHonest, kGuilty };

class Review {
 public:
  Review(const CounterpartRun& run, const QuantizationReport& report)
      : run_(run), graph_(run.quantized().graph()), side_(report.side) {
    for (const QuantizationMistake& mistake : report.mistakes) {
      absl::flat_hash_set<int>& layer = layers_.emplace_back();
      for (const int r : LayerOf(mistake.result)) {
        if (r != kNone) layer.insert(r);
      }
      if (mistake.place != kNone) layer.insert(mistake.place);
      told_.insert(layer.begin(), layer.end());
    }
  }

  // The cause that was measured in the layer of a mistake, at its place if there is one; null if
  // there is none.
  const Cause* MeasuredIn(size_t mistake, int place, absl::Span<const Cause> causes) const {
    const Cause* found = nullptr;
    for (const Cause& cause : causes) {
      const int r = OfSide(cause, side_);
      if (!IsWrong(cause) || cause.in_body.has_value() || r == kNone) continue;
      if (r == place) return &cause;
      if (found == nullptr && layers_[mistake].contains(r)) found = &cause;
    }
    return found;
  }

  // True if a cause lies in a layer that has a mistake.
  bool IsTold(const Cause& cause) const { return told_.contains(OfSide(cause, side_)); }

  Finding Judge(const Cause& cause) const {
    const int r = OfSide(cause, side_);
    if (r == kNone) return Finding::kUnknown;
    if (!run_.quantized().IsFixed(r) && graph_.producer(r) != kNone) {
      const Finding finding = JudgeResult(r);
      return finding == Finding::kUnknown && HasAnother(OfSide(cause, Other(side_)))
                 ? Finding::kInnocent
                 : finding;
    }
    if (!HasQuantParams(r)) return Finding::kUnknown;
    // A constant is judged by the results made of it.
    Finding worst = Finding::kUnknown;
    for (const int made : FirstReplaced(r)) worst = std::max(worst, JudgeResult(made));
    return worst == Finding::kInnocent ? Finding::kHonest : worst;
  }

  // True if a constant asks each Reshape that reads it for the other side's shape, possibly with a
  // -1 for one size.
  bool AsksForTheSameShape(const Cause& cause) const {
    const int r = OfSide(cause, side_);
    const int partner = OfSide(cause, Other(side_));
    const SideValues& ours = run_.quantized();
    const SideValues& theirs = run_.other();
    if (r == kNone || partner == kNone || !ours.IsFixed(r) || !theirs.IsFixed(partner) ||
        !theirs.value(partner).is_tensor() || !IsInteger(theirs.value(partner).tensor().dtype()) ||
        graph_.readers(r).empty()) {
      return false;
    }
    const std::vector<double> asked = ElementsOf(theirs.value(partner).tensor());
    return std::all_of(graph_.readers(r).begin(), graph_.readers(r).end(), [&](int n) {
      const StreamNode& made = *graph_.node(n).made;
      if (made.op_type != "Reshape" || made.inputs.size() < 2 || made.inputs[1] != r) return false;
      const std::optional<Shape>& shape = graph_.result(made.outputs[0]).shape;
      if (!shape.has_value() || shape->size() != asked.size()) return false;
      for (size_t i = 0; i < asked.size(); ++i) {
        if (asked[i] != -1 && asked[i] != static_cast<double>((*shape)[i])) return false;
      }
      return std::count(asked.begin(), asked.end(), -1.0) <= 1;
    });
  }

 private:
  // True for quantized results, their scales and zero points, and results that quantizing nodes
  // make or read.
  bool HasQuantParams(int r) const {
    const QuantParamsByResult& all_params = run_.quantized().all_params();
    if (all_params.IsParameter(r) || all_params.of(r).has_value()) return true;
    const int n = graph_.producer(r);
    if (n != kNone && Quantizes(graph_.node(n).made->op_type)) return true;
    return std::any_of(graph_.readers(r).begin(), graph_.readers(r).end(),
                       [&](int reader) { return Quantizes(graph_.node(reader).made->op_type); });
  }

  Finding JudgeResult(int r) const {
    if (run_.partner(r) == kNone) return Finding::kUnknown;
    const std::vector<int> region = run_.RegionOf(r);
    const double noise = run_.LocalNoise(r).noise;
    const DType other = run_.other().graph().result(run_.partner(r)).dtype;
    const double epsilon =
        std::max({EpsilonOf(graph_.result(r).dtype), EpsilonOf(other), EpsilonOf(DType::kFloat)});
    if (noise <= thresholds::kFarEpsilons * epsilon) return Finding::kInnocent;
    const bool rounds = std::any_of(region.begin(), region.end(),
                                    [&](int n) { return Quantizes(graph_.node(n).made->op_type); });
    if (!rounds && !ReadsQuantized(run_.quantized(), region)) return Finding::kGuilty;
    return noise <= thresholds::kMostHonestNoise ? Finding::kHonest : Finding::kGuilty;
  }

  // True if another correct result has that partner: then the accused pair is wrong.
  bool HasAnother(int partner) const {
    return std::any_of(graph_.results().begin(), graph_.results().end(), [&](int r) {
      if (partner == kNone || run_.partner(r) != partner) return false;
      const Finding finding = JudgeResult(r);
      return finding == Finding::kInnocent || finding == Finding::kHonest;
    });
  }

  // The first replaced results that depend on a result.
  std::vector<int> FirstReplaced(int r) const {
    std::vector<int> found;
    graph_.ReachAfter({r}, [&](int after) {
      if (run_.replaced(after)) found.push_back(after);
      return !run_.replaced(after);
    });
    return found;
  }

  // A result, its inputs back to the last replaced results, and later results with its partner.
  std::vector<int> LayerOf(int r) const {
    std::vector<int> results = {r};
    for (const int n : run_.RegionOf(r)) {
      const StreamNode& made = *graph_.node(n).made;
      results.insert(results.end(), made.outputs.begin(), made.outputs.end());
    }
    // Constants and their own inputs.
    graph_.ReachBefore(
        std::vector<int>(results),
        [&](int constant) {
          const bool is_fixed = run_.quantized().IsFixed(constant);
          if (is_fixed) results.push_back(constant);
          return is_fixed;
        },
        1000);
    for (const int output : graph_.After(r)) {
      if (run_.partner(output) == run_.partner(r)) results.push_back(output);
    }
    for (const int n : graph_.readers(r)) {
      // A DequantizeLinear reads it with its own scale and zero point.
      if (graph_.node(n).made->op_type != "DequantizeLinear") continue;
      for (const int read : graph_.Reads(n)) results.push_back(read);
    }
    return results;
  }

  const CounterpartRun& run_;
  const SideGraph& graph_;
  const SideId side_;
  std::vector<absl::flat_hash_set<int>> layers_;  // by mistake
  absl::flat_hash_set<int> told_;                 // all of them
};

}  // namespace

void ReviewCauses(const CounterpartRun& run, const QuantizationReport& report,
                  std::vector<Cause>* causes, std::vector<DismissedCause>* dismissed) {
  const Review review(run, report);
  std::vector<Cause> reviewed;
  absl::flat_hash_set<const Cause*> taken;
  for (size_t i = 0; i < report.mistakes.size(); ++i) {
    const QuantizationMistake& mistake = report.mistakes[i];
    // A cause measured between two quantized sides knows its place better, as does one measured in
    // floats.
    const Cause* measured =
        report.both || mistake.of_floats
            ? review.MeasuredIn(i, mistake.of_floats ? mistake.result : mistake.place, *causes)
            : nullptr;
    if (measured != nullptr) {
      if (!taken.insert(measured).second) continue;
      Cause cause = *measured;
      if (!mistake.of_floats) absl::StrAppend(&cause.text, "; ", mistake.text);
      cause.review = true;
      reviewed.push_back(std::move(cause));
      continue;
    }
    Cause cause;
    const int at = report.both && mistake.place != kNone ? mistake.place : mistake.result;
    OfSide(cause, report.side) = at;
    OfSide(cause, Other(report.side)) = mistake.partner;
    cause.kind = mistake.constant ? CauseKind::kInitializer : CauseKind::kOperator;
    cause.text = mistake.text;
    cause.effect = mistake.cost;
    cause.review = true;
    reviewed.push_back(std::move(cause));
  }
  const auto added = static_cast<std::ptrdiff_t>(reviewed.size());
  // It also tells quantization from mistakes.
  const auto judge = [&](Cause* cause) -> std::optional<Veto> {
    if (!report.both && review.IsTold(*cause)) return Veto::kInMistakenLayer;
    // A cause inside a body was measured there.
    if (!IsWrong(*cause) || cause->in_body.has_value()) return std::nullopt;
    if (review.AsksForTheSameShape(*cause)) return Veto::kSameShape;
    const Finding finding = review.Judge(*cause);
    if (finding == Finding::kInnocent) return Veto::kCounterpart;
    if (finding != Finding::kHonest) return std::nullopt;
    cause->kind = CauseKind::kQuantization;
    cause->mending.reset();
    cause->not_tried.clear();
    return std::nullopt;
  };
  for (Cause& cause : *causes) {
    if (taken.contains(&cause)) continue;
    if (const std::optional<Veto> veto = judge(&cause)) {
      dismissed->push_back({std::move(cause), *veto});
    } else {
      reviewed.push_back(std::move(cause));
    }
  }
  std::stable_partition(reviewed.begin() + added, reviewed.end(), IsWrong);
  *causes = std::move(reviewed);
}

}  // namespace onnxcmp
