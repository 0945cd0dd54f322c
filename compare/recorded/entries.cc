#include "compare/recorded/entries.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "evaluator/base/status_macros.h"
#include "record/base/per_side.h"
#include "record/base/work_bounds.h"
#include "record/differences/precision.h"
#include "record/differences/tensor_difference.h"

namespace onnxcmp {
namespace {

Shape WithoutOnes(const Shape& shape, size_t first) {
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
         WithoutOnes(*entry.shape, 0) == WithoutOnes(*batch.shape, 1);
}

// True if the numbers are those of one of the slices.
bool IsEntry(const Tensor& entry, const Tensor& batch) {
  const absl::StatusOr<Tensor> whole = batch.Contiguous();
  if (!whole.ok()) return false;
  const Shape shape(batch.shape().begin() + 1, batch.shape().end());
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  const int64_t size = batch.num_elements() / batch.shape()[0];
  DifferenceOptions options;
  options.tolerance =
      DefaultTolerance(LessPrecise(PrecisionOf(entry.dtype()), PrecisionOf(batch.dtype())));
  for (int64_t k = 0; k < batch.shape()[0]; ++k) {
    const Tensor slice = whole->Strided(shape, strides, whole->offset() + k * size);
    if (TensorDifferenceOf(entry, slice, options).values.agree()) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<std::vector<AddedPair>> FindEntries(const PerSide<RecordedSide>& sides,
                                                   const Alignment& alignment, int64_t keep_values,
                                                   const PairValues::Watch& watch) {
  std::vector<ResultPair> pairs;
  std::vector<SideId> recorded;  // by pair: the side that has the entry
  for (const SideId side : kBothSides) {
    if (!sides[side].stream->recorded) continue;
    const std::vector<StreamResult>& own = sides[side].stream->results;
    const std::vector<StreamResult>& other = sides[Other(side)].stream->results;
    for (size_t r = 0; r < own.size(); ++r) {
      if (alignment.partners(side)[r] != kNone || !own[r].fingerprint.rich ||
          own[r].kind == ResultKind::kInput) {
        continue;
      }
      size_t count = 0;
      for (size_t o = 0; o < other.size() && count < work_bounds::kFewTrials &&
                         pairs.size() < work_bounds::kManyCandidates;
           ++o) {
        if (alignment.partners(Other(side))[o] != kNone || !MayBeEntry(own[r], other[o]) ||
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
  std::vector<AddedPair> found;
  PerSide<absl::flat_hash_set<int>> taken;
  PairValues values(sides, keep_values, watch);
  OC_RETURN_IF_ERROR(values.ForEach(pairs, [&](size_t i, const Value& a, const Value& b) {
    const auto [l, r] = pairs[i];
    if (taken.left.contains(l) || taken.right.contains(r) || !a.is_tensor() || !b.is_tensor()) {
      return absl::OkStatus();
    }
    const bool left_is_entry = recorded[i] == SideId::kLeft;
    if (left_is_entry ? IsEntry(a.tensor(), b.tensor()) : IsEntry(b.tensor(), a.tensor())) {
      taken.left.insert(l);
      taken.right.insert(r);
      found.push_back({l, r, Mark::kEntry});
    }
    return absl::OkStatus();
  }));
  return found;
}

}  // namespace onnxcmp
