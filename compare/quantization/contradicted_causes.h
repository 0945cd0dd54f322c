// A review of causes between two quantized sides by the alignment.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_CONTRADICTED_CAUSES_H_
#define ONNXCMP_COMPARE_QUANTIZATION_CONTRADICTED_CAUSES_H_

#include "absl/types/span.h"
#include "compare/causes/cause.h"
#include "compare/outputs/compared_row.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// Between two quantized sides many results are near each other, so repairs may pair wrongly. A
// veto against operator causes whose right result agrees in `rows` with a partner other than the
// cause's, unless that partner is shared with another right result. Causes inside bodies were
// measured there and stay. `left` must outlive the review.
CauseReview ReviewByRows(const ResultStream& left, absl::Span<const ComparedRow> rows);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_CONTRADICTED_CAUSES_H_
