#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/traditionalml/class_labels.h"
#include "ops/traditionalml/linear.h"
#include "ops/traditionalml/post_transform.h"
#include "ops/traditionalml/trees.h"

namespace onnxcmp {
namespace {

struct Classifier {
  PostTransform transform = PostTransform::kNone;
  Tensor labels;
  Tensor coefficients;
  std::vector<float> intercepts;
};

// How many scores a row gets before a second one is added.
absl::StatusOr<int64_t> ScoresOf(const Classifier& c, int64_t features) {
  if (!c.intercepts.empty()) return std::ssize(c.intercepts);
  if (features == 0 || c.coefficients.num_elements() % features != 0) {
    return absl::InvalidArgumentError(absl::StrCat("coefficients has ",
                                                   c.coefficients.num_elements(), " elements for ",
                                                   features, " features"));
  }
  return c.coefficients.num_elements() / features;
}

template <typename S>
absl::Status Run(KernelContext& ctx, const Classifier& c) {
  OC_ASSIGN_OR_RETURN(const RowShape shape, RowsOf(ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(const int64_t count, ScoresOf(c, shape.columns));
  // Without labels, 0 and 1 are those of the one score's sign.
  const bool labelled = c.labels.defined();
  const Tensor labels = labelled ? c.labels : Tensor::Of<int64_t>({2}, {0, 1});
  const int64_t classes = labelled ? labels.num_elements() : 1;
  if (count != classes && !(count == 1 && classes == 2)) {
    return absl::InvalidArgumentError(
        absl::StrCat("there are ", classes, " labels for ", count, " scores"));
  }
  OC_ASSIGN_OR_RETURN(const Tensor products,
                      RowProducts<S>(ctx, ctx.Input(0), c.coefficients, count, "coefficients"));
  OC_ASSIGN_OR_RETURN(Tensor scores, ctx.Allocate(kDTypeOf<S>, {shape.rows, classes}));
  std::vector<int64_t> chosen(static_cast<size_t>(shape.rows));
  const S* from = products.data<S>();
  S* row = scores.mutable_data<S>();
  for (size_t n = 0; n < chosen.size(); ++n, from += count, row += classes) {
    std::copy(from, from + count, row);
    for (size_t i = 0; i < c.intercepts.size(); ++i) row[i] += S{c.intercepts[i]};
    if (count < classes) {
      row[1] = row[0];
      row[0] = ScoreOfOtherClass(c.transform, true, row[1]);
      chosen[n] = row[1] > 0 ? 1 : 0;
    } else if (!labelled) {
      chosen[n] = row[0] > 0 ? 1 : 0;
    } else {
      chosen[n] = TopClass(row, classes);
    }
    ApplyPostTransform(c.transform, row, classes);
  }
  OC_ASSIGN_OR_RETURN(Tensor y, PickLabels(ctx, labels, chosen));
  OC_ASSIGN_OR_RETURN(Tensor z, StoreTensor<S>(ctx, scores, DType::kFloat));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(y)));
  return ctx.SetOutput(1, std::move(z));
}

// LinearClassifier (ai.onnx.ml 1): Z[n, c] = post_transform(X[n] . coefficients[c] +
// intercepts[c]), Y[n] the label of the greatest score. multi_class changes nothing.
//
// With two labels and one score the score is the second class's, which wins if it is positive; the
// first has 1 - score without a transform and for PROBIT, else -score. Without labels there must be
// one score, whose label is 1 if it is positive, else 0 (as onnxruntime and ONNX's evaluator do
// it).
absl::StatusOr<Kernel> LinearClassifier(const KernelInit& node) {
  node.Ignore("multi_class");
  OC_ASSIGN_OR_RETURN(const PostTransform transform,
                      ParsePostTransform(node.String("post_transform")));
  OC_ASSIGN_OR_RETURN(Tensor labels, ReadLabels(node, "classlabels_ints", "classlabels_strings"));
  auto c = std::make_shared<const Classifier>(
      Classifier{.transform = transform,
                 .labels = std::move(labels),
                 .coefficients = FloatTensor(node.Floats("coefficients")),
                 .intercepts = node.Floats("intercepts")});
  return [c](KernelContext& ctx) -> absl::Status {
    return InClassOf(ctx.Input(0), [&]<typename S>() { return Run<S>(ctx, *c); });
  };
}

}  // namespace

void RegisterMlLinearClassifier(OpRegistry& registry) {
  registry.Add(kMlDomain, "LinearClassifier", {1}, LinearClassifier);
}

}  // namespace onnxcmp
