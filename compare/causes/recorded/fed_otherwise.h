// A recording that was fed otherwise than the model: everything differs from the first layer on.
#ifndef ONNXCMP_COMPARE_CAUSES_RECORDED_FED_OTHERWISE_H_
#define ONNXCMP_COMPARE_CAUSES_RECORDED_FED_OTHERWISE_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "evaluator/tensor/value.h"
#include "record/graphs/region.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

// "`image` with its channels in reverse order, as x / 255": how an input that a region reads would
// have to be fed for its result to agree with what was recorded; "" if no usual way does it.
// `leaves`: the values of inputs and constants, by result.
std::string FedOtherwise(const SideGraph& graph, const Region& region, int result,
                         absl::Span<const Value> leaves, const Value& recorded,
                         absl::FunctionRef<bool(const Value& own)> agrees);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_RECORDED_FED_OTHERWISE_H_
