#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/vector_math.h"
#include "ops/common/reduction/lanes.h"
#include "ops/common/reduction/softmax.h"

namespace onnxcmp {
namespace {

// The cross entropies of onnxruntime's training, classes along the last axis: of labels that are
// distributions, or, sparse, of labels that are classes. Input numbers; those of the gradients are
// dY, log_prob and then these.
enum InputIndex { kLabel = 1, kWeight = 2 };

// The rows of labels (one for each sample), how much each counts, and what the mean divides by.
template <typename C>
struct Labels {
  Tensor rows;
  std::vector<C> weights;
  C total;
};

absl::Status DoNotFit(const Tensor& scores, const Tensor& labels) {
  return absl::InvalidArgumentError(
      absl::StrCat("scores are ", scores.TypeString(), ", labels ", labels.TypeString()));
}

// Labels as distributions: given as such.
template <typename C>
absl::StatusOr<Labels<C>> DenseLabels(const KernelContext& ctx, const Tensor& scores, int first) {
  const Tensor& given = ctx.Input(first + kLabel);
  if (scores.rank() == 0 || given.shape() != scores.shape()) return DoNotFit(scores, given);
  Labels<C> labels;
  OC_ASSIGN_OR_RETURN(labels.rows, LoadTensor<C>(ctx, given));
  const int64_t classes = scores.shape().back();
  const int64_t samples = classes == 0 ? 0 : scores.num_elements() / classes;
  labels.weights.assign(static_cast<size_t>(samples), C{1});
  labels.total = static_cast<C>(samples);
  return labels;
}

// Labels as distributions: 1 for the class that is given.
template <typename C>
absl::StatusOr<Labels<C>> SparseLabels(const KernelContext& ctx, const Tensor& scores, int first) {
  const Tensor& given = ctx.Input(first + kLabel);
  if (scores.rank() == 0 ||
      given.shape() != Shape(scores.shape().begin(), scores.shape().end() - 1)) {
    return DoNotFit(scores, given);
  }
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> classes, ctx.IntsInput(first + kLabel));
  const int64_t count = scores.shape().back();
  Labels<C> labels;
  OC_ASSIGN_OR_RETURN(labels.rows, ctx.Allocate(kDTypeOf<C>, scores.shape()));
  C* row = labels.rows.template mutable_data<C>();
  for (const int64_t label : classes) {
    if (label < 0 || label >= count) {
      return absl::InvalidArgumentError(
          absl::StrCat("label ", label, " is none of ", count, " classes"));
    }
    std::fill_n(row, count, C{0});
    row[label] = 1;
    row += count;
  }
  labels.weights.assign(classes.size(), C{1});
  if (ctx.HasInput(first + kWeight)) {
    if (ctx.Input(first + kWeight).shape() != given.shape()) {
      return DoNotFit(ctx.Input(first + kWeight), given);
    }
    OC_ASSIGN_OR_RETURN(const Tensor weights, LoadTensor<C>(ctx, ctx.Input(first + kWeight)));
    labels.weights.assign(weights.data<C>(), weights.data<C>() + weights.num_elements());
  }
  labels.total = LaneSum(labels.weights.data(), static_cast<int64_t>(labels.weights.size()));
  return labels;
}

template <typename C>
absl::StatusOr<Labels<C>> ReadClassLabels(const KernelContext& ctx, const Tensor& scores, int first,
                                          bool sparse) {
  return sparse ? SparseLabels<C>(ctx, scores, first) : DenseLabels<C>(ctx, scores, first);
}

template <typename C>
absl::Status RunLoss(KernelContext& ctx, bool sparse, bool mean) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor scores, LoadTensor<C>(ctx, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(const Labels<C> labels, ReadClassLabels<C>(ctx, scores, 0, sparse));
  OC_ASSIGN_OR_RETURN(Tensor log_prob, ctx.Allocate(kDTypeOf<C>, scores.shape()));
  const LaneShape lanes = LanesAlong(scores.shape(), scores.rank() - 1);
  TransformLanes<C>(ctx.pool(), scores, lanes, log_prob,
                    [&](int64_t, const C* x, C* y) { LogSoftmaxLane(x, lanes.length, y); });
  std::vector<C> terms(static_cast<size_t>(scores.num_elements()));
  for (size_t i = 0; i < terms.size(); ++i) {
    const C weight = labels.weights[i / static_cast<size_t>(lanes.length)];
    const C label = labels.rows.template data<C>()[i];
    // Where a label gives no weight, an infinite log-probability plays no part.
    terms[i] = sparse && label == 0 ? C{0} : -label * log_prob.data<C>()[i] * weight;
  }
  C loss = LaneSum(terms.data(), static_cast<int64_t>(terms.size()));
  if (mean) loss /= labels.total;
  OC_ASSIGN_OR_RETURN(Tensor y, StoreTensor<C>(ctx, Tensor::Scalar<C>(loss), dtype));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(y)));
  OC_ASSIGN_OR_RETURN(log_prob, StoreTensor<C>(ctx, log_prob, dtype));
  return ctx.SetOutput(1, std::move(log_prob));
}

template <typename C>
absl::Status RunGrad(KernelContext& ctx, bool sparse, bool mean) {
  OC_ASSIGN_OR_RETURN(const Tensor log_prob, LoadTensor<C>(ctx, ctx.Input(1)));
  OC_ASSIGN_OR_RETURN(const Labels<C> labels, ReadClassLabels<C>(ctx, log_prob, 1, sparse));
  OC_ASSIGN_OR_RETURN(C dy, ctx.ScalarInput<C>(0));
  if (mean) dy /= labels.total;
  OC_ASSIGN_OR_RETURN(Tensor gradient, ctx.Allocate(kDTypeOf<C>, log_prob.shape()));
  C* out = gradient.mutable_data<C>();
  vec::Exp(log_prob.data<C>(), gradient.num_elements(), out);
  const int64_t classes = log_prob.shape().back();
  for (int64_t i = 0; i < gradient.num_elements(); ++i) {
    out[i] = (out[i] - labels.rows.template data<C>()[i]) *
             (labels.weights[static_cast<size_t>(i / classes)] * dy);
  }
  OC_ASSIGN_OR_RETURN(gradient, StoreTensor<C>(ctx, gradient, ctx.Input(1).dtype()));
  return ctx.SetOutput(0, std::move(gradient));
}

absl::StatusOr<Kernel> CrossEntropy(const KernelInit& node, bool sparse, bool gradient) {
  const std::string reduction = node.String("reduction");
  if (reduction != "mean" && reduction != "sum") {
    return absl::InvalidArgumentError(
        absl::StrCat("reduction must be mean or sum, not ", reduction));
  }
  const bool mean = reduction == "mean";
  return FloatKernel(gradient ? 1 : 0, [mean, sparse, gradient]<typename C>(KernelContext& ctx) {
    return gradient ? RunGrad<C>(ctx, sparse, mean) : RunLoss<C>(ctx, sparse, mean);
  });
}

// SoftmaxCrossEntropy (com.microsoft 1): log_prob = LogSoftmax(logits) along the last axis,
// Y = -sum(label * log_prob), divided by the number of samples for the mean.
absl::StatusOr<Kernel> SoftmaxCrossEntropy(const KernelInit& node) {
  return CrossEntropy(node, false, false);
}

// SoftmaxCrossEntropyGrad (com.microsoft 1): (exp(log_prob) - label) * dY, divided likewise: the
// gradient for labels that add up to 1.
absl::StatusOr<Kernel> SoftmaxCrossEntropyGrad(const KernelInit& node) {
  return CrossEntropy(node, false, true);
}

// SparseSoftmaxCrossEntropy (ai.onnx 9, an operator of onnxruntime's): the same with the class of
// each sample as label, and a weight for each sample, by the sum of which the mean divides.
absl::StatusOr<Kernel> SparseSoftmaxCrossEntropy(const KernelInit& node) {
  return CrossEntropy(node, true, false);
}

// SparseSoftmaxCrossEntropyGrad (ai.onnx 9, an operator of onnxruntime's): its gradient.
absl::StatusOr<Kernel> SparseSoftmaxCrossEntropyGrad(const KernelInit& node) {
  return CrossEntropy(node, true, true);
}

}  // namespace

void RegisterTrainingSoftmaxCrossEntropy(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "SoftmaxCrossEntropy", {1}, SoftmaxCrossEntropy);
  registry.Add(kMicrosoftDomain, "SoftmaxCrossEntropyGrad", {1}, SoftmaxCrossEntropyGrad);
  registry.Add(kOnnxDomain, "SparseSoftmaxCrossEntropy", {9}, SparseSoftmaxCrossEntropy);
  registry.Add(kOnnxDomain, "SparseSoftmaxCrossEntropyGrad", {9}, SparseSoftmaxCrossEntropyGrad);
}

}  // namespace onnxcmp
