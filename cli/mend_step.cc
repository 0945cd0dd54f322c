#include "cli/mend_step.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "compare/outcome/comparison.h"

namespace onnxcmp::cli {

FixReport MendStep(const CompareArguments& arguments, ComparisonTools& tools) {
  FixReport report;
  CompareSession session(arguments, tools);
  const absl::StatusOr<bool> done =
      session.Run([&](const Comparison&, int64_t, int64_t, const std::string&) {
        if (session.fix() != nullptr) report = *session.fix();
        return absl::StatusOr<bool>(true);
      });
  if (!done.ok()) report.notes.emplace_back(done.status().message());
  return report;
}

CompareArguments WithoutFix(CompareArguments arguments) {
  arguments.fix.clear();
  arguments.fix_script.clear();
  arguments.fix_left = false;
  return arguments;
}

}  // namespace onnxcmp::cli
