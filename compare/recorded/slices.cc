#include "compare/recorded/slices.h"

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "compare/recorded/entries.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/tensor.h"
#include "record/base/work_bounds.h"

namespace onnxcmp {
namespace {

// The axis along which `whole` has several times as much; nothing if it is not the only one that
// differs.
std::optional<size_t> SlicedAxis(const Shape& own, const Shape& whole) {
  if (own.size() != whole.size()) return std::nullopt;
  std::optional<size_t> axis;
  for (size_t i = 0; i < own.size(); ++i) {
    if (own[i] == whole[i]) continue;
    if (axis.has_value() || own[i] <= 0 || whole[i] % own[i] != 0) return std::nullopt;
    axis = i;
  }
  return axis;
}

// The first index of the part that agrees; nothing: none does.
std::optional<int64_t> StartOf(const Tensor& own, const Tensor& whole, size_t axis) {
  const absl::StatusOr<Tensor> all = whole.Contiguous();
  if (!all.ok()) return std::nullopt;
  for (int64_t start = 0; start < whole.shape()[axis]; start += own.shape()[axis]) {
    const int64_t offset = all->offset() + start * all->strides()[axis];
    if (AgreesWithPart(own, all->Strided(own.shape(), all->strides(), offset))) return start;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<std::vector<Claim>> ClaimSlices(const RecordingView& view, PairingRuns& runs) {
  const SideId side = view.side();
  std::vector<ResultPair> pairs;
  for (size_t i = 0; i < view.own().results.size(); ++i) {
    const auto r = static_cast<int>(i);
    if (view.partner(r) != kNone || view.IsBeside(r) || !TellsAsFloats(view.own(r))) continue;
    for (const int m : view.graph().results()) {
      if (pairs.size() >= work_bounds::kManyCandidates) break;
      if (!view.graph().IsComputed(m) || !TellsAsFloats(view.model(m)) ||
          !SlicedAxis(*view.own(r).shape, *view.model(m).shape).has_value()) {
        continue;
      }
      ResultPair& pair = pairs.emplace_back();
      OfSide(pair, side) = r;
      OfSide(pair, Other(side)) = m;
    }
  }
  std::vector<Claim> claims;
  OC_RETURN_IF_ERROR(runs.ForEach(pairs, [&](size_t i, const Value& left, const Value& right) {
    const Value& own = side == SideId::kLeft ? left : right;
    const Value& whole = side == SideId::kLeft ? right : left;
    if (!own.is_tensor() || !whole.is_tensor()) return absl::OkStatus();
    const std::optional<size_t> axis = SlicedAxis(own.tensor().shape(), whole.tensor().shape());
    if (!axis.has_value()) return absl::OkStatus();
    const std::optional<int64_t> start = StartOf(own.tensor(), whole.tensor(), *axis);
    if (!start.has_value()) return absl::OkStatus();
    claims.push_back(
        ClaimOf(Rule::kSlices, side, OfSide(pairs[i], side), OfSide(pairs[i], Other(side))));
    claims.back().how = absl::StrCat("a slice along axis ", *axis, ", from ", *start);
    return absl::OkStatus();
  }));
  return claims;
}

}  // namespace onnxcmp
