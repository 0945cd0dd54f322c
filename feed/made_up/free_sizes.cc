#include "feed/made_up/free_sizes.h"

#include <algorithm>
#include <iterator>
#include <utility>

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
  int64_t image;  // the first size, and the step to the next
  int64_t image_step;
};

Way WayOf(int attempt) {
  constexpr Way kWays[kSizeAttempts] = {
      {0, 0, 32, 8},  {0, 0, 64, 32}, {0, 8, 64, 0}, {1, 0, 64, 0},
      {1, 16, 16, 0}, {1, 8, 224, 0}, {4, 4, 4, 0},  {1, 1, 32, 0},
  };
  return kWays[std::clamp(attempt, 0, kSizeAttempts - 1)];
}

Way WayOf(const SizeChoice& choice) {
  Way way = WayOf(choice.attempt);
  if (choice.reach > 0) {
    way.batch = 1;
    way.plain = choice.reach;
  }
  if (choice.batch > 0) way.batch = choice.batch;
  if (choice.image > 0) {
    way.image = choice.image;
    way.image_step = 0;
  }
  return way;
}

int64_t BatchOf(const SizeChoice& choice) {
  const int64_t usual =
      kBatches[static_cast<size_t>(std::max(choice.set, 0)) % std::size(kBatches)];
  return usual == 1 ? 1 : std::max(usual, choice.rows);
}

// True if an input may be a cache: floats of several axes.
bool IsLikeCache(const ValueInfo& input) {
  return IsFloatingPoint(input.type.dtype) && input.type.shape->size() >= 3;
}

}  // namespace

FreeSizes::FreeSizes(const std::vector<ValueInfo>& inputs, const WindowLengths& windows,
                     const SizeChoice& choice,
                     const std::map<std::string, int64_t, std::less<>>& given)
    : sizes_(given) {
  const Way way = WayOf(choice);
  const std::map<std::string, WindowLength> by_key = ByKey(inputs, windows);
  const auto set = static_cast<size_t>(std::max(choice.set, 0));
  // Halves of odd sizes are rounded, windows do not fit into them: the second set shows it, if the
  // model takes the usual sizes at all.
  const bool odd = set % std::size(kBatches) == 1 && choice.attempt == 0 && choice.reach == 0;
  const int64_t more = odd ? 1 : 0;
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
      const auto found = by_key.find(key);
      const WindowLength window = found == by_key.end() ? WindowLength() : found->second;
      const Role role = RoleOf(input, axis);
      switch (role == Role::kBatch && window.least > BatchOf(choice) ? Role::kPlain : role) {
        case Role::kBatch:
          sizes_[key] = way.batch != 0 ? way.batch : BatchOf(choice);
          break;
        case Role::kImage:
          sizes_[key] = way.image + way.image_step * (image++ + static_cast<int64_t>(set % 2)) +
                        (choice.image == 0 ? more : 0);
          // The area grows with the square.
          if (choice.image == 0) sizes_[key] = window.For(sizes_[key], 2);
          break;
        case Role::kPast:
          sizes_[key] = way.plain != 0 ? way.plain : 3 + static_cast<int64_t>(set);
          break;
        case Role::kPlain:
          sizes_[key] = choice.stretch *
                        (way.plain != 0 ? way.plain : kPlain[plain++ % std::size(kPlain)] + more);
          if (choice.reach == 0) sizes_[key] = window.For(sizes_[key], sizes_[key]);
          break;
      }
    }
  }
  for (const ValueInfo& input : inputs) {
    if (!choice.no_past || !input.type.shape.has_value()) continue;
    for (const TypeInfo::Dim& dim : *input.type.shape) {
      if (IsPastLength(dim) && !given.contains(dim.symbol)) sizes_[dim.symbol] = 0;
    }
  }
  // A total that was not given is the sum of past and new.
  if (!total.empty() && !past.empty() && !length.empty() && !given.contains(total)) {
    sizes_[total] = sizes_[past] + sizes_[length];
  }
  AddUp(sums, plain);
  if (choice.sum.has_value()) Add(inputs, *choice.sum, given);
}

void FreeSizes::AddUp(const std::vector<std::string>& sums, size_t plain) {
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

// Dimensions of one name have one size, for the widest of their windows.
std::map<std::string, WindowLength> FreeSizes::ByKey(const std::vector<ValueInfo>& inputs,
                                                     const WindowLengths& windows) {
  std::map<std::string, WindowLength> by_key;
  for (const ValueInfo& input : inputs) {
    for (size_t axis = 0; input.type.shape.has_value() && axis < input.type.shape->size(); ++axis) {
      const auto found = windows.find({input.name, static_cast<int64_t>(axis)});
      if (found != windows.end()) by_key[KeyOf(input, axis)].Add(found->second);
    }
  }
  return by_key;
}

std::string FreeSizes::KeyOf(const std::vector<ValueInfo>& inputs, const InputDim& dim) const {
  for (const ValueInfo& input : inputs) {
    const auto axis = static_cast<size_t>(dim.axis);
    if (input.name != dim.input || !input.type.shape.has_value() ||
        axis >= input.type.shape->size()) {
      continue;
    }
    return (*input.type.shape)[axis].symbol.empty() ? absl::StrCat(dim.input, " axis ", axis)
                                                    : KeyOf(input, axis);
  }
  return "";
}

// The past has the same length in all caches, whatever their dimensions are called.
void FreeSizes::Add(const std::vector<ValueInfo>& inputs, const SizeSum& sum,
                    const std::map<std::string, int64_t, std::less<>>& given) {
  constexpr int64_t kPast = 3;
  constexpr int64_t kAdded = 5;
  const auto find = [&](const std::string& name) -> const ValueInfo* {
    for (const ValueInfo& input : inputs) {
      if (input.name == name) return &input;
    }
    return nullptr;
  };
  const ValueInfo* past = find(sum.past.input);
  const ValueInfo* added = find(sum.added.input);
  if (past == nullptr || added == nullptr) return;
  const auto axis = static_cast<size_t>(sum.past.axis);
  int64_t held = SizeOf(*past, axis);
  if (!(*past->type.shape)[axis].value.has_value() && !given.contains(KeyOf(inputs, sum.past))) {
    // A size that no other dimension has, so that none agrees by chance.
    held = std::max<int64_t>(held % 7, kPast);
    for (const ValueInfo& input : inputs) {
      if (!input.type.shape.has_value() || !IsLikeCache(input) ||
          axis >= input.type.shape->size() || (*input.type.shape)[axis].value.has_value()) {
        continue;
      }
      if (input.type.shape->size() != past->type.shape->size()) continue;
      sizes_[KeyOf(inputs, {input.name, sum.past.axis})] = held;
    }
  }
  const auto added_axis = static_cast<size_t>(sum.added.axis);
  int64_t length = SizeOf(*added, added_axis);
  if (!(*added->type.shape)[added_axis].value.has_value() && length == held) {
    length = held + kAdded;
    sizes_[KeyOf(inputs, sum.added)] = length;
  }
  // Other inputs of new tokens have the same length, whatever their dimensions are called.
  const std::string key = KeyOf(inputs, sum.sum);
  for (const ValueInfo& input : inputs) {
    if (!IsInteger(added->type.dtype) || !IsInteger(input.type.dtype) ||
        !input.type.shape.has_value() || input.type.shape->size() != added->type.shape->size()) {
      continue;
    }
    const std::string own = KeyOf(inputs, {input.name, sum.added.axis});
    if (own != key && !given.contains(own)) sizes_[own] = length;
  }
  if (!given.contains(key)) sizes_[key] = held + length;
}

std::string FreeSizes::KeyOf(const ValueInfo& input, size_t axis) {
  const TypeInfo::Dim& dim = (*input.type.shape)[axis];
  return dim.symbol.empty() ? absl::StrCat("axis ", axis) : dim.symbol;
}

int64_t FreeSizes::SizeOf(const ValueInfo& input, size_t axis) const {
  const TypeInfo::Dim& dim = (*input.type.shape)[axis];
  if (dim.value.has_value()) return *dim.value;
  if (dim.symbol.empty()) {
    const auto own = sizes_.find(absl::StrCat(input.name, " axis ", axis));
    if (own != sizes_.end()) return own->second;
  }
  const auto it = sizes_.find(KeyOf(input, axis));
  return it == sizes_.end() ? 1 : it->second;
}

std::vector<SizeSum> PossibleSums(const std::vector<ValueInfo>& inputs,
                                  const std::vector<bool>& masks) {
  constexpr size_t kMost = 40;
  struct Dim {
    InputDim at;
    std::string key;
    bool fixed;
    bool mask;
    bool cache;
    bool named_total;
    bool integer;
  };
  std::vector<Dim> dims;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ValueInfo& input = inputs[i];
    if (!input.type.shape.has_value()) continue;
    for (size_t axis = 1; axis < input.type.shape->size(); ++axis) {
      const TypeInfo::Dim& dim = (*input.type.shape)[axis];
      const bool cache = IsLikeCache(input);
      if (dim.value.has_value() && (!cache || axis + 1 == input.type.shape->size())) continue;
      const std::string key = dim.value.has_value() || dim.symbol.empty()
                                  ? absl::StrCat(input.name, " axis ", axis)
                                  : dim.symbol;
      const bool mask = i < masks.size() && masks[i] && axis + 1 == input.type.shape->size();
      const std::string lower = absl::AsciiStrToLower(key);
      const bool total = absl::StrContains(lower, "total") || absl::StrContains(lower, "all") ||
                         absl::StrContains(lower, "kv");
      const auto known = std::find_if(dims.begin(), dims.end(),
                                      [&](const Dim& other) { return other.key == key; });
      if (known != dims.end()) {
        known->mask |= mask;
        known->cache |= cache;
        known->integer |= !cache && !mask;
        continue;
      }
      dims.push_back({{input.name, static_cast<int64_t>(axis)},
                      key,
                      dim.value.has_value(),
                      mask,
                      cache,
                      total,
                      !cache && !mask});
    }
  }
  std::vector<std::pair<int, SizeSum>> sums;
  for (const Dim& sum : dims) {
    for (const Dim& past : dims) {
      for (const Dim& added : dims) {
        if (sum.fixed || added.fixed || sum.key == past.key || sum.key == added.key ||
            past.key == added.key) {
          continue;
        }
        if (!past.cache || (sum.cache && !sum.mask)) continue;
        const int unlikely = (sum.mask ? 0 : 4) + (sum.named_total ? 0 : 1) +
                             (added.integer ? 0 : 1) + (past.fixed ? 1 : 0) + (past.mask ? 2 : 0);
        sums.push_back({unlikely, {sum.at, past.at, added.at}});
      }
    }
  }
  std::stable_sort(sums.begin(), sums.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<SizeSum> likely;
  for (size_t i = 0; i < std::min(kMost, sums.size()); ++i) likely.push_back(sums[i].second);
  return likely;
}

bool IsPastLength(const TypeInfo::Dim& dim) {
  const std::string lower = absl::AsciiStrToLower(dim.symbol);
  return !dim.value.has_value() && absl::StrContains(lower, "past") &&
         !absl::StrContains(lower, "+") && !absl::StrContains(lower, "total");
}

std::string DescribeSizes(const std::vector<ValueInfo>& inputs, const WindowLengths& windows,
                          const SizeChoice& choice,
                          const std::map<std::string, int64_t, std::less<>>& given) {
  const FreeSizes sizes(inputs, windows, choice, given);
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
