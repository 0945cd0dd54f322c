#include "tests/compare/causes/repro/reproduce.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "compare/causes/repro.h"
#include "compare/compare.h"
#include "compare/sides/model_side.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/model_proto.h"
#include "onnx/onnx_pb.h"
#include "record/streams/fingerprint.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// What the cause is about: the difference by how much.
double Size(const Cause& cause) {
  return cause.local.has_value() ? cause.local->values.max_absolute : 0;
}

const std::string& NameOf(const Comparison& comparison, const Cause& cause) {
  return comparison.right.results[Index(cause.right)].name;
}

absl::StatusOr<std::unique_ptr<ModelSide>> SideOf(const Model& model, const Feeds& feeds,
                                                  const Value& wanted, const LoadOptions& options,
                                                  std::vector<std::string>* problems) {
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> loaded, Reloaded(model, options));
  for (const std::string& note : loaded->notes) problems->push_back(note);
  OC_ASSIGN_OR_RETURN(std::unique_ptr<ModelSide> side,
                      ModelSide::Create(loaded, Registry(), {.threads = 1}));
  OC_ASSIGN_OR_RETURN(const std::vector<Value> outputs, side->evaluator()->Run(feeds));
  if (outputs.size() != 1 || ContentOf(outputs[0]) != ContentOf(wanted)) {
    problems->push_back("a model gives other values than it should");
  }
  side->SetFeeds(feeds);
  return side;
}

absl::Status Look(const Comparison& comparison, const Cause& cause, const LoadOptions& load,
                  std::vector<std::string>* problems) {
  if (cause.repro == nullptr) return absl::NotFoundError("there is none");
  const Repro& repro = *cause.repro;
  const Feeds feeds = FeedsOf(repro);
  OC_ASSIGN_OR_RETURN(const auto left,
                      SideOf(*repro.left, feeds, repro.left_result, load, problems));
  OC_ASSIGN_OR_RETURN(const auto right,
                      SideOf(*repro.right, feeds, repro.right_result, load, problems));
  CompareOptions options;
  options.threads = 1;
  OC_ASSIGN_OR_RETURN(const Comparison again, Compare(*left, *right, options));
  std::string others;
  for (const Cause& named : again.causes) {
    const CauseKind kind = cause.kind == CauseKind::kInput ? CauseKind::kInitializer : cause.kind;
    if (NameOf(again, named) == NameOf(comparison, cause) && named.kind == kind &&
        // The same, though it be infinite.
        (Size(named) == Size(cause) || std::abs(Size(named) - Size(cause)) <= 1e-6 * Size(cause))) {
      return absl::OkStatus();
    }
    absl::StrAppend(&others, "; ", CauseKindName(named.kind), " ", NameOf(again, named), " ",
                    Size(named));
  }
  return absl::NotFoundError(absl::StrCat("it names no ", CauseKindName(cause.kind), " ",
                                          NameOf(comparison, cause), " ", Size(cause), others));
}

}  // namespace

Feeds FeedsOf(const Repro& repro) {
  Feeds feeds;
  for (const ReproInput& input : repro.inputs) feeds[input.name] = input.value;
  return feeds;
}

absl::StatusOr<std::shared_ptr<const Model>> Reloaded(const Model& model,
                                                      const LoadOptions& options) {
  onnx::ModelProto proto;
  OC_RETURN_IF_ERROR(ModelToProto(model, &proto));
  return LoadModelFromBytes(proto.SerializeAsString(), Registry(), options);
}

std::vector<std::string> ReproProblems(const Comparison& comparison, const Cause& cause,
                                       const LoadOptions& options) {
  std::vector<std::string> problems;
  const absl::Status status = Look(comparison, cause, options, &problems);
  if (!status.ok()) problems.push_back(std::string(status.message()));
  return problems;
}

}  // namespace onnxcmp::testing
