// Parsing of command lines, common to all commands.
#ifndef ONNXCMP_CLI_ARGUMENTS_H_
#define ONNXCMP_CLI_ARGUMENTS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/process/interruption.h"
#include "evaluator/base/memory_account.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/load/load_model.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "feed/feeds.h"
#include "feed/generated_inputs.h"

namespace onnxcmp::cli {

// Groups of options in the help, by the user's task.
constexpr char kInputs[] = "Inputs";
constexpr char kExecution[] = "Execution";
constexpr char kDiagnosis[] = "Diagnosis";

// Sets the line of usage in the help; CLI11's own would call every argument optional. Must be
// called before options are added: if an option is given twice, the last value counts. With
// `common`, names of options, -h lists those alone and --help all.
void SetUsage(CLI::App& app, const std::string& usage, const std::vector<std::string>& common = {});

// Parses. If the command ends here, with help or with an error, prints that and returns the exit
// status.
std::optional<int> Parse(CLI::App& app, const std::vector<std::string>& arguments);
// Lets the process be watched for signals and the limits of such a command line (RunOptions).
void Watch(const CLI::App& app, Interruption& interruption);
// Both.
std::optional<int> Parse(CLI::App& app, const std::vector<std::string>& arguments,
                         Interruption& interruption);

// The same for a caller who says what went wrong himself: InvalidArgument, and for help and the
// version, too.
absl::Status ParseQuietly(CLI::App& app, const std::vector<std::string>& arguments);

// A check whose rule is not shown in the help.
CLI::Validator Quietly(CLI::Validator check);
// One of these words; an error names the nearest one and lists all.
CLI::Validator OneOf(std::vector<std::string> words);
// The name of the same letters as a word that is none of the names, or else the nearest ones: ";
// did you mean `show`?"; "" if none is near.
std::string NearestWord(const std::string& word, const std::vector<std::string>& names);

// The status that `path` could not be opened with, and if there is no such file, the nearest names
// in its folder.
absl::Status WithNearestFile(const std::string& path, const absl::Status& status);
// A finite number of at least 0.
CLI::Validator NotNegative();

// An option of the commands that run one model at a time; as in EvaluatorOptions.
void AddExpandFunctions(CLI::App& app, bool& expand_functions);

// InvalidArgument, naming it, for a file that would be written and that the command reads: a typing
// error would cost a model. "" is no file.
absl::Status CheckWritten(const std::vector<std::string>& written,
                          const std::vector<std::string>& read);

// Makes an option a number of bytes, with an optional unit: 512M is 512 * 2^20. Rejects numbers
// below `least`.
CLI::Option* AsSize(CLI::Option* option, int64_t least = 0);

// Options for loading and running models, for every command that runs one.
struct RunOptions {
  std::optional<uint64_t> seed;
  std::vector<std::string> dims;  // NAME=N
  bool ramp = false;
  int threads = 0;
  std::optional<int64_t> max_tensor;  // bytes
  // The account of all that the command runs and makes up (--max-memory). Null: no limit.
  std::shared_ptr<MemoryAccount> memory;
  absl::Duration max_time = absl::InfiniteDuration();  // of the whole command
  int64_t max_steps = 0;
  int nchwc_block = 0;
  std::string functions = "inline";
  bool quiet = false;
  bool follow_links = false;

  void AddTo(CLI::App& app);
  LoadOptions load() const;
  OpRegistry operators() const;
  // Assumptions made about a model, empty if there are none.
  std::string Assumption(const Graph& graph) const;
  EvaluatorOptions evaluator() const;
  // InvalidArgument for a dimension that is not NAME=N, or that no input of these graphs has.
  absl::StatusOr<GeneratedInputs> generated(const std::vector<const Graph*>& graphs) const;
  // The inputs of one model: from the file, or made up if there is none. `partial`: the file may
  // have what the model lacks.
  absl::StatusOr<MatchedFeeds> feeds(const Graph& graph, const std::string& file,
                                     bool partial) const;
};

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_ARGUMENTS_H_
