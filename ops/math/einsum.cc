#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/products/matmul.h"
#include "ops/common/reduction/reduce.h"

namespace onnxcmp {
namespace {

// A letter, or for the dimensions of an ellipsis -1 (the last one), -2, ...
using Label = int;
using Labels = std::vector<Label>;

constexpr absl::string_view kEllipsis = "...";
constexpr Label kWholeEllipsis = 0;  // while its rank is not known

struct Equation {
  std::vector<Labels> inputs;
  bool has_output = false;
  Labels output;
};

absl::StatusOr<Labels> ParseTerm(absl::string_view term) {
  Labels labels;
  for (size_t i = 0; i < term.size(); ++i) {
    if (absl::ascii_isalpha(static_cast<unsigned char>(term[i]))) {
      labels.push_back(term[i]);
    } else if (term.substr(i, 3) == kEllipsis &&
               std::find(labels.begin(), labels.end(), kWholeEllipsis) == labels.end()) {
      labels.push_back(kWholeEllipsis);
      i += 2;
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("einsum term \"", term, "\" is not letters and one ellipsis"));
    }
  }
  return labels;
}

absl::StatusOr<Equation> ParseEquation(const std::string& text) {
  const std::string packed = absl::StrReplaceAll(text, {{" ", ""}});
  const std::vector<std::string> sides = absl::StrSplit(packed, "->");
  if (sides.size() > 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("einsum equation \"", text, "\" has two arrows"));
  }
  Equation equation;
  for (const std::string& term : std::vector<std::string>(absl::StrSplit(sides[0], ','))) {
    OC_ASSIGN_OR_RETURN(Labels labels, ParseTerm(term));
    equation.inputs.push_back(std::move(labels));
  }
  if (sides.size() == 2) {
    equation.has_output = true;
    OC_ASSIGN_OR_RETURN(equation.output, ParseTerm(sides[1]));
  }
  return equation;
}

bool Contains(const Labels& labels, Label label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

// The ellipsis as `rank` labels of its own.
Labels Expanded(const Labels& labels, int rank) {
  Labels expanded;
  for (const Label label : labels) {
    if (label != kWholeEllipsis) {
      expanded.push_back(label);
      continue;
    }
    for (int i = rank; i > 0; --i) {
      expanded.push_back(-i);
    }
  }
  return expanded;
}

// A tensor whose axes have names, each a different one.
struct Named {
  Labels labels;
  Tensor tensor;
};

// The axes in the order of `labels`, which are the tensor's own.
Tensor Ordered(const Named& x, const Labels& labels) {
  Shape shape;
  Shape strides;
  for (const Label label : labels) {
    const auto at =
        static_cast<size_t>(std::find(x.labels.begin(), x.labels.end(), label) - x.labels.begin());
    shape.push_back(x.tensor.shape()[at]);
    strides.push_back(x.tensor.strides()[at]);
  }
  return x.tensor.Strided(shape, strides, x.tensor.offset());
}

// Sums over the axes that `keeps` does not want.
template <typename Keeps>
absl::StatusOr<Named> SummedOut(const KernelContext& ctx, Named x, const Keeps& keeps) {
  Named sum;
  Axes axes;
  for (size_t i = 0; i < x.labels.size(); ++i) {
    if (keeps(x.labels[i])) {
      sum.labels.push_back(x.labels[i]);
    } else {
      axes.push_back(static_cast<int>(i));
    }
  }
  if (axes.empty()) {
    return x;
  }
  OC_ASSIGN_OR_RETURN(sum.tensor, Reduce(ctx, x.tensor, axes, /*keepdims=*/false, Reduction::kSum));
  return sum;
}

// The sum of a * b over the axes that both have and `keeps` does not want, as a batch of matrix
// products.
template <typename Keeps>
absl::StatusOr<Named> Contracted(const KernelContext& ctx, Named a, Named b, const Keeps& keeps) {
  OC_ASSIGN_OR_RETURN(a, SummedOut(ctx, std::move(a), [&](Label label) {
                        return keeps(label) || Contains(b.labels, label);
                      }));
  OC_ASSIGN_OR_RETURN(b, SummedOut(ctx, std::move(b), [&](Label label) {
                        return keeps(label) || Contains(a.labels, label);
                      }));
  Labels batch;
  Labels rows;
  Labels inner;
  Labels columns;
  Shape a_dims = {1, 1, 1};  // of the matrices: batch, rows, inner
  Shape b_dims = {1, 1, 1};  // batch, inner, columns
  Shape shape;
  for (size_t i = 0; i < a.labels.size(); ++i) {
    const Label label = a.labels[i];
    const int64_t size = a.tensor.shape()[i];
    if (!Contains(b.labels, label)) {
      rows.push_back(label);
      a_dims[1] *= size;
    } else if (keeps(label)) {
      batch.push_back(label);
      a_dims[0] *= size;
    } else {
      inner.push_back(label);
      a_dims[2] *= size;
    }
  }
  b_dims[0] = a_dims[0];
  b_dims[1] = a_dims[2];
  for (size_t i = 0; i < b.labels.size(); ++i) {
    if (!Contains(a.labels, b.labels[i])) {
      columns.push_back(b.labels[i]);
      b_dims[2] *= b.tensor.shape()[i];
    }
  }
  const auto joined = [](Labels x, const Labels& y, const Labels& z) {
    x.insert(x.end(), y.begin(), y.end());
    x.insert(x.end(), z.begin(), z.end());
    return x;
  };
  Named product = {joined(batch, rows, columns), Tensor()};
  for (const Label label : product.labels) {
    const Named& x = Contains(a.labels, label) ? a : b;
    shape.push_back(Ordered(x, {label}).dim(0));
  }
  OC_ASSIGN_OR_RETURN(const Tensor left, ctx.Contiguous(Ordered(a, joined(batch, rows, inner))));
  OC_ASSIGN_OR_RETURN(const Tensor right,
                      ctx.Contiguous(Ordered(b, joined(batch, inner, columns))));
  OC_ASSIGN_OR_RETURN(product.tensor,
                      MatMulTensors(ctx, left.Reshaped(a_dims), right.Reshaped(b_dims)));
  product.tensor = product.tensor.Reshaped(shape);
  return product;
}

// The equation for inputs of these ranks: no ellipsis any more, and an output.
absl::StatusOr<Equation> Resolved(const KernelContext& ctx, const Equation& given) {
  const auto count = static_cast<int>(given.inputs.size());
  if (ctx.num_inputs() != count) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the equation has ", count, " terms, but there are ", ctx.num_inputs(), " inputs"));
  }
  Equation equation;
  equation.has_output = true;
  int ellipsis_rank = 0;
  std::map<Label, int> occurrences;
  for (int i = 0; i < count; ++i) {
    const Labels& labels = given.inputs[static_cast<size_t>(i)];
    const bool has_ellipsis = Contains(labels, kWholeEllipsis);
    const int letters = static_cast<int>(labels.size()) - (has_ellipsis ? 1 : 0);
    const int rest = ctx.Input(i).rank() - letters;
    if (rest < 0 || (rest > 0 && !has_ellipsis)) {
      return absl::InvalidArgumentError(absl::StrCat("einsum term ", i, " has ", letters,
                                                     " letters, but the input is ",
                                                     ctx.Input(i).TypeString()));
    }
    ellipsis_rank = std::max(ellipsis_rank, rest);
    equation.inputs.push_back(Expanded(labels, rest));
    for (const Label label : labels) {
      ++occurrences[label];
    }
  }
  if (given.has_output) {
    equation.output = Expanded(given.output, ellipsis_rank);
  } else {
    equation.output = Expanded({kWholeEllipsis}, ellipsis_rank);
    for (const auto& [label, times] : occurrences) {
      if (label != kWholeEllipsis && times == 1) {
        equation.output.push_back(label);
      }
    }
  }
  for (size_t i = 0; i < equation.output.size(); ++i) {
    const Label label = equation.output[i];
    if (label > 0 && occurrences.count(label) == 0) {
      return absl::InvalidArgumentError(absl::StrCat("the einsum output's dimension ",
                                                     std::string(1, static_cast<char>(label)),
                                                     " is in no input"));
    }
    if (std::find(equation.output.begin(), equation.output.begin() + static_cast<int64_t>(i),
                  label) != equation.output.begin() + static_cast<int64_t>(i)) {
      return absl::InvalidArgumentError("an einsum output repeats a dimension");
    }
  }
  return equation;
}

// The inputs with different names for their axes (a repeated one is a diagonal), and stretched to
// each other.
template <typename C>
absl::StatusOr<std::vector<Named>> Operands(const KernelContext& ctx, const Equation& equation) {
  std::map<Label, int64_t> sizes;
  for (size_t i = 0; i < equation.inputs.size(); ++i) {
    const Tensor& x = ctx.Input(static_cast<int>(i));
    for (size_t axis = 0; axis < equation.inputs[i].size(); ++axis) {
      int64_t& size = sizes.try_emplace(equation.inputs[i][axis], 1).first->second;
      const int64_t dim = x.shape()[axis];
      if (dim != 1 && size != 1 && dim != size) {
        return absl::InvalidArgumentError(absl::StrCat(
            "einsum operand ", i, " has ", dim, " elements along axis ", axis, ", not ", size));
      }
      size = dim == 1 ? size : dim;
    }
  }
  std::vector<Named> operands;
  for (size_t i = 0; i < equation.inputs.size(); ++i) {
    OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(static_cast<int>(i))));
    Named operand;
    Shape shape;
    Shape strides;
    for (size_t axis = 0; axis < equation.inputs[i].size(); ++axis) {
      const Label label = equation.inputs[i][axis];
      const auto known = std::find(operand.labels.begin(), operand.labels.end(), label);
      const int64_t stride = x.shape()[axis] == 1 ? 0 : x.strides()[axis];
      if (known != operand.labels.end()) {
        strides[static_cast<size_t>(known - operand.labels.begin())] += stride;
        continue;
      }
      operand.labels.push_back(label);
      shape.push_back(sizes[label]);
      strides.push_back(stride);
    }
    OC_RETURN_IF_ERROR(ctx.CheckSize(x.dtype(), shape));
    operand.tensor = x.Strided(shape, strides, x.offset());
    operands.push_back(std::move(operand));
  }
  return operands;
}

template <typename C>
absl::Status Evaluate(KernelContext& ctx, const Equation& equation) {
  OC_ASSIGN_OR_RETURN(std::vector<Named> operands, Operands<C>(ctx, equation));
  Named result = std::move(operands[0]);
  for (size_t i = 1; i < operands.size(); ++i) {
    const auto keeps = [&](Label label) {
      return Contains(equation.output, label) ||
             std::any_of(operands.begin() + static_cast<int64_t>(i) + 1, operands.end(),
                         [&](const Named& later) { return Contains(later.labels, label); });
    };
    OC_ASSIGN_OR_RETURN(result, Contracted(ctx, std::move(result), std::move(operands[i]), keeps));
  }
  OC_ASSIGN_OR_RETURN(result, SummedOut(ctx, std::move(result), [&](Label label) {
                        return Contains(equation.output, label);
                      }));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Contiguous(Ordered(result, equation.output)));
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, ctx.Input(0).dtype()));
  return ctx.SetOutput(0, std::move(y));
}

// Einsum (ai.onnx 12, 28): the sum of the product of all inputs over the dimensions that the output
// does not name. Factors are multiplied from left to right, two at a time, as matrix products.
// Dimensions of an ellipsis are aligned at the last one and broadcast, as in NumPy; those that an
// explicit output leaves out are summed like any other. Narrow floats are rounded once, integers
// wrap around.
absl::StatusOr<Kernel> Einsum(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(Equation given, ParseEquation(node.String("equation")));
  return [given = std::move(given)](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Equation equation, Resolved(ctx, given));
    return Dispatch<Wrapping>(ctx.Input(0).dtype(),
                              [&]<typename C>() { return Evaluate<C>(ctx, equation); });
  };
}

}  // namespace

void RegisterEinsum(OpRegistry& registry) { registry.Add(kOnnxDomain, "Einsum", {12, 28}, Einsum); }

}  // namespace onnxcmp
