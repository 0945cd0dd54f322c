#include "compare/sides/value_keeper.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "record/base/thresholds.h"
#include "record/base/timings.h"
#include "record/base/work_bounds.h"
#include "record/differences/precision.h"
#include "record/differences/tensor_difference.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

// Smaller values cost almost nothing to keep.
constexpr int64_t kWorthSettling = int64_t{1} << 16;
constexpr size_t kHeld = 4;
// A fused node or another layout makes several values in a row without a counterpart.
constexpr int kMostNamesakes = 3;

bool IsWorthSettling(const StreamResult& result, const Value& value) {
  return value.is_tensor() && IsFloatingPoint(result.dtype) &&
         value.tensor().byte_size() >= kWorthSettling;
}

}  // namespace

bool ValueKeeper::IsOnOtherSide(SideId side, const Hash128& content) {
  contents_[side].try_emplace(content);
  const auto other = contents_[Other(side)].find(content);
  if (other == contents_[Other(side)].end()) return false;
  std::vector<int>& kept = other->second;
  // The search needs the left's.
  if (!kept.empty() && !(fault_met_ && side == SideId::kRight)) {
    Drop(Other(side), kept.back());
    kept.pop_back();
  }
  return true;
}

const Value* ValueKeeper::Find(SideId side, int number) const {
  const Value* kept = banks_[side]->Find(number);
  return kept == nullptr && fault_met_ ? options_.search_banks[side]->Find(number) : kept;
}

void ValueKeeper::Drop(SideId side, int number) {
  banks_[side]->Drop(number);
  if (fault_met_) options_.search_banks[side]->Drop(number);
}

bool ValueKeeper::KeepForSearch(SideId side, int number, const StreamResult& result,
                                const Value& value) {
  return fault_met_ && result.depth == 0 && options_.search_banks[side]->Keep(number, value);
}

void ValueKeeper::LetGo(SideId side, int number) {
  const Value* value = banks_[side]->Find(number);
  if (value == nullptr) return;
  Leaving& leaving = leaving_[side];
  leaving.numbers.push_back({number, BytesHeldBy(*value)});
  leaving.bytes += leaving.numbers.back().bytes;
  while (leaving.bytes > options_.bytes_that_stay) DropOldest(side);
}

void ValueKeeper::DropOldest(SideId side) {
  Leaving& leaving = leaving_[side];
  banks_[side]->Drop(leaving.numbers.front().number);
  leaving.bytes -= leaving.numbers.front().bytes;
  leaving.numbers.pop_front();
}

void ValueKeeper::HoldLatest() {
  Leaving& leaving = leaving_.left;
  for (size_t i = 0; i < kHeld && !leaving.numbers.empty(); ++i) {
    const int64_t bytes = leaving.numbers.back().bytes;
    if (held_bytes_ + bytes > options_.bytes_that_stay) return;
    held_bytes_ += bytes;
    leaving.bytes -= bytes;
    leaving.numbers.pop_back();
  }
}

bool ValueKeeper::Keep(SideId side, int number, const Value& value) {
  while (!banks_[side]->Keep(number, value)) {
    if (leaving_[side].numbers.empty()) return false;
    DropOldest(side);
  }
  return true;
}

std::optional<ValueKeeper::Waiting> ValueKeeper::TakeLike(SideId side, const StreamResult& result) {
  const std::deque<Waiting>& waiting = waiting_[side];
  // A result with a namesake still to come on the other side will be matched with that.
  const bool wants_its_own = to_come_[side].contains(result.name);
  std::optional<size_t> nearest;
  std::pair<bool, double> least = {true, thresholds::kFarDistance};
  for (size_t i = 0; i < waiting.size(); ++i) {
    const Waiting& other = waiting[i];
    if (other.shape != result.shape) continue;
    if (other.name != result.name &&
        (wants_its_own || to_come_[Other(side)].contains(other.name))) {
      continue;
    }
    const std::pair<bool, double> distance = {
        other.name != result.name, SketchDistance(other.fingerprint, result.fingerprint)};
    if (distance.second > thresholds::kFarDistance || distance > least) continue;
    least = distance;
    nearest = i;
  }
  if (!nearest.has_value()) return std::nullopt;
  return Remove(side, *nearest);
}

ValueKeeper::Waiting ValueKeeper::Remove(SideId side, size_t place) {
  std::deque<Waiting>& waiting = waiting_[side];
  Waiting removed = std::move(waiting[place]);
  waiting_bytes_[side] -= removed.bytes;
  waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(place));
  return removed;
}

std::optional<ValueKeeper::Apart> ValueKeeper::Settle(SideId side, const StreamResult& result,
                                                      const Value& value) {
  const std::optional<Waiting> other = TakeLike(Other(side), result);
  const Value* kept = other.has_value() ? Find(Other(side), other->number) : nullptr;
  if (kept == nullptr) return std::nullopt;  // or it was since found bit for bit
  PerSide<const Value*> values;
  values[side] = &value;
  values[Other(side)] = kept;
  PerSide<Hash128> contents;
  contents[side] = result.fingerprint.content;
  contents[Other(side)] = other->fingerprint.content;
  const DType type = LessPrecise(other->own_precision, result.own_precision);
  DifferenceOptions measuring;
  measuring.tolerance.floats = Adjusted(DefaultTolerance(type), options_.tolerance);
  TensorDifference difference =
      TensorDifferenceOf(*values.left, *values.right, measuring, options_.pool);
  Apart apart;
  if (difference.values.scale > 0) {
    apart.share = difference.values.max_absolute / difference.values.scale;
    apart.epsilons = apart.share / EpsilonOf(type);
  }
  std::shared_ptr<const ValuePicture> picture;
  if (options_.pictures != nullptr) {
    picture = options_.pictures->Take(*values.left, *values.right, difference);
  }
  differences_.Add(contents.left, contents.right, measuring.tolerance, std::move(difference),
                   std::move(picture));
  if (options_.in_step) LetGo(Other(side), other->number);
  return apart;
}

bool ValueKeeper::HasNamesake(SideId side, const StreamResult& result) const {
  return std::any_of(waiting_[side].begin(), waiting_[side].end(), [&](const Waiting& other) {
    return other.name == result.name && other.shape == result.shape;
  });
}

bool ValueKeeper::IsFault(SideId side, const StreamResult& result,
                          const std::optional<Apart>& apart) {
  if (apart.has_value()) {
    in_vain_ = namesakes_ = 0;
    return apart->share > thresholds::kFarDistance && apart->epsilons > thresholds::kFarEpsilons;
  }
  // The left comes first, and waits in any case.
  if (side == SideId::kLeft) return false;
  ++in_vain_;
  if (HasNamesake(SideId::kLeft, result)) ++namesakes_;
  return in_vain_ >= work_bounds::kTrials ||
         (in_vain_ >= work_bounds::kFewTrials && namesakes_ >= kMostNamesakes);
}

void ValueKeeper::MeetFault() {
  fault_met_ = true;
  // Includes the values that are still kept: they led here.
  const auto hand_over = [&](SideId side, int number) {
    const Value* value = banks_[side]->Find(number);
    if (value == nullptr || !options_.search_banks[side]->Keep(number, *value)) return false;
    banks_[side]->Drop(number);
    return true;
  };
  for (const SideId side : kBothSides) {
    Leaving& leaving = leaving_[side];
    std::deque<Leaving::Kept> left_over;
    leaving.bytes = 0;
    for (const Leaving::Kept& kept : leaving.numbers) {
      if (hand_over(side, kept.number)) continue;
      left_over.push_back(kept);
      leaving.bytes += kept.bytes;
    }
    leaving.numbers = std::move(left_over);
    for (const Waiting& waiting : waiting_[side]) hand_over(side, waiting.number);
  }
}

void ValueKeeper::CountForSearch(const StreamResult& result) {
  if (options_.search_banks.left == nullptr || result.depth > 0 ||
      contents_.left.contains(result.fingerprint.content)) {
    return;
  }
  left_bytes_ += result.fingerprint.size * BitWidth(result.dtype) / 8;
  if (left_bytes_ <= options_.search_memory || !fault_met_) return;
  fault_met_ = false;
  for (const SideId side : kBothSides) options_.search_banks[side]->Clear();
}

void ValueKeeper::HoldIfSuspect(double apart) {
  const auto least = std::min_element(latest_apart_.begin(), latest_apart_.end());
  if (apart > thresholds::kMostRoundingEpsilons &&
      (latest_apart_.empty() || apart > thresholds::kMostRoundingGrowth * *least))
    HoldLatest();
  latest_apart_.push_back(apart);
  if (latest_apart_.size() > kHeld) latest_apart_.pop_front();
}

void ValueKeeper::Wait(SideId side, int number, const StreamResult& result, const Value& value) {
  std::deque<Waiting>& waiting = waiting_[side];
  waiting.push_back({number, value.tensor().byte_size(), result.name, result.shape,
                     result.own_precision, result.fingerprint});
  waiting_bytes_[side] += waiting.back().bytes;
  if (!options_.in_step) return;
  while (waiting.size() > work_bounds::kTrials ||
         (waiting.size() > 1 && waiting_bytes_[side] > options_.bytes_that_wait)) {
    LetGo(side, Remove(side, LeastExpected(side)).number);
  }
}

size_t ValueKeeper::LeastExpected(SideId side) const {
  const std::deque<Waiting>& waiting = waiting_[side];
  const auto in_vain = std::find_if(waiting.begin(), waiting.end(), [&](const Waiting& one) {
    return !to_come_[Other(side)].contains(one.name);
  });
  return in_vain == waiting.end() ? 0 : static_cast<size_t>(in_vain - waiting.begin());
}

void ValueKeeper::See(SideId side, int number, const StreamResult& result, const Value& value) {
  const Hash128& content = result.fingerprint.content;
  if (result.kind == ResultKind::kInitializer || result.kind == ResultKind::kInput) {
    contents_[side].try_emplace(content);
    banks_[side]->Keep(number, value, /*free=*/options_.holds_leaves[side]);
    return;
  }
  if (side == SideId::kLeft) CountForSearch(result);
  if (IsOnOtherSide(side, content)) {
    if (side == SideId::kLeft) KeepForSearch(side, number, result, value);
    return;
  }
  const bool settles = options_.tolerance.by_name.empty() && IsWorthSettling(result, value);
  std::optional<Apart> apart;
  if (settles) {
    const Stopwatch watch;
    to_come_[side].erase(result.name);
    apart = Settle(side, result, value);
    seconds_ += watch.seconds();
    if (!fault_met_ && options_.in_step && options_.search_banks.left != nullptr &&
        left_bytes_ <= options_.search_memory && IsFault(side, result, apart)) {
      MeetFault();
    }
  }
  if (!KeepForSearch(side, number, result, value) && !Keep(side, number, value)) return;
  contents_[side][content].push_back(number);
  if (!settles) return;
  if (!apart.has_value()) {
    Wait(side, number, result, value);
  } else if (options_.in_step) {
    LetGo(side, number);
    HoldIfSuspect(apart->epsilons);
  }
}

}  // namespace onnxcmp
