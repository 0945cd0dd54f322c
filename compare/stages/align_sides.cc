#include "compare/stages/align_sides.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compare/alignment/claim.h"
#include "compare/alignment/settle.h"
#include "compare/recorded/pair_recording.h"
#include "compare/recorded/pairing_runs.h"
#include "evaluator/base/status_macros.h"
#include "record/streams/result_names.h"

namespace onnxcmp {
namespace {

// "LEFT=RIGHT"; names may contain '='.
absl::StatusOr<Claim> GivenPair(absl::string_view text, const PerSide<RecordedSide>& sides) {
  absl::Status first;
  for (size_t at = text.find('='); at != absl::string_view::npos; at = text.find('=', at + 1)) {
    const absl::StatusOr<int> left = FindResult(*sides.left.stream, text.substr(0, at), "left");
    const absl::StatusOr<int> right = FindResult(*sides.right.stream, text.substr(at + 1), "right");
    if (left.ok() && right.ok()) {
      Claim claim = ClaimOf(Rule::kGiven, SideId::kLeft, *left, *right);
      claim.own.reset();
      return claim;
    }
    first.Update(left.status());
    first.Update(right.status());
  }
  if (first.ok()) return absl::InvalidArgumentError(absl::StrCat("'", text, "' is not LEFT=RIGHT"));
  return first;
}

}  // namespace

absl::StatusOr<Alignment> AlignSides(const PerSide<RecordedSide>& sides,
                                     absl::Span<const std::string> given, const StepTools& tools) {
  std::vector<Claim> claims;
  for (const std::string& text : given) {
    OC_ASSIGN_OR_RETURN(Claim claim, GivenPair(text, sides));
    claims.push_back(std::move(claim));
  }
  const ResultStream& left = *sides.left.stream;
  const ResultStream& right = *sides.right.stream;
  Alignment aligned = Align(left, right);
  if (left.recorded || right.recorded) {
    PairingRuns runs(sides, tools.keep_values, tools.watch);
    OC_ASSIGN_OR_RETURN(Alignment paired, PairRecording(sides, aligned, std::move(claims), runs));
    if (tools.timings != nullptr) tools.timings->pairing_runs += runs.runs();
    return paired;
  }
  if (claims.empty()) return aligned;
  return Settle(aligned, &claims, left, right).alignment;
}

}  // namespace onnxcmp
