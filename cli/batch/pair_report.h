// The report of a comparison as the result of a pair.
#ifndef ONNXCMP_CLI_BATCH_PAIR_REPORT_H_
#define ONNXCMP_CLI_BATCH_PAIR_REPORT_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "cli/batch/pair_process.h"
#include "cli/batch/pair_result.h"

namespace onnxcmp::cli {

// Reads `report.json` of a folder, or of several sets of inputs the worst of `report.0.json`, ... .
// NotFound if there is none; InvalidArgument if it is not whole.
absl::Status ReadReport(const std::string& folder, int exit_status, PairResult* result);

// The same for a comparison that has ended, in whichever way. `memory`: its limit, 0: none;
// `system_ran_out`: the system has ended a process for lack of memory meanwhile.
PairResult ResultOfEnd(const PairEnd& end, const std::string& folder, int64_t memory,
                       bool system_ran_out);

// The same for one that may have read something else than what its key is of.
void SetChanged(PairResult* result);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_BATCH_PAIR_REPORT_H_
