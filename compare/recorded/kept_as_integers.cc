#include "compare/recorded/kept_as_integers.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "compare/alignment/recorded_reach.h"
#include "compare/inside/derived_values.h"
#include "compare/quantization/dequantized_view.h"
#include "compare/quantization/quant_params.h"
#include "compare/recorded/evidence.h"
#include "compare/recorded/recording_view.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/base/work_bounds.h"
#include "record/differences/tensor_distance.h"
#include "record/differences/tolerance.h"
#include "record/differences/value_difference.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {
namespace {

// Root mean square of the differences against the greater side's; infinite if they are not finite.
double RelativeDistance(const Tensor& a, const Tensor& b) {
  const PairSums sums = MomentsOf(NumberReader(a), NumberReader(b)).sums;
  const double size = std::max(sums.left, sums.right);
  return size > 0 && std::isfinite(sums.differences) ? std::sqrt(sums.differences / size)
                                                     : std::numeric_limits<double>::infinity();
}

class IntegerFinder {
 public:
  explicit IntegerFinder(const RecordingView& view)
      : view_(view), side_(view.side()), own_(view.own()), graph_(view.graph()), params_(graph_) {}

  absl::StatusOr<std::vector<Claim>> Find(PairingRuns& runs) {
    std::vector<Claim> claims;
    Choose();
    if (open_.empty() || integers_.empty()) return claims;
    OC_RETURN_IF_ERROR(Load(runs));
    const RecordedEvidence evidence(own_, graph_.stream(), view_.partners());
    absl::flat_hash_set<int> kept;
    std::vector<int> rest;
    for (const int r : open_) {
      const int of = Nearest(r);
      if (of == kNone) {
        rest.push_back(r);
        continue;
      }
      kept.insert(of);
      claims.push_back(ClaimOf(Rule::kKeptAsIntegers, side_, r, of));
      claims.back().how = "kept as integers";
    }
    for (const int r : rest) {
      std::optional<Claim> claim = BeforeActivation(r, evidence, kept);
      if (claim.has_value()) claims.push_back(*std::move(claim));
    }
    return claims;
  }

 private:
  // Integers of the model as the floats that they stand for.
  struct Reals {
    int of = kNone;
    Tensor floats;
    double step = 0;  // the greatest scale
  };

  bool IsOpen(int r) const {
    if (own_.results[Index(r)].kind != ResultKind::kResult ||
        !TellsAsFloats(own_.results[Index(r)]) || !view_.IsOpen(r)) {
      return false;
    }
    return absl::c_none_of(graph_.outputs(), [&](const auto& output) {
      return view_.partner(r) != kNone && output.second == view_.partner(r);
    });
  }

  void Choose() {
    absl::flat_hash_map<int64_t, int64_t> sizes;
    for (size_t i = 0; i < own_.results.size() && open_.size() < work_bounds::kLooks; ++i) {
      const auto r = static_cast<int>(i);
      if (!IsOpen(r)) continue;
      open_.push_back(r);
      ++sizes[own_.results[i].fingerprint.size];
    }
    for (const int m : graph_.results()) {
      const StreamResult& result = graph_.result(m);
      if (!graph_.IsComputed(m) || graph_.IsConstant(m) || result.depth > 0 ||
          !IsInteger(result.dtype) || BitWidth(result.dtype) > 16 || !params_.of(m).has_value() ||
          !sizes.contains(result.fingerprint.size)) {
        continue;
      }
      integers_.push_back(m);
    }
  }

  absl::Status Load(PairingRuns& runs) {
    PerSide<std::vector<int>> numbers;
    numbers[side_] = open_;
    for (const int m : integers_) {
      const QuantParams& params = *params_.of(m);
      for (const int number : {m, params.scale, params.zero_point}) {
        if (number != kNone) numbers[Other(side_)].push_back(number);
      }
    }
    OC_ASSIGN_OR_RETURN(values_, runs.Values(numbers));
    for (const int m : integers_) {
      std::optional<Reals> reals = RealsOf(m);
      if (reals.has_value()) reals_.push_back(*std::move(reals));
    }
    return absl::OkStatus();
  }

  const Value* ValueOf(int m) const {
    const auto& values = values_[Other(side_)];
    const auto it = m == kNone ? values.end() : values.find(m);
    return it == values.end() ? nullptr : &it->second;
  }

  std::optional<Reals> RealsOf(int m) const {
    const QuantParams& params = *params_.of(m);
    const Value* integers = ValueOf(m);
    if (integers == nullptr || !integers->is_tensor() || ValueOf(params.scale) == nullptr) {
      return std::nullopt;
    }
    const std::optional<QuantParamValues> numbers =
        ValuesOf(params, integers->tensor(), ValueOf(params.scale), ValueOf(params.zero_point));
    if (!numbers.has_value()) return std::nullopt;
    absl::StatusOr<Tensor> floats = InFloats(DequantizedView(integers->tensor(), *numbers),
                                             integers->tensor().shape(), DType::kFloat, nullptr);
    if (!floats.ok()) return std::nullopt;
    return Reals{m, *std::move(floats), *absl::c_max_element(numbers->scales)};
  }

  // The integers that are nearest by value. Several that one was recorded of confirm each other.
  int Nearest(int r) const {
    const Tensor* own = OwnOf(r);
    if (own == nullptr) return kNone;
    const Reals* best = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const Reals& reals : reals_) {
      if (reals.floats.num_elements() != own->num_elements()) continue;
      const double distance = RelativeDistance(*own, reals.floats);
      const double reach = ToleranceOfQuantized(graph_.result(reals.of).dtype).whole;
      if (!(distance <= reach) || distance >= least || !AreClose(*own, reals)) continue;
      best = &reals;
      least = distance;
    }
    return best == nullptr ? kNone : best->of;
  }

  std::optional<Claim> BeforeActivation(int r, const RecordedEvidence& evidence,
                                        const absl::flat_hash_set<int>& found) const {
    const Tensor* own = OwnOf(r);
    if (own == nullptr) return std::nullopt;
    for (const Reals& reals : reals_) {
      const int n = graph_.producer(reals.of);
      if (n == kNone || reals.floats.shape() != own->shape()) continue;
      const bool vouched = found.contains(reals.of) || AgreesAsFloats(reals.of, r, evidence);
      if (!vouched && !evidence.Confirms(reals.of, r)) continue;
      const std::string& op_type = graph_.node(n).made->op_type;
      const bool is_product = op_type == "QLinearConv" || op_type == "QGemm";
      const SwallowedSteps may = {
          .normalization = is_product,
          .with_offsets = !vouched,
          .activation = is_product || op_type == "QLinearMatMul" || op_type == "QLinearAdd"};
      const double noise = NoiseOfDerived(own_.results[Index(r)], graph_.result(reals.of));
      const std::string how = HowDerived(*own, reals.floats, noise, may);
      if (how.empty()) continue;
      Claim claim = ClaimOf(Rule::kKeptAsIntegers, side_, r, reals.of);
      claim.how = absl::StrCat(how, " and kept as integers");
      return claim;
    }
    return std::nullopt;
  }

  // True if no element is farther from the integers than quantization brings it.
  bool AreClose(const Tensor& own, const Reals& reals) const {
    const absl::StatusOr<Tensor> whole = own.Contiguous();
    if (!whole.ok()) return false;
    // Numbers that hardly vary consist of steps alone.
    constexpr double kFewSteps = 2;
    const std::vector<double> ours = ElementsOf(*whole);
    const std::vector<double> theirs = ElementsOf(reals.floats);
    double most = 0;
    for (size_t i = 0; i < ours.size(); ++i) most = std::max(most, std::abs(ours[i] - theirs[i]));
    if (most <= kFewSteps * reals.step) return true;
    const Tolerance tolerance = ToleranceOfQuantized(graph_.result(reals.of).dtype);
    return DifferenceWithin(Tolerances(tolerance, {}), Value(whole->Reshaped(reals.floats.shape())),
                            Value(reals.floats),
                            /*floats_by_value=*/true)
        .agree();
  }

  // True if another recorded result agrees with the floats that the model itself makes of integers.
  bool AgreesAsFloats(int integers, int r, const RecordedEvidence& evidence) const {
    return absl::c_any_of(graph_.results(), [&](int m) {
      return params_.Dequantizes(m) == integers && evidence.Agrees(m, r);
    });
  }

  const Tensor* OwnOf(int r) const {
    const auto value = values_[side_].find(r);
    return value == values_[side_].end() || !value->second.is_tensor() ? nullptr
                                                                       : &value->second.tensor();
  }

  const RecordingView& view_;
  const SideId side_;
  const ResultStream& own_;
  const SideGraph& graph_;
  const QuantParamsByResult params_;
  std::vector<int> open_;      // recorded results without a partner
  std::vector<int> integers_;  // results of the model
  PerSide<ValuesOfResults> values_;
  std::vector<Reals> reals_;
};

}  // namespace

absl::StatusOr<std::vector<Claim>> ClaimKeptAsIntegers(const RecordingView& view,
                                                       PairingRuns& runs) {
  if (!view.has_model()) return std::vector<Claim>();
  return IntegerFinder(view).Find(runs);
}

}  // namespace onnxcmp
