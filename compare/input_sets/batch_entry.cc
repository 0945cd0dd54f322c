#include "compare/input_sets/batch_entry.h"

#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "compare/alignment/alignment.h"
#include "compare/outputs/output_comparison.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/base/work_bounds.h"

namespace onnxcmp {
namespace {

// The size of the first axis that all inputs share; 0 if there is none.
int64_t BatchOfFeeds(const Feeds& feeds) {
  int64_t batch = 0;
  for (const auto& [name, value] : feeds) {
    if (!value.is_tensor()) return 0;
    const Tensor& tensor = value.tensor();
    if (tensor.rank() == 0) continue;
    if (batch != 0 && tensor.dim(0) != batch) return 0;
    batch = tensor.dim(0);
  }
  return batch;
}

absl::StatusOr<Feeds> EntryOfFeeds(const Feeds& feeds, int64_t entry) {
  Feeds made;
  for (const auto& [name, value] : feeds) {
    if (value.tensor().rank() == 0) {
      made[name] = value;
      continue;
    }
    OC_ASSIGN_OR_RETURN(const Tensor whole, value.tensor().Contiguous());
    Shape shape = whole.shape();
    const int64_t size = whole.num_elements() / shape[0];
    shape[0] = 1;
    OC_ASSIGN_OR_RETURN(
        made[name],
        whole.Strided(shape, whole.strides(), whole.offset() + entry * size).Contiguous());
  }
  return made;
}

int64_t NumberAgreeing(const Comparison& comparison) {
  return absl::c_count_if(comparison.outputs.pairs, [&](const OutputPair& pair) {
    return !pair.entry && IsAccepted(comparison.outputs, pair);
  });
}

}  // namespace

absl::StatusOr<std::optional<Comparison>> CompareOnEntry(Side& left, Side& right,
                                                         const CompareOptions& options,
                                                         const Comparison& whole, FedInputs* fed) {
  const bool left_is_recorded = left.evaluator() == nullptr;
  if (left_is_recorded == (right.evaluator() == nullptr) ||
      absl::c_none_of(whole.outputs.pairs, [](const OutputPair& pair) { return pair.entry; })) {
    return std::nullopt;
  }
  Side& model = left_is_recorded ? right : left;
  Feeds& feeds = left_is_recorded ? fed->right : fed->left;
  const int64_t batch = BatchOfFeeds(feeds);
  if (batch < 2 || batch > work_bounds::kTrials) return std::nullopt;
  std::optional<Comparison> best;
  Feeds of_best;
  int64_t most = NumberAgreeing(whole);
  for (int64_t entry = 0; entry < batch; ++entry) {
    absl::StatusOr<Feeds> one = EntryOfFeeds(feeds, entry);
    if (!one.ok()) continue;
    model.SetFeeds(*one);
    OC_ASSIGN_OR_RETURN(Comparison comparison, Compare(left, right, options));
    const int64_t agreeing = NumberAgreeing(comparison);
    if (agreeing <= most) continue;
    most = agreeing;
    comparison.notes.push_back(
        absl::StrCat("the recording has one entry of the batch: the model ran on entry ", entry,
                     " of ", batch, " alone"));
    best = std::move(comparison);
    of_best = *std::move(one);
  }
  if (best.has_value()) feeds = std::move(of_best);
  model.SetFeeds(feeds);
  return best;
}

}  // namespace onnxcmp
