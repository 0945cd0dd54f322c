#include "compare/reduce/candidate.h"

#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/protos/tensor_proto.h"

namespace onnxcmp {
namespace {

// A value's message, as test data have it.
std::string MessageBytesOf(const Value& value) {
  std::string bytes;
  const auto take = [&](auto proto, auto convert) {
    if (convert(&proto).ok()) (void)proto.SerializeToString(&bytes);
  };
  if (value.is_tensor()) {
    take(onnx::TensorProto(), [&](auto* to) { return TensorToProto(value.tensor(), "", to); });
  } else if (value.is_sparse()) {
    take(onnx::SparseTensorProto(),
         [&](auto* to) { return SparseTensorToProto(value.sparse(), "", to); });
  } else if (value.is_sequence()) {
    take(onnx::SequenceProto(), [&](auto* to) { return SequenceToProto(value, "", to); });
  } else if (value.is_optional()) {
    take(onnx::OptionalProto(), [&](auto* to) { return OptionalToProto(value, "", to); });
  } else if (value.is_map()) {
    take(onnx::MapProto(), [&](auto* to) { return MapToProto(value, "", to); });
  }
  return bytes;
}

std::string HashOfCandidate(const ReduceCandidate& candidate, bool values) {
  std::string all = candidate.bytes;
  if (values) {
    std::vector<std::string> names;
    for (const auto& [name, value] : candidate.model.feeds) names.push_back(name);
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      absl::StrAppend(&all, name, "=", MessageBytesOf(candidate.model.feeds.at(name)), ";");
    }
  }
  const XXH128_hash_t hash = XXH3_128bits(all.data(), all.size());
  return absl::StrCat(absl::Hex(hash.high64, absl::kZeroPad16),
                      absl::Hex(hash.low64, absl::kZeroPad16));
}

}  // namespace

absl::StatusOr<ReduceCandidate> CandidateMaker::Of(
    FedModel model, const absl::flat_hash_map<std::string, Value>& known) const {
  ReduceCandidate candidate;
  TypeOutputs(registry_, known, &model.proto);
  OC_RETURN_IF_ERROR(CheckModel(registry_, checks_, model.proto));
  for (const auto& output : model.proto.graph().output()) {
    const auto value = known.find(output.name());
    if (value == known.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the value of ", output.name(), " is not known"));
    }
    candidate.outputs.push_back(value->second);
  }
  candidate.model = std::move(model);
  if (!candidate.model.proto.SerializeToString(&candidate.bytes)) {
    return absl::ResourceExhaustedError("the model is over 2 GB");
  }
  candidate.hash = HashOfCandidate(candidate, values_);
  return candidate;
}

absl::StatusOr<ReduceCandidate> CandidateMaker::OfPart(const KnownModel& known,
                                                       const PartChoice& choice) const {
  OC_ASSIGN_OR_RETURN(FedModel part, MakePart(known, choice));
  return Of(std::move(part), known.values);
}

absl::StatusOr<ReduceCandidate> CandidateMaker::OfUnknown(FedModel model) const {
  OC_ASSIGN_OR_RETURN(const KnownModel known, Run(model));
  return Of(std::move(model), known.values);
}

absl::StatusOr<KnownModel> CandidateMaker::Run(const FedModel& model) const {
  return RunKnownModel(std::make_shared<onnx::ModelProto>(model.proto), model.feeds, registry_,
                       options_);
}

}  // namespace onnxcmp
