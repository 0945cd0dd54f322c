// Decides if outputs agree: measured differences come first, then each step's objections and
// excuses, of which the last one counts.
#ifndef ONNXCMP_COMPARE_OUTPUTS_RULINGS_H_
#define ONNXCMP_COMPARE_OUTPUTS_RULINGS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "compare/outputs/output_comparison.h"

namespace onnxcmp {

// One row for each ground.
struct GroundRow {
  Ground ground;
  bool agrees;             // an excuse, and no objection
  absl::string_view name;  // in reports
};
const GroundRow& RowOf(Ground ground);

// Adds a ruling: the pair agrees, or disagrees, from now on. `why`: details beyond the ground's
// name; for an objection, the fault.
void Rule(Ground ground, std::string why, OutputPair* pair);

// True if this was the last ruling on a pair.
bool IsDecidedBy(Ground ground, const OutputPair& pair);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_OUTPUTS_RULINGS_H_
