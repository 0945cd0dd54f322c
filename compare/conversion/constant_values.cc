#include "compare/conversion/constant_values.h"

namespace onnxcmp {

ConstantValues::ConstantValues(const RecordedSide& side, const SideGraph& graph)
    : side_(side), graph_(graph), fixed_(graph.FixedResults()) {}

const Value& ConstantValues::Of(int r) {
  if (const Value* kept = side_.bank->Find(r); kept != nullptr && IsFixed(r)) return *kept;
  const auto [it, is_new] = values_.try_emplace(r);
  Value& value = it->second;  // stays where it is while others are added
  const int n = graph_.producer(r);
  if (!is_new || !IsFixed(r) || n == kNone) return value;
  for (const int read : graph_.Reads(n)) {
    if (Of(read).empty()) return value;
  }
  const absl::StatusOr<std::vector<Value>> outputs =
      graph_.Run(n, [&](int read) -> const Value& { return Of(read); });
  const auto slot = static_cast<size_t>(graph_.result(r).slot);
  if (outputs.ok() && slot < outputs->size()) value = (*outputs)[slot];
  return value;
}

std::optional<QuantParamValues> ConstantValues::ParamsOf(int r, const QuantParams& params) {
  const StreamResult& result = graph_.result(r);
  if (!result.shape.has_value() || !IsFixed(params.scale) ||
      (params.zero_point != kNone && !IsFixed(params.zero_point))) {
    return std::nullopt;
  }
  return ValuesOf(params, result.dtype, *result.shape, &Of(params.scale),
                  params.zero_point == kNone ? nullptr : &Of(params.zero_point));
}

}  // namespace onnxcmp
