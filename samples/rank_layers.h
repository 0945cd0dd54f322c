// The order of layers over samples: those that bring the outputs' error first.
#ifndef ONNXCMP_SAMPLES_RANK_LAYERS_H_
#define ONNXCMP_SAMPLES_RANK_LAYERS_H_

#include "samples/measured_pairs.h"
#include "samples/samples_report.h"

namespace onnxcmp {

// Sets the layers' names, operators, layers before them and causes, and the causes in words, by the
// first comparison: a constant's cause is at its readers.
void DescribeLayers(const MeasuredPairs& pairs, SamplesReport* report);

// Sets the decibels that each layer loses and the outliers, leaves out layers without any
// difference, and sorts: layers of causes first, then wrong scales, then by cost, then by decibels
// lost.
void RankLayers(SamplesReport* report);

}  // namespace onnxcmp

#endif  // ONNXCMP_SAMPLES_RANK_LAYERS_H_
