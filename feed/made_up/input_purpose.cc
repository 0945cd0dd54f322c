#include "feed/made_up/input_purpose.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "record/graphs/differing_rows.h"

namespace onnxcmp {

namespace {

void AppendEach(const auto& from, auto* to) { to->insert(to->end(), from.begin(), from.end()); }

int32_t WrapsOf(const InputPurpose& purpose) {
  const auto* ids = purpose.As<IdPurpose>();
  return ids == nullptr ? 0 : ids->wraps;
}

// Adds the limit of another use: the ids of both are within it.
void AddLimit(const InputPurpose& other, InputPurpose* to) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const auto has_limit = [](const InputPurpose& purpose) {
    return purpose.limit.has_value() || !purpose.limit_sum.empty();
  };
  // Remainders are within their limit whatever the ids are.
  if (WrapsOf(*to) == 0 && WrapsOf(other) > 0 && has_limit(*to)) return;
  if (WrapsOf(*to) > 0 && WrapsOf(other) == 0 && has_limit(other)) {
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

// Joins two uses of one purpose; most have nothing that differs from use to use.
template <typename Alternative>
void Join(const Alternative& /*other*/, Alternative* /*to*/) {}

void Join(const NumberPurpose& other, NumberPurpose* to) { to->weights |= other.weights; }

void Join(const FeaturePurpose& other, FeaturePurpose* to) {
  AppendEach(other.paths, &to->paths);
  for (const auto& [feature, values] : other.thresholds)
    AppendEach(values, &to->thresholds[feature]);
}

void Join(const MaskPurpose& other, MaskPurpose* to) { to->sums &= other.sums; }

void Join(const IdPurpose& other, IdPurpose* to) {
  to->shifted &= other.shifted;
  to->adds_up |= other.adds_up;
  to->wraps = std::min(to->wraps, other.wraps);
  AppendEach(other.tables, &to->tables);
}

void JoinAlike(const InputPurpose& other, InputPurpose* to) {
  AddLimit(other, to);
  std::visit([&](auto& own) { Join(std::get<std::decay_t<decltype(own)>>(other.purpose), &own); },
             to->purpose);
  AppendEach(other.words, &to->words);
  AppendEach(other.keys, &to->keys);
}

}  // namespace

absl::string_view PurposeName(const Purpose& purpose) {
  return std::visit([](const auto& one) { return one.kName; }, purpose);
}

void AddUse(InputPurpose use, InputPurpose* to) {
  if (use.purpose.index() > to->purpose.index()) {
    AppendEach(to->words, &use.words);
    use.not_negative |= to->not_negative;
    *to = std::move(use);
    return;
  }
  to->not_negative |= use.not_negative;
  if (use.purpose.index() == to->purpose.index()) JoinAlike(use, to);
}

InputPurpose Merged(const InputPurpose& left, const InputPurpose& right) {
  const bool theirs = left.why.empty() || right.purpose.index() > left.purpose.index();
  const bool alike = left.purpose.index() == right.purpose.index();
  InputPurpose merged = theirs ? right : left;
  const InputPurpose& other = theirs ? left : right;
  if (alike) {
    JoinAlike(other, &merged);
  } else if (other.limit.has_value()) {
    merged.limit = std::min(merged.limit.value_or(*other.limit), *other.limit);
  }
  merged.not_negative |= other.not_negative || !alike;
  merged.ties |= other.ties;
  if (auto* mask = std::get_if<MaskPurpose>(&merged.purpose)) mask->sums &= alike;
  // The left decides, so that a right that fails on other ids shows.
  if (auto* ids = std::get_if<IdPurpose>(&merged.purpose); ids != nullptr && alike) {
    ids->wraps = WrapsOf(left);
  }
  AppendEach(other.landmarks, &merged.landmarks);
  AppendEach(other.missing, &merged.missing);
  // The left decides, so that a right that fails on other keys shows.
  merged.demanded = left.demanded;
  merged.only_known = left.only_known;
  if (!merged.range.has_value()) merged.range = other.range;
  merged.standard = left.standard.has_value() ? left.standard : right.standard;
  return merged;
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
