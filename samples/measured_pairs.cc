#include "samples/measured_pairs.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "evaluator/base/status_macros.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

bool HasNumbers(const StreamResult& result) {
  return result.dtype != DType::kUndefined && result.dtype != DType::kString;
}

}  // namespace

MeasuredPairs::MeasuredPairs(const PerSide<Side*>& sides, const Comparison& comparison)
    : sides_(sides), streams_{&comparison.left, &comparison.right} {
  PerSide<std::vector<bool>> fixed;
  for (const SideId side : kBothSides) {
    const Side& one = *sides[side];
    graphs_[side] =
        std::make_unique<SideGraph>(*streams_[side], one.evaluator(), one.node_runner());
    params_[side] = std::make_unique<QuantParamsByResult>(*graphs_[side]);
    wanted_[side].resize(streams_[side]->results.size());
    fixed[side] = graphs_[side]->FixedResults();
  }
  for (const ComparedRow& row : comparison.rows) {
    if (!row.aligned.paired()) continue;
    const ResultPair pair = {row.aligned.left.back(), row.aligned.right.back()};
    const StreamResult& left = streams_.left->results[Index(pair.left)];
    const StreamResult& right = streams_.right->results[Index(pair.right)];
    if (right.kind != ResultKind::kResult || left.kind == ResultKind::kOutput) continue;
    if (fixed.right[Index(pair.right)] || fixed.left[Index(pair.left)]) continue;
    if (!HasNumbers(left) || !HasNumbers(right)) continue;
    if (Has(row.aligned.marks, Mark::kTransposed) || Has(row.aligned.marks, Mark::kEntry)) {
      ++left_out_;
      continue;
    }
    layers_.push_back(pair);
  }
  if (comparison.quantization.has_value()) AddQuantized(*comparison.quantization);
  std::stable_sort(layers_.begin(), layers_.end(),
                   [](const ResultPair& a, const ResultPair& b) { return a.right < b.right; });
  for (const OutputPair& output : comparison.outputs.pairs) {
    if (!output.recorded) outputs_.push_back({output.left_result, output.right_result});
  }
  for (const std::vector<ResultPair>* pairs : {&layers_, &outputs_}) {
    for (const ResultPair& pair : *pairs) {
      Want(SideId::kLeft, pair.left);
      Want(SideId::kRight, pair.right);
    }
  }
}

// Layers whose rounded form has no row: a Relu that the range does, an input.
void MeasuredPairs::AddQuantized(const QuantizationReport& report) {
  absl::flat_hash_set<int> known;
  for (const ResultPair& pair : layers_) known.insert(OfSide(pair, report.side));
  for (const QuantizedLayer& layer : report.layers) {
    if (layer.partner == kNone || known.contains(layer.result)) continue;
    if (layer.dequantized != kNone && known.contains(layer.dequantized)) continue;
    ResultPair pair;
    OfSide(pair, report.side) = layer.dequantized == kNone ? layer.result : layer.dequantized;
    OfSide(pair, Other(report.side)) = layer.partner;
    layers_.push_back(pair);
  }
}

void MeasuredPairs::Want(SideId side, int result) {
  if (result == kNone) return;
  wanted_[side][Index(result)] = true;
  const std::optional<QuantParams>& params = params_[side]->of(result);
  if (!params.has_value() || !IsInteger(streams_[side]->results[Index(result)].dtype)) return;
  for (const int needed : {params->scale, params->zero_point}) {
    if (needed != kNone) wanted_[side][Index(needed)] = true;
  }
}

absl::StatusOr<MeasuredPairs::Values> MeasuredPairs::Run(SideId side,
                                                         const PairValues::Watch& watch) const {
  Values values;
  // A runtime gives results of the feeds that it has recorded.
  if (sides_[side]->node_runner() != nullptr) {
    const auto take = [&](int result, const StreamResult& /*made*/, const Value& value) {
      if (Index(result) < wanted_[side].size() && wanted_[side][Index(result)]) {
        values[result] = graphs_[side]->FromModel(result, value);
      }
      return absl::OkStatus();
    };
    sides_[side]->Record({.max_depth = 0, .glance = true}, take);
    OC_RETURN_IF_ERROR(sides_[side]->summary().status);
    return values;
  }
  const RecordedSide recorded = {.side = sides_[side], .stream = streams_[side]};
  OC_RETURN_IF_ERROR(VisitAgain(recorded, SideName(side), watch, wanted_[side],
                                [&](int result, const Value& value) {
                                  values[result] = graphs_[side]->FromModel(result, value);
                                  return absl::OkStatus();
                                }));
  return values;
}

std::optional<DequantizedView> MeasuredPairs::RealsOf(SideId side, int result,
                                                      const Values& values) const {
  const auto value_of = [&](int r) -> const Value* {
    const auto it = r == kNone ? values.end() : values.find(r);
    return it == values.end() ? nullptr : &it->second;
  };
  const Value* value = value_of(result);
  if (value == nullptr || !IsMeasurable(*value)) return std::nullopt;
  const Tensor& tensor = value->tensor();
  const std::optional<QuantParams>& params = params_[side]->of(result);
  if (!IsInteger(tensor.dtype()) || !params.has_value()) return DequantizedView(tensor);
  std::optional<QuantParamValues> numbers =
      ValuesOf(*params, tensor, value_of(params->scale), value_of(params->zero_point));
  return numbers.has_value() ? DequantizedView(tensor, *std::move(numbers))
                             : DequantizedView(tensor);
}

}  // namespace onnxcmp
