// Causes between two quantized sides that the alignment knows better.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_CONTRADICTED_CAUSES_H_
#define ONNXCMP_COMPARE_QUANTIZATION_CONTRADICTED_CAUSES_H_

#include <vector>

#include "absl/types/span.h"
#include "compare/causes/cause.h"
#include "compare/streams/result_stream.h"
#include "compare/verdict/compared_row.h"

namespace onnxcmp {

// Between two quantized sides so much is near that repairs pair wrongly. Takes away the operators
// whose right result agrees with its partner in `rows`, where that is not what the cause has it
// paired with; not where that partner is another right result's, too. What is inside a body was
// measured there and stays.
void DropContradicted(const ResultStream& left, absl::Span<const ComparedRow> rows,
                      std::vector<Cause>* causes);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_CONTRADICTED_CAUSES_H_
