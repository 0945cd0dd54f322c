// Pairs the fusions of two models.
#ifndef ONNXCMP_COMPARE_FUSIONS_COMPARE_FUSIONS_H_
#define ONNXCMP_COMPARE_FUSIONS_COMPARE_FUSIONS_H_

#include <optional>

#include "compare/alignment/alignment.h"
#include "compare/fusions/fusion.h"
#include "compare/quantization/quantization.h"
#include "evaluator/model/model.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// A side: its graph, null for a recording, and the stream of its run.
struct FusionSide {
  const Graph* graph = nullptr;
  const ResultStream* stream = nullptr;
};

// Pairs the fusions of one family whose results are aligned; then, of the rest, those with most
// nodes in common by name. `quantization`: the layers whose accuracy is reported with obstacles;
// null if they are not known.
FusionReport CompareFusions(const FusionSide& left, const FusionSide& right,
                            const Alignment& alignment, const QuantizationReport* quantization);

// True if a pair's fusion is whole on one side and broken on the other.
bool BrokenOnOneSide(const FusionReport& report, const FusionPair& pair);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_FUSIONS_COMPARE_FUSIONS_H_
