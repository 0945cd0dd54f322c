#include "compare/quantization/side_values.h"

#include <algorithm>
#include <utility>

#include "evaluator/base/status_macros.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {

SideValues::SideValues(const RecordedSide& side, const ThreadPool* pool)
    : graph_(*side.stream, side.side->evaluator()),
      params_(graph_),
      values_(side.stream->results.size()),
      fixed_(graph_.FixedResults()),
      pool_(pool) {}

absl::StatusOr<std::unique_ptr<SideValues>> SideValues::Get(const RecordedSide& side,
                                                            absl::string_view run,
                                                            const PairValues::Watch& watch,
                                                            const ThreadPool* pool) {
  std::unique_ptr<SideValues> values(new SideValues(side, pool));
  std::vector<bool> wanted(values->values_.size());
  for (const int r : values->graph_.results()) wanted[Index(r)] = true;
  OC_RETURN_IF_ERROR(VisitValues(side, run, watch, wanted, [&](int r, const Value& value) {
    values->values_[Index(r)] = value;
    return absl::OkStatus();
  }));
  return values;
}

std::optional<QuantParamValues> SideValues::QuantParamsOf(
    int r, const std::optional<QuantParams>& params) const {
  if (!params.has_value() || !value(r).is_tensor()) return std::nullopt;
  return ValuesOf(*params, value(r).tensor(), &value(params->scale),
                  params->zero_point == kNone ? nullptr : &value(params->zero_point));
}

std::optional<DequantizedView> SideValues::RealsOf(int r, const Value& value) const {
  if (!IsMeasurable(value)) return std::nullopt;
  if (IsFloatingPoint(value.tensor().dtype())) return DequantizedView(value.tensor());
  std::optional<QuantParamValues> params = QuantParamsOf(r);
  if (!params.has_value() || value.tensor().shape() != this->value(r).tensor().shape()) {
    return std::nullopt;
  }
  return DequantizedView(value.tensor(), *std::move(params));
}

Value SideValues::InFormOf(int r, const DequantizedView& reals) const {
  const StreamResult& known = graph_.result(r);
  if (!known.shape.has_value() || known.fingerprint.size != reals.size()) return Value();
  if (IsInteger(known.dtype)) {
    const std::optional<QuantParamValues> params = QuantParamsOf(r);
    if (!params.has_value()) return Value();
    absl::StatusOr<Tensor> integers = Quantized(reals, *known.shape, known.dtype, *params, pool_);
    return integers.ok() ? Value(*std::move(integers)) : Value();
  }
  if (!IsFloatingPoint(known.dtype)) return Value();
  if (!reals.params().has_value() && reals.tensor().dtype() == known.dtype &&
      reals.tensor().is_contiguous()) {
    return Value(reals.tensor().Reshaped(*known.shape));
  }
  absl::StatusOr<Tensor> floats = InFloats(reals, *known.shape, known.dtype, pool_);
  return floats.ok() ? Value(*std::move(floats)) : Value();
}

}  // namespace onnxcmp
