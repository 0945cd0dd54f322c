// All weights and thresholds of the alignment, stage by stage as docs/alignment.md numbers them.
//
// Units. *Points* add up to scores: a pair's values give -6 to 9 of them, its producers -1.5 to 3,
// its uses -0.5 to 2, its labels -0.5 to 0.35. A *distance* is one of two sketches, relative to the
// size of the elements: 0 for the same bits, 2e-7 for a sum of floats in another order, 1e-3 for
// float16, about 1 for unrelated values. Limits of counts keep the cost near-linear.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_WEIGHTS_H_
#define ONNXCMP_COMPARE_ALIGNMENT_WEIGHTS_H_

#include <cstddef>
#include <cstdint>

namespace onnxcmp::weights {

// Evidence of values (value_evidence), points.

// The same content. No near content is worth as much.
inline constexpr double kEqualContent = 8;
// Bonus for rich contents: zeros and shapes are equal by chance.
inline constexpr double kRichContent = 1;
// Penalty for each doubling of the number of possible pairs of that content, and its limit: a
// common content says less about each.
inline constexpr double kRepeatedContent = 0.5;
inline constexpr double kMostRepeatedContent = 2.5;
// Near values: this, and half a point for each decimal place that agrees. So 1e-3 is worth 4.5, and
// equal but for the last place of a float (1e-7) 6.5: less than equal, more than any structure.
inline constexpr double kNearValues = 3;
inline constexpr double kPlaceOfNear = 0.5;
// Penalty for poor ones: small counts are near each other by chance.
inline constexpr double kPoorNear = 1.5;
// Values less than kOutOfSight apart: two points for each decimal place, less this, so that the
// points pass 0 at a distance of 0.3.
inline constexpr double kPlaceOfFar = 2;
inline constexpr double kFarValues = 1;
// Another shape: a reshape lies between, and is a result of its own.
inline constexpr double kOtherShape = -1.5;
// The same bits in another shape, the same elements in another order, from which on values decide
// alone; either of poor results.
inline constexpr double kSameBits = 6;
inline constexpr double kSameElements = 5;
inline constexpr double kSamePoor = 1;
// The same moments, which survive noise in the same elements in another order.
inline constexpr double kSameMoments = 4.5;

// Evidence of values, distances.

// Near: the distance that float16 and fused operators leave between results of the same quantity.
// With a wider limit, different layers of a model would be near each other.
inline constexpr double kNear = 5e-3;
// Two unrelated results are about 1 apart.
inline constexpr double kOutOfSight = 0.5;
// Smaller distances are not worth more: the sketches themselves are rounded. Nor do scores differ
// that are nearer: they are sums in another order.
inline constexpr double kLeastDistance = 1e-9;
// Limits for moments, as a share of the root mean square: sums of float16 or of float.
inline constexpr double kHalfMoments = 4e-3;
inline constexpr double kFloatMoments = 4e-5;
// With fewer elements, moments mean nothing.
inline constexpr int64_t kLeastForMoments = 8;

// Signs, points. Producers, uses and labels give signs of few strengths.

// For a pair, the strongest first. All inputs, or all consumers, are paired with each other; shares
// count in between.
inline constexpr double kStrongSign = 2;
// The same operator, or recorded maker; two leaves; neither has consumers.
inline constexpr double kSign = 0.5;
// The same attributes, output of the operator, name: these decide between near-equals.
inline constexpr double kHint = 0.25;
// Both makers are recorded.
inline constexpr double kFaintHint = 0.1;
// Against it: another output, iteration or branch; all consumers paired otherwise; one leaf, or
// another operator, where values do not help.
inline constexpr double kDoubt = -0.5;
// All inputs paired otherwise; values apart, where they may be.
inline constexpr double kCounterSign = -1;
// Values apart, or near by chance only; results of other sizes; another kind of number, of which
// near but unequal integers are one: a cast lies between, and is a result of its own.
inline constexpr double kContrary = -2;

// Shares of a sign: a constant that is still free on both sides with the same content counts almost
// as paired; a consumer that reads it in another slot as part of one.
inline constexpr double kFreeConstant = 0.9;
inline constexpr double kOtherSlotUse = 0.75;

// How a score is taken (pair_score), points.

// Values worth less (a distance of 0.2) are near only by chance: they count as apart.
inline constexpr double kChance = 0.4;
// Below this, the kind of number and the shape have to agree. Stages 6 and 11 take equal values
// that are often there from here on.
inline constexpr double kPlausibleValue = 3;
// Below this, a pair of different operators, or of a leaf and a computed result, needs the same
// shape, and is doubtful; a pair is not picked out of several equally good ones, which would be a
// guess.
inline constexpr double kDoubtfulValue = 2;
// Least points of producers and uses where values do not help: for poor results, for results of
// other sizes.
inline constexpr double kPoorStructure = 0.75;
inline constexpr double kResizedStructure = 1.5;
// A free rival whose values are worth this much more makes a pair wait.
inline constexpr double kRegret = 0.4;

// The queue (pair_queue), points.

// Candidates of one result within this are equally good, and wait.
inline constexpr double kAmbiguous = 0.01;

// Thresholds of the queue, points, by stage.

inline constexpr double kAnchor = 7.5;          // 4: equal, rich, and rare
inline constexpr double kSure = 6;              // 5: equal, 5 and 7: near; with its neighbours
inline constexpr double kBarelyNear = 4;        // 7: near
inline constexpr double kStructural = 1;        // 10, 12 to 14: neighbours that agree
inline constexpr double kNearStructural = 3.5;  // 10: near, or neighbours and not far

// Stages 3 to 14, distances.

// 3: outputs of the same model are nearer than other results, and so are rounded results and the
// other side's fused ones, as a share of the root mean square.
inline constexpr double kNearOutput = 1e-3;
// 13: a poor constant between paired neighbours is paired by its position unless it is farther
// away.
inline constexpr double kSurePoorLeaf = 1;

// Copies (alignment_index), distances.

// A copy is within kByteAgree of its input through a cast, within kCoarse through integers.
// The other side's fused results are so many times nearer to rounded ones than to the unrounded
// one.
inline constexpr double kTimesNearer = 8;
// Results at most this many times as far as the nearest are as near.
inline constexpr double kAsNear = 1.5;

// 15, reconvergence, distances.

// Distance of results after a pair that agree: of floats, of 16-bit floats, of 8-bit integers, of
// results computed from these.
inline constexpr double kAgree = 2e-5;
inline constexpr double kHalfAgree = 3e-3;
inline constexpr double kByteAgree = 1e-2;
// Up to this distance a pair is rounded differently, not wrong: sums of 16-bit numbers that nearly
// cancel are that far apart, and results computed from 8-bit ones.
inline constexpr double kHalfRounding = 3e-2;
// Without any pair after it, a pair of different operators must be at least as near.
inline constexpr double kByteRounding = 0.3;
// A pair stopped one step early if it is farther apart than sums in another order, no farther than
// kSameValue, as a normalization that does almost nothing moves it, and kAsNear times farther than
// a consumer of one of the two.
inline constexpr double kMovedFrom = 1e-6;
// Counts: one that is apart is enough among this few results after a pair; among more, one in as
// many.
inline constexpr size_t kFewAfter = 3;
// Tensors this small match unrelated results by chance.
inline constexpr int64_t kTellingElements = 4;

// 16, merging: an equal in a wider type, as a distance.
inline constexpr double kAlike = 0.1;

// 18, rows.

// Below this share of pairs in order, the models list their nodes in different orders.
inline constexpr double kOrdered = 0.7;

// 19, recordings, shares unless it says otherwise.

// Least share of namesakes whose values are near, where values tell; twice that of names that
// only say something of the other side's.
inline constexpr double kAgreeingNames = 1.0 / 3;
// Distances: that of a value in coarse types, and that of certainly the same value.
inline constexpr double kCoarse = 5e-2;
inline constexpr double kSameValue = 1e-4;
// Chance namesakes rarely have the same size: least share of namesakes that do.
inline constexpr double kNamesakesOfOneSize = 0.9;
// Most of a recording's results: neighbours in the other side's order, for it to have one; integers
// that stand for something.
inline constexpr double kMostly = 0.8;

// Limits of how many are examined; those of whole models are in work_bounds.h.

inline constexpr size_t kMostQueued = 8;   // rivals, uses and near results of a pair or content
inline constexpr size_t kMostScored = 16;  // inputs and neighbours, when a pair is scored

}  // namespace onnxcmp::weights

#endif  // ONNXCMP_COMPARE_ALIGNMENT_WEIGHTS_H_
