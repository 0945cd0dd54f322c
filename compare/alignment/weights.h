// All weights and thresholds of the alignment, stage by stage as docs/alignment.md numbers them.
//
// Units. *Points* are what scores are added up from: a pair's values give -6 to 9 of them, its
// producers -1.5 to 3, its uses -0.5 to 2, its labels -0.5 to 0.35. A *distance* is one of two
// sketches, relative to the size of the elements: 0 for the same bits, 2e-7 for a sum of floats in
// another order, 1e-3 for float16, about 1 for values that have nothing to do with each other.
// Counts of what is looked at keep the cost near-linear.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_WEIGHTS_H_
#define ONNXCMP_COMPARE_ALIGNMENT_WEIGHTS_H_

#include <cstddef>
#include <cstdint>

namespace onnxcmp::weights {

// Evidence of values (value_evidence), points.

// The same content. No nearness, however near, is worth as much.
inline constexpr double kEqualContent = 8;
// More if the content is rich: zeros and shapes are equal by chance.
inline constexpr double kRichContent = 1;
// Less for each doubling of how many pairs the results of that content could make, and at most: it
// says less of each of them.
inline constexpr double kRepeatedContent = 0.5;
inline constexpr double kMostRepeatedContent = 2.5;
// Near values: this, and half a point for each decimal place that agrees. So 1e-3 is worth 4.5, and
// equal but for the last place of a float (1e-7) 6.5: less than equal, more than any structure.
inline constexpr double kNearValues = 3;
inline constexpr double kPlaceOfNear = 0.5;
// Less for poor ones: small counts are near each other by chance.
inline constexpr double kPoorNear = 1.5;
// Values within sight of each other: two points for each decimal place, and this less, so that the
// points pass 0 at a distance of 0.3.
inline constexpr double kPlaceOfFar = 2;
inline constexpr double kFarValues = 1;
// Beyond kOutOfSight there is nothing to measure.
inline constexpr double kUnlikeValues = -2;
// Other sizes: never the same quantity, but for the same model at another size.
inline constexpr double kOtherSize = -6;
// Another shape, another type of the same kind, another kind of number: a reshape or a cast stands
// between, and is a result of its own.
inline constexpr double kOtherShape = -1.5;
inline constexpr double kOtherType = -0.5;
inline constexpr double kOtherKind = -2;
// Integers of more than 8 bits that are near and not equal: ids and shapes are equal or another.
inline constexpr double kUnequalIntegers = -2;
// The same bits in another shape, the same elements in another order; of poor results less.
inline constexpr double kSameBits = 6;
inline constexpr double kSamePoorBits = 2;
inline constexpr double kSameElements = 5;
inline constexpr double kSamePoorElements = 1;
// The same moments, which noise leaves of the same elements in another order.
inline constexpr double kSameMoments = 4.5;

// Evidence of values, distances.

// Near: what float16 and fused operators leave between results of the same quantity. Wider, and
// different layers of a model would be near each other.
inline constexpr double kNear = 5e-3;
// Two results that have nothing in common are 1 apart, give or take.
inline constexpr double kOutOfSight = 0.5;
// What is nearer than this is worth no more: the sketches themselves are rounded.
inline constexpr double kLeastDistance = 1e-9;
// By which moments may differ, as a share of the root mean square: sums of float16 or of float.
inline constexpr double kHalfMoments = 4e-3;
inline constexpr double kFloatMoments = 4e-5;
// Of fewer elements the moments say nothing.
inline constexpr int64_t kLeastForMoments = 8;

// Producers (pair_score), points.

inline constexpr double kTwoLeaves = 0.5;
// The same operator, with the same attributes; the same output of it, or another.
inline constexpr double kSameOperator = 0.5;
inline constexpr double kSameAttributes = 0.25;
inline constexpr double kSameSlot = 0.25;
inline constexpr double kOtherSlot = -0.5;
// All inputs paired with each other, all with somebody else; shares of them count in between. A
// constant that is still free on both sides with the same content is as good as paired, nearly.
inline constexpr double kPairedInputs = 2;
inline constexpr double kOtherInputs = -1;
inline constexpr double kFreeConstant = 0.9;
// What gave a recorded result, if that is known: the same, another.
inline constexpr double kSameMaker = 0.5;
inline constexpr double kAnyMaker = 0.1;

// Uses (pair_score), points.

// All that is made of the one paired with what is made of the other; all with something else. A
// reader that reads it in another slot counts as this share of one.
inline constexpr double kPairedUses = 2;
inline constexpr double kOtherUses = -0.5;
inline constexpr double kOtherSlotUse = 0.75;
// Nobody reads either.
inline constexpr double kUnused = 0.5;

// Labels (pair_score), points. They decide between near-equals and never against a value.

inline constexpr double kSameName = 0.25;
inline constexpr double kSamePath = 0.1;
inline constexpr double kOtherPlace = -0.5;

// How a score is taken (pair_score), points.

// Values worth less, a distance of 0.2, are not nearer than others but by chance: they count as
// kUnlikeValues, and where values that are apart are allowed as kApart.
inline constexpr double kChance = 0.4;
inline constexpr double kApart = -1;
// From here on values speak for themselves, whatever is allowed.
inline constexpr double kClearValue = 5;
// Less than this, and the kind of number and the shape have to agree.
inline constexpr double kPlausibleValue = 3;
// Less than this, and another operator, or a leaf against a computed result, needs the same shape,
// and costs.
inline constexpr double kDoubtfulValue = 2;
inline constexpr double kOtherProducer = -0.5;
// What producers and uses have to give where values do not help: of poor results, of results of
// other sizes.
inline constexpr double kPoorStructure = 0.75;
inline constexpr double kResizedStructure = 1.5;
// A free rival whose values are worth so much more makes a pair wait.
inline constexpr double kRegret = 0.4;

// The queue (pair_queue), points.

// Scores that differ by less are the same: sums in another order.
inline constexpr double kSameScore = 1e-9;
// Candidates of one result within this are as good as each other, and wait.
inline constexpr double kAmbiguous = 0.01;
// Pairs whose values say less are not picked out of several that are as good: one of them would be
// as wrong as the other.
inline constexpr double kTelling = 2;

// What a pair has to have to be queued, points, by stage.

inline constexpr double kAnchor = 7.5;          // 4: equal, rich, and rare
inline constexpr double kSurrounding = 6;       // 5: equal, or near and with its neighbours
inline constexpr double kGrouped = 3;           // 6: equal and often there; 11: and leaves
inline constexpr double kSurelyNear = 6;        // 5 and 7: near and with its neighbours
inline constexpr double kBarelyNear = 4;        // 7: near
inline constexpr double kRearranged = 5;        // 8: the same elements or moments
inline constexpr double kStructural = 1;        // 10, 12 to 14: neighbours that agree
inline constexpr double kNearStructural = 3.5;  // 10: near, or neighbours and not far

// Stages 3 to 14, distances.

// 3: outputs of the same model are nearer than other results.
inline constexpr double kNearOutput = 1e-3;
// 13: a poor constant between paired neighbours is taken by its place unless it is farther away.
inline constexpr double kSurePoorLeaf = 1;

// Copies (alignment_index), distances.

// What a cast, a QuantizeLinear and a DequantizeLinear leave of their input.
inline constexpr double kCastCopy = 1e-2;
inline constexpr double kQuantizedCopy = 5e-2;
// Root mean squares of rounded results and of what the other side computes at once, as a share; how
// many times nearer that is than what was rounded.
inline constexpr double kComputedRounded = 1e-3;
inline constexpr double kTimesNearer = 8;

// 15, reconvergence, distances.

// What agrees after a pair: of floats, of floats of 16 bits, of integers of 8 bits, of what was
// computed from such.
inline constexpr double kAgree = 2e-5;
inline constexpr double kHalfAgree = 3e-3;
inline constexpr double kByteAgree = 1e-2;
inline constexpr double kFromBytesAgree = 3e-2;
// What is as near as this did not go wrong, it was rounded otherwise: sums of 16-bit numbers that
// nearly cancel are that far apart, and what was computed from 8-bit ones.
inline constexpr double kHalfRounding = 3e-2;
inline constexpr double kByteRounding = 0.3;
// Pairs that are farther apart than sums in another order are, but no farther than what a
// normalization does that does next to nothing, and this many times farther than what is made of
// one of the two, stopped one step early. Of a result's readers so many are looked at.
inline constexpr double kMovedFrom = 1e-6;
inline constexpr double kMovedUpTo = 1e-4;
inline constexpr double kTimesNearerNext = 1.5;
inline constexpr size_t kMostNextUses = 4;
// Without anything paired after it, a pair of different operators must be at least this near.
inline constexpr double kPlausible = 0.3;
// Counts: as few results after a pair need but one that is apart, of more of them a share.
inline constexpr size_t kFewAfter = 3;
inline constexpr size_t kShareApart = 3;  // one in so many
// As few elements are those of another result by chance.
inline constexpr int64_t kTellingElements = 4;

// 16, merging: an equal in a wider type, as a distance.
inline constexpr double kAlike = 0.1;

// 18, rows.

// Elements in another order are as far from each other as those of any two results are; what is
// nearer is in order, and noisy. A distance.
inline constexpr double kOutOfOrder = 0.5;
// If fewer than this share of the pairs are in order, the models simply list their nodes otherwise.
inline constexpr double kOrdered = 0.7;

// 19, recordings, shares unless it says otherwise.

// Of recorded names that are the other side's those whose values are near, where values tell.
inline constexpr double kAgreeingNames = 1.0 / 3;
// Distances: what coarse types leave of a value, and what is surely it.
inline constexpr double kNearNamesake = 5e-2;
inline constexpr double kExact = 1e-4;
// Names that are the other side's by chance are not those of results of the same sizes.
inline constexpr double kNamesakesOfOneSize = 0.9;
// Of the recorded names that say something of the other side's, those that its values bear out.
inline constexpr double kBorneOut = 2.0 / 3;
// Of neighbours in a recording those that are in the other side's order, if it has one.
inline constexpr double kInOrder = 0.8;

// Counts of what is looked at.

inline constexpr size_t kMostInputs = 16;         // of a node, when a pair is scored
inline constexpr size_t kMostUses = 8;            // of a result, likewise
inline constexpr size_t kMostRivals = 8;          // of a content, for regret
inline constexpr int kMostRivalsSeen = 64;        // candidates of a result, for ambiguity
inline constexpr int kMostNearSeen = 32;          // on either side of a content, for near lists
inline constexpr size_t kMostNear = 8;            // near contents that are kept of one
inline constexpr size_t kMostNearBack = 12;       // and of those that others found
inline constexpr size_t kMostInputsScanned = 64;  // of a node, for an equal
inline constexpr int kMostOriginals = 64;         // of about the same root mean square
inline constexpr size_t kFewInputs = 8;           // nodes with as many offer inputs by size
inline constexpr size_t kFewUses = 8;             // results with as many offer uses by size
inline constexpr size_t kMostEqual = 4;           // equals that a pair offers of its neighbours
inline constexpr size_t kMostSameManner = 8;      // uses in the same manner, likewise
inline constexpr int kMostRounds = 8;             // of near ones, while there are new pairs
inline constexpr int kMostStructureRounds = 3;    // of structure, likewise
inline constexpr size_t kMostOfContent = 8;       // results of a content that are offered
inline constexpr int kMostMomentNeighbours = 16;  // of the same size
inline constexpr size_t kMostOutputs = 256;  // with more only equals and namesakes are looked at
inline constexpr size_t kMostBehind = 64;    // results after a pair, for reconvergence
inline constexpr size_t kMostSharing = 16;   // equals that a merged result chooses from
inline constexpr size_t kMostMergedUses = 8;
inline constexpr size_t kMostMergedInputs = 16;
inline constexpr size_t kMostInRegion = 64;  // nodes that a pair absorbs
inline constexpr size_t kMostNames = 4096;   // results that are looked at for a name

}  // namespace onnxcmp::weights

#endif  // ONNXCMP_COMPARE_ALIGNMENT_WEIGHTS_H_
