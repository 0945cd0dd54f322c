#include "compare/recorded/entries.h"

#include <algorithm>
#include <cstddef>

#include "evaluator/base/status_macros.h"
#include "record/base/per_side.h"
#include "record/base/work_bounds.h"
#include "record/differences/precision.h"
#include "record/differences/tensor_difference.h"

namespace onnxcmp {
namespace {

Shape WithoutUnitsAfter(const Shape& shape, size_t first) {
  Shape rest;
  for (size_t i = first; i < shape.size(); ++i) {
    if (shape[i] != 1) rest.push_back(shape[i]);
  }
  return rest;
}

bool MayBeEntry(const StreamResult& entry, const StreamResult& batch) {
  return entry.shape.has_value() && batch.shape.has_value() && batch.shape->size() > 1 &&
         (*batch.shape)[0] > 1 && IsFloatingPoint(entry.dtype) && IsFloatingPoint(batch.dtype) &&
         batch.kind != ResultKind::kInitializer &&
         WithoutUnitsAfter(*entry.shape, 0) == WithoutUnitsAfter(*batch.shape, 1);
}

// True if the numbers are those of one of the entries.
bool IsEntry(const Tensor& entry, const Tensor& batch) {
  const absl::StatusOr<Tensor> whole = batch.Contiguous();
  if (!whole.ok()) return false;
  const Shape shape(batch.shape().begin() + 1, batch.shape().end());
  const absl::Span<const int64_t> strides = whole->strides();
  for (int64_t k = 0; k < batch.shape()[0]; ++k) {
    const int64_t offset = whole->offset() + k * strides[0];
    if (AgreesWithPart(entry, whole->Strided(shape, strides.subspan(1), offset))) return true;
  }
  return false;
}

}  // namespace

bool AgreesWithPart(const Tensor& own, const Tensor& part) {
  DifferenceOptions options;
  options.tolerance =
      DefaultTolerance(LessPrecise(PrecisionOf(own.dtype()), PrecisionOf(part.dtype())));
  return TensorDifferenceOf(own, part, options).values.agree();
}

absl::StatusOr<std::vector<Claim>> ClaimEntries(const RecordingView& view, PairingRuns& runs) {
  const Alignment& settled = view.settled();
  std::vector<ResultPair> pairs;
  std::vector<SideId> recorded;  // by pair: the side that has the entry
  for (const SideId side : kBothSides) {
    if (!view.sides()[side].stream->recorded) continue;
    const std::vector<StreamResult>& own = view.sides()[side].stream->results;
    const std::vector<StreamResult>& other = view.sides()[Other(side)].stream->results;
    for (size_t r = 0; r < own.size(); ++r) {
      if (settled.partners(side)[r] != kNone || !own[r].fingerprint.rich ||
          own[r].kind == ResultKind::kInput) {
        continue;
      }
      size_t count = 0;
      for (size_t o = 0; o < other.size() && count < work_bounds::kFewTrials &&
                         pairs.size() < work_bounds::kManyCandidates;
           ++o) {
        if (settled.partners(Other(side))[o] != kNone || !MayBeEntry(own[r], other[o]) ||
            other[o].kind == ResultKind::kOutput) {
          continue;
        }
        ++count;
        ResultPair& pair = pairs.emplace_back();
        OfSide(pair, side) = static_cast<int>(r);
        OfSide(pair, Other(side)) = static_cast<int>(o);
        recorded.push_back(side);
      }
    }
  }
  std::vector<Claim> claims;
  OC_RETURN_IF_ERROR(runs.ForEach(pairs, [&](size_t i, const Value& a, const Value& b) {
    if (!a.is_tensor() || !b.is_tensor()) return absl::OkStatus();
    const bool left_is_entry = recorded[i] == SideId::kLeft;
    if (left_is_entry ? IsEntry(a.tensor(), b.tensor()) : IsEntry(b.tensor(), a.tensor())) {
      Claim& claim = claims.emplace_back(
          ClaimOf(Rule::kEntries, SideId::kLeft, pairs[i].left, pairs[i].right));
      claim.own.reset();
    }
    return absl::OkStatus();
  }));
  return claims;
}

}  // namespace onnxcmp
