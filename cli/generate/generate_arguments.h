// The command line arguments of decoders that take steps: of two, and of a chain of them.
#ifndef ONNXCMP_CLI_GENERATE_GENERATE_ARGUMENTS_H_
#define ONNXCMP_CLI_GENERATE_GENERATE_ARGUMENTS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/arguments.h"
#include "cli/compare_arguments.h"
#include "cli/generate/open_decoder.h"
#include "generate/generation.h"

namespace onnxcmp::cli {

struct GenerateArguments {
  CompareArguments compare;
  std::vector<std::string> prompts;
  DecoderOptions decoders;
  std::string against;
  std::map<std::string, std::string> files;  // paths by format
  std::string html;                          // a page of the step that fails
  int64_t steps = 16;
  bool free = false;
  bool invariants = false;
  bool causal = false, encoder = false;
};

// Options of the tokens, the steps and the inputs.
void AddStepOptions(CLI::App& app, GenerateArguments& arguments);
// Formats, and files of them.
void AddReportOptions(CLI::App& app, GenerateArguments& arguments);

// InvalidArgument for prompts that are none.
absl::StatusOr<GenerateOptions> StepOptions(const GenerateArguments& arguments);

// InvalidArgument for a report that would be written over a file of these models, or of the inputs.
absl::Status CheckWrittenFiles(const GenerateArguments& arguments,
                               const std::vector<std::string>& models);

// Writes the files in all formats that are asked for.
absl::Status WriteReports(const GenerateArguments& arguments,
                          const std::function<std::string(const std::string& format)>& render);
// Writes the page of the step that was compared, if one is asked for.
absl::Status WritePage(const GenerateArguments& arguments, const Generation& generation);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_GENERATE_GENERATE_ARGUMENTS_H_
