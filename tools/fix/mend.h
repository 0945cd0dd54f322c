// Takes away the causes of a difference, one by one, by edits of the right model.
#ifndef ONNXCMP_TOOLS_FIX_MEND_H_
#define ONNXCMP_TOOLS_FIX_MEND_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "compare/outcome/comparison.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/model/model.h"
#include "onnx/onnx_pb.h"
#include "tools/fix/fix_report.h"

namespace onnxcmp {

// The left beside one form of the right model.
struct Judged {
  std::shared_ptr<const Model> right;
  Comparison comparison;
};

// Compares the left with this model, by the options and on the inputs of the first comparison, with
// or without the search for causes.
using Judge = std::function<absl::StatusOr<Judged>(const onnx::ModelProto& right, bool causes)>;

// Where edits come from.
enum class EditsFrom : uint8_t {
  kLeft,             // the left makes it otherwise
  kEquivalentForms,  // both are the same, and the right's runtime errs
  kRecording,        // the left is recorded: its constants, and what exporters mistake
};

// `model`: the right's message, which is mended in place. An edit is kept if the outputs agree with
// it or are nearer to each other; in the end those are taken back without which they agree, too.
// Errors: those of the first judgement.
absl::StatusOr<FixReport> Mend(const Model& left, const OpRegistry& registry, const Judge& judge,
                               EditsFrom from, onnx::ModelProto* model);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_FIX_MEND_H_
