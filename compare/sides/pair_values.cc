#include "compare/sides/pair_values.h"

#include <algorithm>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "compare/sides/value_bank.h"
#include "evaluator/base/status_macros.h"
#include "record/streams/hash128.h"
#include "record/streams/node_watcher.h"

namespace onnxcmp {
absl::Status VisitWithNodes(const RecordedSide& side, absl::string_view run,
                            const PairValues::Watch& watch, const std::vector<bool>& wanted,
                            NodeVisitor visit) {
  if (std::find(wanted.begin(), wanted.end(), true) == wanted.end()) return absl::OkStatus();
  const std::unique_ptr<Observer> watcher = watch ? watch(run) : nullptr;
  NodeWatcher nodes(watcher.get());
  return side.side->Revisit(wanted, &nodes, [&](int result, const Value& value) {
    return visit(result, value, nodes.node());
  });
}

absl::Status VisitAgain(const RecordedSide& side, absl::string_view run,
                        const PairValues::Watch& watch, const std::vector<bool>& wanted,
                        Side::Visitor visit) {
  return VisitWithNodes(side, run, watch, wanted, [&](int result, const Value& value, const Node*) {
    return visit(result, value);
  });
}

absl::Status VisitValues(const RecordedSide& side, absl::string_view run,
                         const PairValues::Watch& watch, std::vector<bool> wanted,
                         Side::Visitor visit) {
  for (size_t r = 0; r < wanted.size(); ++r) {
    const Value* const kept = wanted[r] ? side.Find(static_cast<int>(r)) : nullptr;
    if (kept == nullptr) continue;
    wanted[r] = false;
    OC_RETURN_IF_ERROR(visit(static_cast<int>(r), *kept));
  }
  return VisitAgain(side, run, watch, wanted, visit);
}

int64_t AboutBytes(const StreamResult& result) {
  constexpr int64_t kAboutAString = 48;
  const int64_t size = result.fingerprint.size;
  if (!result.shape.has_value() || result.dtype == DType::kString) return size * kAboutAString;
  return static_cast<int64_t>((static_cast<double>(size) * BitWidth(result.dtype) + 7) / 8);
}

int64_t ComputedBytes(const ResultStream& stream) {
  int64_t bytes = 0;
  absl::flat_hash_set<Hash128> seen;
  for (const StreamResult& result : stream.results) {
    if (result.depth > 0 || result.node == kNone) continue;
    if (seen.insert(result.fingerprint.elements).second) bytes += AboutBytes(result);
  }
  return bytes;
}

absl::Status PairValues::ForEach(absl::Span<const ResultPair> pairs, Visitor visit) {
  std::vector<size_t> missing;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const Value* left = left_.Find(pairs[i].left);
    const Value* right = right_.Find(pairs[i].right);
    if (left != nullptr && right != nullptr) {
      OC_RETURN_IF_ERROR(visit(i, *left, *right));
    } else {
      missing.push_back(i);
    }
  }
  std::sort(missing.begin(), missing.end(), [&](size_t a, size_t b) {
    return std::pair(pairs[a].right, a) < std::pair(pairs[b].right, b);
  });
  size_t begin = 0;
  while (begin < missing.size()) {
    size_t end = begin;
    int64_t bytes = 0;
    while (end < missing.size()) {
      const auto left = static_cast<size_t>(pairs[missing[end]].left);
      bytes += AboutBytes(left_.stream->results[left]);
      if (end > begin && bytes > budget_) break;
      ++end;
    }
    OC_RETURN_IF_ERROR(
        VisitWindow(pairs, absl::MakeConstSpan(missing).subspan(begin, end - begin), visit));
    begin = end;
  }
  return absl::OkStatus();
}

std::vector<bool> PairValues::WantedAgain(SideId side) const {
  const RecordedSide& of = side == SideId::kLeft ? left_ : right_;
  std::vector<bool> wanted(of.stream->results.size());
  if (of.store == nullptr || !of.store->serves_search()) return wanted;
  // A value that the left has as well is requested there.
  absl::flat_hash_set<Hash128> of_left;
  if (side == SideId::kRight) {
    for (const StreamResult& result : left_.stream->results) {
      of_left.insert(result.fingerprint.content);
    }
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    const StreamResult& result = of.stream->results[i];
    wanted[i] = result.depth == 0 && of.Find(static_cast<int>(i)) == nullptr &&
                !of_left.contains(result.fingerprint.content);
  }
  return wanted;
}

absl::Status PairValues::VisitWindow(absl::Span<const ResultPair> pairs,
                                     absl::Span<const size_t> window, Visitor visit) {
  std::vector<bool> wanted_left(left_.stream->results.size());
  std::vector<bool> wanted_right(right_.stream->results.size());
  absl::flat_hash_map<int, std::vector<size_t>> by_right;
  for (const size_t i : window) {
    const auto [left, right] = pairs[i];
    wanted_left[Index(left)] = left_.Find(left) == nullptr;
    wanted_right[Index(right)] = right_.Find(right) == nullptr;
    by_right[right].push_back(i);
  }
  // A run that is needed anyway also fetches the values that will be needed next.
  const auto add_more = [](const std::vector<bool>& more, std::vector<bool>* wanted) {
    if (std::find(wanted->begin(), wanted->end(), true) == wanted->end()) return;
    for (size_t i = 0; i < more.size(); ++i) (*wanted)[i] = (*wanted)[i] || more[i];
  };
  const PerSide<std::vector<bool>> more = {WantedAgain(SideId::kLeft), WantedAgain(SideId::kRight)};
  const std::vector<bool> asked_of_left = wanted_left;
  add_more(more.left, &wanted_left);
  add_more(more.right, &wanted_right);
  ValueBank held(std::numeric_limits<int64_t>::max());
  OC_RETURN_IF_ERROR(
      VisitAgain(left_, "left again", watch_, wanted_left, [&](int result, const Value& value) {
        const bool kept = more.left[Index(result)] && left_.store->KeepForSearch(result, value);
        if (!kept && asked_of_left[Index(result)]) held.Keep(result, value);
        return absl::OkStatus();
      }));
  const auto visit_with = [&](int right, const Value& value) -> absl::Status {
    if (more.right[Index(right)]) right_.store->KeepForSearch(right, value);
    for (const size_t i : by_right[right]) {
      const Value* kept = left_.Find(pairs[i].left);
      const Value* left = kept != nullptr ? kept : held.Find(pairs[i].left);
      if (left == nullptr) {
        return absl::InternalError(
            absl::StrCat("result ", pairs[i].left, " of the left side did not appear again"));
      }
      OC_RETURN_IF_ERROR(visit(i, *left, value));
    }
    return absl::OkStatus();
  };
  for (const size_t i : window) {
    const int right = pairs[i].right;
    const Value* kept = right_.Find(right);
    if (kept == nullptr || by_right[right].front() != i) continue;
    OC_RETURN_IF_ERROR(visit_with(right, *kept));
  }
  return VisitAgain(right_, "right again", watch_, wanted_right, visit_with);
}

}  // namespace onnxcmp
