#include "compare/recorded/pairing_runs.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

constexpr int kMostRuns = 96;
constexpr int64_t kMostWork = int64_t{8} << 30;  // bytes of results that all runs give
constexpr int64_t kMostHeld = int64_t{2} << 30;  // bytes of values held at a time

}  // namespace

PairingRuns::PairingRuns(const PerSide<RecordedSide>& sides, int64_t keep_values,
                         PairValues::Watch watch)
    : sides_(sides), keep_values_(keep_values), watch_(std::move(watch)) {
  int64_t bytes = 1;
  for (const SideId side : kBothSides) {
    if (!sides[side].stream->recorded) bytes = std::max(bytes, ComputedBytes(*sides[side].stream));
  }
  most_runs_ = static_cast<int>(std::min<int64_t>(kMostRuns, kMostWork / bytes));
}

absl::StatusOr<PerSide<ValuesOfResults>> PairingRuns::Values(
    const PerSide<std::vector<int>>& wanted) {
  PerSide<ValuesOfResults> values;
  PerSide<std::vector<bool>> is_wanted;
  int64_t held = 0;
  for (const SideId side : kBothSides) {
    is_wanted[side].resize(sides_[side].stream->results.size());
    for (const int r : wanted[side]) {
      if (!is_wanted[side][Index(r)]) held += AboutBytes(sides_[side].result(r));
      is_wanted[side][Index(r)] = true;
    }
  }
  if (held > kMostHeld) return values;
  for (const SideId side : kBothSides) {
    if (!wanted[side].empty()) ++runs_;
    OC_RETURN_IF_ERROR(VisitAgain(sides_[side], absl::StrCat(SideName(side), " again"), watch_,
                                  is_wanted[side], [&](int r, const Value& value) {
                                    values[side][r] = value;
                                    return absl::OkStatus();
                                  }));
  }
  return values;
}

absl::Status PairingRuns::ForEach(absl::Span<const ResultPair> pairs, PairValues::Visitor visit) {
  if (pairs.empty()) return absl::OkStatus();
  ++runs_;
  return PairValues(sides_, keep_values_, watch_).ForEach(pairs, visit);
}

void PairingRuns::Replay(WholeReplay& replay) {
  ++runs_;
  replay.Run();
}

}  // namespace onnxcmp
