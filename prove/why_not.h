// The reason why a pair is not proved.
#ifndef ONNXCMP_PROVE_WHY_NOT_H_
#define ONNXCMP_PROVE_WHY_NOT_H_

#include <string>

#include "absl/types/span.h"
#include "compare/outcome/proof_report.h"
#include "evaluator/model/model.h"
#include "prove/value_trace.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// From the ends and the uninterpreted functions of the report. `known`: both sides are numbers in
// exact arithmetic. "": both are inputs.
std::string WhyNotProved(const ProofPair& pair, const PerSide<const Graph*>& graphs,
                         const ProofReport& report, bool known);

// The first pair of results that is not proved: "y | z"; "": all are. `rows`: of the alignment.
std::string FirstNotProved(absl::Span<const ProofPair> pairs, absl::Span<const RowProof> rows);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_WHY_NOT_H_
