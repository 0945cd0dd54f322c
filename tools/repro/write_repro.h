// Writes repros as folders of files.
#ifndef ONNXCMP_TOOLS_REPRO_WRITE_REPRO_H_
#define ONNXCMP_TOOLS_REPRO_WRITE_REPRO_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "compare/outcome/comparison.h"
#include "compare/outcome/proof_report.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/load/load_model.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// OK if repros may be written to a folder: it does not exist, is empty, or contains only files of
// an earlier call, which are removed when new ones come. AlreadyExists names other content.
absl::Status CheckReproTarget(const std::string& dir);

struct ReproOptions {
  std::string dir;
  std::string prefix;  // prefix of the folders' names
  LoadOptions load;    // for loading and running models to check the written files
  EvaluatorOptions evaluator;
};

// Writes a node that makes a runtime fail to DIR/failing_node, as a test of ONNX's layout: its
// model, what it is fed and what it should give.
absl::Status WriteFailingNode(const std::string& dir, const Model& model, const Feeds& feeds,
                              const std::vector<Value>& outputs);

// Writes each cause of a comparison that has a repro to DIR/PREFIXcause_1, ..., numbered like
// the causes, and sets its repro_folder. A folder contains
// - left.onnx and right.onnx, the regions; left.npz instead, a recording, if the left is one;
// - model.onnx, which is the right once more, and test_data_set_0: a test as ONNX lays them out;
// - tolerances.json, as narrow as it takes for that test to fail;
// - cause.txt, which says all that in words.
// Each model is loaded again and run: one that does not give the values of the comparison is not
// left there. A note of the comparison says why, as for a cause without a repro.
//
// An error if the files cannot be written.
absl::Status WriteRepros(const OpRegistry& registry, const ReproOptions& options,
                         Comparison* comparison);

// Writes each rewrite of a proof that differs by itself to DIR/PREFIXrewrite_1, ..., as causes are,
// and sets its folder. One that gives other values from its file is left out.
absl::Status WriteRewrites(const OpRegistry& registry, const ReproOptions& options,
                           const Comparison& comparison, ProofReport* proof);

// Removes the files of an earlier call; CheckReproTarget() must have succeeded.
absl::Status ClearReproTarget(const std::string& dir);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_REPRO_WRITE_REPRO_H_
