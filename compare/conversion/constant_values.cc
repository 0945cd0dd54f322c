#include "compare/conversion/constant_values.h"

#include <utility>

namespace onnxcmp {

ConstantValues::ConstantValues(const RecordedSide& side, const SideGraph& graph)
    : side_(side), graph_(graph), fixed_(graph.FixedResults()) {}

const Value& ConstantValues::Of(int r) {
  // Without recursion: constants may be computed by a chain of any length.
  std::vector<int> open = {r};
  while (!open.empty()) {
    const int now = open.back();
    const size_t before = open.size();
    if (!IsKnown(now) && IsFixed(now) && graph_.producer(now) != kNone) {
      for (const int read : graph_.Reads(graph_.producer(now))) {
        if (!IsKnown(read)) open.push_back(read);
      }
    }
    if (open.size() > before) continue;
    open.pop_back();
    if (!IsKnown(now)) values_.emplace(now, Computed(now));
  }
  return Known(r);
}

bool ConstantValues::IsKnown(int r) const { return values_.contains(r) || !Known(r).empty(); }

const Value& ConstantValues::Known(int r) const {
  if (const Value* kept = side_.Find(r); kept != nullptr && IsFixed(r)) return *kept;
  const auto it = values_.find(r);
  return it == values_.end() ? unknown_ : it->second;
}

Value ConstantValues::Computed(int r) const {
  const int n = graph_.producer(r);
  if (!IsFixed(r) || n == kNone) return Value();
  for (const int read : graph_.Reads(n)) {
    if (Known(read).empty()) return Value();
  }
  absl::StatusOr<std::vector<Value>> outputs =
      graph_.Run(n, [&](int read) -> const Value& { return Known(read); });
  const auto slot = static_cast<size_t>(graph_.result(r).slot);
  return outputs.ok() && slot < outputs->size() ? std::move((*outputs)[slot]) : Value();
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
