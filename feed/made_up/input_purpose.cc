#include "feed/made_up/input_purpose.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "record/graphs/differing_rows.h"

namespace onnxcmp {

absl::string_view PurposeName(Purpose purpose) {
  switch (purpose) {
    case Purpose::kNumbers:
      return "numbers";
    case Purpose::kPositive:
      return "positive numbers";
    case Purpose::kFeatures:
      return "features";
    case Purpose::kText:
      return "text";
    case Purpose::kAddedMask:
    case Purpose::kMask:
      return "mask";
    case Purpose::kLengths:
      return "lengths";
    case Purpose::kPositions:
      return "positions";
    case Purpose::kIds:
      return "ids";
    case Purpose::kCondition:
      return "condition";
    case Purpose::kSmall:
      return "small numbers";
    case Purpose::kImage:
      return "image";
  }
  return "";
}

InputPurpose Merged(const InputPurpose& left, const InputPurpose& right) {
  const bool theirs = left.why.empty() || right.purpose > left.purpose;
  const bool alike = left.purpose == right.purpose;
  InputPurpose merged = theirs ? right : left;
  const InputPurpose& other = theirs ? left : right;
  if (alike) {
    AddLimit(other, &merged);
  } else if (other.limit.has_value()) {
    merged.limit = std::min(merged.limit.value_or(*other.limit), *other.limit);
  }
  merged.not_negative |= other.not_negative || !alike;
  merged.adds_up |= other.adds_up;
  merged.ties |= other.ties;
  merged.sums &= alike && other.sums;
  // The left decides, so that a right that fails on other ids shows.
  merged.wraps = alike ? left.wraps : std::max(left.wraps, right.wraps);
  const auto append = [](auto* to, const auto& from) {
    to->insert(to->end(), from.begin(), from.end());
  };
  append(&merged.landmarks, other.landmarks);
  append(&merged.missing, other.missing);
  // The left decides, so that a right that fails on other keys shows.
  merged.demanded = left.demanded;
  merged.only_known = left.only_known;
  if (!merged.range.has_value()) merged.range = other.range;
  merged.standard = left.standard.has_value() ? left.standard : right.standard;
  if (!alike) return merged;
  append(&merged.words, other.words);
  append(&merged.paths, other.paths);
  for (const auto& [feature, values] : other.thresholds)
    append(&merged.thresholds[feature], values);
  return merged;
}

void AddLimit(const InputPurpose& other, InputPurpose* to) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const auto has_limit = [](const InputPurpose& purpose) {
    return purpose.limit.has_value() || !purpose.limit_sum.empty();
  };
  // Remainders are within their limit whatever the ids are.
  if (to->wraps == 0 && other.wraps > 0 && has_limit(*to)) return;
  if (to->wraps > 0 && other.wraps == 0 && has_limit(other)) {
    to->limit = other.limit;
    to->limit_sum = other.limit_sum;
    to->at_most = other.at_most;
    return;
  }
  const auto add_most = [&](int64_t limit) {
    const auto most = static_cast<int32_t>(std::clamp<int64_t>(limit, 0, kMost));
    if (most > 0) to->at_most = to->at_most == 0 ? most : std::min(to->at_most, most);
  };
  add_most(other.at_most);
  if (to->limit_sum.empty() && !other.limit_sum.empty()) {
    add_most(to->limit.value_or(0));
    to->limit = other.limit;
    to->limit_sum = other.limit_sum;
  } else if (!to->limit_sum.empty() && other.limit_sum.empty()) {
    add_most(other.limit.value_or(0));
  } else if (other.limit.has_value()) {
    to->limit = std::min(to->limit.value_or(*other.limit), *other.limit);
  }
}

const InputPurposes& PurposeCache::Of(const Graph& graph) {
  const auto [it, is_new] = purposes_.try_emplace(&graph);
  if (is_new) it->second = PurposesOf(graph);
  return it->second;
}

const WindowLengths& PurposeCache::WindowsOf(const Graph& graph) {
  const auto [it, is_new] = windows_.try_emplace(&graph);
  if (is_new) it->second = WindowLengthsOf(graph);
  return it->second;
}

const std::vector<int64_t>& PurposeCache::DifferingRows(const Tensor& left, const Tensor& right,
                                                        int64_t axis) {
  const auto [it, is_new] = rows_.try_emplace({&left, &right});
  if (is_new) it->second = RowsThatDiffer(left, right, axis);
  return it->second;
}

}  // namespace onnxcmp
