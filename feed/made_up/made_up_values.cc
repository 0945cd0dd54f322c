#include "feed/made_up/made_up_values.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/convert.h"
#include "feed/made_up/made_up_image.h"
#include "feed/made_up/mask_rows.h"
#include "feed/made_up/smooth_numbers.h"

namespace onnxcmp {
namespace {

// Assumed if the number of a table's rows is unknown.
constexpr int64_t kUnknownLimit = 2;
constexpr double kMasked = -1e4;
// As far as evenly distributed numbers of deviation 1 go.
constexpr double kEven = 1.732;

// Stores the numbers that `next` returns, in order. They are stored a few at a time: all of them as
// doubles would take several times the tensor's memory.
template <typename Number, typename Next>
void Fill(Tensor* tensor, Next&& next) {
  constexpr int64_t kAtATime = 1 << 12;
  const DType dtype = tensor->dtype();
  const int64_t count = tensor->num_elements();
  std::vector<Number> numbers;
  std::vector<int64_t> integers;
  for (int64_t first = 0; first < count; first += kAtATime) {
    numbers.clear();
    for (int64_t i = first; i < std::min(count, first + kAtATime); ++i) numbers.push_back(next(i));
    const auto stored = static_cast<int64_t>(numbers.size());
    if constexpr (std::is_same_v<Number, double>) {
      if (dtype == DType::kBool) {
        std::transform(numbers.begin(), numbers.end(), tensor->mutable_data<bool>() + first,
                       [](double v) { return v != 0; });
        continue;
      }
      if (IsInteger(dtype)) {
        integers.assign(numbers.begin(), numbers.end());
        StoreElements<int64_t>(dtype, integers.data(), stored, tensor->mutable_raw_data(), first);
        continue;
      }
    }
    if constexpr (std::is_same_v<Number, int64_t>) {
      StoreElements<int64_t>(dtype, numbers.data(), stored, tensor->mutable_raw_data(), first);
    } else {
      StoreElements<Number>(dtype, numbers.data(), stored, tensor->mutable_raw_data(), first,
                            Overflow::kSaturate);
    }
  }
}

// True if the number has few digits in binary: whatever way a sum or product leads to it in 32 bits
// is exact, so that an element exactly at such a limit is no matter of rounding.
bool IsExactLimit(double number) {
  constexpr double kParts = 64;
  constexpr double kMost = 4096;
  return std::abs(number) <= kMost && number * kParts == std::round(number * kParts);
}

// ASCII letters in upper case, or in lower case if there are none below.
std::string InOtherCase(const std::string& text) {
  std::string upper = absl::AsciiStrToUpper(text);
  return upper == text ? absl::AsciiStrToLower(text) : upper;
}

// The size of the last axis longer than 1.
int64_t RowOf(const Shape& shape) {
  for (auto dim = shape.rbegin(); dim != shape.rend(); ++dim) {
    if (*dim > 1) return *dim;
  }
  return 1;
}

// Numbers that have to do with those next to them, where the regime wants such.
class Neighbours {
 public:
  Neighbours(const Shape& shape, const InputPurpose& purpose, Regime regime, RandomNumbers* random)
      : random_(*random) {
    if (purpose.purpose != Purpose::kNumbers) return;
    if (regime == Regime::kSmooth) smooth_.emplace(shape, random);
    if (regime == Regime::kScenes) scenes_.emplace(shape, random);
  }

  std::optional<double> At(int64_t i) const {
    constexpr double kNoise = 0.3;
    if (scenes_.has_value() && scenes_->any()) return scenes_->At(i);
    if (!smooth_.has_value() || !smooth_->any()) return std::nullopt;
    return std::sqrt(1 - kNoise * kNoise) * smooth_->At(i) + kNoise * random_.Normal();
  }

 private:
  RandomNumbers& random_;
  std::optional<SmoothNumbers> smooth_;
  std::optional<SceneNumbers> scenes_;
};

}  // namespace

std::optional<double> ValueMaker::Missing(const InputPurpose& purpose) {
  constexpr int64_t kOneIn = 3;
  if (purpose.missing.empty() || !IsForTheRare() || random_.Below(kOneIn) != 0) {
    return std::nullopt;
  }
  const auto many = static_cast<int64_t>(purpose.missing.size());
  return purpose.missing[static_cast<size_t>(random_.Below(many))];
}

std::optional<double> ValueMaker::Demanded(const InputPurpose& purpose, int64_t column) {
  if (purpose.demanded.empty()) return std::nullopt;
  auto keys = purpose.demanded.find(column);
  if (keys == purpose.demanded.end()) keys = purpose.demanded.find(InputPurpose::kEachColumn);
  if (keys == purpose.demanded.end()) return std::nullopt;
  const auto many = static_cast<int64_t>(keys->second.size());
  return keys->second[static_cast<size_t>(random_.Below(many))];
}

std::optional<double> ValueMaker::Probe(const InputPurpose& purpose) {
  const bool all = set_ % 2 == 1;
  if (purpose.probes.empty() || (!all && random_.Below(2) != 0)) return std::nullopt;
  const auto many = static_cast<int64_t>(purpose.probes.size());
  const double probe = purpose.probes[static_cast<size_t>(random_.Below(many))];
  return !all && random_.Below(4) == 0 ? -probe : probe;
}

bool ValueMaker::CrossesLimits(const InputPurpose& purpose) const {
  const bool in_turn =
      regime_ == Regime::kUsual || regime_ == Regime::kWhole || regime_ == Regime::kLarge;
  return in_turn && !purpose.landmarks.empty() && purpose.probes.empty() &&
         purpose.purpose == Purpose::kNumbers;
}

std::optional<double> ValueMaker::BetweenLimits(const InputPurpose& purpose, double limit) {
  constexpr double kNear = 0.5;  // of limits that are farther apart others lie between them
  if (purpose.landmarks.size() < 2 || random_.Below(3) != 0) return std::nullopt;
  double next = std::numeric_limits<double>::infinity();
  for (const double other : purpose.landmarks) {
    if (other > limit) next = std::min(next, other);
  }
  if (!(next - limit < kNear * std::max(std::abs(limit), 1.0))) return std::nullopt;
  return 0.5 * (limit + next);
}

bool ValueMaker::IsBeforeStandardization(const InputPurpose& purpose) const {
  const bool of_size = regime_ == Regime::kUsual || regime_ == Regime::kLarge ||
                       regime_ == Regime::kSmooth || regime_ == Regime::kScenes ||
                       regime_ == Regime::kEven;
  if (!of_size) return false;
  // A scale's own range says more than one factor of all numbers.
  if (purpose.range.has_value() && purpose.standard.has_value() &&
      (regime_ == Regime::kEven || purpose.standard->size.size() == 1)) {
    return false;
  }
  return purpose.standard.has_value() && purpose.purpose == Purpose::kNumbers;
}

double ValueMaker::Number(const InputPurpose& purpose, bool scalar, std::optional<double> normal,
                          Standardization::Around around) {
  if (const auto probe = Probe(purpose);
      probe.has_value() && purpose.purpose == Purpose::kNumbers) {
    return *probe * (0.98 + 0.04 * random_.Uniform());
  }
  if (const auto missing = Missing(purpose)) return *missing;
  if (const auto keys = purpose.thresholds.find(-1);
      keys != purpose.thresholds.end() && random_.Below(4) != 0) {
    const auto many = static_cast<int64_t>(keys->second.size());
    return keys->second[static_cast<size_t>(random_.Below(many))];
  }
  // Only the regimes of large numbers step across limits, and not across great ones, as coarse
  // types have. A scalar does in turn.
  const bool far = regime_ == Regime::kWhole || regime_ == Regime::kLarge;
  const bool in_turn = scalar && far && CrossesLimits(purpose);
  if (regime_ == Regime::kWhole && !scalar && !purpose.landmarks.empty() &&
      purpose.purpose == Purpose::kNumbers && random_.Below(6) == 0) {
    const auto many = static_cast<int64_t>(purpose.landmarks.size());
    const double mark = purpose.landmarks[static_cast<size_t>(random_.Below(many))];
    if (IsExactLimit(mark)) return mark;
  }
  if (in_turn || (far && !purpose.landmarks.empty() && random_.Below(8) == 0)) {
    constexpr double kMost = 2e4;
    const auto many = static_cast<int64_t>(purpose.landmarks.size());
    const double mark = purpose.landmarks[static_cast<size_t>(random_.Below(many))];
    if (const std::optional<double> between = BetweenLimits(purpose, mark)) return *between;
    const double step = (0.05 + 0.2 * random_.Uniform()) * std::max(std::abs(mark), 0.5);
    const double side = (in_turn ? set_ % 2 : random_.Below(2)) == 0 ? -1 : 1;
    if (std::abs(mark) <= kMost && purpose.purpose != Purpose::kPositive) {
      return mark + side * step;
    }
  }
  const double number = Usual(purpose, scalar, normal);
  if (IsBeforeStandardization(purpose)) {
    const double stands = around.middle + purpose.shrink * around.size * number;
    return !purpose.range.has_value() || set_ % 4 == 1
               ? stands
               : std::clamp(stands, purpose.range->least, purpose.range->greatest);
  }
  if (!purpose.range.has_value()) return purpose.shrink * number;
  // The range that the scale was calibrated for.
  constexpr double kDeviationsOfRange = 3;
  const auto [least, greatest] = *purpose.range;
  const bool wide = least <= -kDeviationsOfRange && greatest >= kDeviationsOfRange;
  const bool much_wider = greatest - least > 8 * kDeviationsOfRange;
  const double middle = 0.5 * (least + greatest);
  const double half = greatest - middle;
  const double within =
      purpose.shrink * (regime_ == Regime::kEven ? middle + number / kEven * half
                        : wide && !much_wider    ? number
                                                 : middle + number * half / kDeviationsOfRange);
  // Clipped numbers are equal if both sides are quantized alike.
  return set_ % 4 == 1 ? within : std::clamp(within, least, greatest);
}

double ValueMaker::Usual(const InputPurpose& purpose, bool scalar, std::optional<double> normal) {
  double number = normal.has_value() ? *normal : random_.Normal();
  // A scalar near 0 hides the factors of its products.
  if (scalar) number = std::copysign(0.5 + std::abs(number), number);
  switch (regime_) {
    case Regime::kZeros:
      number = 0;
      break;
    case Regime::kOnes:
      number = 1;
      break;
    case Regime::kTies:
      number = std::round(number);
      break;
    case Regime::kTiny:
      number *= 1e-4;
      break;
    case Regime::kSmall:
      number *= 1e-2;
      break;
    case Regime::kLarge:
      number *= 60;
      break;
    case Regime::kHuge:
      number *= 1e4;
      break;
    case Regime::kPositive:
      number = std::abs(number);
      break;
    case Regime::kNegative:
      number = -std::abs(number);
      break;
    case Regime::kWhole:
      number = std::round(6 * number) / 2;
      break;
    case Regime::kEven:
      number = kEven * (2 * random_.Uniform() - 1);
      break;
    default:
      break;
  }
  if (purpose.purpose == Purpose::kPositive) number = std::abs(number) + 0.05;
  return number;
}

int64_t ValueMaker::Length(const InputPurpose& purpose, int64_t limit, int64_t i) {
  if (purpose.full.has_value()) return limit + *purpose.full;
  if (regime_ == Regime::kEnds) return i % 2 == 0 ? 1 : limit;
  if (regime_ == Regime::kNothing) return i % 2 == 0 ? 0 : limit;
  if (regime_ == Regime::kOnes) return limit;
  // As short as can be, so that an element too many shows.
  if (IsForTheRare() && i != 1) return std::min<int64_t>(1 + i % 3, limit);
  // The first is the longest, the others are shorter.
  if (i == 0 && set_ % 2 == 0 && limit > 1) return limit - 1;
  return i == 1 ? limit : 1 + random_.Below(limit);
}

int64_t ValueMaker::CountFor(const InputPurpose& purpose) {
  constexpr int64_t kSome = 12;  // there may be a table with a row for each round
  constexpr int64_t kMany = 40;
  switch (regime_) {
    case Regime::kZeros:
      return 0;
    case Regime::kOnes:
      return 1;
    case Regime::kEnds:
    case Regime::kLarge:
      return 3 * purpose.first;
    case Regime::kHuge:
      return random_.Below(2) == 0 ? kSome : kMany;
    default:
      // Once, and not at all, are cases of their own.
      return set_ % 4 == 1 ? 1 : set_ % 4 == 2 ? 0 : purpose.first + set_;
  }
}

// Each row leads to another leaf.
double ValueMaker::Feature(const InputPurpose& purpose, int64_t row, int64_t feature) {
  if (const auto missing = Missing(purpose)) return *missing;
  const auto it = purpose.thresholds.find(feature);
  if (!purpose.paths.empty() && regime_ == Regime::kUsual) {
    const TreePath& path = purpose.paths[static_cast<size_t>(row + set_) % purpose.paths.size()];
    const auto step = std::find_if(path.begin(), path.end(),
                                   [&](const auto& part) { return part.first == feature; });
    if (step != path.end()) {
      const auto [least, greatest] = step->second;
      const double known = std::isfinite(least) ? least : greatest;
      const double spread = 0.1 * std::abs(known) + 0.1;
      const double share = 0.1 + 0.8 * random_.Uniform();
      if (!std::isfinite(least)) return greatest - share * spread;
      if (!std::isfinite(greatest)) return least + share * spread;
      return least + share * (greatest - least);
    }
  }
  return it == purpose.thresholds.end() || it->second.empty() ? random_.Normal()
                                                              : Beside(it->second);
}

// The first set avoids the thresholds themselves.
double ValueMaker::Beside(const std::vector<double>& values) {
  const double threshold =
      values[static_cast<size_t>(random_.Below(static_cast<int64_t>(values.size())))];
  if (regime_ == Regime::kWhole && IsExactLimit(threshold) && random_.Below(2) == 0) {
    return threshold;
  }
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  const double spread = std::max(*greatest - *least, 0.1 * std::abs(threshold) + 0.1);
  switch (set_ == 0 && regime_ == Regime::kUsual
              ? 3
              : random_.Below(regime_ == Regime::kEnds ? 3 : 8)) {
    case 0:
      return threshold;
    case 1:
      return std::nextafter(static_cast<float>(threshold), std::numeric_limits<float>::max());
    case 2:
      return std::nextafter(static_cast<float>(threshold), std::numeric_limits<float>::lowest());
    default:
      return threshold + 0.3 * spread * random_.Normal();
  }
}

void ValueMaker::FillText(const InputPurpose& purpose, Tensor* tensor) {
  static constexpr const char* kWords[] = {"apple", "Banana split", "",    "the",
                                           "x1",    "ÄÖ",           "1.5", "Route 66 AT NIGHT"};
  std::string* texts = tensor->mutable_string_data();
  for (int64_t i = 0; i < tensor->num_elements(); ++i) {
    const auto known = static_cast<int64_t>(purpose.words.size());
    // One in eight does not occur in the graph, another one is in the other case.
    const int64_t which = 2 * static_cast<int64_t>(purpose.only_known) + random_.Below(8);
    texts[i] = known > 0 && which != 0
                   ? purpose.words[static_cast<size_t>(random_.Below(known))]
                   : kWords[random_.Below(static_cast<int64_t>(std::size(kWords)))];
    if (which == 1) texts[i] = InOtherCase(texts[i]);
  }
  if (IsForTheRare() && tensor->num_elements() > 1 && !purpose.only_known) texts[0].clear();
}

void ValueMaker::FillComplex(const InputPurpose& purpose, Tensor* tensor) {
  Fill<std::complex<double>>(tensor, [&](int64_t) {
    const double real = Number(purpose, false);
    return std::complex<double>(real, Number(purpose, false));
  });
}

absl::StatusOr<Tensor> ValueMaker::Make(DType dtype, const Shape& shape,
                                        const InputPurpose& purpose, std::optional<int64_t> limit) {
  if (purpose.purpose == Purpose::kImage && dtype == DType::kUint8)
    return MadeUpImage(shape, &random_);
  OC_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, shape, memory_));
  const int64_t count = tensor.num_elements();
  if (count == 0) return tensor;
  if (dtype == DType::kString) {
    FillText(purpose, &tensor);
    return tensor;
  }
  // Clears the unused bits at the end of a packed type.
  std::memset(tensor.mutable_raw_data(), 0, static_cast<size_t>(tensor.byte_size()));
  if (IsComplex(dtype)) {
    FillComplex(purpose, &tensor);
    return tensor;
  }
  const bool scalar = count == 1;
  const int64_t row = shape.empty() ? 1 : shape.back();
  const MaskRows mask(RowOf(shape), regime_, set_);
  const int64_t rows = limit.value_or(kUnknownLimit);
  const double scale =
      purpose.weights && !shape.empty()
          ? 1 / std::sqrt(static_cast<double>(std::max({int64_t{1}, shape.front(), shape.back()})))
          : 1;
  const Neighbours neighbours(shape, purpose, regime_, &random_);
  // Every other row of whole numbers that are chosen from or compared has but few different ones,
  // so that some are equal; in a single row every other number.
  const bool zeros = regime_ == Regime::kWhole && purpose.purpose == Purpose::kNumbers;
  const auto tie = [&](int64_t i, double number) {
    constexpr int64_t kZeroAt = 5;
    if (zeros && count > kZeroAt && i == kZeroAt) return -0.0;
    const int64_t which = row == count ? i : i / row;
    const bool few = purpose.ties && regime_ == Regime::kWhole && which % 2 == 1;
    return few ? std::clamp(std::round(0.5 * number), -1.0, 1.0) : number;
  };
  const auto around = [&](int64_t i) {
    return purpose.standard.has_value() ? purpose.standard->At(shape, i)
                                        : Standardization::Around();
  };
  const bool any = purpose.sums && regime_ == Regime::kLarge;  // of what may be a mask
  if (IsInteger(dtype) && (purpose.purpose <= Purpose::kPositive || any) &&
      purpose.demanded.empty()) {
    Fill<int64_t>(&tensor, [&](int64_t) { return Integer(dtype, purpose, scalar); });
    if (regime_ == Regime::kAscending) OC_RETURN_IF_ERROR(SortRows(row, &tensor));
    return tensor;
  }
  std::vector<int64_t> ids;
  if (purpose.purpose == Purpose::kIds) ids = Ids(purpose, shape, rows);
  Fill<double>(&tensor, [&](int64_t i) {
    if (const auto demanded = Demanded(purpose, i % row)) return *demanded;
    switch (purpose.purpose) {
      case Purpose::kMask:
        return mask.Counts(i) ? 1.0 : 0.0;
      case Purpose::kAddedMask:
        return mask.Counts(i) ? 0.0 : kMasked;
      case Purpose::kCondition:
        return set_ % 2 == 0 ? 1.0 : 0.0;
      case Purpose::kIds:
        return static_cast<double>(ids[static_cast<size_t>(i)]);
      case Purpose::kPositions:
        return static_cast<double>(Position(i, row, shape.size(), purpose, limit));
      case Purpose::kLengths:
        return static_cast<double>(
            std::max<int64_t>(Length(purpose, std::max<int64_t>(rows, 1), i), 0));
      case Purpose::kSmall:
        return Small(purpose, i, count, limit);
      case Purpose::kFeatures:
        return Feature(purpose, i / row, i % row);
      default:
        return IsFloatingPoint(dtype)
                   ? tie(i, scale * Number(purpose, scalar, neighbours.At(i), around(i)))
                   : static_cast<double>(random_.Below(2));
    }
  });
  if (regime_ == Regime::kAscending && purpose.purpose <= Purpose::kPositive) {
    OC_RETURN_IF_ERROR(SortRows(row, &tensor));
  }
  return tensor;
}

double ValueMaker::Small(const InputPurpose& purpose, int64_t i, int64_t count,
                         std::optional<int64_t> limit) {
  if (purpose.pieces && limit.has_value() && i + 1 == count) {
    return static_cast<double>(std::max<int64_t>(0, *limit - (count - 1)));
  }
  if (purpose.counts) return static_cast<double>(CountFor(purpose));
  if (purpose.grows) return static_cast<double>(purpose.first + set_);
  if (purpose.fraction != 0) return purpose.fraction;
  if (i == 0) return static_cast<double>(purpose.first);
  return static_cast<double>(purpose.rest + (i - 1) * purpose.step);
}

absl::Status ValueMaker::SortRows(int64_t row, Tensor* tensor) {
  if (tensor->dtype() == DType::kBool || BitWidth(tensor->dtype()) < 8) return absl::OkStatus();
  std::vector<double> numbers(static_cast<size_t>(row));
  for (int64_t first = 0; first < tensor->num_elements(); first += row) {
    LoadElements<double>(tensor->dtype(), tensor->raw_data(), first, row, numbers.data());
    if (std::any_of(numbers.begin(), numbers.end(), [](double v) { return std::isnan(v); }))
      continue;
    std::sort(numbers.begin(), numbers.end());
    StoreElements<double>(tensor->dtype(), numbers.data(), row, tensor->mutable_raw_data(), first,
                          Overflow::kSaturate);
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp
