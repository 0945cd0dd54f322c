// Stage 18, rows: their order and their marks.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_ROWS_H_
#define ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_ROWS_H_

#include <cstdint>
#include <vector>

#include "compare/alignment/alignment.h"
#include "compare/alignment/alignment_merging.h"
#include "compare/alignment/alignment_regions.h"
#include "compare/alignment/pairing.h"
#include "compare/alignment/value_evidence.h"

namespace onnxcmp {

// Pairs that are out of the order of most pairs.
struct Moves {
  std::vector<uint8_t> moved;  // by left result
  bool reordered = false;
};
Moves FindMoves(const Pairing& pairing);

// Decisions about pairs, to be turned into rows.
struct PairedStreams {
  const Pairing& pairing;
  const ValueEvidence& evidence;
  const SharedPartners& shared;
  const Regions& regions;
  const Moves& moves;
};

// Sets rows, partners and `reordered`. With `mirrored` the sides change places: the left of
// `streams` is the right of the alignment.
Alignment MakeRows(const PairedStreams& streams, bool mirrored);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_ROWS_H_
