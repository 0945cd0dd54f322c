// A model and what ModelMutator makes of it, as `onnxcmp --prove` looks at them.
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "compare/compare.h"
#include "compare/sides/model_side.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/load/read_model.h"
#include "feed/input_sets.h"
#include "onnx/onnx_pb.h"
#include "prove/prove.h"
#include "prove/trials/prove_sizes.h"
#include "tests/fuzz/limits.h"
#include "tests/fuzz/mutate_model.h"
#include "tests/fuzz/targets.h"

namespace onnxcmp::fuzz {
namespace {

absl::Status Prove(ModelSide& left, ModelSide& right) {
  InputOptions inputs;
  inputs.generated = LimitedInputs();
  OC_ASSIGN_OR_RETURN(InputSets sets, InputSets::Open(left.graph(), right.graph(), inputs));
  OC_ASSIGN_OR_RETURN(FedInputs fed, sets.Get(0));
  left.SetFeeds(std::move(fed.left));
  right.SetFeeds(std::move(fed.right));
  CompareOptions options;
  options.threads = 1;
  OC_ASSIGN_OR_RETURN(const Comparison comparison, Compare(left, right, options));
  if (!comparison.left_summary.status.ok() || !comparison.right_summary.status.ok()) {
    return absl::OkStatus();
  }
  const ThreadPool pool(1);
  ProveOnSizes({&left, &right}, comparison, &sets, options, {.seed = 0, .pool = &pool});
  return absl::OkStatus();
}

}  // namespace

absl::Status ProveModels(uint64_t seed, absl::string_view bytes) {
  const auto model = ReadModelBytes(bytes, /*max_depth=*/64);
  if (!model.ok()) return absl::OkStatus();
  std::array<std::unique_ptr<ModelSide>, 2> sides;
  for (std::unique_ptr<ModelSide>& side : sides) {
    const auto loaded =
        LoadModelFromBytes((*model)->SerializeAsString(), Registry(), LimitedLoad());
    if (!loaded.ok()) return Mistake(loaded.status());
    auto made = ModelSide::Create(*loaded, Registry(), LimitedRun());
    if (!made.ok()) return Mistake(made.status());
    side = *std::move(made);
    // Half of the pairs are a model and itself, which has the longest proof.
    if (seed % 2 == 0) ModelMutator(seed).Mutate(model->get());
  }
  return Mistake(Prove(*sides[0], *sides[1]));
}

absl::Status ProveModels(absl::string_view bytes) {
  uint64_t seed = 0;
  if (bytes.size() < sizeof(seed)) return absl::OkStatus();
  std::memcpy(&seed, bytes.data(), sizeof(seed));
  return ProveModels(seed, bytes.substr(sizeof(seed)));
}

}  // namespace onnxcmp::fuzz
