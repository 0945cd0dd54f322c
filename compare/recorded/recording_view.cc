#include "compare/recorded/recording_view.h"

#include "compare/alignment/recorded_reach.h"
#include "record/streams/fingerprint.h"
#include "record/streams/result_names.h"

namespace onnxcmp {

RecordingView::RecordingView(const PerSide<RecordedSide>& sides)
    : sides_(sides),
      side_(sides.right.stream->recorded ? SideId::kRight : SideId::kLeft),
      graph_(*other().stream, other().side == nullptr ? nullptr : other().evaluator()),
      layers_(*other().stream) {
  for (const StreamResult& result : model().results) {
    if (result.kind == ResultKind::kOutput) output_names_.insert(result.name);
  }
}

void RecordingView::Take(const Alignment& settled) {
  settled_ = &settled;
  rows_.assign(own().results.size(), nullptr);
  for (const AlignedRow& row : settled.rows) {
    if (row.paired()) rows_[Index(OfSide(row, side_).back())] = &row;
  }
  beside_.clear();
  for (const DerivedResult& derived : settled.derived) beside_.insert(derived.result);
}

bool RecordingView::Stays(int r) const {
  const AlignedRow* const row = RowOf(r);
  return row != nullptr && (Has(row->marks, Mark::kGiven) || Has(row->marks, Mark::kEntry));
}

bool RecordingView::IsNearPartner(int r) const {
  return partner(r) != kNone && AreNear(own(r), model(partner(r)));
}

bool RecordingView::IsNameOf(int r, int m) const {
  return FullName(own(r)) == FullName(model(m)) || output_names_.contains(own(r).name);
}

bool RecordingView::IsOpen(int r) const {
  if (Stays(r) || IsBeside(r)) return false;
  return partner(r) == kNone || (!IsNearPartner(r) && !IsNameOf(r, partner(r)));
}

bool TellsAsFloats(const StreamResult& result) {
  return result.shape.has_value() && result.fingerprint.rich && result.fingerprint.finite &&
         result.fingerprint.kind == ElementKind::kFloat && result.fingerprint.size > kHandful;
}

}  // namespace onnxcmp
