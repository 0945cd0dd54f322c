#include "record/differences/whole_errors.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "record/differences/element_text.h"
#include "record/differences/infinity.h"
#include "record/differences/lanes/pair_moments.h"
#include "record/differences/number_strips.h"

namespace onnxcmp {
namespace {

// Elements beyond this many times the scale are judged by themselves.
constexpr double kHuge = 1000;
// Smaller parts are left to their elements' tolerance.
constexpr int64_t kLeastInPart = 16;
// Factor by which correct parts may be farther apart than their whole, and its upper limit.
constexpr double kPartFactor = 6;
constexpr double kMostInPart = 0.6;
// Noise floor of a slice, relative to the size of slices about as large.
constexpr double kPartFloor = 0.01;
// The same relative to the scale: no slice is farther below the others than their noise.
constexpr double kLeastPartFloor = 1e-4;
// Slices of an axis hold different quantities if their sizes are separated by at least this factor.
constexpr double kSizesApart = 8;
// Least deviation that counts, relative to the size of a slice and of similar ones.
constexpr double kLeastDeviation = 0.1;
// It is lost if the other side's is at most this share of it.
constexpr double kDeviationLeft = 0.25;
// The mean of few elements scatters: additional distance that they may have, divided by the root of
// their number, and its upper limit.
constexpr double kScatterOfFew = 4;
constexpr double kMostOfFew = 0.5;
// Share of the whole's limit that a factor or an offset common to all elements may take.
constexpr double kDriftShare = 0.5;
// Rounding goes in all directions: if removing a factor or an offset leaves less than this share of
// the differences, it explains them.
constexpr double kLeastScatter = 0.35;
// Differences above this share of the elements' deviation from the mean are errors; for types of
// few bits, above twice the whole's limit.
constexpr double kMostOfSpread = 0.5;
constexpr double kSpreadFactor = 2;
// A factor of the deviations from the mean, if it explains most of the differences.
constexpr double kMostOfDeviation = 0.15;
// Equal numbers are rounded alike, so at least this many different ones are required.
constexpr size_t kLeastDistinct = 8;
// Axes of more slices have short ones, which the rows cover.
constexpr int64_t kMostSlices = int64_t{1} << 22;

// Differences count only beyond `atol`.
Counting CountingBy(const Tolerance& tolerance, const ValueScale& scale) {
  // A tolerance set by the user must not allow differences as large as the values.
  const bool given = !std::isfinite(tolerance.systematic) && scale.scale > 0;
  return {.limit = std::min(scale.scale > 0 ? kHuge * scale.scale : kInfinity, scale.limit),
          .atol = given ? std::min(tolerance.atol, kMostWhole * scale.scale) : tolerance.atol,
          .center = 0};
}

// Mean square over all finite elements, or over a slice.
double MeanSquare(double squares, const PairSums& sums) {
  return squares / static_cast<double>(std::max<int64_t>(1, sums.count));
}
double Deviation(double sum, double squares, int64_t count) {
  const double mean = sum / static_cast<double>(count);
  return std::sqrt(std::max(squares / static_cast<double>(count) - mean * mean, 0.0));
}

// A slice or a row. Elements that are 0 on both sides, as Relu leaves them, cannot differ by
// rounding, and do not count towards the length of a part.
struct Part {
  PairMoments totals;
  int64_t zeros = 0;  // on both sides

  void Add(const Part& other) {
    totals.Add(other.totals);
    zeros += other.zeros;
  }
  bool IsLong() const { return totals.sums.count - zeros >= kLeastInPart; }
};

class Accumulator {
 public:
  Accumulator(const Tensor& left, const Tensor& right, const Counting& counting, double scale,
              bool parts, const ThreadPool* pool)
      : left_(left),
        right_(right),
        pool_(pool),
        shape_(left.shape()),
        counting_(counting),
        scale_(scale) {
    if (IsComplex(left.dtype())) shape_.push_back(2);
    if (shape_.empty()) shape_.push_back(1);
    const auto size = static_cast<int64_t>(left_.size());
    slices_.resize(shape_.size());
    for (size_t axis = 0; axis < shape_.size(); ++axis) {
      const int64_t length = shape_[axis];
      if (parts && length > 1 && length <= kMostSlices && size / length >= kLeastInPart) {
        slices_[axis].resize(static_cast<size_t>(length));
      }
    }
    inner_ = shape_.back();
    has_rows_ = parts && inner_ >= kLeastInPart && size > inner_;
    if (IsInteger(left.dtype())) counting_.center = MeanOf(left_);
  }

  // `totals`: those of all elements, or null if they are not known.
  void Run(const PairMoments* totals) {
    const bool by_parts = has_rows_ || std::any_of(slices_.begin(), slices_.end(),
                                                   [](const auto& axis) { return !axis.empty(); });
    if (by_parts) {
      RunByRows();
    } else if (totals != nullptr) {
      all_ = *totals;
    } else {
      all_ = MomentsOf(left_, right_, pool_, counting_);
    }
  }

  const PairSums& all() const { return all_.sums; }
  // A factor or an offset common to all elements, as text, if it exceeds its share of the whole's
  // limit, or if it explains almost all of the differences.
  std::string CommonError(const Tolerance& tolerance) const {
    if (all_.sums.count < kLeastInPart || all_.sums.left == 0 || all_.sums.differences == 0)
      return "";
    const auto n = static_cast<double>(all_.sums.count);
    const double size = std::sqrt(all_.sums.left / n);
    const double factor = all_.products / all_.sums.left - 1;
    const double offset = all_.difference / n;
    const double most = kDriftShare * tolerance.whole;
    // The rest of the squares without the factor or the offset.
    const double without_factor = all_.sums.differences - factor * factor * all_.sums.left;
    const double without_offset = all_.sums.differences - offset * offset * n;
    const double scatter = kLeastScatter * kLeastScatter * all_.sums.differences;
    const auto is_systematic = [&](double error, double rest) {
      return error > most || (error > tolerance.systematic && rest < scatter && HasDistinct(size));
    };
    if (is_systematic(std::abs(factor), without_factor)) {
      return std::abs(factor) < 1e-3
                 ? absl::StrFormat("they have a factor of 1 %c %.2g in common",
                                   factor < 0 ? '-' : '+', std::abs(factor))
                 : absl::StrFormat("they have a factor of %.4g in common", 1 + factor);
    }
    if (is_systematic(std::abs(offset) / size, without_offset)) {
      return absl::StrFormat("they have an offset of %.2g in common", offset);
    }
    // Nearly equal numbers are judged by their deviation from the mean.
    const double mean = all_.left / n;
    const double spread = std::sqrt(std::max(all_.sums.left / n - mean * mean, 0.0));
    const double error = std::sqrt(all_.sums.differences / n);
    if (error > tolerance.systematic * size &&
        error > std::max(kMostOfSpread, kSpreadFactor * tolerance.whole) * spread) {
      return absl::StrFormat("they differ by %.2g, as much as they do from their mean", error);
    }
    if (error > tolerance.systematic * size && spread > 0) {
      // The common factor of the deviations from the mean.
      const double of_spread = (all_.products / n - mean * (mean + offset)) / (spread * spread) - 1;
      const double around = std::max(all_.sums.differences / n - offset * offset, 0.0);
      const double rest = around - of_spread * of_spread * spread * spread;
      if (std::abs(of_spread) > kMostOfDeviation && rest < kLeastScatter * kLeastScatter * around) {
        return absl::StrFormat("what they differ by from their mean has a factor of %.4g in common",
                               1 + of_spread);
      }
    }
    return "";
  }

  // True if enough different numbers are about as large as the whole.
  bool HasDistinct(double size) const {
    constexpr double kLarge = 0.3;
    absl::flat_hash_set<double> seen;
    ForEachStrip(left_, right_, 0, left_.size(),
                 [&](int64_t, int64_t count, const double* a, const double*) {
                   for (int64_t i = 0; i < count && seen.size() < kLeastDistinct; ++i) {
                     if (std::abs(a[i]) >= kLarge * size && std::abs(a[i]) <= counting_.limit) {
                       seen.insert(std::abs(a[i]));
                     }
                   }
                   return seen.size() < kLeastDistinct;
                 });
    return seen.size() >= kLeastDistinct;
  }

  // The part with the greatest distance relative to its size, as text, if it exceeds `most`.
  std::string FarPart(double most) const {
    double farthest = most;
    std::string where;
    for (size_t axis = 0; axis < slices_.size(); ++axis) {
      const std::vector<double> likes = SizesOfLikes(slices_[axis]);
      for (size_t i = 0; i < slices_[axis].size(); ++i) {
        const Part& slice = slices_[axis][i];
        const double apart =
            slice.totals.sums.Apart(std::max(kPartFloor * likes[i], kLeastPartFloor * scale_));
        if (!(apart > farthest) || !slice.IsLong()) continue;
        farthest = apart;
        where = absl::StrCat("in index ", i, " of axis ", axis);
      }
    }
    if (worst_row_ >= 0 && row_.Apart(RowFloor()) > farthest) {
      farthest = row_.Apart(RowFloor());
      Shape rows(shape_.begin(), shape_.end() - 1);
      where = absl::StrCat("in row ", IndexText(rows, worst_row_));
    }
    return where.empty() ? ""
                         : absl::StrFormat("%s they are %.2g of their size apart", where, farthest);
  }

  // The first slice that varies on one side and hardly on the other, as text.
  std::string LostDeviation(const Tolerance& tolerance) const {
    // Smaller deviations are noise.
    const double least =
        std::max(4 * tolerance.atol, std::min(kLeastPartFloor, tolerance.whole) * scale_);
    std::string all = Lost({all_, all_zeros_}, 0, least);
    if (!all.empty()) return all;
    for (size_t axis = 0; axis < slices_.size(); ++axis) {
      const std::vector<double> likes = SizesOfLikes(slices_[axis]);
      for (size_t i = 0; i < slices_[axis].size(); ++i) {
        std::string lost = Lost(slices_[axis][i], likes[i], least);
        if (!lost.empty()) return absl::StrCat("in index ", i, " of axis ", axis, " ", lost);
      }
    }
    return "";
  }

 private:
  double RowFloor() const { return kPartFloor * scale_; }

  // By slice, the root mean square size of all similar slices: sorted by size, each is less than
  // kSizesApart times the one before.
  // One that is a single number on both sides is an element, and no other quantity: all are its
  // likes.
  std::vector<double> SizesOfLikes(const std::vector<Part>& slices) const {
    std::vector<double> sizes(slices.size());
    std::vector<size_t> order;
    for (size_t i = 0; i < slices.size(); ++i) {
      const PairSums& sums = slices[i].totals.sums;
      sizes[i] = std::sqrt(MeanSquare(sums.left, sums));
      if (sizes[i] > 0) order.push_back(i);
    }
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return sizes[a] < sizes[b]; });
    std::vector<double> likes(sizes);
    for (size_t begin = 0; begin < order.size();) {
      size_t end = begin;
      double squares = 0;
      do {
        squares += sizes[order[end]] * sizes[order[end]];
        ++end;
      } while (end < order.size() && sizes[order[end]] < kSizesApart * sizes[order[end - 1]]);
      const double like = std::sqrt(squares / static_cast<double>(end - begin));
      for (; begin < end; ++begin) likes[order[begin]] = like;
    }
    for (size_t i = 0; i < slices.size(); ++i) {
      if (IsOneNumber(slices[i].totals)) likes[i] = std::max(likes[i], scale_);
    }
    return likes;
  }

  static bool IsOneNumber(const PairMoments& totals) {
    constexpr double kOne = 1e-3;
    const PairSums& sums = totals.sums;
    const double left = Deviation(totals.left, sums.left, sums.count);
    const double right = Deviation(totals.left + totals.difference, sums.right, sums.count);
    return left <= kOne * std::sqrt(MeanSquare(sums.left, sums)) &&
           right <= kOne * std::sqrt(MeanSquare(sums.right, sums));
  }

  static std::string Lost(const Part& slice, double like, double least) {
    if (!slice.IsLong()) return "";
    const PairMoments& totals = slice.totals;
    const PairSums& sums = totals.sums;
    const double left = Deviation(totals.left, sums.left, sums.count);
    const double right = Deviation(totals.left + totals.difference, sums.right, sums.count);
    const double size =
        std::max(like, std::sqrt(MeanSquare(std::max(sums.left, sums.right), sums)));
    const double more = std::max(left, right);
    if (more < kLeastDeviation * size || more < least ||
        std::min(left, right) > kDeviationLeft * more) {
      return "";
    }
    if (sums.right == 0 || sums.left == 0) {
      return absl::StrCat("all of the ", sums.right == 0 ? "right" : "left", " are 0");
    }
    return absl::StrFormat("they vary by %.2g | %.2g", left, right);
  }

  static double MeanOf(const NumberReader& numbers) {
    double sum = 0;
    ForEachStrip(numbers, 0, numbers.size(), [&](int64_t, int64_t count, const double* a) {
      for (int64_t i = 0; i < count; ++i) sum += a[i];
    });
    return numbers.size() > 0 ? sum / static_cast<double>(numbers.size()) : 0;
  }

  void RunByRows() {
    Part row;
    ForEachStrip(left_, right_, 0, left_.size(),
                 [&](int64_t first, int64_t count, const double* a, const double* b) {
                   int64_t done = 0;
                   while (done < count) {
                     const int64_t column = (first + done) % inner_;
                     const int64_t run = std::min(count - done, inner_ - column);
                     const Part part = {MomentsOfStrip(a + done, b + done, run, counting_),
                                        ZerosOf(a + done, b + done, run)};
                     all_.Add(part.totals);
                     all_zeros_ += part.zeros;
                     row.Add(part);
                     AddToColumns(column, run, a + done, b + done);
                     done += run;
                     if (column + run == inner_) EndRow((first + done) / inner_ - 1, &row);
                   }
                   return true;
                 });
  }

  // In integers, 0 has no special meaning.
  int64_t ZerosOf(const double* a, const double* b, int64_t count) const {
    if (counting_.center != 0) return 0;
    int64_t zeros = 0;
    for (int64_t i = 0; i < count; ++i) zeros += a[i] == 0 && b[i] == 0 ? 1 : 0;
    return zeros;
  }

  void AddToColumns(int64_t column, int64_t run, const double* a, const double* b) {
    std::vector<Part>& columns = slices_.back();
    if (columns.empty()) return;
    for (int64_t i = 0; i < run; ++i) {
      if (!counting_.Counts(a[i], b[i])) continue;
      columns[static_cast<size_t>(column + i)].Add(
          {counting_.Moments(a[i], b[i]), ZerosOf(a + i, b + i, 1)});
    }
  }

  void EndRow(int64_t row, Part* part) {
    int64_t rest = row;
    for (size_t axis = shape_.size() - 1; axis-- > 0;) {
      if (!slices_[axis].empty())
        slices_[axis][static_cast<size_t>(rest % shape_[axis])].Add(*part);
      rest /= shape_[axis];
    }
    const PairSums& sums = part->totals.sums;
    if (has_rows_ && part->IsLong() && sums.Apart(RowFloor()) > row_.Apart(RowFloor())) {
      row_ = sums;
      worst_row_ = row;
    }
    *part = {};
  }

  NumberReader left_;
  NumberReader right_;
  const ThreadPool* pool_;
  Shape shape_;
  int64_t inner_ = 1;
  bool has_rows_ = false;
  Counting counting_;
  double scale_;
  PairMoments all_;
  int64_t all_zeros_ = 0;                  // on both sides, counted only with parts
  std::vector<std::vector<Part>> slices_;  // by axis; empty: too short, too many
  PairSums row_;                           // the farthest row
  int64_t worst_row_ = -1;
};

}  // namespace

std::optional<Counting> CountingOf(const Tensor& left, const Tensor& right,
                                   const Tolerance& tolerance, const ValueScale& scale) {
  if (IsInteger(left.dtype()) || IsComplex(left.dtype()) || IsComplex(right.dtype())) {
    return std::nullopt;
  }
  return CountingBy(tolerance, scale);
}

WholeErrors WholeErrorsOf(const Tensor& left, const Tensor& right, const Tolerance& tolerance,
                          const ValueScale& scale, bool parts, const ThreadPool* pool,
                          const PairMoments* totals) {
  WholeErrors errors;
  if (left.num_elements() == 0) return errors;
  const bool integers = IsInteger(left.dtype());
  const double whole = tolerance.whole;
  // The size of an integer means nothing: its zero point may be anywhere.
  Accumulator sums(left, right, CountingBy(tolerance, integers ? ValueScale(0) : scale),
                   scale.scale, parts, pool);
  sums.Run(totals);
  errors.apart = sums.all().Apart(integers ? scale.scale : 0);
  const double few =
      kScatterOfFew / std::sqrt(static_cast<double>(std::max<int64_t>(1, sums.all().count)));
  const double most = std::min(whole * (1 + few), std::max(whole, kMostOfFew));
  if (errors.apart > most) {
    errors.fault = absl::StrFormat("on the whole they are %.2g of their size apart, more than %.2g",
                                   errors.apart, most);
    return errors;
  }
  if (!integers && std::isfinite(tolerance.systematic)) {
    errors.fault = sums.CommonError(tolerance);
  }
  if (!errors.fault.empty()) return errors;
  if (!parts) return errors;
  if (!integers) errors.fault = sums.LostDeviation(tolerance);
  if (!errors.fault.empty()) return errors;
  errors.fault = sums.FarPart(std::min(kPartFactor * whole, std::max(whole, kMostInPart)));
  return errors;
}

std::string LostPartOf(const Tensor& left, const Tensor& right, const ThreadPool* pool) {
  if (left.num_elements() == 0) return "";
  // Fills do not count. All else does, also beside many that are next to nothing.
  const Counting counting = {.limit = ScaleOfVarying(left, right).limit};
  Accumulator whole(left, right, counting, 0, false, pool);
  whole.Run(nullptr);
  const double scale = std::sqrt(MeanSquare(whole.all().left, whole.all()));
  Accumulator sums(left, right, counting, scale, true, pool);
  sums.Run(nullptr);
  return sums.LostDeviation({.whole = kMostWhole});
}

}  // namespace onnxcmp
