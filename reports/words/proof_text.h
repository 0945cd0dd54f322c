// Words of a report about a proof.
#ifndef ONNXCMP_REPORTS_WORDS_PROOF_TEXT_H_
#define ONNXCMP_REPORTS_WORDS_PROOF_TEXT_H_

#include <string>
#include <vector>

#include "compare/outcome/proof_report.h"

namespace onnxcmp {

// A sentence each: what is proved, on what it rests, where the proof ends. `all`: no list is cut.
std::vector<std::string> ProofText(const ProofReport& report, bool all);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_WORDS_PROOF_TEXT_H_
