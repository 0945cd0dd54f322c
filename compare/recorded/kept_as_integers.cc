#include "compare/recorded/kept_as_integers.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "compare/alignment/recorded_reach.h"
#include "compare/inside/derived_values.h"
#include "compare/inside/swallowed_steps.h"
#include "compare/quantization/dequantized_view.h"
#include "compare/quantization/quant_params.h"
#include "compare/recorded/evidence.h"
#include "compare/recorded/partners.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/base/work_bounds.h"
#include "record/differences/tensor_distance.h"
#include "record/differences/tolerance.h"
#include "record/differences/value_difference.h"
#include "record/graphs/side_graph.h"
#include "record/streams/result_names.h"

namespace onnxcmp {
namespace {

constexpr int64_t kMostHeld = int64_t{1} << 30;  // bytes of recorded values and of integers

// Root mean square of the differences against the greater side's; infinite if they are not finite.
double RelativeDistance(const Tensor& a, const Tensor& b) {
  const PairSums sums = MomentsOf(NumberReader(a), NumberReader(b)).sums;
  const double size = std::max(sums.left, sums.right);
  return size > 0 && std::isfinite(sums.differences) ? std::sqrt(sums.differences / size)
                                                     : std::numeric_limits<double>::infinity();
}

class IntegerFinder {
 public:
  IntegerFinder(const PerSide<RecordedSide>& sides, const Alignment& alignment,
                absl::Span<const AddedPair> added, SideId recorded)
      : side_(recorded),
        sides_(sides),
        own_(*sides[recorded].stream),
        graph_(*sides[Other(recorded)].stream, sides[Other(recorded)].evaluator()),
        params_(graph_),
        partners_(PartnersOfRecorded(alignment, added, recorded)),
        given_(RecordedWithMark(alignment, recorded, {Mark::kGiven})) {}

  absl::StatusOr<std::vector<DerivedResult>> Find(const PairValues::Watch& watch) {
    std::vector<DerivedResult> found;
    Choose();
    if (open_.empty() || integers_.empty() || held_ > kMostHeld) return found;
    OC_RETURN_IF_ERROR(Load(watch));
    const RecordedEvidence evidence(own_, *sides_[Other(side_)].stream, partners_);
    absl::flat_hash_set<int> kept;
    std::vector<int> rest;
    for (const int r : open_) {
      std::optional<DerivedResult> derived = Nearest(r);
      if (!derived.has_value()) {
        rest.push_back(r);
        continue;
      }
      kept.insert(derived->of);
      found.push_back(*std::move(derived));
    }
    for (const int r : rest) {
      std::optional<DerivedResult> derived = BeforeActivation(r, evidence, kept);
      if (derived.has_value()) found.push_back(*std::move(derived));
    }
    return found;
  }

 private:
  // Integers of the model as the floats that they stand for.
  struct Reals {
    int of = kNone;
    Tensor floats;
    double step = 0;  // the greatest scale
  };

  // A result of the same name is its partner, however wrong.
  bool IsOpen(int r) const {
    const StreamResult& result = own_.results[Index(r)];
    if (result.kind != ResultKind::kResult || !result.shape.has_value() ||
        !result.fingerprint.rich || !result.fingerprint.finite ||
        result.fingerprint.kind != ElementKind::kFloat || result.fingerprint.size <= kHandful ||
        given_.contains(r)) {
      return false;
    }
    const int partner = partners_[Index(r)];
    if (partner == kNone) return true;
    const StreamResult& other = graph_.result(partner);
    return !AreNear(result, other) && FullName(result) != FullName(other) &&
           absl::c_none_of(graph_.outputs(), [&](const auto& output) {
             return output.second == partner || graph_.result(output.first).name == result.name;
           });
  }

  void Choose() {
    absl::flat_hash_map<int64_t, int64_t> sizes;
    for (size_t i = 0; i < own_.results.size() && open_.size() < work_bounds::kLooks; ++i) {
      const auto r = static_cast<int>(i);
      if (!IsOpen(r)) continue;
      open_.push_back(r);
      ++sizes[own_.results[i].fingerprint.size];
      held_ += AboutBytes(own_.results[i]);
    }
    for (const int m : graph_.results()) {
      const StreamResult& result = graph_.result(m);
      if (!graph_.IsComputed(m) || graph_.IsConstant(m) || result.depth > 0 ||
          !IsInteger(result.dtype) || BitWidth(result.dtype) > 16 || !params_.of(m).has_value() ||
          !sizes.contains(result.fingerprint.size)) {
        continue;
      }
      integers_.push_back(m);
      held_ += AboutBytes(result);
    }
  }

  absl::Status Load(const PairValues::Watch& watch) {
    PerSide<std::vector<int>> numbers;
    numbers[side_] = open_;
    for (const int m : integers_) {
      const QuantParams& params = *params_.of(m);
      for (const int number : {m, params.scale, params.zero_point}) {
        if (number != kNone) numbers[Other(side_)].push_back(number);
      }
    }
    OC_ASSIGN_OR_RETURN(values_, ValuesAgain(sides_, numbers, watch));
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
  std::optional<DerivedResult> Nearest(int r) const {
    const Tensor* own = OwnOf(r);
    if (own == nullptr) return std::nullopt;
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
    if (best == nullptr) return std::nullopt;
    return DerivedResult{side_, r, best->of, "kept as integers"};
  }

  std::optional<DerivedResult> BeforeActivation(int r, const RecordedEvidence& evidence,
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
      return DerivedResult{side_, r, reals.of, absl::StrCat(how, " and kept as integers")};
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

  const SideId side_;
  const PerSide<RecordedSide>& sides_;
  const ResultStream& own_;
  const SideGraph graph_;
  const QuantParamsByResult params_;
  std::vector<int> partners_;       // by recorded result
  absl::flat_hash_set<int> given_;  // recorded results whose partners the user gave
  std::vector<int> open_;           // recorded results without a partner
  std::vector<int> integers_;       // results of the model
  int64_t held_ = 0;
  PerSide<ValuesOfResults> values_;
  std::vector<Reals> reals_;
};

}  // namespace

absl::StatusOr<std::vector<DerivedResult>> FindKeptAsIntegers(const PerSide<RecordedSide>& sides,
                                                              const Alignment& alignment,
                                                              absl::Span<const AddedPair> added,
                                                              const PairValues::Watch& watch) {
  std::vector<DerivedResult> none;
  if (sides.left.stream->recorded == sides.right.stream->recorded) return none;
  const SideId recorded = sides.left.stream->recorded ? SideId::kLeft : SideId::kRight;
  if (sides[Other(recorded)].evaluator() == nullptr) return none;
  return IntegerFinder(sides, alignment, added, recorded).Find(watch);
}

}  // namespace onnxcmp
