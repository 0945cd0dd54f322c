// Candidates of a bisection: models that are there, or that commands make.
#ifndef ONNXCMP_CLI_BISECT_CANDIDATES_H_
#define ONNXCMP_CLI_BISECT_CANDIDATES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/compare_arguments.h"

namespace onnxcmp::cli {

struct BisectArguments {
  CompareArguments compare;
  std::string task;                 // all that the answers depend on
  std::vector<std::string> models;  // files, folders, patterns
  std::string command;              // that makes a model
  int64_t count = 0;                // values of {n}; 0: not given
  int64_t first = 1;                // the first of them
  std::string model;                // {in}
  std::string candidates;           // a file with values of {}, one a line
  std::string reference;
  std::string check;
  absl::Duration limit = absl::Minutes(10);  // of a command
  std::string folder;                        // "": none unless commands run
  bool every = false;
  bool for_git = false;
};

struct BisectCandidate {
  std::string name;
  std::string file;   // "": a command makes it
  std::string value;  // of {n} and {}
};

// In order. InvalidArgument for options that say nothing, or too much.
absl::StatusOr<std::vector<BisectCandidate>> CandidatesOf(const BisectArguments& arguments);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_BISECT_CANDIDATES_H_
