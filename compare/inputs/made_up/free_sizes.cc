#include "compare/inputs/made_up/free_sizes.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace onnxcmp {
namespace {

constexpr int64_t kPlain[] = {16, 20, 24, 18, 28, 22, 30, 26};
constexpr int64_t kBatches[] = {2, 1, 3, 2};

enum class Role : uint8_t { kBatch, kImage, kPast, kPlain };

// Heights and widths are the last two of four axes or more.
Role RoleOf(const ValueInfo& input, size_t axis) {
  if (axis == 0) return Role::kBatch;
  const std::string name = absl::AsciiStrToLower((*input.type.shape)[axis].symbol);
  if (absl::StrContains(name, "past") && !absl::StrContains(name, "+")) return Role::kPast;
  const size_t rank = input.type.shape->size();
  const bool channels = (*input.type.shape)[1].value.has_value();
  return IsFloatingPoint(input.type.dtype) && rank >= 4 && axis + 2 >= rank && channels &&
                 !absl::StrContains(name, "seq")
             ? Role::kImage
             : Role::kPlain;
}

struct Way {
  int64_t batch;  // 0: as the set has it
  int64_t plain;  // 0: all different
  int64_t image;  // the first one, and the step to the next
  int64_t image_step;
};

Way WayOf(int attempt) {
  constexpr Way kWays[kSizeAttempts] = {
      {0, 0, 32, 8},  {0, 0, 64, 32}, {0, 8, 64, 0}, {1, 0, 64, 0},
      {1, 16, 16, 0}, {1, 8, 224, 0}, {4, 4, 4, 0},  {1, 1, 32, 0},
  };
  return kWays[std::clamp(attempt, 0, kSizeAttempts - 1)];
}

}  // namespace

FreeSizes::FreeSizes(const std::vector<ValueInfo>& inputs, const SizeChoice& choice,
                     const std::map<std::string, int64_t, std::less<>>& given)
    : sizes_(given) {
  const Way way = WayOf(choice.attempt);
  const auto set = static_cast<size_t>(std::max(choice.set, 0));
  size_t plain = set;
  int64_t image = 0;
  std::vector<std::string> sums;
  std::string past;
  std::string total;
  std::string length;
  for (const ValueInfo& input : inputs) {
    if (!input.type.shape.has_value()) continue;
    for (size_t axis = 0; axis < input.type.shape->size(); ++axis) {
      const TypeInfo::Dim& dim = (*input.type.shape)[axis];
      if (dim.value.has_value()) continue;
      const std::string key = KeyOf(input, axis);
      const std::string lower = absl::AsciiStrToLower(dim.symbol);
      if (absl::StrContains(key, "+")) {
        sums.push_back(key);
        continue;
      }
      if (absl::StrContains(lower, "past"))
        past = key;
      else if (absl::StrContains(lower, "total"))
        total = key;
      else if (absl::StrContains(lower, "seq"))
        length = key;
      if (sizes_.contains(key)) continue;
      switch (RoleOf(input, axis)) {
        case Role::kBatch:
          sizes_[key] = way.batch != 0 ? way.batch : kBatches[set % std::size(kBatches)];
          break;
        case Role::kImage:
          sizes_[key] = way.image + way.image_step * (image++ + static_cast<int64_t>(set % 2));
          break;
        case Role::kPast:
          sizes_[key] = way.plain != 0 ? way.plain : 3 + static_cast<int64_t>(set);
          break;
        case Role::kPlain:
          sizes_[key] =
              choice.stretch * (way.plain != 0 ? way.plain : kPlain[plain++ % std::size(kPlain)]);
          break;
      }
    }
  }
  // A total that nobody gave is what there is, past and new.
  if (!total.empty() && !past.empty() && !length.empty() && !given.contains(total)) {
    sizes_[total] = sizes_[past] + sizes_[length];
  }
  for (const std::string& sum : sums) {
    int64_t size = 0;
    bool known = true;
    for (const absl::string_view part : absl::StrSplit(sum, '+')) {
      const std::string name(absl::StripAsciiWhitespace(part));
      int64_t number = 0;
      if (absl::SimpleAtoi(name, &number)) {
        size += number;
      } else if (const auto it = sizes_.find(name); it != sizes_.end()) {
        size += it->second;
      } else {
        known = false;
      }
    }
    if (!sizes_.contains(sum)) sizes_[sum] = known ? size : kPlain[plain++ % std::size(kPlain)];
  }
}

std::string FreeSizes::KeyOf(const ValueInfo& input, size_t axis) {
  const TypeInfo::Dim& dim = (*input.type.shape)[axis];
  return dim.symbol.empty() ? absl::StrCat("axis ", axis) : dim.symbol;
}

int64_t FreeSizes::SizeOf(const ValueInfo& input, size_t axis) const {
  const TypeInfo::Dim& dim = (*input.type.shape)[axis];
  if (dim.value.has_value()) return *dim.value;
  const auto it = sizes_.find(KeyOf(input, axis));
  return it == sizes_.end() ? 1 : it->second;
}

std::string DescribeSizes(const std::vector<ValueInfo>& inputs, const SizeChoice& choice,
                          const std::map<std::string, int64_t, std::less<>>& given) {
  const FreeSizes sizes(inputs, choice, given);
  std::vector<std::string> parts;
  for (const ValueInfo& input : inputs) {
    if (!input.type.shape.has_value()) continue;
    for (size_t axis = 0; axis < input.type.shape->size(); ++axis) {
      const TypeInfo::Dim& dim = (*input.type.shape)[axis];
      if (dim.value.has_value()) continue;
      const std::string name =
          dim.symbol.empty() ? absl::StrCat(input.name, " axis ", axis) : dim.symbol;
      std::string part = absl::StrCat(name, " ", sizes.SizeOf(input, axis));
      if (std::find(parts.begin(), parts.end(), part) == parts.end()) {
        parts.push_back(std::move(part));
      }
    }
  }
  return absl::StrJoin(parts, ", ");
}

}  // namespace onnxcmp
