#include "compare/not_finite/not_finite_reason.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "evaluator/tensor/convert.h"
#include "record/differences/element_reader.h"
#include "record/differences/element_text.h"
#include "record/differences/infinity.h"
#include "record/differences/number_strips.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

double ElementOf(const Tensor& tensor, int64_t index) {
  double element = 0;
  ElementReader(tensor).Read(index, 1, &element);
  return element;
}

bool IsReal(const Value& value) {
  if (!value.is_tensor()) return false;
  const ComputeClass kind = ComputeClassOf(value.tensor().dtype());
  return kind == ComputeClass::kFloat || kind == ComputeClass::kDouble;
}

// Calls `visit(index, element)` until it returns that this is enough. Visits no complex numbers and
// the like.
template <typename Visit>
void ForEachElement(const Tensor& tensor, const Visit& visit) {
  if (!IsReal(tensor)) return;
  const ElementReader reader(tensor);
  std::array<double, kNumberStrip> strip;
  for (int64_t first = 0; first < tensor.num_elements(); first += kNumberStrip) {
    const int64_t count = std::min(kNumberStrip, tensor.num_elements() - first);
    reader.Read(first, count, strip.data());
    for (int64_t i = 0; i < count; ++i) {
      if (visit(first + i, strip[static_cast<size_t>(i)])) return;
    }
  }
}

int64_t FirstNotFinite(const Tensor& tensor, bool nan) {
  int64_t found = -1;
  ForEachElement(tensor, [&](int64_t index, double element) {
    if (nan ? std::isnan(element) : std::isinf(element)) found = index;
    return found >= 0;
  });
  return found;
}

bool HoldsInfinity(const Value& value) {
  return value.is_tensor() && FirstNotFinite(value.tensor(), false) >= 0;
}

// The element of a tensor that an element of a result of this shape is computed from by
// broadcasting; -1 if the shapes do not fit.
int64_t BroadcastIndex(const Tensor& from, const Shape& shape, int64_t index) {
  if (from.rank() > static_cast<int>(shape.size())) return -1;
  int64_t place = 0;
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    const int64_t at = index % shape[axis];
    index /= shape[axis];
    const size_t behind = shape.size() - axis;  // counted from the end
    if (behind > from.shape().size()) continue;
    const int64_t size = from.shape()[from.shape().size() - behind];
    if (size != 1 && size != shape[axis]) return -1;
    if (size != 1) place += at * stride;
    stride *= size;
  }
  return place;
}

double GreatestOf(DType dtype) {
  return std::min(RoundTo(dtype, kInfinity, Overflow::kSaturate), GreatestFinite(dtype));
}

// "overflows float16, which ends at 65504".
std::string TooLargeText(DType dtype) {
  return absl::StrCat("overflows ", NumpyName(dtype), ", which ends at ",
                      absl::StrFormat("%.5g", GreatestOf(dtype)));
}

// "exp of -2", "(-2) + 3": negative numbers in brackets where a sign is beside them.
std::string Bracketed(const std::string& number) {
  return absl::StartsWith(number, "-") ? absl::StrCat("(", number, ")") : number;
}

class Explainer {
 public:
  Explainer(const RanNode& ran, NotFiniteOrigin* origin)
      : ran_(ran), origin_(*origin), op_(ran.node == nullptr ? "" : ran.node->op_type) {}

  void Explain() {
    const Tensor& output = ran_.output;
    at_ = FirstNotFinite(output, origin_.nan);
    if (at_ < 0) return;
    origin_.index = IndexText(output.shape(), at_);
    origin_.value = ElementText(output, at_);
    if (ran_.given || op_ == "Constant" || op_ == "ConstantOfShape") {
      return Say(NotFiniteReason::kGiven, "the model or its input has it so");
    }
    if (ran_.node == nullptr) return;
    const bool onnx = ran_.node->domain.empty();
    if (onnx && OfOneElement() && Operands() && ExplainElement()) return;
    if (absl::StrContains(op_, "Softmax") && ExplainSoftmax()) return;
    if (absl::StrContains(op_, "Attention") && ExplainAttention()) return;
    if (onnx && op_ == "BatchNormalization" && ExplainBatchNormalization()) return;
    if (onnx && op_ == "MatMul") {
      ExplainProduct();
    } else {
      FindGreatest();
    }
    ExplainWhole();
  }

 private:
  void Say(NotFiniteReason reason, std::string text) {
    origin_.reason = reason;
    origin_.text = std::move(text);
  }

  // True if an element is computed from the elements at its position, for operators known here.
  bool OfOneElement() const {
    static constexpr const char* kOperators[] = {
        "Acos",     "Acosh", "Add", "Asin",  "Atanh", "Cast",       "CastLike", "Celu",
        "Cos",      "Cosh",  "Div", "Elu",   "Exp",   "Log",        "Mean",     "Mish",
        "Mod",      "Mul",   "Pow", "PRelu", "Selu",  "Reciprocal", "Sin",      "Sinh",
        "Softplus", "Sqrt",  "Sub", "Sum",   "Swish", "Tan",        "Where"};
    return absl::c_linear_search(kOperators, op_);
  }

  // Finds them. False if one is not known.
  bool Operands() {
    for (size_t i = 0; i < ran_.inputs.size(); ++i) {
      const Value& input = ran_.inputs[i];
      if (op_ == "CastLike" && i == 1) continue;
      if (!input.is_tensor() || input.tensor().dtype() == DType::kString) return false;
      const Tensor& tensor = input.tensor();
      const int64_t index = BroadcastIndex(tensor, ran_.output.shape(), at_);
      if (index < 0 || index >= tensor.num_elements()) return false;
      AddOperand(i, index);
      values_.push_back(ElementOf(tensor, index));
      texts_.push_back(ElementText(tensor, index));
    }
    return !values_.empty();
  }

  void AddOperand(size_t input, int64_t index) {
    const Tensor& tensor = ran_.inputs[input].tensor();
    origin_.made_from.push_back(
        {ran_.names[input], IndexText(tensor.shape(), index), ElementText(tensor, index)});
  }

  std::string Joined(absl::string_view sign) const {
    std::string text = texts_[0];
    for (size_t i = 1; i < texts_.size(); ++i) {
      absl::StrAppend(&text, " ", sign, " ", Bracketed(texts_[i]));
    }
    return text;
  }

  bool ExplainElement() {
    const double a = values_[0];
    const double b = values_.size() > 1 ? values_[1] : 0;
    const auto overflow = [&](NotFiniteReason reason, const std::string& what) {
      Say(reason, absl::StrCat(what, " ", TooLargeText(ran_.output.dtype())));
      return true;
    };
    const auto say = [&](NotFiniteReason reason, const std::string& text) {
      Say(reason, text);
      return true;
    };
    if (op_ == "Div" || op_ == "Mod") {
      const std::string text = Joined(op_ == "Div" ? "/" : "mod");
      if (b == 0) return say(NotFiniteReason::kDivisionByZero, text);
      if (origin_.nan) return say(NotFiniteReason::kDomain, text);
      return overflow(NotFiniteReason::kOverflow, text);
    }
    if (op_ == "Reciprocal") {
      const std::string text = absl::StrCat("1 / ", Bracketed(texts_[0]));
      if (a == 0) return say(NotFiniteReason::kDivisionByZero, text);
      return overflow(NotFiniteReason::kOverflow, text);
    }
    if (op_ == "Log") return say(NotFiniteReason::kLogarithm, absl::StrCat("log of ", texts_[0]));
    if (op_ == "Sqrt") {
      return say(NotFiniteReason::kRoot, absl::StrCat("square root of ", texts_[0]));
    }
    if (op_ == "Pow" && values_.size() > 1) {
      const std::string text = absl::StrCat(Bracketed(texts_[0]), " to the power ", texts_[1]);
      if (origin_.nan) return say(a < 0 ? NotFiniteReason::kRoot : NotFiniteReason::kDomain, text);
      if (a == 0) return say(NotFiniteReason::kDivisionByZero, text);
      return overflow(NotFiniteReason::kExponential, text);
    }
    if (op_ == "Add" || op_ == "Sub" || op_ == "Sum" || op_ == "Mean") {
      const std::string text = Joined(op_ == "Sub" ? "-" : "+");
      if (origin_.nan) return say(NotFiniteReason::kInfinityMinusInfinity, text);
      return overflow(NotFiniteReason::kOverflow, text);
    }
    if (op_ == "Mul") {
      const std::string text = Joined("*");
      if (origin_.nan) return say(NotFiniteReason::kZeroTimesInfinity, text);
      return overflow(NotFiniteReason::kOverflow, text);
    }
    const std::string name = op_ == "PRelu" ? "PRelu" : [&] {
      std::string lower = op_;
      absl::c_transform(lower, lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      });
      return lower;
    }();
    if (op_ == "Cast" || op_ == "CastLike") {
      return overflow(NotFiniteReason::kOverflow, texts_[0]);
    }
    const std::string text = absl::StrCat(name, " of ", absl::StrJoin(texts_, ", "));
    if (origin_.nan || op_ == "Atanh") return say(NotFiniteReason::kDomain, text);
    const bool exponential = op_ == "Exp" || op_ == "Sinh" || op_ == "Cosh";
    return overflow(exponential ? NotFiniteReason::kExponential : NotFiniteReason::kOverflow, text);
  }

  // Counts of a strip of a softmax's input.
  struct Strip {
    int64_t size = 0, least = 0, greatest = 0;  // number of minus infinities, infinities
  };
  Strip Row(const Tensor& input, int64_t first, int64_t stride, int64_t size) const {
    Strip strip;
    strip.size = size;
    for (int64_t i = 0; i < size; ++i) {
      const double element = ElementOf(input, first + i * stride);
      if (element == -kInfinity) ++strip.least;
      if (element == kInfinity) ++strip.greatest;
    }
    return strip;
  }

  bool ExplainSoftmax() {
    if (ran_.inputs.empty() || !IsReal(ran_.inputs[0])) return false;
    const Tensor& input = ran_.inputs[0].tensor();
    if (input.shape() != ran_.output.shape() || input.rank() == 0) return false;
    // The last axis, or before opset 13 all from the second on; the values show which.
    const int64_t rank = input.rank();
    const std::optional<int64_t> given = IntAttribute(*ran_.node, "axis");
    int64_t axis = given.value_or(rank - 1);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return false;
    int64_t stride = 1;
    for (int64_t i = rank - 1; i > axis; --i) stride *= input.dim(static_cast<int>(i));
    const int64_t size = input.dim(static_cast<int>(axis));
    const int64_t first = at_ - at_ / stride % size * stride;
    if (ExplainRow(input, Row(input, first, stride, size))) return true;
    int64_t block = 1;
    for (int64_t i = given.has_value() ? axis : std::min<int64_t>(1, rank - 1); i < rank; ++i) {
      block *= input.dim(static_cast<int>(i));
    }
    return ExplainRow(input, Row(input, at_ / block * block, 1, block));
  }

  bool ExplainRow(const Tensor& input, const Strip& row) {
    if (row.size > 0 && row.least == row.size) {
      AddOperand(0, at_);
      Say(NotFiniteReason::kMaskedRow,
          absl::StrCat("all ", row.size, " elements of its row are -inf: it is fully masked"));
      return true;
    }
    if (row.greatest > 0) {
      int64_t place = 0;
      ForEachElement(input, [&](int64_t index, double element) {
        place = index;
        return element == kInfinity;
      });
      AddOperand(0, place);
      Say(NotFiniteReason::kInfinityMinusInfinity,
          absl::StrCat("inf - inf: ", row.greatest, " of the ", row.size,
                       " elements of its row are inf"));
      return true;
    }
    return false;
  }

  // The element to explain, computed in double.
  std::optional<double> InDouble() const {
    if (ran_.in_double == nullptr) return std::nullopt;
    const Value value = ran_.in_double();
    if (!value.is_tensor() || value.tensor().num_elements() != ran_.output.num_elements() ||
        !IsReal(value)) {
      return std::nullopt;
    }
    return ElementOf(value.tensor(), at_);
  }

  // A mask that hides a whole row.
  bool ExplainAttention() {
    // ONNX's operator gives zero for such a row (since 1.23; runtimes of older recordings gave
    // NaN): NaN in a run of ours has another reason.
    if (ran_.node->domain.empty() && std::isnan(InDouble().value_or(0))) return false;
    for (size_t i = 0; i < ran_.inputs.size(); ++i) {
      if (!ran_.inputs[i].is_tensor()) continue;
      const Tensor& mask = ran_.inputs[i].tensor();
      const bool booleans = mask.dtype() == DType::kBool;
      if ((!booleans && !IsReal(mask)) || mask.rank() < 2 || mask.num_elements() == 0) continue;
      const int64_t size = mask.dim(mask.rank() - 1);
      for (int64_t first = 0; first < mask.num_elements(); first += size) {
        int64_t masked = 0;
        while (masked < size && ElementOf(mask, first + masked) == (booleans ? 0.0 : -kInfinity)) {
          ++masked;
        }
        if (masked < size) continue;
        AddOperand(i, first);
        Say(NotFiniteReason::kMaskedRow,
            absl::StrCat("all ", size, " elements of a row of ", ran_.names[i], " are ",
                         booleans ? "false" : "-inf", ": it is fully masked"));
        return true;
      }
    }
    return false;
  }

  bool ExplainBatchNormalization() {
    constexpr size_t kVariance = 4;
    if (ran_.inputs.size() <= kVariance || !IsReal(ran_.inputs[kVariance]) ||
        ran_.output.rank() < 2) {
      return false;
    }
    int64_t inner = 1;
    for (int axis = 2; axis < ran_.output.rank(); ++axis) inner *= ran_.output.dim(axis);
    const Tensor& variances = ran_.inputs[kVariance].tensor();
    const int64_t channel = at_ / inner % ran_.output.dim(1);
    if (channel >= variances.num_elements()) return false;
    const double variance = ElementOf(variances, channel);
    if (variance > 0) return false;
    AddOperand(kVariance, channel);
    Say(variance < 0 ? NotFiniteReason::kRoot : NotFiniteReason::kDivisionByZero,
        absl::StrCat("the variance of its channel is ", ElementText(variances, channel)));
    return true;
  }

  // The greatest elements of the row and of the column.
  void ExplainProduct() {
    if (ran_.inputs.size() != 2 || !IsReal(ran_.inputs[0]) || !IsReal(ran_.inputs[1])) return;
    const Tensor& a = ran_.inputs[0].tensor();
    const Tensor& b = ran_.inputs[1].tensor();
    if (a.rank() < 2 || b.rank() < 2) return FindGreatest();
    const Shape& shape = ran_.output.shape();
    const int64_t n = shape.back();
    const int64_t m = shape[shape.size() - 2];
    const int64_t k = a.dim(a.rank() - 1);
    if (k == 0) return;
    const int64_t batch = at_ / (m * n);
    const auto batch_of = [&](const Tensor& tensor) {
      const Shape outer(shape.begin(), shape.end() - 2);
      const Shape own(tensor.shape().begin(), tensor.shape().end() - 2);
      int64_t rest = batch;
      int64_t place = 0;
      int64_t stride = 1;
      for (size_t axis = outer.size(); axis-- > 0;) {
        const int64_t at = rest % outer[axis];
        rest /= outer[axis];
        const size_t behind = outer.size() - axis;
        if (behind > own.size()) continue;
        const int64_t size = own[own.size() - behind];
        if (size != 1) place += at * stride;
        stride *= size;
      }
      return place;
    };
    const int64_t row = (batch_of(a) * m + at_ / n % m) * k;
    const int64_t column = batch_of(b) * k * n + at_ % n;
    int64_t greatest_a = row;
    int64_t greatest_b = column;
    for (int64_t i = 0; i < k; ++i) {
      const double x = ElementOf(a, row + i);
      const double y = ElementOf(b, column + i * n);
      if ((x == 0 && std::isinf(y)) || (std::isinf(x) && y == 0)) {
        greatest_a = row + i;
        greatest_b = column + i * n;
        Say(NotFiniteReason::kZeroTimesInfinity,
            absl::StrCat(ElementText(a, greatest_a), " * ", Bracketed(ElementText(b, greatest_b)),
                         " in its sum of products"));
        break;
      }
      if (std::abs(x) > std::abs(ElementOf(a, greatest_a))) greatest_a = row + i;
      if (std::abs(y) > std::abs(ElementOf(b, greatest_b))) greatest_b = column + i * n;
    }
    AddOperand(0, greatest_a);
    AddOperand(1, greatest_b);
  }

  // The greatest element of each input.
  void FindGreatest() {
    for (size_t i = 0; i < ran_.inputs.size(); ++i) {
      if (!IsReal(ran_.inputs[i]) || ran_.inputs[i].tensor().num_elements() == 0) continue;
      int64_t greatest = 0;
      double magnitude = -1;
      ForEachElement(ran_.inputs[i].tensor(), [&](int64_t index, double element) {
        if (std::abs(element) > magnitude) {
          magnitude = std::abs(element);
          greatest = index;
        }
        return false;
      });
      AddOperand(i, greatest);
    }
  }

  // Operators that compute an element from many: the node's result in double decides.
  void ExplainWhole() {
    if (origin_.reason != NotFiniteReason::kUnknown) return;
    const DType dtype = ran_.output.dtype();
    const bool infinite = absl::c_any_of(ran_.inputs, HoldsInfinity);
    if (origin_.nan && infinite) {
      return Say(NotFiniteReason::kInfinityMinusInfinity,
                 "what it reads holds infinities: inf - inf, or 0 * inf");
    }
    const bool empty = absl::c_any_of(ran_.inputs, [](const Value& input) {
      return input.is_tensor() && IsReal(input) && input.tensor().num_elements() == 0;
    });
    if (origin_.nan && empty) {
      return Say(NotFiniteReason::kDivisionByZero, "0 / 0: it reads no elements");
    }
    std::optional<double> exact;
    if (dtype != DType::kDouble) exact = InDouble();
    if (exact.has_value() && std::isfinite(*exact)) {
      const std::string number = absl::StrFormat("%.6g", *exact);
      return Say(NotFiniteReason::kOverflow,
                 std::abs(*exact) > GreatestOf(dtype)
                     ? absl::StrCat(number, " ", TooLargeText(dtype))
                     : absl::StrCat("something on the way ", TooLargeText(dtype),
                                    "; in double it is ", number));
    }
    if (absl::StrContains(op_, "Normalization") && (origin_.nan || exact.has_value())) {
      return Say(NotFiniteReason::kDivisionByZero, "it divides by a norm or a deviation of 0");
    }
    if (absl::StartsWith(op_, "ReduceLogSum")) {
      return Say(NotFiniteReason::kLogarithm, "log of a sum that is 0 or negative");
    }
    if (!origin_.nan) Say(NotFiniteReason::kOverflow, absl::StrCat("it ", TooLargeText(dtype)));
  }

  const RanNode& ran_;
  NotFiniteOrigin& origin_;
  const std::string op_;
  int64_t at_ = -1;
  std::vector<double> values_;      // the operands'
  std::vector<std::string> texts_;  // the operands'
};

}  // namespace

void Explain(const RanNode& ran, NotFiniteOrigin* origin) { Explainer(ran, origin).Explain(); }

}  // namespace onnxcmp
