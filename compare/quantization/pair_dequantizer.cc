#include "compare/quantization/pair_dequantizer.h"

#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compare/quantization/dequantized_view.h"
#include "evaluator/base/status_macros.h"
#include "record/streams/common_form.h"

namespace onnxcmp {
namespace {

bool IsIntegers(const Value& value) {
  return value.is_tensor() && IsInteger(value.tensor().dtype());
}

// Zero points counted from the least integer: equal for int8 and uint8 of the same numbers.
std::vector<double> FromTheLeast(const QuantParamValues& params) {
  std::vector<double> zero_points = params.zero_points;
  for (double& zero_point : zero_points) zero_point -= params.least;
  zero_points.resize(params.scales.size(), zero_points.front());
  return zero_points;
}

bool SameQuantParams(const QuantParamValues& a, const QuantParamValues& b) {
  if (a.scales != b.scales || FromTheLeast(a) != FromTheLeast(b)) return false;
  return a.per_tensor() || (a.axis == b.axis && a.block == b.block);
}

Value FloatsOf(const Tensor& integers, const QuantParamValues& params) {
  absl::StatusOr<Tensor> floats =
      InFloats(DequantizedView(integers, params), integers.shape(), DType::kFloat, nullptr);
  return floats.ok() ? Value(*std::move(floats)) : Value();
}

// A result's value in its common form; dequantized floats have no sign to change.
Value InFormOf(const RecordedSide& side, int r, const Value& value) {
  CommonForm form = side.result(r).form;
  if (!IsIntegers(value)) form.other_sign = false;
  if (!form.any()) return value;
  absl::StatusOr<Value> made = InForm(value, form);
  return made.ok() ? *std::move(made) : value;
}

}  // namespace

PairDequantizer::OneSide::OneSide(const RecordedSide& side, const RecordedSide& other)
    : side(side), other(other), graph(*side.stream, side.evaluator()), all_params(graph) {
  for (size_t r = 0; r < other.stream->results.size(); ++r) {
    const StreamResult& result = other.stream->results[r];
    if (IsFloatingPoint(result.dtype) || IsInteger(result.dtype)) {
      others.try_emplace(result.fingerprint.content, static_cast<int>(r));
    }
  }
}

const Value* PairDequantizer::OneSide::ValueOf(int r) const {
  if (const auto again = fetched.find(r); again != fetched.end()) return &again->second;
  if (const Value* kept = side.Find(r); kept != nullptr) return kept;
  // A value that both sides share is kept once, in the left's form.
  const StreamResult& result = graph.result(r);
  const auto same = others.find(result.fingerprint.content);
  if (same == others.end()) return nullptr;
  const Value* kept = other.Find(same->second);
  return kept != nullptr && kept->is_tensor() && kept->tensor().dtype() == result.dtype ? kept
                                                                                        : nullptr;
}

absl::Status PairDequantizer::OneSide::Fetch(absl::Span<const int> results, absl::string_view run,
                                             const PairValues::Watch& watch) {
  std::vector<bool> wanted(side.stream->results.size());
  for (const int r : results) {
    const QuantParams& params = *all_params.of(r);
    for (const int number : {params.scale, params.zero_point}) {
      if (number != kNone && ValueOf(number) == nullptr) wanted[Index(number)] = true;
    }
  }
  return VisitAgain(side, run, watch, wanted, [&](int r, const Value& value) {
    fetched.emplace(r, value);
    return absl::OkStatus();
  });
}

std::optional<QuantParamValues> PairDequantizer::OneSide::QuantParamsOf(int r,
                                                                        const Value& value) const {
  const std::optional<QuantParams>& params = all_params.of(r);
  if (!params.has_value()) return std::nullopt;
  const Value* scale = ValueOf(params->scale);
  const Value* zero_point = params->zero_point == kNone ? nullptr : ValueOf(params->zero_point);
  if (scale == nullptr || (params->zero_point != kNone && zero_point == nullptr))
    return std::nullopt;
  return ValuesOf(*params, value.tensor(), scale, zero_point);
}

bool PairDequantizer::MayStandForOthers(const ResultPair& pair) const {
  const auto is_integers = [](const StreamResult& result) {
    return result.shape.has_value() && IsInteger(result.dtype);
  };
  return !sides_.left.stream->recorded && !sides_.right.stream->recorded &&
         is_integers(sides_.left.result(pair.left)) && is_integers(sides_.right.result(pair.right));
}

absl::Status PairDequantizer::Fetch(absl::Span<const ResultPair> pairs,
                                    const PairValues::Watch& watch) {
  PerSide<std::vector<int>> results;
  for (const ResultPair& pair : pairs) {
    if (!MayStandForOthers(pair)) continue;
    for (const SideId side : kBothSides) {
      if (known_[side] != nullptr) continue;
      known_[side] = std::make_unique<OneSide>(sides_[side], sides_[Other(side)]);
    }
    if (!known_.left->all_params.of(pair.left).has_value() ||
        !known_.right->all_params.of(pair.right).has_value()) {
      continue;
    }
    results.left.push_back(pair.left);
    results.right.push_back(pair.right);
  }
  for (const SideId side : kBothSides) {
    if (results[side].empty()) continue;
    OC_RETURN_IF_ERROR(
        known_[side]->Fetch(results[side], absl::StrCat(SideName(side), " again"), watch));
  }
  return absl::OkStatus();
}

std::pair<Value, Value> PairDequantizer::Comparable(const ResultPair& pair, const Value& left,
                                                    const Value& right) {
  const auto in_forms = [&](const Value& a, const Value& b) {
    return std::pair(InFormOf(sides_.left, pair.left, a), InFormOf(sides_.right, pair.right, b));
  };
  if (!MayStandForOthers(pair)) return in_forms(left, right);
  const std::optional<QuantParamValues> ours = known_.left->QuantParamsOf(pair.left, left);
  const std::optional<QuantParamValues> theirs = known_.right->QuantParamsOf(pair.right, right);
  const DType left_type = left.tensor().dtype();
  const DType right_type = right.tensor().dtype();
  const bool known = ours.has_value() && theirs.has_value();
  const bool as_wide = left_type == right_type || WithOtherSign(left_type) == right_type;
  if (known && !(as_wide && SameQuantParams(*ours, *theirs))) {
    const Value a = FloatsOf(left.tensor(), *ours);
    const Value b = FloatsOf(right.tensor(), *theirs);
    if (!a.empty() && !b.empty()) return in_forms(a, b);
  }
  return in_forms(left, right);
}

}  // namespace onnxcmp
