#include "compare/recorded/pair_recording.h"

#include <iterator>
#include <memory>
#include <utility>

#include "compare/alignment/settle.h"
#include "compare/recorded/before_layers.h"
#include "compare/recorded/entries.h"
#include "compare/recorded/frame.h"
#include "compare/recorded/inside_nodes.h"
#include "compare/recorded/integers.h"
#include "compare/recorded/kept_as_integers.h"
#include "compare/recorded/names_and_values.h"
#include "compare/recorded/order.h"
#include "compare/recorded/recording_view.h"
#include "compare/recorded/slices.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

using Proposer = absl::StatusOr<std::vector<Claim>> (*)(const RecordingView& view,
                                                        PairingRuns& runs);

// Each rule, or the rules that one file decides, sees what is settled of those above it. The rule
// "layouts" comes before the aligner: it changes what the results look like (layouts.h).
constexpr Proposer kProposers[] = {
    ClaimEntries,           // a recorded result is one entry of a batch
    ClaimByNamesAndValues,  // the result that a name means; near values; places
    ClaimInsideNodes,       // a step inside of an operator, a part of a constant
    ClaimBeforeLayers,      // before a folded normalization or an activation
    ClaimKeptAsIntegers,    // floats that the model has as integers alone
    ClaimIntegers,          // integers that stand for floats of the model
    ClaimSlices,            // one of equal parts along an axis
    ClaimInFrame,           // the model run on what was recorded
};

}  // namespace

absl::StatusOr<Alignment> PairRecording(const PerSide<RecordedSide>& sides,
                                        const Alignment& aligned, std::vector<Claim> claims,
                                        PairingRuns& runs) {
  const ResultStream& left = *sides.left.stream;
  const ResultStream& right = *sides.right.stream;
  Alignment settled = Settle(aligned, &claims, left, right).alignment;
  RecordingView view(sides);
  for (const Proposer propose : kProposers) {
    view.Take(settled);
    OC_ASSIGN_OR_RETURN(std::vector<Claim> proposed, propose(view, runs));
    if (proposed.empty()) continue;
    claims.insert(claims.end(), std::make_move_iterator(proposed.begin()),
                  std::make_move_iterator(proposed.end()));
    settled = Settle(aligned, &claims, left, right).alignment;
  }
  settled.claims = std::make_shared<const std::vector<Claim>>(std::move(claims));
  return InOrderOfModel(sides, std::move(settled));
}

}  // namespace onnxcmp
