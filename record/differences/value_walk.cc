#include "record/differences/value_walk.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "evaluator/tensor/stored_value.h"
#include "record/differences/element_errors.h"
#include "record/differences/element_text.h"
#include "record/differences/map_order.h"
#include "record/differences/mask_numbers.h"
#include "record/differences/value_scale.h"
#include "record/differences/whole_errors.h"

namespace onnxcmp {
namespace {

// Nested sequences deeper than this are not compared further.
constexpr int kMaxDepth = 64;

// True for types that whole models are converted between.
bool AreBothPlainFloats(DType a, DType b) {
  const auto is_plain = [](DType dtype) {
    return dtype == DType::kDouble || dtype == DType::kFloat || dtype == DType::kFloat16 ||
           dtype == DType::kBfloat16;
  };
  return is_plain(a) && is_plain(b);
}

bool IsText(DType dtype) { return dtype == DType::kString || dtype == DType::kUndefined; }

std::string ShapeText(const Tensor& tensor) {
  return absl::StrCat("[", absl::StrJoin(tensor.shape(), ","), "]");
}

std::string PlaceText(const std::string& where, const Shape& shape, int64_t index) {
  return absl::StrCat(where, where.empty() ? "" : " ", IndexText(shape, index));
}

// Integers use the deviation from the mean, since their zero point may be anywhere; at least so
// much that a step is at most a tenth of it.
ValueScale ScaleOfPair(const Tensor& left, const Tensor& right) {
  if (IsInteger(left.dtype()) && IsInteger(right.dtype())) {
    return std::max(std::min(DeviationOf(left), DeviationOf(right)), 10.0);
  }
  return ScaleOfVarying(left, right);
}

// A matrix and a sequence of maps with a row each, as two matrices.
std::optional<std::pair<Tensor, Tensor>> TablesOf(const Value& left, const Value& right) {
  if (left.is_tensor() == right.is_tensor()) return std::nullopt;
  std::optional<Tensor> table = TableOfMaps(left.is_tensor() ? right : left);
  if (!table.has_value()) return std::nullopt;
  if (left.is_tensor()) return std::pair(left.tensor(), *std::move(table));
  return std::pair(*std::move(table), right.tensor());
}

class Walk {
 public:
  Walk(const WalkRules& rules, const ThreadPool* pool, double scale)
      : rules_(rules), pool_(pool), worst_(static_cast<size_t>(std::max(rules.worst, 1))) {
    errors_.scale = scale;
    errors_.worst = worst_;
  }

  void Compare(const Value& left, const Value& right, const std::string& where, int depth);

  TensorDifference Finish();
  double greatest() const { return sums_.greatest; }

 private:
  void Disagree(const std::string& where, absl::string_view what, absl::string_view left,
                absl::string_view right) {
    sums_.same_bits = false;
    if (difference_.values.reason.empty()) {
      difference_.values.reason =
          absl::StrCat(where, where.empty() ? "" : " ", what, " ", left, " | ", right);
    }
  }

  void CompareTensors(const Tensor& left, const Tensor& right, const std::string& where);
  void CompareNumbers(const Tensor& left, const Tensor& right, const std::string& where);
  void CheckWhole(const Tensor& left, const Tensor& right, const ValueScale& scale,
                  const Tolerance& tolerance, const ElementErrors& errors,
                  const std::string& where);
  void CompareStrings(const Tensor& left, const Tensor& right, const std::string& where);
  void CompareParts(const Value* left, const Value* right, const std::string& where, int depth);
  // Adds the errors of a pair of tensors to those of earlier pairs.
  void Add(ElementErrors errors, const Tensor& left, const Tensor& right, const std::string& where);

  const WalkRules& rules_;
  const ThreadPool* pool_;
  size_t worst_;
  ErrorRules errors_;
  ElementErrors sums_;  // without `worst`, which is indices
  TensorDifference difference_;
};

void Walk::Add(ElementErrors errors, const Tensor& left, const Tensor& right,
               const std::string& where) {
  ValueDifference& values = difference_.values;
  if (errors.worst_relative.relative > values.max_relative) {
    values.max_relative = errors.worst_relative.relative;
    values.max_relative_at = PlaceText(where, left.shape(), errors.worst_relative.index);
  }
  std::vector<ElementPair>& worst = difference_.worst;
  const size_t old = worst.size();
  worst.reserve(old + errors.worst.size());
  for (const ElementError& error : errors.worst) {
    if (old == worst_ && error.absolute <= worst[worst_ - 1].absolute) break;
    worst.push_back({PlaceText(where, left.shape(), error.index), ElementText(left, error.index),
                     ElementText(right, error.index), error.absolute, error.relative});
  }
  std::stable_sort(worst.begin(), worst.end(), [](const ElementPair& a, const ElementPair& b) {
    return a.absolute > b.absolute;
  });
  if (worst.size() > worst_) worst.resize(worst_);
  errors.worst.clear();
  sums_.Add(errors, errors_);
}

void Walk::CompareStrings(const Tensor& left, const Tensor& right, const std::string& where) {
  const auto a = left.Contiguous();
  const auto b = right.Contiguous();
  if (!a.ok() || !b.ok()) {
    Disagree(where, "strings", "out of memory", "out of memory");
    return;
  }
  ElementErrors errors;
  for (int64_t i = 0; i < left.num_elements(); ++i) {
    const bool equal = a->string_data()[i] == b->string_data()[i];
    ++errors.compared;
    if (!equal) {
      errors.same_bits = false;
      ++errors.beyond;
      ++errors.beyond_tenth;
      ++errors.beyond_hundredth;
      ++errors.beyond_thousandth;
      errors.absolutes += errors_.scale;
      errors.relatives += 1;
      errors.Note({i, 1, 1}, errors_);
    }
  }
  Add(std::move(errors), *a, *b, where);
}

void Walk::CompareTensors(const Tensor& left, const Tensor& right, const std::string& where) {
  if (left.shape() != right.shape() &&
      (rules_.same_types || left.num_elements() != right.num_elements())) {
    Disagree(where, "shape", ShapeText(left), ShapeText(right));
    return;
  }
  const bool text = IsText(left.dtype()) || IsText(right.dtype());
  if (left.dtype() != right.dtype()) {
    const bool by_value = rules_.floats_by_value && AreBothPlainFloats(left.dtype(), right.dtype());
    if (text || (rules_.same_types && !by_value)) {
      Disagree(where, "element type", DTypeName(left.dtype()), DTypeName(right.dtype()));
    }
    if (text) return;
  }
  difference_.values.elements += left.num_elements();
  if (!text) {
    CompareNumbers(left, right, where);
  } else if (left.dtype() == DType::kString) {
    difference_.values.tolerance = {};
    CompareStrings(left, right, where);
  }
}

void Walk::CompareNumbers(const Tensor& full_left, const Tensor& full_right,
                          const std::string& where) {
  // Between two types, the narrower one's infinities may stand for masks.
  const std::optional<Tensor> left_masked = WithMasksOf(full_left, full_right, pool_);
  const std::optional<Tensor> right_masked = WithMasksOf(full_right, full_left, pool_);
  const Tensor& left = left_masked.has_value() ? *left_masked : full_left;
  const Tensor& right = right_masked.has_value() ? *right_masked : full_right;
  ValueDifference& values = difference_.values;
  const bool exact = left.dtype() == DType::kBool || right.dtype() == DType::kBool;
  const Tolerance tolerance = exact ? Tolerance{} : rules_.tolerance(left.dtype(), right.dtype());
  const bool needs_scale =
      tolerance.scaled > 0 || (tolerance.atol > 0 && std::isfinite(tolerance.whole));
  const ValueScale scale = needs_scale ? ScaleOfPair(left, right) : ValueScale(0);
  values.scale = scale.scale;
  values.tolerance = tolerance;
  values.tolerance.atol += tolerance.scaled * values.scale;
  errors_.tolerance = values.tolerance;
  errors_.counting =
      std::isfinite(tolerance.whole) ? CountingOf(left, right, tolerance, scale) : std::nullopt;
  ElementErrors errors = ErrorsOf(left, right, errors_, pool_);
  // Tensors with an element beyond its tolerance already disagree.
  if (errors.absolutes > 0 && errors.beyond == 0 && std::isfinite(tolerance.whole)) {
    CheckWhole(left, right, scale, tolerance, errors, where);
  }
  Add(std::move(errors), left, right, where);
}

void Walk::CheckWhole(const Tensor& left, const Tensor& right, const ValueScale& scale,
                      const Tolerance& tolerance, const ElementErrors& errors,
                      const std::string& where) {
  ValueDifference& values = difference_.values;
  WholeErrors whole = WholeErrorsOf(left, right, tolerance, scale, rules_.parts, pool_,
                                    errors_.counting.has_value() ? &errors.totals : nullptr);
  values.apart = std::max(values.apart, whole.apart);
  // Elements of another size would hide these.
  if (const auto smaller = ScaleOfSmaller(left, right);
      smaller.has_value() && whole.fault.empty()) {
    whole = WholeErrorsOf(left, right, tolerance, *smaller, rules_.parts, pool_);
    if (!whole.fault.empty()) {
      absl::StrAppendFormat(&whole.fault, ", without those above %.2g", smaller->limit);
    }
  }
  if (whole.fault.empty()) return;
  if (values.fault.empty()) {
    values.fault = absl::StrCat(where, where.empty() ? "" : ": ", whole.fault);
  }
}

void Walk::CompareParts(const Value* left, const Value* right, const std::string& where,
                        int depth) {
  if ((left == nullptr) != (right == nullptr)) {
    Disagree(where, "value", left == nullptr ? "none" : left->TypeString(),
             right == nullptr ? "none" : right->TypeString());
  } else if (left != nullptr) {
    Compare(*left, *right, where, depth + 1);
  }
}

void Walk::Compare(const Value& left, const Value& right, const std::string& where, int depth) {
  const auto at = [&](absl::string_view part) {
    return absl::StrCat(where, where.empty() ? "" : " ", part);
  };
  if (depth > kMaxDepth) {
    Disagree(where, "nesting", "too deep", "too deep");
  } else if (left.is_tensor() && right.is_tensor()) {
    CompareTensors(left.tensor(), right.tensor(), where);
  } else if (left.is_sequence() && right.is_sequence()) {
    const auto& a = left.sequence().elements;
    const auto& b = right.sequence().elements;
    if (a.size() != b.size()) {
      Disagree(where, "length", absl::StrCat(a.size()), absl::StrCat(b.size()));
    }
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      Compare(a[i], b[i], at(absl::StrCat("[", i, "]")), depth + 1);
    }
  } else if (left.is_optional() && right.is_optional()) {
    CompareParts(left.optional().element.get(), right.optional().element.get(), where, depth);
  } else if (left.is_map() && right.is_map()) {
    const Map one = SortedByKey(left.map());
    const Map other = SortedByKey(right.map());
    Compare(one.keys, other.keys, at("keys"), depth + 1);
    CompareParts(one.values.get(), other.values.get(), at("values"), depth);
  } else if (left.is_sparse() && right.is_sparse()) {
    if (left.sparse().dims != right.sparse().dims) {
      Disagree(where, "type", left.TypeString(), right.TypeString());
      return;
    }
    Compare(left.sparse().indices, right.sparse().indices, at("indices"), depth + 1);
    Compare(left.sparse().values, right.sparse().values, at("values"), depth + 1);
  } else if (const auto tables =
                 rules_.floats_by_value && where.empty() ? TablesOf(left, right) : std::nullopt) {
    CompareTensors(tables->first, tables->second, where);
  } else if (!left.empty() || !right.empty()) {
    Disagree(where, "type", left.TypeString(), right.TypeString());
  }
}

double Decibels(double signal, double noise) {
  return noise == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(signal / noise);
}

TensorDifference Walk::Finish() {
  TensorDifference& d = difference_;
  ValueDifference& values = d.values;
  values.beyond = sums_.beyond;
  values.nans = sums_.both_nan;
  if (!d.worst.empty()) {
    values.max_absolute = d.worst[0].absolute;
    values.max_absolute_at = d.worst[0].index;
    values.max_absolute_pair = absl::StrCat(d.worst[0].left, " | ", d.worst[0].right);
  }
  d.worst.resize(std::min(d.worst.size(), static_cast<size_t>(std::max(rules_.worst, 0))));
  d.same_bits = sums_.same_bits;
  if (sums_.compared > 0) {
    const auto n = static_cast<double>(sums_.compared);
    d.mean_absolute = sums_.absolutes / errors_.scale / n;
    d.mean_relative = sums_.relatives / n;
    values.rms = std::sqrt(sums_.squares / n) / errors_.scale;
  }
  if (sums_.left_squares > 0 && sums_.right_squares > 0) {
    // Rounding must not make it exceed 1.
    const double norms = std::sqrt(sums_.left_squares) * std::sqrt(sums_.right_squares);
    values.cosine = std::clamp(sums_.products / norms, -1.0, 1.0);
  } else if (sums_.left_squares > 0 || sums_.right_squares > 0) {
    values.cosine = 0;
  }
  // If an element is beyond its tolerance, the whole was not checked, but is measured all the same.
  const double squares = std::max(sums_.left_squares, sums_.right_squares);
  if (values.apart == 0 && squares > 0) values.apart = std::sqrt(sums_.squares / squares);
  d.sqnr = Decibels(sums_.left_squares, sums_.squares);
  d.max_ulp = sums_.max_ulp;
  d.range = sums_.max >= sums_.min ? sums_.max - sums_.min : 0;
  d.nan_left = sums_.nan_left;
  d.nan_right = sums_.nan_right;
  d.infinite_left = sums_.infinite_left;
  d.infinite_right = sums_.infinite_right;
  d.non_finite_disagree = sums_.non_finite_disagree;
  d.beyond_tenth = sums_.beyond_tenth;
  d.beyond_hundredth = sums_.beyond_hundredth;
  d.beyond_thousandth = sums_.beyond_thousandth;
  return std::move(difference_);
}

}  // namespace

TensorDifference WalkValues(const Value& left, const Value& right, const WalkRules& rules,
                            const ThreadPool* pool) {
  // In memory for as long as they are compared.
  const Value in_left = InMemory(left, pool).value_or(left);
  const Value in_right = InMemory(right, pool).value_or(right);
  Walk walk(rules, pool, 1);
  walk.Compare(in_left, in_right, "", 0);
  // If squares overflow or underflow, once more in another unit.
  constexpr double kUnit = 0x1p-600;
  const double greatest = walk.greatest();
  if (greatest > 1e150 || (greatest > 0 && greatest < 1e-150)) {
    Walk again(rules, pool, greatest > 1 ? kUnit : 1 / kUnit);
    again.Compare(in_left, in_right, "", 0);
    return again.Finish();
  }
  return walk.Finish();
}

}  // namespace onnxcmp
