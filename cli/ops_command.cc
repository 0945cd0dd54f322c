#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/process/messages.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/operators.h"

namespace onnxcmp::cli {

int OpsCommand(const std::vector<std::string>& arguments) {
  CLI::App app("The operators that can be run: domain, name, versions.", "onnxcmp ops");
  SetUsage(app, "onnxcmp ops");
  if (const std::optional<int> status = Parse(app, arguments)) {
    return *status;
  }
  const std::vector<OpRegistry::Entry> entries = AllOperators().Entries();
  size_t domain_width = 0;
  size_t name_width = 0;
  const auto domain_of = [](const OpRegistry::Entry& entry) {
    return entry.domain.empty() ? std::string("ai.onnx") : entry.domain;
  };
  for (const OpRegistry::Entry& entry : entries) {
    domain_width = std::max(domain_width, domain_of(entry).size());
    name_width = std::max(name_width, entry.op_type.size());
  }
  std::string text;
  for (const OpRegistry::Entry& entry : entries) {
    absl::StrAppend(&text, absl::StrFormat("%-*s  %-*s  %s\n", static_cast<int>(domain_width),
                                           domain_of(entry), static_cast<int>(name_width),
                                           entry.op_type, absl::StrJoin(entry.versions, " ")));
  }
  return PrintOutput(text) ? kAgree : kFailed;
}

}  // namespace onnxcmp::cli
