#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/vector_math.h"
#include "ops/extended/domains.h"
#include "ops/traditionalml/class_labels.h"
#include "ops/traditionalml/linear.h"
#include "ops/traditionalml/post_transform.h"
#include "ops/traditionalml/svm.h"
#include "ops/traditionalml/tree_attributes.h"

namespace onnxcmp {
namespace {

struct Classifier {
  SvmKernel kernel;
  PostTransform transform = PostTransform::kNone;
  Tensor labels;
  Tensor vectors;                   // without support vectors: those of the classes
  std::vector<float> coefficients;  // (classes - 1, vectors)
  std::vector<float> rho;
  std::vector<float> prob_a, prob_b;      // one for each pair of classes, or none
  std::vector<int64_t> vectors_of_class;  // class i has support vectors [i], ..., [i + 1] - 1

  int64_t classes() const { return labels.num_elements(); }
  int64_t pairs() const { return classes() * (classes() - 1) / 2; }
  bool linear() const { return vectors_of_class.empty(); }
};

// The decision of each pair of classes i < j, in the order (0, 1), (0, 2), ..., (1, 2), ...: the
// sum of the support vectors of both, weighted for that pair. Returns the class that wins the most
// pairs.
template <typename S>
int64_t DecidePairs(const Classifier& c, const S* kernels, S* decisions) {
  const int64_t classes = c.classes();
  const int64_t vectors = c.vectors_of_class.back();
  const auto sum = [&](int64_t of, int64_t row) {
    double total = 0;
    for (int64_t v = c.vectors_of_class[static_cast<size_t>(of)];
         v < c.vectors_of_class[static_cast<size_t>(of) + 1]; ++v) {
      total += double{c.coefficients[static_cast<size_t>(row * vectors + v)]} * kernels[v];
    }
    return total;
  };
  std::vector<int64_t> votes(static_cast<size_t>(classes));
  int64_t pair = 0;
  for (int64_t i = 0; i < classes; ++i) {
    for (int64_t j = i + 1; j < classes; ++j, ++pair) {
      const double decision = sum(i, j - 1) + sum(j, i) + c.rho[static_cast<size_t>(pair)];
      decisions[pair] = static_cast<S>(decision);
      ++votes[static_cast<size_t>(decision > 0 ? i : j)];
    }
  }
  return std::max_element(votes.begin(), votes.end()) - votes.begin();
}

// Probabilities of the classes that fit those of the pairs best: Wu, Lin and Weng, "Probability
// Estimates for Multi-class Classification by Pairwise Coupling", 2004, algorithm 2, with the
// iterations and the tolerance of LIBSVM. r[i * classes + j] = P(i | i or j).
void CouplePairs(const std::vector<double>& r, int64_t classes, absl::Span<double> p) {
  const auto at = [&](int64_t i, int64_t j) { return static_cast<size_t>(i * classes + j); };
  std::vector<double> q(r.size());
  std::vector<double> qp(p.size());
  for (int64_t i = 0; i < classes; ++i) {
    p[static_cast<size_t>(i)] = 1.0 / static_cast<double>(classes);
    for (int64_t j = 0; j < classes; ++j) {
      if (j == i) continue;
      q[at(i, i)] += r[at(j, i)] * r[at(j, i)];
      q[at(i, j)] = -r[at(j, i)] * r[at(i, j)];
    }
  }
  const double tolerance = 0.005 / static_cast<double>(classes);
  const int64_t rounds = std::max<int64_t>(100, classes);
  for (int64_t round = 0; round < rounds; ++round) {
    double pqp = 0;
    for (int64_t i = 0; i < classes; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < classes; ++j) sum += q[at(i, j)] * p[static_cast<size_t>(j)];
      qp[static_cast<size_t>(i)] = sum;
      pqp += p[static_cast<size_t>(i)] * sum;
    }
    double error = 0;
    for (const double x : qp) error = std::max(error, std::abs(x - pqp));
    if (error < tolerance) return;
    for (int64_t i = 0; i < classes; ++i) {
      const auto k = static_cast<size_t>(i);
      const double step = (pqp - qp[k]) / q[at(i, i)];
      p[k] += step;
      pqp = (pqp + step * (step * q[at(i, i)] + 2 * qp[k])) / (1 + step) / (1 + step);
      for (int64_t j = 0; j < classes; ++j) {
        const auto l = static_cast<size_t>(j);
        qp[l] = (qp[l] + step * q[at(i, j)]) / (1 + step);
        p[l] /= 1 + step;
      }
    }
  }
}

// Platt's probabilities 1 / (1 + e^(prob_a * decision + prob_b)) of the pairs, coupled.
template <typename S>
void Probabilities(const Classifier& c, const S* decisions, S* row) {
  const int64_t classes = c.classes();
  std::vector<double> r(static_cast<size_t>(classes * classes));
  size_t pair = 0;
  for (int64_t i = 0; i < classes; ++i) {
    for (int64_t j = i + 1; j < classes; ++j, ++pair) {
      double p = -(double{decisions[pair]} * c.prob_a[pair] + c.prob_b[pair]);
      vec::Sigmoid(&p, 1, &p);
      p = std::min(std::max(p, 1e-7), 1 - 1e-7);
      r[static_cast<size_t>(i * classes + j)] = p;
      r[static_cast<size_t>(j * classes + i)] = 1 - p;
    }
  }
  std::vector<double> p(static_cast<size_t>(classes));
  CouplePairs(r, classes, absl::MakeSpan(p));
  std::copy(p.begin(), p.end(), row);
}

template <typename S>
absl::Status Run(KernelContext& ctx, const Classifier& c) {
  const int64_t classes = c.classes();
  const int64_t vectors = c.linear() ? classes : c.vectors_of_class.back();
  OC_ASSIGN_OR_RETURN(const Tensor kernels,
                      SvmKernels<S>(ctx, c.kernel, ctx.Input(0), c.vectors, vectors));
  const bool by_class = c.linear() || !c.prob_a.empty();
  const int64_t columns = by_class || classes == 2 ? classes : c.pairs();
  const int64_t rows = kernels.dim(0);
  OC_ASSIGN_OR_RETURN(Tensor scores, ctx.Allocate(kDTypeOf<S>, {rows, columns}));
  std::vector<int64_t> chosen(static_cast<size_t>(rows));
  S* to = scores.mutable_data<S>();
  ctx.pool().ParallelRanges(rows, 16, [&](int64_t begin, int64_t end) {
    std::vector<S> decisions(static_cast<size_t>(c.pairs()));
    for (int64_t n = begin; n < end; ++n) {
      const S* from = kernels.data<S>() + n * vectors;
      S* row = to + n * columns;
      int64_t& top = chosen[static_cast<size_t>(n)];
      if (c.linear()) {
        for (int64_t i = 0; i < classes; ++i) row[i] = from[i] + S{c.rho[0]};
        top = TopClass(row, classes);
      } else {
        top = DecidePairs(c, from, decisions.data());
        if (by_class) {
          Probabilities(c, decisions.data(), row);
        } else if (classes == 2) {
          row[0] = ScoreOfOtherClass(c.transform, false, decisions[0]);
          row[1] = decisions[0];
        } else {
          std::copy(decisions.begin(), decisions.end(), row);
        }
      }
      ApplyPostTransform(c.transform, row, columns);
    }
  });
  OC_ASSIGN_OR_RETURN(Tensor y, PickLabels(ctx, c.labels, chosen));
  OC_ASSIGN_OR_RETURN(Tensor z, StoreTensor<S>(ctx, scores, DType::kFloat));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(y)));
  return ctx.SetOutput(1, std::move(z));
}

absl::StatusOr<Classifier> MakeClassifier(const KernelInit& node) {
  Classifier c;
  OC_ASSIGN_OR_RETURN(c.transform, ParsePostTransform(node.String("post_transform")));
  OC_ASSIGN_OR_RETURN(c.kernel, ReadSvmKernel(node));
  OC_ASSIGN_OR_RETURN(c.labels,
                      ReadRequiredLabels(node, "classlabels_ints", "classlabels_strings"));
  c.coefficients = node.Floats("coefficients");
  c.rho = node.Floats("rho");
  c.prob_a = node.Floats("prob_a");
  c.prob_b = node.Floats("prob_b");
  const std::vector<float> support_vectors = node.Floats("support_vectors");
  const std::vector<int64_t> sizes = node.Ints("vectors_per_class");
  int64_t total = 0;
  std::vector<int64_t> begins = {0};
  for (const int64_t size : sizes) {
    if (size < 0 || size > std::numeric_limits<int32_t>::max() - total) {
      return absl::InvalidArgumentError(absl::StrCat("vectors_per_class has ", size));
    }
    begins.push_back(total += size);
  }
  if (total == 0) {
    if (c.rho.empty()) return absl::InvalidArgumentError("there is no rho");
    c.kernel = SvmKernel{};
    c.vectors = FloatTensor(c.coefficients);
    return c;
  }
  if (c.classes() > 65535) return absl::UnimplementedError("more than 65535 classes");
  if (c.classes() < 2) return absl::InvalidArgumentError("there is one class");
  const auto pairs = static_cast<size_t>(c.pairs());
  OC_RETURN_IF_ERROR(
      CheckLength("vectors_per_class", sizes.size(), static_cast<size_t>(c.classes())));
  OC_RETURN_IF_ERROR(CheckLength("coefficients", c.coefficients.size(),
                                 static_cast<size_t>((c.classes() - 1) * total)));
  OC_RETURN_IF_ERROR(CheckLength("rho", c.rho.size(), pairs));
  OC_RETURN_IF_ERROR(CheckLength("prob_b", c.prob_b.size(), c.prob_a.size()));
  if (!c.prob_a.empty()) OC_RETURN_IF_ERROR(CheckLength("prob_a", c.prob_a.size(), pairs));
  c.vectors = FloatTensor(support_vectors);
  c.vectors_of_class = std::move(begins);
  return c;
}

// SVMClassifier (ai.onnx.ml 1): one decision for each pair of classes, the sum of coefficients *
// kernel(X[n], support vector) over the vectors of both, plus rho. Y[n] is the label of the class
// that wins the most pairs. Z[n] holds the decisions; with two classes, that of the pair and its
// opposite; with prob_a and prob_b, the probabilities of the classes. Without support vectors the
// coefficients are a vector for each class, Z holds the products plus rho, and the greatest wins.
absl::StatusOr<Kernel> SVMClassifier(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(Classifier made, MakeClassifier(node));
  auto c = std::make_shared<const Classifier>(std::move(made));
  return [c](KernelContext& ctx) -> absl::Status {
    return InClassOf(ctx.Input(0), [&]<typename S>() { return Run<S>(ctx, *c); });
  };
}

}  // namespace

void RegisterMlSvmClassifier(OpRegistry& registry) {
  registry.Add(kMlDomain, "SVMClassifier", {1}, SVMClassifier);
  registry.Add(kOptimCpuDomain, "SVMClassifier", {1}, SVMClassifier);
}

}  // namespace onnxcmp
