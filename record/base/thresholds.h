// Thresholds that several rooms share, each with its unit and its reason. A bound that one file
// alone uses stands in that file, the alignment's in compare/alignment/weights.h.
#ifndef ONNXCMP_RECORD_BASE_THRESHOLDS_H_
#define ONNXCMP_RECORD_BASE_THRESHOLDS_H_

namespace onnxcmp::thresholds {

// Magnitudes. A number beyond this one is a mask: exporters write the least number of float or of
// bfloat16, -3.4e38, for minus infinity. It counts for no scale and for no mean.
inline constexpr double kMaskMagnitude = 1e30;
// The same in float16, whose least number is -65504.
inline constexpr double kMaskMagnitudeOfFloat16 = 60000;

// The number that converters write in place of larger ones, and that masks add in half of all
// models.
inline constexpr double kMaskFill = 1e4;

// Epsilons of the coarser type. The search for causes lets a region differ by these wherever the
// difference arises: sums of another order move a result by a few last places.
inline constexpr double kMostRoundingEpsilons = 8;
// Times. Rounding increases the distance of a region's result over that of its inputs by at most
// this factor.
inline constexpr double kMostRoundingGrowth = 4;

// Relative distance, and epsilons of the coarser type. Rounding rarely exceeds the greater of both.
inline constexpr double kFarDistance = 1e-3;
inline constexpr double kFarEpsilons = 64;

// Noise against signal, a ratio of root mean squares: the most of honest quantization to 8 bits.
inline constexpr double kMostHonestNoise = 0.3;

// The same up to which two results are clearly counterparts.
inline constexpr double kClearNoise = 0.1;
// Share of the elements of a value that are few: those that a range cuts off, those farther apart
// than the others.
inline constexpr double kFewElements = 0.1;
// Root mean squares: what may be left of a difference that a factor or an offset explains.
inline constexpr double kMostLeftByFit = 0.25;
// The most that rounding to integers moves the scale of many numbers together.
inline constexpr double kMostCommonFactor = 0.05;

// Least cosine of constants, or correlation of results, that are counterparts.
inline constexpr double kLeastCosine = 0.5;
// Greatest share of a layer's error that may remain with the other side's constant, for its own to
// be the mistake.
inline constexpr double kMostLeftOfError = 0.7;
// Steps, as root mean square: a constant this far from the other side's is no rounding of it, which
// makes 0.3.
inline constexpr double kFarSteps = 4;

// Decibels of signal to noise: the least of an honest model in a type, on given inputs. With less,
// rounding itself is the fault, and some node needs a finer type. An output after a node that is no
// rounding of the other side's has to keep those of float16.
inline constexpr double kLeastDecibelsOfFloat16 = 36;
inline constexpr double kLeastDecibelsOfBfloat16 = 18;
inline constexpr double kLeastDecibelsOf8Bits = 10;
inline constexpr double kLeastDecibelsOfFewBits = 6;

}  // namespace onnxcmp::thresholds

#endif  // ONNXCMP_RECORD_BASE_THRESHOLDS_H_
