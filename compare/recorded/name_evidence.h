// How far a recording's names of one kind can be trusted.
#ifndef ONNXCMP_COMPARE_RECORDED_NAME_EVIDENCE_H_
#define ONNXCMP_COMPARE_RECORDED_NAME_EVIDENCE_H_

#include "compare/alignment/weights.h"
#include "compare/recorded/names.h"

namespace onnxcmp {

// Counts of how values support the names of one kind.
struct NameEvidence {
  int agree = 0;
  int contradicted = 0;  // the name's result is not near, and another is
  int open = 0;
  int same_size = 0;
  int all = 0;

  bool trusted(NameRule rule) const {
    // An error changes all later results, and equal sizes of namesakes are no accident.
    const bool fit = same_size >= weights::kNamesakesOfOneSize * all;
    switch (rule) {
      case NameRule::kOutput:
        return true;
      case NameRule::kSame:
        return agree >= weights::kAgreeingNames * (agree + contradicted) || fit;
      case NameRule::kCounted:
        return agree + contradicted > 0 ? agree > contradicted : fit;
      case NameRule::kModule:
      case NameRule::kWithin:
        return agree >= 2 * weights::kAgreeingNames * (agree + contradicted);
      case NameRule::kNone:
        break;
    }
    return false;
  }
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_NAME_EVIDENCE_H_
