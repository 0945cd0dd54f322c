// The part of rounding that the order of addition makes: a replay in which sums add in reverse.
#ifndef ONNXCMP_COMPARE_EXPLAIN_REVERSED_SUMS_H_
#define ONNXCMP_COMPARE_EXPLAIN_REVERSED_SUMS_H_

#include <cstdint>
#include <optional>

#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

struct ReversedSums {
  Value value;       // of the result
  int64_t sums = 0;  // nodes up to it that added in reverse
};

// The value of a result of the main graph if products, reductions and normalizations up to it add
// the same numbers in reverse order. Nothing if there are none, or if a node cannot run.
std::optional<ReversedSums> WithReversedSums(const SideGraph& graph, const Feeds& feeds,
                                             int result);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_EXPLAIN_REVERSED_SUMS_H_
