#include "compare/recorded/evidence.h"

#include <cstddef>

#include "absl/algorithm/container.h"
#include "compare/alignment/recorded_reach.h"
#include "record/streams/downstream.h"
#include "record/streams/fingerprint.h"

namespace onnxcmp {

RecordedEvidence::RecordedEvidence(const ResultStream& recording, const ResultStream& model,
                                   const std::vector<int>& partners)
    : recording_(recording), model_(model), partners_(partners) {
  for (size_t r = 0; r < partners_.size(); ++r) {
    const int m = partners_[r];
    if (m == kNone || recording_.results[r].kind == ResultKind::kOutput) continue;
    if (AreNear(recording_.results[r], model_.results[Index(m)])) {
      agreeing_[m].push_back(static_cast<int>(r));
    } else {
      disagreeing_.insert(m);
    }
  }
}

// A result does not speak for itself, nor does one that repeats it.
bool RecordedEvidence::IsOther(int agreeing, int recorded) const {
  return agreeing != recorded && recording_.results[Index(agreeing)].fingerprint.content !=
                                     recording_.results[Index(recorded)].fingerprint.content;
}

bool RecordedEvidence::Agrees(int result, int recorded) const {
  const auto it = agreeing_.find(result);
  return it != agreeing_.end() &&
         absl::c_any_of(it->second, [&](int other) { return IsOther(other, recorded); });
}

bool RecordedEvidence::Confirms(int result, int recorded) const {
  if (Agrees(result, recorded)) return true;
  if (disagreeing_.contains(result) && partners_[Index(recorded)] != result) return false;
  const std::vector<bool> behind = Behind({result}, model_);
  const auto is_behind = [&](int other) { return behind[Index(other)]; };
  return absl::c_none_of(disagreeing_, is_behind) &&
         absl::c_any_of(agreeing_, [&](const auto& one) {
           return is_behind(one.first) && Agrees(one.first, recorded);
         });
}

}  // namespace onnxcmp
