// Models that are tried: valid, typed, with inputs and what our evaluator gives for them.
#ifndef ONNXCMP_TOOLS_REDUCE_CANDIDATE_H_
#define ONNXCMP_TOOLS_REDUCE_CANDIDATE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/tensor/value.h"
#include "tools/parts/checked_model.h"
#include "tools/parts/known_model.h"
#include "tools/parts/part.h"

namespace onnxcmp {

struct ReduceCandidate {
  FedModel model;
  std::string bytes;           // the model, serialized
  std::vector<Value> outputs;  // ours
  std::string hash;            // of the model and its inputs
};

class CandidateMaker {
 public:
  // `whole`: what all candidates come from; they are held to the checks that it passes. `values`:
  // a candidate is another one if its inputs have other values.
  CandidateMaker(const OpRegistry& registry, KnownModelOptions options,
                 const onnx::ModelProto& whole, bool values)
      : registry_(registry),
        options_(std::move(options)),
        checks_(ChecksPassedBy(registry, whole)),
        values_(values) {}

  // InvalidArgument if ONNX's checks refuse it.
  absl::StatusOr<ReduceCandidate> OfPart(const KnownModel& known, const PartChoice& choice) const;
  absl::StatusOr<ReduceCandidate> Of(FedModel model,
                                     const absl::flat_hash_map<std::string, Value>& known) const;
  // The same for a model that has not run yet.
  absl::StatusOr<ReduceCandidate> OfUnknown(FedModel model) const;
  absl::StatusOr<KnownModel> Run(const FedModel& model) const;

  const OnnxChecks& checks() const { return checks_; }
  const OpRegistry& registry() const { return registry_; }

 private:
  const OpRegistry& registry_;
  const KnownModelOptions options_;
  const OnnxChecks checks_;
  const bool values_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_REDUCE_CANDIDATE_H_
