// The command line arguments of a comparison.
#ifndef ONNXCMP_CLI_COMPARE_ARGUMENTS_H_
#define ONNXCMP_CLI_COMPARE_ARGUMENTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "cli/arguments.h"
#include "cli/process/interruption.h"
#include "cli/runtimes/runtime_options.h"
#include "compare/compare.h"
#include "feed/input_sets.h"
#include "reports/table/table_options.h"
#include "tools/classic/classic_table.h"

namespace onnxcmp::cli {

// Many samples in the place of sets of inputs.
struct SamplesArguments {
  std::string path;  // "": none
  std::string one;   // the sample that is compared alone; "": all
  int64_t limit = 0;
  int64_t batch = 1;
  std::string labels;
  std::vector<std::string> tasks, fail_if;
  std::string resize, mean, std, layout;  // of images
  double range = 0;
  bool bgr = false;
  bool sensitivity = false;
  std::string granularity = "node";
  std::string target;
  std::string part;                // "2/8"; "": all
  std::string figures;             // a file for the figures of the part; "": none
  std::vector<std::string> merge;  // files of such figures
};

struct CompareArguments {
  std::string command;  // the command line in shell syntax
  std::string left;
  std::string right;
  InputOptions inputs;  // without generated values, which are in `run`
  // Options as the command line gives them; CompareSession adds what follows from the others.
  CompareOptions options;
  bool fail_on_rewrites = false;  // also if one is not the same
  RunOptions run;
  RuntimeArguments runtimes;  // in which the sides run, if not in our interpreter

  // The classic table.
  bool classic = false;
  std::string mode = "execute";
  ClassicTableOptions table;

  // Everything else.
  std::string format = "table";
  std::string output;                                        // "": standard output
  std::vector<std::pair<std::string, std::string>> reports;  // format and file, in addition
  std::optional<int64_t> html_size;                          // bytes
  bool all = false;
  bool different = false;
  bool only_different = false;
  bool only_not_finite = false;
  bool wide = false;
  bool ascii = false;
  std::string color = "auto";
  int width = 0;  // 0: the terminal's
  bool timings = false;
  bool prove = false;
  std::string repro;           // a folder; "": none
  std::string fix;             // a file for the mended model; "": none
  bool fix_left = false;       // the left model is mended
  std::string fix_script;      // a file; "": none
  std::string model_explorer;  // a folder; "": nothing is written for it

  // For made-up inputs.
  int sets = 4;
  std::optional<absl::Duration> search;
  bool coverage = false;
  bool sizes = false;
  std::string save_inputs;  // a file; "": not saved

  SamplesArguments samples;
};

// Reads a command line of CompareCommand(); InvalidArgument for options that exclude each other or
// cannot be met.
absl::Status ReadCompareArguments(const std::vector<std::string>& command_line,
                                  CompareArguments* arguments);

// Layout of tables.
TableOptions LookOf(const CompareArguments& arguments);

// All print the requested output and return the exit status.
int CompareClassically(const CompareArguments& arguments, Interruption& interruption);
int CompareSides(const CompareArguments& arguments, Interruption& interruption);
int CompareSamples(const CompareArguments& arguments, Interruption& interruption);

// InvalidArgument for options of samples without samples, or beside options that exclude them.
absl::Status CheckSamples(const CompareArguments& arguments);
// Makes the values of --sample NAME the inputs.
absl::Status TakeSample(CompareArguments* arguments);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_COMPARE_ARGUMENTS_H_
