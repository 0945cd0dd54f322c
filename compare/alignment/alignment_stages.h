// The stages of an alignment, from what is certain to what is likely. docs/alignment.md tells what
// each is for.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_STAGES_H_
#define ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_STAGES_H_

#include "compare/alignment/pair_queue.h"

namespace onnxcmp {

class AlignmentStages {
 public:
  AlignmentStages(Pairing& pairing, ValueEvidence& evidence);

  // Everything up to the gaps.
  void Run();

 private:
  void PairInputs();
  void PairInputsByName();
  void PushUniqueContents(bool poor_too);
  void PushEqualGroups(bool leaves_too);
  // Offers everything unpaired what is near, drains, and again while there is something new.
  void PairNear(const PairRule& rule);
  void PairEqualElements();
  void PairEqualMoments();
  void PairStructure();
  void PairResized();
  void Drain(const PairRule& rule);

  Pairing& pairing_;
  const AlignmentIndex& index_;
  ValueEvidence& evidence_;
  PairQueue queue_;
};

// Pairs output rows with output rows. Their sources are not paired by this.
void PairOutputRows(Pairing& pairing, const ValueEvidence& evidence);

// Pairs by structure what spreads from the pairs there are, at most three times (stage 7).
void SpreadStructure(Pairing& pairing, PairQueue& queue, Scoring scoring, PairStage stage);

// Pairs what alone lies between the same pairs (stage 9).
void PairGaps(Pairing& pairing, const ValueEvidence& evidence, PairQueue& queue);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_STAGES_H_
