// The time that a run spent, by node, as text and as a trace.
#ifndef ONNXCMP_REPORTS_RENDER_PROFILE_H_
#define ONNXCMP_REPORTS_RENDER_PROFILE_H_

#include <string>

#include "absl/status/status.h"
#include "evaluator/run/profile.h"
#include "reports/render_table.h"
#include "reports/table/table_options.h"

namespace onnxcmp {

// The operators, most expensive first, then the most expensive nodes: their own time without that
// of nodes in their subgraphs, its share, the bytes of inputs and outputs, and the rates in
// arithmetic operations, where they are known, and in bytes.
std::string RenderProfile(const Profile& profile, const TableOptions& options = {});

// Writes Profile::runs in the Trace Event Format, which chrome://tracing and Perfetto load: a
// complete event for each run of a node, with operator, path, types, bytes and operations.
absl::Status WriteTrace(const Profile& profile, const std::string& model, const std::string& path);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_RENDER_PROFILE_H_
