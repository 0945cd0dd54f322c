#include "compare/recorded/blocked_layouts.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "compare/recorded/layout_name.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/differences/tolerance.h"
#include "record/streams/common_form.h"
#include "record/streams/fingerprint.h"

namespace onnxcmp {
namespace {

constexpr int kBlockSizes[] = {16, 8};
constexpr int64_t kMostInBlock = 64;
// Two results within this distance are the same; those in another order are about 1 apart.
constexpr double kSameInBlocks = 2e-2;

bool HasFourAxes(const StreamResult& result, size_t more = 0) {
  return result.shape.has_value() && result.shape->size() == 4 + more && result.depth == 0 &&
         result.fingerprint.kind == ElementKind::kFloat && result.fingerprint.has_sketch;
}

// True if the last of `padded` channels in blocks are zeros behind `channels`.
bool FillsBlocks(int64_t channels, int64_t padded, int block) {
  return padded % block == 0 && channels <= padded && padded - channels < block;
}

class BlockedLayouts {
 public:
  // Both must outlive the object and stay as they are.
  BlockedLayouts(const ResultStream& recording, const ResultStream& other);

  // True if shapes allow that a recorded result is one of the other side's but for blocks.
  bool MayBe(int r) const;
  // Looks for the result of the other side that a recorded value is in blocks.
  absl::Status Look(int r, const Value& value);
  absl::flat_hash_map<int, RecordedLayout> Found() const;

 private:
  // Layouts of a recorded result that have the shape of one of the other side's.
  std::vector<RecordedLayout> LayoutsBeside(const StreamResult& own,
                                            const StreamResult& other) const;

  const ResultStream& recording_;
  const ResultStream& other_;
  std::vector<int> candidates_;  // of the other side
  absl::flat_hash_map<int, RecordedLayout> found_;
};

BlockedLayouts::BlockedLayouts(const ResultStream& recording, const ResultStream& other)
    : recording_(recording), other_(other) {
  for (size_t r = 0; r < other_.results.size(); ++r) {
    const StreamResult& result = other_.results[r];
    if (result.kind == ResultKind::kResult && HasFourAxes(result) && result.fingerprint.rich) {
      candidates_.push_back(static_cast<int>(r));
    }
  }
}

std::vector<RecordedLayout> BlockedLayouts::LayoutsBeside(const StreamResult& own,
                                                          const StreamResult& other) const {
  std::vector<RecordedLayout> layouts;
  Shape ours = *own.shape;
  const Shape& theirs = *other.shape;
  std::vector<int> sizes(std::begin(kBlockSizes), std::end(kBlockSizes));
  if (ours.size() == 5) {  // the block has an axis of its own
    if (ours[4] < 2 || ours[4] > kMostInBlock) return layouts;
    sizes = {static_cast<int>(ours[4])};
    ours[1] *= ours[4];
    ours.pop_back();
  }
  if (ours[0] != theirs[0] || ours[2] != theirs[2] || ours[3] != theirs[3]) return layouts;
  const bool into = IsBlocked(other, other_);
  if (into && own.shape->size() == 5) return layouts;
  // A single block has its channels last: nothing tells it from NHWC.
  const bool may_be_last = PermutedShape(ours, ChannelsFirstAxes(4)) == theirs;
  for (const int block : sizes) {
    if (own.shape->size() == 4 && !into && may_be_last && ours[1] == block) continue;
    const bool fits =
        into ? FillsBlocks(ours[1], theirs[1], block) : FillsBlocks(theirs[1], ours[1], block);
    if (fits) layouts.push_back({{}, {}, theirs, into ? -block : block});
  }
  return layouts;
}

bool BlockedLayouts::MayBe(int r) const {
  const StreamResult& own = recording_.results[Index(r)];
  if (!HasFourAxes(own) && !HasFourAxes(own, 1)) return false;
  const bool has_namesake = absl::c_any_of(other_.results, [&](const StreamResult& other) {
    return other.name == own.name && other.shape == own.shape && !IsBlocked(other, other_);
  });
  return !has_namesake && absl::c_any_of(candidates_, [&](int o) {
    return !LayoutsBeside(own, other_.results[Index(o)]).empty();
  });
}

absl::Status BlockedLayouts::Look(int r, const Value& value) {
  const StreamResult& own = recording_.results[Index(r)];
  double least = kSameInBlocks;
  if (IsInteger(own.precision)) least = ToleranceOfQuantized(own.precision).whole;
  // The value in blocks is the same for all candidates of one shape.
  absl::flat_hash_map<std::pair<Shape, int>, Fingerprint> made;
  for (const int o : candidates_) {
    const StreamResult& other = other_.results[Index(o)];
    for (const RecordedLayout& layout : LayoutsBeside(own, other)) {
      const auto [it, added] = made.try_emplace({layout.shape, layout.block});
      if (added) {
        const absl::StatusOr<Value> shown = InLayout(value, layout);
        if (!shown.ok()) continue;
        it->second = FingerprintOf(*shown);
      }
      const double distance = SketchDistance(it->second, other.fingerprint);
      if (distance >= least) continue;
      least = distance;
      found_[r] = layout;
    }
  }
  return absl::OkStatus();
}

absl::flat_hash_map<int, RecordedLayout> BlockedLayouts::Found() const {
  const auto from_blocks =
      absl::c_count_if(found_, [](const auto& one) { return one.second.block > 0; });
  absl::flat_hash_map<int, RecordedLayout> sure;
  for (const auto& [r, layout] : found_) {
    const bool is_called = absl::StartsWith(recording_.results[Index(r)].name, "reorder");
    if (layout.block < 0 || from_blocks > 1 || is_called) sure[r] = layout;
  }
  return sure;
}

}  // namespace

absl::StatusOr<absl::flat_hash_map<int, RecordedLayout>> FindBlockedLayouts(
    const RecordedSide& recording, const ResultStream& other, const std::vector<bool>& open) {
  BlockedLayouts blocks(*recording.stream, other);
  std::vector<bool> wanted(open.size());
  for (size_t r = 0; r < open.size(); ++r) wanted[r] = open[r] && blocks.MayBe(static_cast<int>(r));
  OC_RETURN_IF_ERROR(VisitAgain(recording, "", nullptr, wanted,
                                [&](int r, const Value& value) { return blocks.Look(r, value); }));
  return blocks.Found();
}

}  // namespace onnxcmp
