// The greatest distance of a recorded result from its partner, by their types and quantization.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_RECORDED_REACH_H_
#define ONNXCMP_COMPARE_ALIGNMENT_RECORDED_REACH_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// A result of at most this many elements may match another by chance.
inline constexpr int64_t kHandful = 8;
// A kind that occurs so often is no accident; for one result so few candidates are tried.
inline constexpr int kSeveralAlike = 3;
// Values that tell little each (integers, masks, numbers that hardly vary) tell something if there
// are so many.
inline constexpr int64_t kEnoughElements = 32;

// The distance within which two results may be the same quantity: the rounding of their types, and
// the noise of quantization if one of them is computed from quantized values.
double ReachOf(const StreamResult& a, const StreamResult& b);

// The distance of two results that may be the same quantity; nothing: they are not near.
std::optional<double> DistanceWithinReach(const StreamResult& a, const StreamResult& b);

// True if two results are about the same.
bool AreNear(const StreamResult& a, const StreamResult& b);

// The part of that distance which noise explains where a step between the two is looked for.
double NoiseOfDerived(const StreamResult& a, const StreamResult& b);

// True if a value identifies a result: many results are all zeros.
bool TellsApart(const StreamResult& result);

// The result of which `rounded` is what QuantizeLinear and DequantizeLinear leave, kNone if there
// is none: its layer may have kept the name of an activation that is folded into the range.
int QuantizedFrom(const ResultStream& model, int rounded);

// By results of a model that are quantized: their dequantized forms, if recorded results that are
// `named` after the former are mostly the latter, or near none. A device that computes with
// integers leaves what they stand for under the name of what is rounded.
absl::flat_hash_map<int, int> DequantizedForms(const ResultStream& recording,
                                               const ResultStream& model,
                                               absl::Span<const int> named);

// The result that an output of the model shows, if of those of the recorded result's shape that are
// not `taken` none is nearer; else kNone.
int FreeOutputFor(const StreamResult& recorded, const ResultStream& model,
                  absl::Span<const int> taken);

// Leaves out results of a model that nothing reads but an activation whose result is in the list,
// too: a runtime that fuses the two has the latter alone.
void DropFused(const ResultStream& model, std::vector<int>* results);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_RECORDED_REACH_H_
