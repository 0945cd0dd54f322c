#include "tools/reduce/candidate.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "record/streams/fingerprint.h"
#include "record/streams/hash128.h"
#include "record/streams/xxh128.h"

namespace onnxcmp {
namespace {

std::string HexOfHash(const Hash128& hash) {
  return absl::StrCat(absl::Hex(hash.high, absl::kZeroPad16),
                      absl::Hex(hash.low, absl::kZeroPad16));
}

std::string HashOfCandidate(const ReduceCandidate& candidate, bool values) {
  std::string all = candidate.bytes;
  if (values) {
    std::vector<std::string> names;
    for (const auto& [name, value] : candidate.model.feeds) names.push_back(name);
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      absl::StrAppend(&all, name, "=", HexOfHash(ContentOf(candidate.model.feeds.at(name))), ";");
    }
  }
  return HexOfHash(HashOfText(all));
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
