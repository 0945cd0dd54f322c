#include "feed/made_up/made_up_values.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
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
    if (!purpose.Is<NumberPurpose>()) return;
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
  return OneOf(purpose.missing);
}

std::optional<double> ValueMaker::Key(const InputPurpose& purpose) {
  if (purpose.keys.empty() || random_.Below(4) == 0) return std::nullopt;
  return OneOf(purpose.keys);
}

std::optional<double> ValueMaker::Demanded(const InputPurpose& purpose, int64_t column) {
  if (purpose.demanded.empty()) return std::nullopt;
  auto keys = purpose.demanded.find(column);
  if (keys == purpose.demanded.end()) keys = purpose.demanded.find(InputPurpose::kEachColumn);
  if (keys == purpose.demanded.end()) return std::nullopt;
  return OneOf(keys->second);
}

std::optional<double> ValueMaker::Probe(const InputPurpose& purpose) {
  const bool all = set_ % 2 == 1;
  if (purpose.probes.empty() || (!all && random_.Below(2) != 0)) return std::nullopt;
  const double probe = OneOf(purpose.probes);
  return !all && random_.Below(4) == 0 ? -probe : probe;
}

bool ValueMaker::CrossesLimits(const InputPurpose& purpose) const {
  const bool in_turn =
      regime_ == Regime::kUsual || regime_ == Regime::kWhole || regime_ == Regime::kLarge;
  return in_turn && !purpose.landmarks.empty() && purpose.probes.empty() &&
         purpose.Is<NumberPurpose>();
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
  return purpose.standard.has_value() && purpose.Is<NumberPurpose>();
}

double ValueMaker::Number(const InputPurpose& purpose, bool scalar, std::optional<double> normal,
                          Standardization::Around around) {
  if (const auto probe = Probe(purpose); probe.has_value() && purpose.Is<NumberPurpose>()) {
    return *probe * (0.98 + 0.04 * random_.Uniform());
  }
  if (const auto missing = Missing(purpose)) return *missing;
  if (const auto key = Key(purpose)) return *key;
  // Only the regimes of large numbers step across limits, and not across great ones, as coarse
  // types have. A scalar does in turn.
  const bool far = regime_ == Regime::kWhole || regime_ == Regime::kLarge;
  const bool in_turn = scalar && far && CrossesLimits(purpose);
  if (regime_ == Regime::kWhole && !scalar && !purpose.landmarks.empty() &&
      purpose.Is<NumberPurpose>() && random_.Below(6) == 0) {
    const double mark = OneOf(purpose.landmarks);
    if (IsExactLimit(mark)) return mark;
  }
  if (in_turn || (far && !purpose.landmarks.empty() && random_.Below(8) == 0)) {
    constexpr double kMost = 2e4;
    const double mark = OneOf(purpose.landmarks);
    if (const std::optional<double> between = BetweenLimits(purpose, mark)) return *between;
    const double step = (0.05 + 0.2 * random_.Uniform()) * std::max(std::abs(mark), 0.5);
    const double side = (in_turn ? set_ % 2 : random_.Below(2)) == 0 ? -1 : 1;
    if (std::abs(mark) <= kMost && !purpose.Is<PositivePurpose>()) {
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
  if (purpose.Is<PositivePurpose>()) number = std::abs(number) + 0.05;
  return number;
}

int64_t ValueMaker::Length(int64_t limit, int64_t i) {
  if (regime_ == Regime::kEnds) return i % 2 == 0 ? 1 : limit;
  if (regime_ == Regime::kNothing) return i % 2 == 0 ? 0 : limit;
  if (regime_ == Regime::kOnes) return limit;
  // As short as can be, so that an element too many shows.
  if (IsForTheRare() && i != 1) return std::min<int64_t>(1 + i % 3, limit);
  // The first is the longest, the others are shorter.
  if (i == 0 && set_ % 2 == 0 && limit > 1) return limit - 1;
  return i == 1 ? limit : 1 + random_.Below(limit);
}

int64_t ValueMaker::Count(int64_t usual) {
  constexpr int64_t kSome = 12;  // there may be a table with a row for each round
  constexpr int64_t kMany = 40;
  switch (regime_) {
    case Regime::kZeros:
      return 0;
    case Regime::kOnes:
      return 1;
    case Regime::kEnds:
    case Regime::kLarge:
      return 3 * usual;
    case Regime::kHuge:
      return random_.Below(2) == 0 ? kSome : kMany;
    default:
      // Once, and not at all, are cases of their own.
      return set_ % 4 == 1 ? 1 : set_ % 4 == 2 ? 0 : usual + set_;
  }
}

// Each row leads to another leaf.
double ValueMaker::Feature(const FeaturePurpose& features, const InputPurpose& purpose, int64_t row,
                           int64_t feature) {
  if (const auto missing = Missing(purpose)) return *missing;
  const auto it = features.thresholds.find(feature);
  if (!features.paths.empty() && regime_ == Regime::kUsual) {
    const TreePath& path = features.paths[static_cast<size_t>(row + set_) % features.paths.size()];
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
  return it == features.thresholds.end() || it->second.empty() ? random_.Normal()
                                                               : Beside(it->second);
}

// The first set avoids the thresholds themselves.
double ValueMaker::Beside(const std::vector<double>& values) {
  const double threshold = OneOf(values);
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
    // One in eight does not occur in the graph, another one is in the other case.
    const int64_t which = 2 * static_cast<int64_t>(purpose.only_known) + random_.Below(8);
    texts[i] = !purpose.words.empty() && which != 0
                   ? OneOf(purpose.words)
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

ValueMaker::Maker ValueMaker::MakerOf(const FeaturePurpose& features, const Asked& asked) {
  return [this, &features, &asked](int64_t i) {
    return Feature(features, asked.purpose, i / asked.row, i % asked.row);
  };
}

ValueMaker::Maker ValueMaker::MakerOf(const MaskPurpose&, const Asked& asked) {
  return [mask = MaskRows(RowOf(asked.shape), regime_, set_)](int64_t i) {
    return mask.Counts(i) ? 1.0 : 0.0;
  };
}

ValueMaker::Maker ValueMaker::MakerOf(const AddedMaskPurpose&, const Asked& asked) {
  return [counts = MakerOf(MaskPurpose(), asked)](int64_t i) {
    return counts(i) != 0 ? 0.0 : kMasked;
  };
}

ValueMaker::Maker ValueMaker::MakerOf(const ConditionPurpose&, const Asked&) {
  return [this](int64_t) { return set_ % 2 == 0 ? 1.0 : 0.0; };
}

ValueMaker::Maker ValueMaker::MakerOf(const LengthPurpose& lengths, const Asked& asked) {
  const int64_t limit = std::max<int64_t>(asked.rows, 1);
  return [this, &lengths, limit](int64_t i) {
    const int64_t length = lengths.full.has_value() ? limit + *lengths.full : Length(limit, i);
    return static_cast<double>(std::max<int64_t>(length, 0));
  };
}

ValueMaker::Maker ValueMaker::MakerOf(const SmallPurpose& small, const Asked& asked) {
  return [this, &small, &asked](int64_t i) {
    if (small.pieces && asked.limit.has_value() && i + 1 == asked.count) {
      return static_cast<double>(std::max<int64_t>(0, *asked.limit - (asked.count - 1)));
    }
    if (small.counts) return static_cast<double>(Count(small.first));
    if (small.grows) return static_cast<double>(small.first + set_);
    if (small.fraction != 0) return small.fraction;
    return static_cast<double>(i == 0 ? small.first : small.rest + (i - 1) * small.step);
  };
}

ValueMaker::Maker ValueMaker::Numbers(const Asked& asked) {
  const Shape& shape = asked.shape;
  const InputPurpose& purpose = asked.purpose;
  const auto* numbers = purpose.As<NumberPurpose>();
  double scale = 1;
  if (numbers != nullptr && numbers->weights && !shape.empty()) {
    scale /= std::sqrt(static_cast<double>(std::max({int64_t{1}, shape.front(), shape.back()})));
  }
  const auto neighbours = std::make_shared<const Neighbours>(shape, purpose, regime_, &random_);
  return [this, &asked, numbers, scale, neighbours](int64_t i) {
    if (!IsFloatingPoint(asked.dtype)) return static_cast<double>(random_.Below(2));
    const Standardization::Around around = asked.purpose.standard.has_value()
                                               ? asked.purpose.standard->At(asked.shape, i)
                                               : Standardization::Around();
    const double number =
        scale * Number(asked.purpose, asked.count == 1, neighbours->At(i), around);
    if (regime_ != Regime::kWhole) return number;
    constexpr int64_t kZeroAt = 5;
    if (numbers != nullptr && asked.count > kZeroAt && i == kZeroAt) return -0.0;
    // Every other row of whole numbers that are chosen from or compared has but few different ones,
    // so that some are equal; in a single row every other number.
    const int64_t which = asked.row == asked.count ? i : i / asked.row;
    const bool few = asked.purpose.ties && which % 2 == 1;
    return few ? std::clamp(std::round(0.5 * number), -1.0, 1.0) : number;
  };
}

absl::StatusOr<Tensor> ValueMaker::Make(DType dtype, const Shape& shape,
                                        const InputPurpose& purpose, std::optional<int64_t> limit) {
  if (purpose.Is<ImagePurpose>() && dtype == DType::kUint8) return MadeUpImage(shape, &random_);
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
  const int64_t row = shape.empty() ? 1 : shape.back();
  constexpr int64_t kUnknownLimit = 2;
  const Asked asked = {dtype, shape, purpose, limit, limit.value_or(kUnknownLimit), count, row};
  const Maker maker =
      std::visit([&](const auto& one) { return MakerOf(one, asked); }, purpose.purpose);
  const auto* mask = purpose.As<MaskPurpose>();
  const bool any = mask != nullptr && mask->sums && regime_ == Regime::kLarge;
  if (IsInteger(dtype) && (purpose.IsOfNumbers() || any) && purpose.demanded.empty()) {
    Fill<int64_t>(&tensor, [&](int64_t) { return Integer(dtype, purpose, count == 1); });
  } else {
    Fill<double>(&tensor, [&](int64_t i) {
      const auto demanded = Demanded(purpose, i % row);
      return demanded.has_value() ? *demanded : maker(i);
    });
  }
  if (regime_ == Regime::kAscending && purpose.IsOfNumbers()) {
    OC_RETURN_IF_ERROR(SortRows(row, &tensor));
  }
  return tensor;
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
