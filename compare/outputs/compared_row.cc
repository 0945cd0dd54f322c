#include "compare/outputs/compared_row.h"

namespace onnxcmp {

absl::string_view RelationName(Relation relation) {
  switch (relation) {
    case Relation::kSame:
      return "same";
    case Relation::kClose:
      return "close";
    case Relation::kDifferent:
      return "different";
    case Relation::kLeftOnly:
      return "left_only";
    case Relation::kRightOnly:
      return "right_only";
  }
  return "";
}

}  // namespace onnxcmp
