// The stages 2 to 14 of an alignment, from certain pairs to likely ones. docs/alignment.md explains
// each with an example; weights.h has their thresholds.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_STAGES_H_
#define ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_STAGES_H_

#include "compare/alignment/alignment_index.h"
#include "compare/alignment/claim_log.h"
#include "compare/alignment/pair_queue.h"
#include "compare/alignment/pair_score.h"
#include "compare/alignment/pairing.h"
#include "compare/alignment/rules.h"
#include "compare/alignment/value_evidence.h"

namespace onnxcmp {

class AlignmentStages {
 public:
  // The evidence is stage 1: its near lists are complete.
  // `log` may be null.
  AlignmentStages(Pairing& pairing, ValueEvidence& evidence, ClaimLog* log);

  void Run();

 private:
  // Stage 2, inputs: equal content and name, then equal content.
  void PairInputs();
  // Stage 4, anchors: rich contents that occur once on either side.
  void PairAnchors();
  // Stage 5, surroundings: neighbours of all pairs, poor contents that occur once, near results.
  void PairSurroundings();
  // Stage 6, groups: results that share a content, without leaves.
  void PairGroups();
  // Stage 7, near: all unpaired results that are near each other.
  void PairNearOnes();
  // Stage 8, elements: the same bits in another shape, then the same elements in another order;
  void PairEqualElements();
  // then the same moments.
  void PairEqualMoments();
  // Stage 9, inputs by name: inputs that were fed different values, so that only their names match,
  // as long as no value contradicts.
  void PairInputsByName();
  // Stage 10, structure: neighbours of all pairs, whose values may be apart; near results.
  void PairStructure();
  // Stage 11, leaves and copies: both may be mixed with others now.
  void PairLeavesAndCopies();
  // Stage 12, settling: structure, where a rival counts only if its whole score is no less.
  void Settle();
  // Stage 13, gaps: results that lie alone between the same pairs.
  void PairGaps();
  // Stage 14, resized: the same graph with another batch size or a longer sequence. Sizes differ,
  // so operators and inputs decide.
  void PairResized();

  // Queues contents that occur once on either side.
  void PushUniqueContents(bool poor_too);
  // Queues the i-th free result of a content with the i-th: first within an iteration, then
  // overall.
  void PushEqualGroups(bool leaves_too);
  // Queues near candidates of all unpaired results until no new pair appears.
  void PairNear(const PairRule& rule);

  Pairing& pairing_;
  const AlignmentIndex& index_;
  ValueEvidence& evidence_;
  PairQueue queue_;
};

// Stage 3, output rows: paired with output rows alone. This does not pair their sources.
void PairOutputRows(Pairing& pairing, const ValueEvidence& evidence);

// Pairs by structure, spreading from existing pairs, in at most three rounds: stages 10 to 14.
void SpreadStructure(Pairing& pairing, PairQueue& queue, Scoring scoring, Rule rule);

// Stage 13, gaps: results that lie alone between the same pairs.
void PairGaps(Pairing& pairing, const ValueEvidence& evidence, PairQueue& queue);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_STAGES_H_
