#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "evaluator/kernels/op_registry.h"
#include "ops/extended/domains.h"
#include "ops/traditionalml/class_labels.h"
#include "ops/traditionalml/post_transform.h"
#include "ops/traditionalml/tree_attributes.h"
#include "ops/traditionalml/trees.h"

namespace onnxcmp {
namespace {

struct Classifier {
  TreeEnsembleModel model;
  Tensor labels;
  PostTransform transform = PostTransform::kNone;
  bool is_double = false;
  // Two classes, and all votes are for one of them.
  bool binary = false;
  // ... which is the first one by number, but means the second.
  bool single_score = false;
  bool probability = false;  // no vote is negative
};

// The class with the greatest score of those that a leaf voted for, the first of equals.
template <typename S>
int64_t TopVoted(const S* scores, const unsigned char* voted, int64_t classes) {
  int64_t top = -1;
  for (int64_t i = 0; i < classes; ++i) {
    if (voted[i] && (top < 0 || scores[i] > scores[top])) top = i;
  }
  return std::max<int64_t>(top, 0);
}

// The class of a row; its scores, of which there are as many as classes, are completed.
template <typename S>
int64_t Classify(const Classifier& c, const unsigned char* voted, S* scores) {
  int64_t top;
  if (c.binary) {
    const S score = scores[c.single_score ? 0 : 1];
    top = score > (c.probability ? S{0.5} : S{0}) ? 1 : 0;
    if (c.single_score) {
      scores[0] = ScoreOfOtherClass(c.transform, c.probability, score);
      scores[1] = score;
    }
  } else if (c.model.base_values.empty() && c.labels.num_elements() > 2) {
    top = TopVoted(scores, voted, c.labels.num_elements());
  } else {
    top = TopClass(scores, c.labels.num_elements());
  }
  ApplyPostTransform(c.transform, scores, c.labels.num_elements());
  return top;
}

template <typename S>
absl::Status Run(KernelContext& ctx, const Classifier& c) {
  const Tensor& x = ctx.Input(0);
  const int64_t classes = c.labels.num_elements();
  OC_ASSIGN_OR_RETURN(const RowShape shape, RowsOf(x));
  OC_ASSIGN_OR_RETURN(Tensor z, ctx.Allocate(DType::kFloat, {shape.rows, classes}));
  std::vector<int64_t> chosen(static_cast<size_t>(shape.rows));
  float* out = z.mutable_data<float>();
  OC_RETURN_IF_ERROR(
      RunTrees<S>(ctx, c.model, x, [&](int64_t row, S* scores, const unsigned char* voted) {
        chosen[static_cast<size_t>(row)] = Classify(c, voted, scores);
        std::copy(scores, scores + classes, out + row * classes);
      }));
  OC_ASSIGN_OR_RETURN(Tensor y, PickLabels(ctx, c.labels, chosen));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(y)));
  return ctx.SetOutput(1, std::move(z));
}

absl::StatusOr<Classifier> MakeClassifier(const KernelInit& node) {
  Classifier c;
  OC_ASSIGN_OR_RETURN(c.transform, ParsePostTransform(node.String("post_transform")));
  OC_ASSIGN_OR_RETURN(c.labels,
                      ReadRequiredLabels(node, "classlabels_int64s", "classlabels_strings"));
  OC_ASSIGN_OR_RETURN(TreeArrays arrays, ReadTreeArrays(node, "class"));
  c.model = std::move(arrays.model);
  c.is_double = arrays.is_double;
  c.model.targets = c.labels.num_elements();
  const std::vector<TreeVote>& votes = c.model.votes;
  const auto same_class = [&](const TreeVote& v) { return v.target == votes[0].target; };
  c.binary =
      c.model.targets == 2 && !votes.empty() && std::all_of(votes.begin(), votes.end(), same_class);
  c.single_score = c.binary && votes[0].target == 0;
  c.probability =
      std::all_of(votes.begin(), votes.end(), [](const TreeVote& v) { return v.weight >= 0; });
  // The one base value of a single score is that score's.
  if (c.single_score && c.model.base_values.size() == 1) c.model.base_values.push_back(0);
  OC_RETURN_IF_ERROR(c.model.Finish());
  return c;
}

// TreeEnsembleClassifier (ai.onnx.ml 1, 3, 5): Z[n, c] = post_transform(base_values[c] + the sum of
// the weights for class c at the leaves that row n of X gets to), Y[n] the label of the greatest
// sum, where of more than two classes one without a vote and a base value
// is none (onnxruntime).
//
// With two labels and votes for class 0 alone, as converters write binary models, the sum is the
// score of the *second* class; that of the first is 1 - score if no weight is negative (and for
// PROBIT), else -score. Where all votes are for one of two classes, the label is the second if the
// score is above 0.5 (no weight is negative) or 0: onnxruntime's rules, on which the specification
// is silent.
absl::StatusOr<Kernel> TreeEnsembleClassifier(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(Classifier made, MakeClassifier(node));
  auto c = std::make_shared<const Classifier>(std::move(made));
  return [c](KernelContext& ctx) -> absl::Status {
    if (c->is_double || ctx.Input(0).dtype() == DType::kDouble) return Run<double>(ctx, *c);
    return Run<float>(ctx, *c);
  };
}

}  // namespace

void RegisterMlTreeEnsembleClassifier(OpRegistry& registry) {
  registry.Add(kMlDomain, "TreeEnsembleClassifier", {1, 3, 5}, TreeEnsembleClassifier);
  registry.Add(kOptimCpuDomain, "TreeEnsembleClassifier", {1}, TreeEnsembleClassifier);
}

}  // namespace onnxcmp
