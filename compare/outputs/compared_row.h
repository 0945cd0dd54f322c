// A row of the alignment with its measured difference.
#ifndef ONNXCMP_COMPARE_OUTPUTS_COMPARED_ROW_H_
#define ONNXCMP_COMPARE_OUTPUTS_COMPARED_ROW_H_

#include <cstdint>
#include <memory>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compare/alignment/alignment.h"
#include "compare/pictures/value_picture.h"
#include "record/differences/tensor_difference.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

enum class Relation : uint8_t { kSame, kClose, kDifferent, kLeftOnly, kRightOnly };
absl::string_view RelationName(
    Relation relation);  // "same", "close", "different", "left_only", ...

struct ComparedRow {
  AlignedRow aligned;
  Relation relation = Relation::kSame;
  std::shared_ptr<const TensorDifference> difference;  // for pairs whose bits differ; else null
  std::shared_ptr<const ValuePicture>
      picture;  // for these, where a report shows elements; else null
};

// Two sides with their measured rows.
struct ComparedSides {
  const ResultStream& left;
  const ResultStream& right;
  const Alignment& alignment;
  absl::Span<const ComparedRow> rows;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_OUTPUTS_COMPARED_ROW_H_
