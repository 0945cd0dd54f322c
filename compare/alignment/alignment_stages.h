// The stages 2 to 14 of an alignment, from what is certain to what is likely. docs/alignment.md
// tells what each is for, with an example; weights.h has what it asks of a pair.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_STAGES_H_
#define ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_STAGES_H_

#include "compare/alignment/alignment_index.h"
#include "compare/alignment/pair_queue.h"
#include "compare/alignment/pair_score.h"
#include "compare/alignment/pairing.h"
#include "compare/alignment/value_evidence.h"

namespace onnxcmp {

class AlignmentStages {
 public:
  // The evidence is stage 1: its near lists are there.
  AlignmentStages(Pairing& pairing, ValueEvidence& evidence);

  void Run();

 private:
  // Stage 2, inputs: equal content and name, then equal content.
  void PairInputs();
  // Stage 4, anchors: rich contents that occur once on either side.
  void PairAnchors();
  // Stage 5, surroundings: neighbours of all pairs, poor contents that occur once, near ones.
  void PairSurroundings();
  // Stage 6, groups: results that share a content, but leaves.
  void PairGroups();
  // Stage 7, near: everything unpaired and near.
  void PairNearOnes();
  // Stage 8, elements: the same bits in another shape, then the same elements in another order;
  void PairEqualElements();
  // then the same moments.
  void PairEqualMoments();
  // Stage 9, inputs by name: those that were fed with other values, of which a name is all there
  // is, as long as no value says otherwise.
  void PairInputsByName();
  // Stage 10, structure: neighbours of all pairs, whose values may be apart; near ones.
  void PairStructure();
  // Stage 11, leaves and copies: both may be mixed with others now.
  void PairLeavesAndCopies();
  // Stage 12, settling: structure, where a rival counts only if its whole score is no less.
  void Settle();
  // Stage 13, gaps: what alone lies between the same pairs.
  void PairGaps();
  // Stage 14, resized: the same graph on another batch or a longer sequence. Sizes differ,
  // operators and inputs tell.
  void PairResized();

  // Offers contents that occur once on either side.
  void PushUniqueContents(bool poor_too);
  // Offers the i-th of what is left of a content with the i-th: first within an iteration, then at
  // all.
  void PushEqualGroups(bool leaves_too);
  // Offers everything unpaired what is near, drains, and again while there is something new.
  void PairNear(const PairRule& rule);

  Pairing& pairing_;
  const AlignmentIndex& index_;
  ValueEvidence& evidence_;
  PairQueue queue_;
};

// Stage 3, output rows: with output rows alone. Their sources are not paired by this.
void PairOutputRows(Pairing& pairing, const ValueEvidence& evidence);

// Pairs by structure what spreads from the pairs there are, at most three times: stages 10 to 14.
void SpreadStructure(Pairing& pairing, PairQueue& queue, Scoring scoring, PairStage stage);

// Stage 13, gaps: what alone lies between the same pairs.
void PairGaps(Pairing& pairing, const ValueEvidence& evidence, PairQueue& queue);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_STAGES_H_
