#include "compare/input_sets/calibration_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "compare/alignment/alignment.h"
#include "compare/quantization/quant_params.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/dtype.h"
#include "feed/made_up/regime.h"
#include "record/base/per_side.h"
#include "record/graphs/kept_range.h"
#include "record/graphs/side_graph.h"
#include "record/streams/fingerprint.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {
namespace {

// A scale whose numbers reach farther than that beyond those of most is too small by itself: honest
// calibrations (percentiles, entropy) leave out less than that, a scale that is wrong by 2 more.
constexpr double kOnItsOwn = 1.7;

class Reaches {
 public:
  Reaches(const Comparison& comparison, SideId side)
      : own_(side == SideId::kLeft ? comparison.left : comparison.right),
        other_(side == SideId::kLeft ? comparison.right : comparison.left),
        partners_(comparison.alignment.partners(side)),
        graph_(own_, nullptr),
        params_(graph_) {}

  void AddTo(std::vector<double>* reaches) const {
    for (const int r : graph_.results()) {
      const int n = graph_.producer(r);
      if (n == kNone || !params_.written(r).has_value()) continue;
      const std::optional<double> reach = ReachOf(r, graph_.node(n), *params_.written(r));
      if (reach.has_value()) reaches->push_back(*reach);
    }
  }

 private:
  std::optional<double> ReachOf(int r, const SideGraph::GraphNode& node,
                                const QuantParams& grid) const {
    constexpr double kNoNumbers = 50;  // numbers left out of the calibration, as masks are
    const StreamResult& result = graph_.result(r);
    if (!IsInteger(result.dtype) || BitWidth(result.dtype) > 16 || grid.scale == kNone ||
        !graph_.IsConstant(grid.scale)) {
      return std::nullopt;
    }
    const Fingerprint& scale = graph_.result(grid.scale).fingerprint;
    if (scale.size != 1 || !scale.has_sketch) return std::nullopt;
    const Statistics* of = NumbersOf(r, node);
    if (of == nullptr) return std::nullopt;
    const double step = scale.numbers().statistics.max;
    const double zero = grid.zero_point == kNone
                            ? 0
                            : graph_.result(grid.zero_point).fingerprint.numbers().statistics.max;
    const double least = step * (static_cast<double>(IntegerMin(result.dtype)) - zero);
    const double greatest = step * (static_cast<double>(IntegerMax(result.dtype)) - zero);
    // Numbers that the readers cut off are in no calibrated range; numbers clipped at 0 are a Relu
    // within the rounding.
    const KeptRange kept = KeptByReaders(graph_, r);
    double reach = 0;
    if (greatest > 0) reach = std::max(reach, std::min(of->max, kept.greatest) / greatest);
    if (least < 0) reach = std::max(reach, std::max(of->min, kept.least) / least);
    return reach > 0 && reach < kNoNumbers ? std::optional<double>(reach) : std::nullopt;
  }

  // The other side's numbers, else those that are rounded.
  const Statistics* NumbersOf(int r, const SideGraph::GraphNode& node) const {
    std::vector<int> standing = {r};
    for (const int n : graph_.readers(r)) {
      const StreamNode& reader = *graph_.node(n).made;
      if (reader.op_type == "DequantizeLinear" && !reader.outputs.empty()) {
        standing.push_back(reader.outputs.front());
      }
    }
    for (const int own : standing) {
      const int partner = own == kNone ? kNone : partners_[Index(own)];
      if (partner == kNone) continue;
      const StreamResult& theirs = other_.results[Index(partner)];
      if (IsFloatingPoint(theirs.dtype) && theirs.fingerprint.has_sketch) {
        return &theirs.fingerprint.numbers().statistics;
      }
    }
    if (node.made->op_type != "QuantizeLinear" || node.made->inputs[0] == kNone) return nullptr;
    const Fingerprint& rounded = graph_.result(node.made->inputs[0]).fingerprint;
    return rounded.has_sketch ? &rounded.numbers().statistics : nullptr;
  }

  const ResultStream& own_;
  const ResultStream& other_;
  const std::vector<int>& partners_;
  const SideGraph graph_;
  const QuantParamsByResult params_;
};

}  // namespace

double CalibrationFit::spread() const {
  // A bound of what is divided by: among many numbers some scales are rightly used little.
  constexpr double kLeastReach = 0.3;
  return most / std::max(typical, kLeastReach) + 0.5 * farthest / std::max(most, kLeastReach) - 0.5;
}

double CalibrationFit::Factor() const {
  // Bounds of one step, since reach is not proportional to the size of inputs behind biases and
  // normalizations: a longer one oversteps, and is taken back in the next round.
  constexpr double kLeast = 0.25;
  constexpr double kGreatest = 2;
  constexpr double kInside = 0.97;  // that rounding does not clip the greatest number
  const double reach = farthest <= kOnItsOwn * most ? farthest : most;
  return reach > 0 ? std::clamp(kInside / reach, kLeast, kGreatest) : 1;
}

bool CalibrationFit::Fits() const {
  // Little beyond the ends few numbers are clipped, and by little; numbers that use less of most
  // ranges than the least are rounded more coarsely than those that the scales were made for.
  constexpr double kLittleBeyond = 1.1;
  constexpr double kUsed = 0.4;
  return scales > 0 && most <= kLittleBeyond && most >= kUsed;
}

namespace {

// True if a step to other sizes gained little: numbers behind a normalization do not shrink with
// the inputs, and those of 1 / x grow. Such a step is taken back.
bool IsNoNearer(const CalibrationFit& after, const CalibrationFit& before) {
  constexpr double kLittleGain = 0.75;
  return std::abs(std::log(after.Factor())) >= kLittleGain * std::abs(std::log(before.Factor()));
}

}  // namespace

absl::Status FitCase(
    absl::FunctionRef<absl::StatusOr<std::optional<CalibrationFit>>(const SetCase&)> fit_on,
    bool longer, SetCase* one, CalibrationFit* fit) {
  // Scales that normal numbers reach into nearly as far need no other kind of numbers. A factor
  // beyond `kEnough` would change nothing that fits. Rounds bound the runs: each takes two.
  constexpr double kEvenSpread = 1.25;
  constexpr double kEnough = 0.96;
  constexpr int kRounds = 4;
  constexpr int kLonger = 16;
  const auto try_one = [&](const SetCase& other) -> absl::Status {
    if (fit->spread() <= kEvenSpread) return absl::OkStatus();
    OC_ASSIGN_OR_RETURN(const std::optional<CalibrationFit> found, fit_on(other));
    if (!found.has_value() || found->spread() >= fit->spread()) return absl::OkStatus();
    *one = other;
    *fit = *found;
    return absl::OkStatus();
  };
  for (const Regime regime : {Regime::kSmooth, Regime::kScenes, Regime::kEven}) {
    SetCase other = *one;
    other.regime = regime;
    OC_RETURN_IF_ERROR(try_one(other));
  }
  // Averages of many numbers are smaller than those of the few that usual lengths give.
  if (longer) {
    SetCase other = *one;
    other.sizes.stretch = kLonger;
    OC_ASSIGN_OR_RETURN(const std::optional<CalibrationFit> found, fit_on(other));
    if (found.has_value() && found->spread() <= std::max(fit->spread(), kEvenSpread)) {
      *one = other;
      *fit = *found;
    }
  }
  for (int round = 0; round < kRounds; ++round) {
    const double factor = fit->Factor();
    if (factor >= kEnough && fit->Fits()) break;
    SetCase other = *one;
    other.sizes.shrink *= factor;
    OC_ASSIGN_OR_RETURN(const std::optional<CalibrationFit> found, fit_on(other));
    if (!found.has_value() || IsNoNearer(*found, *fit)) break;
    *one = other;
    *fit = *found;
  }
  return absl::OkStatus();
}

namespace {

absl::string_view KindOf(Regime regime) {
  switch (regime) {
    case Regime::kSmooth:
      return "like their neighbours";
    case Regime::kScenes:
      return "like those of photographs";
    case Regime::kEven:
      return "from all of the range";
    default:
      return "normally distributed";
  }
}

}  // namespace

std::string FitText(const CalibrationFit& fit, const SetCase& one) {
  return absl::StrFormat(
      "made up for scales that were calibrated: %s%s; numbers reach %.2f of the range of most%s",
      KindOf(one.regime),
      one.sizes.shrink == 1 ? ""
                            : absl::StrFormat(", %.2g times as large as usual", one.sizes.shrink),
      fit.typical, fit.Fits() ? "" : ", unlike the calibration data");
}

CalibrationFit FitOf(const Comparison& comparison) {
  constexpr size_t kSome = 3;
  constexpr size_t kMany = 20;
  std::vector<double> reaches;
  for (const SideId side : kBothSides) Reaches(comparison, side).AddTo(&reaches);
  CalibrationFit fit;
  fit.scales = reaches.size();
  if (reaches.empty()) return fit;
  std::sort(reaches.begin(), reaches.end());
  const size_t few = reaches.size() < kSome ? 0 : reaches.size() < kMany ? 1 : 2;
  fit.typical = reaches[reaches.size() / 2];
  fit.most = reaches[reaches.size() - 1 - few];
  fit.farthest = reaches.back();
  return fit;
}

}  // namespace onnxcmp
