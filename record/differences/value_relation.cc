#include "record/differences/value_relation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "evaluator/tensor/convert.h"
#include "record/differences/element_text.h"
#include "record/differences/moved_elements.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

// Larger tensors are not examined.
constexpr int64_t kMostRelated = int64_t{1} << 22;
constexpr int64_t kFewElements = 4;

// Elements at the same positions.
class ElementRelation {
 public:
  ElementRelation(std::vector<double> left, std::vector<double> right, double epsilon)
      : a_(std::move(left)), b_(std::move(right)), rounding_(kRoundings * epsilon) {
    for (const double a : a_) size_ = std::max(size_, std::isfinite(a) ? std::abs(a) : 0);
    finite_ = std::all_of(a_.begin(), a_.end(), [](double a) { return std::isfinite(a); }) &&
              std::all_of(b_.begin(), b_.end(), [](double b) { return std::isfinite(b); });
  }

  // "0.5 * left"; empty if no such relation holds.
  std::string Text() const {
    if (a_.size() < 2 || !finite_) return "";
    if (AllAre([](double) { return 0.0; })) return "0";
    if (std::string text = Scaled(); !text.empty()) return text;
    if (std::string text = Clamped(); !text.empty()) return text;
    if (AllAre([](double a) { return std::abs(a); })) return "|left|";
    if (AllAre([](double a) { return std::floor(a); })) return "floor(left)";
    if (AllAre([](double a) { return std::nearbyint(a); })) return "left rounded to integers";
    for (const DType dtype : {DType::kFloat16, DType::kBfloat16}) {
      if (rounding_ < 1e-4 && Exactly([&](double a) { return RoundTo(dtype, a); })) {
        return absl::StrCat("left rounded to ", DTypeName(dtype));
      }
    }
    return "";
  }

 private:
  static constexpr double kRoundings = 16;

  bool Same(double a, double b, double size) const {
    return a == b || std::abs(a - b) <= rounding_ * size;
  }
  template <typename Of>
  bool AllAre(Of of) const {
    for (size_t i = 0; i < a_.size(); ++i) {
      const double wanted = of(a_[i]);
      if (!Same(wanted, b_[i], std::max(std::abs(wanted), std::abs(b_[i])))) return false;
    }
    return true;
  }
  template <typename Of>
  bool Exactly(Of of) const {
    for (size_t i = 0; i < a_.size(); ++i) {
      if (of(a_[i]) != b_[i]) return false;
    }
    return true;
  }

  // A factor, an offset, or both, by least squares.
  std::string Scaled() const {
    const auto n = static_cast<double>(a_.size());
    const double mean_a = std::accumulate(a_.begin(), a_.end(), 0.0) / n;
    const double mean_b = std::accumulate(b_.begin(), b_.end(), 0.0) / n;
    double aa = 0;
    double ab = 0;
    double varied = 0;
    double together = 0;
    for (size_t i = 0; i < a_.size(); ++i) {
      aa += a_[i] * a_[i];
      ab += a_[i] * b_[i];
      varied += (a_[i] - mean_a) * (a_[i] - mean_a);
      together += (a_[i] - mean_a) * (b_[i] - mean_b);
    }
    const double factor = aa > 0 ? ab / aa : 0;
    if (Fits(factor, 0)) return Factor(factor);
    if (Fits(1, mean_b - mean_a)) return Offset("left", mean_b - mean_a);
    if (a_.size() < 2 * kFewElements || !(varied > 0)) return "";
    const double slope = together / varied;
    const double offset = mean_b - slope * mean_a;
    return slope != 0 && Fits(slope, offset) ? Offset(Factor(slope), offset) : "";
  }
  bool Fits(double factor, double offset) const {
    const double size = std::abs(factor) * size_ + std::abs(offset);
    for (size_t i = 0; i < a_.size(); ++i) {
      if (!Same(factor * a_[i] + offset, b_[i], size)) return false;
    }
    return size > 0;
  }
  static std::string Factor(double factor) {
    if (std::abs(factor + 1) < 1e-6) return "-left";
    if (std::abs(factor - 1) < 1e-6) return "left";
    // Enough digits to distinguish it from 1.
    return absl::StrFormat("%.*g * left", std::abs(factor - 1) < 1e-3 ? 7 : 4, factor);
  }
  static std::string Offset(const std::string& of, double offset) {
    return absl::StrFormat("%s %c %.4g", of, offset < 0 ? '-' : '+', std::abs(offset));
  }

  std::string Clamped() const {
    const auto [least, greatest] = std::minmax_element(b_.begin(), b_.end());
    const double low = *least;
    const double high = *greatest;
    bool below = false;
    bool above = false;
    for (const double a : a_) {
      below = below || a < low;
      above = above || a > high;
    }
    if (!(below || above) || low == high) return "";
    if (!AllAre([&](double a) { return std::clamp(a, low, high); })) return "";
    // A bound that a single element attains proves nothing.
    const auto bounded = std::count_if(b_.begin(), b_.end(), [&](double b) {
      return (below && b == low) || (above && b == high);
    });
    if (bounded < 2) return "";
    if (!above) return absl::StrFormat("max(left, %.4g)", low);
    if (!below) return absl::StrFormat("min(left, %.4g)", high);
    return absl::StrFormat("left within [%.4g, %.4g]", low, high);
  }

  std::vector<double> a_, b_;
  double rounding_;
  double size_ = 0;
  bool finite_ = true;
};

// Positions where two tensors of one shape differ.
class Places {
 public:
  Places(const Shape& shape, const std::vector<double>& a, const std::vector<double>& b,
         double least)
      : shape_(shape), affected_(shape.size()) {
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      affected_[axis].resize(static_cast<size_t>(shape[axis]));
    }
    std::vector<int64_t> index(shape.size());
    for (size_t i = 0; i < a.size(); ++i) {
      const bool same =
          a[i] == b[i] || std::abs(a[i] - b[i]) <= least || (std::isnan(a[i]) && std::isnan(b[i]));
      if (!same) {
        Add(i, index);
        ours_.push_back(a[i]);
        theirs_.push_back(b[i]);
      }
      for (size_t axis = shape.size(); axis-- > 0;) {
        if (++index[axis] < shape[axis]) break;
        index[axis] = 0;
      }
    }
  }

  const std::vector<size_t>& differing() const { return differing_; }
  // The elements there.
  const std::vector<double>& ours() const { return ours_; }
  const std::vector<double>& theirs() const { return theirs_; }

  // "index 3 of axis 1", "indices 10 to 15 of axis 0"; empty if they are spread over the tensor.
  std::string Text() const {
    std::vector<std::string> texts;
    for (size_t axis = 0; axis < affected_.size(); ++axis) {
      std::vector<int64_t> at;
      for (size_t i = 0; i < affected_[axis].size(); ++i) {
        if (affected_[axis][i]) at.push_back(static_cast<int64_t>(i));
      }
      if (2 * at.size() > affected_[axis].size()) continue;
      const bool run = at.back() - at.front() + 1 == static_cast<int64_t>(at.size());
      if (at.size() > kFewElements && !run) continue;
      const std::string which = at.size() == 1 ? absl::StrCat("index ", at.front())
                                : run ? absl::StrCat("indices ", at.front(), " to ", at.back())
                                      : absl::StrCat("indices ", absl::StrJoin(at, ", "));
      texts.push_back(absl::StrCat(which, " of axis ", axis));
    }
    return absl::StrJoin(texts, " and ");
  }

  // True if all of them are where a mask is 0.
  bool AreMaskedBy(const Tensor& mask) const {
    if (mask.shape().size() != 2 || differing_.empty()) return false;
    const std::vector<double> values = ElementsOf(mask);
    const auto is_flag = [](double v) { return v == 0 || v == 1; };
    if (!std::all_of(values.begin(), values.end(), is_flag)) return false;
    if (std::find(values.begin(), values.end(), 1) == values.end()) return false;
    for (size_t axis = 1; axis < shape_.size(); ++axis) {
      if (shape_[0] != mask.shape()[0] || shape_[axis] != mask.shape()[1]) continue;
      if (std::all_of(differing_.begin(), differing_.end(), [&](size_t i) {
            const int64_t batch = IndexOf(i, 0);
            const int64_t position = IndexOf(i, axis);
            return values[static_cast<size_t>(batch * mask.shape()[1] + position)] == 0;
          })) {
        return true;
      }
    }
    return false;
  }

 private:
  void Add(size_t i, const std::vector<int64_t>& index) {
    differing_.push_back(i);
    for (size_t axis = 0; axis < index.size(); ++axis) {
      affected_[axis][static_cast<size_t>(index[axis])] = true;
    }
  }
  int64_t IndexOf(size_t i, size_t axis) const {
    const int64_t behind = std::accumulate(shape_.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                                           shape_.end(), int64_t{1}, std::multiplies<>());
    return static_cast<int64_t>(i) / behind % shape_[axis];
  }

  Shape shape_;
  std::vector<size_t> differing_;
  std::vector<double> ours_, theirs_;
  std::vector<std::vector<bool>> affected_;  // by axis and index
};

// The first elements of both: "[1,2] | 3", "[1,2,3,4,...] | []".
std::string FirstElements(const Tensor& left, const Tensor& right) {
  const auto text = [](const Tensor& tensor) {
    const int64_t size = tensor.num_elements();
    std::vector<std::string> texts;
    for (int64_t i = 0; i < std::min(size, kFewElements); ++i) {
      texts.push_back(ElementText(tensor, i));
    }
    if (size > kFewElements) texts.emplace_back("...");
    return size == 1 ? texts[0] : absl::StrCat("[", absl::StrJoin(texts, ","), "]");
  };
  return absl::StrCat(text(left), " | ", text(right));
}

// The relation of the elements that differ, if not all do.
std::string LocalText(const Tensor& left, const Tensor& right, const Places& places, double epsilon,
                      const std::vector<NamedMask>& masks) {
  for (const NamedMask& mask : masks) {
    if (places.AreMaskedBy(mask.values)) {
      return absl::StrCat("they differ only where '", mask.name, "' is 0");
    }
  }
  const std::vector<size_t>& at = places.differing();
  if (at.size() == 1) {
    const auto only = static_cast<int64_t>(at[0]);
    return absl::StrCat("of ", left.num_elements(), " elements only ",
                        IndexText(left.shape(), only), " differs: ", ElementText(left, only), " | ",
                        ElementText(right, only));
  }
  const std::string where = places.Text();
  if (where.empty()) return "";
  const std::string how = ElementRelation(places.ours(), places.theirs(), epsilon).Text();
  return absl::StrCat("they differ only at ", where, how.empty() ? "" : ", where right = ", how);
}

}  // namespace

std::string RelationText(const Tensor& left, const Tensor& right,
                         const std::vector<NamedMask>& masks) {
  const int64_t size = left.num_elements();
  if (!SameKindOfNumber(left.dtype(), right.dtype()) || IsComplex(left.dtype())) return "";
  if (size != right.num_elements()) return FirstElements(left, right);
  if (size == 0 || size > kMostRelated) return "";
  if (size <= kFewElements) return FirstElements(left, right);
  const std::vector<double> a = ElementsOf(left);
  const std::vector<double> b = ElementsOf(right);
  // Within some roundings of a type of 8 bits or less, all of its numbers are 0.
  const double coarser = CoarserEpsilon(left.dtype(), right.dtype());
  const double epsilon = coarser > EpsilonOf(DType::kBfloat16) ? 0 : coarser;
  if (left.shape() == right.shape()) {
    // Any relation within rounding holds for one element.
    const Places exact(left.shape(), a, b, 0);
    if (exact.differing().size() == 1) return LocalText(left, right, exact, epsilon, masks);
    const std::string of_all = ElementRelation(a, b, epsilon).Text();
    if (!of_all.empty() && of_all != "left") return absl::StrCat("right = ", of_all);
  }
  // Rounding must not count as a difference.
  const double least = 16 * epsilon * std::min(ScaleOf(a), ScaleOf(b));
  if (const std::string moved = MovedText({left.shape(), a}, {right.shape(), b}, least);
      !moved.empty()) {
    return moved;
  }
  if (left.shape() != right.shape()) return "";
  const Places places(left.shape(), a, b, least);
  return places.differing().empty() ? "" : LocalText(left, right, places, epsilon, masks);
}

}  // namespace onnxcmp
