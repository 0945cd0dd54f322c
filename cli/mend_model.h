// One model of a comparison mended, so that its outputs agree with the other's.
#ifndef ONNXCMP_CLI_MEND_MODEL_H_
#define ONNXCMP_CLI_MEND_MODEL_H_

#include "absl/status/statusor.h"
#include "cli/compare_arguments.h"
#include "compare/compare.h"
#include "compare/sides/side.h"
#include "evaluator/kernels/op_registry.h"
#include "feed/input_sets.h"
#include "record/base/per_side.h"
#include "tools/fix/fix_report.h"

namespace onnxcmp::cli {

struct MendRequest {
  const CompareArguments& arguments;
  const OpRegistry& registry;
  PerSide<const Side*> sides;  // as they were compared
  InputSets* inputs;           // of the comparison; null: the models take none
  InputSets* made_up;          // for further checks; null: there are none
  FedInputs fed;               // the inputs on which they differ
  CompareOptions options;
};

// Mends the model, checks what came of it on all inputs of the comparison and on made-up ones, and
// writes it to the file that --fix names, and the script of --fix-script. Nothing is written if no
// edit helps. InvalidArgument if a side is no model in a file.
absl::StatusOr<FixReport> MendModel(const MendRequest& request);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_MEND_MODEL_H_
