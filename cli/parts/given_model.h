// The model of a command that cuts or reduces it, with its inputs.
#ifndef ONNXCMP_CLI_PARTS_GIVEN_MODEL_H_
#define ONNXCMP_CLI_PARTS_GIVEN_MODEL_H_

#include <string>

#include "absl/status/statusor.h"
#include "cli/arguments.h"
#include "cli/compare_arguments.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/load/load_model.h"
#include "tools/parts/part.h"

namespace onnxcmp::cli {

struct GivenModel {
  std::string path;
  std::string inputs;    // a file; "": they are made up
  bool partial = false;  // the file may have what the model lacks
  RunOptions run;

  // Options for inputs and for running.
  void AddTo(CLI::App& app);
  // Calls of functions are kept.
  LoadOptions load() const;
  // The message with its weights, and values for its inputs. Prints notes.
  absl::StatusOr<FedModel> Read(const OpRegistry& registry) const;
  // A comparison with another model on these inputs.
  CompareArguments Beside(const std::string& right) const;
};

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PARTS_GIVEN_MODEL_H_
