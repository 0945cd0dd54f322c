// The options common to comparisons of two models, of a chain and of a search.
#ifndef ONNXCMP_CLI_COMPARE_FLAGS_H_
#define ONNXCMP_CLI_COMPARE_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/arguments.h"
#include "cli/compare_arguments.h"

namespace onnxcmp::cli {

class CompareFlags {
 public:
  // The arguments must outlive the object.
  explicit CompareFlags(CompareArguments* arguments) : arguments_(*arguments) {}

  void AddInputs(CLI::App& app);
  void AddTolerances(CLI::App& app);
  void AddVerdict(CLI::App& app);
  void AddTable(CLI::App& app);
  void AddFix(CLI::App& app);
  void AddRunning(CLI::App& app);

  // Called after the command line was parsed. InvalidArgument for invalid values or combinations.
  absl::Status Finish();

 private:
  CompareArguments& arguments_;
  std::vector<std::string> tolerances_;
  std::string ties_;
  std::string output_types_;
  std::string fail_on_;
  bool no_causes_ = false;
  bool no_share_ = false;
};

// InvalidArgument if --fix, or what goes with it, cannot be met with the other arguments.
absl::Status CheckFix(const CompareArguments& arguments);

// The help of an option that also writes a report in this format.
std::string AlsoWrite(const std::string& format);

// Adds --html-size, the largest size of a page.
void AddHtmlSize(CLI::App& app, CompareArguments& arguments);

// These arguments of a command as a line for a shell.
std::string ShellLine(const std::string& command, const std::vector<std::string>& arguments);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_COMPARE_FLAGS_H_
