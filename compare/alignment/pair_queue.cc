#include "compare/alignment/pair_queue.h"

#include <algorithm>
#include <cmath>

#include "compare/alignment/weights.h"
#include "record/base/work_bounds.h"

namespace onnxcmp {
namespace {

uint64_t PairKey(int l, int r) {
  return (static_cast<uint64_t>(l) << 32) | static_cast<uint64_t>(r);
}

}  // namespace

PairQueue::PairQueue(Pairing& pairing, const ValueEvidence& evidence, ClaimLog* log)
    : pairing_(pairing),
      index_(pairing.index()),
      evidence_(evidence),
      score_(pairing, evidence),
      log_(log),
      first_{std::vector<int>(Index(index_.left.size()), kNone),
             std::vector<int>(Index(index_.right.size()), kNone)} {}

void PairQueue::Push(int l, int r) { Enqueue(l, r, rule_.threshold); }

void PairQueue::PushAnyway(int l, int r) { Enqueue(l, r, kImpossible); }

void PairQueue::Enqueue(int l, int r, double threshold) {
  if (!pairing_.left_free(l) || !pairing_.right_free(r)) return;
  if (index_.left.is_output_row(l) || index_.right.is_output_row(r)) return;
  const bool waits =
      !pairing_.Compatible(l, r) || score_.Unlike(l, r) || score_.Regrets(l, r, rule_.scoring);
  if (log_ != nullptr && log_->Asks(l, r)) {
    const double points = score_.Score(l, r, rule_.scoring);
    if (points > kImpossible)
      log_->Add(l, r, rule_.rule, points, waits ? ClaimOutcome::kNearer : ClaimOutcome::kFewPoints);
  }
  if (waits) return;
  // Without a threshold even kImpossible passes: the caller knows why the two belong together.
  const double score = score_.Score(l, r, rule_.scoring);
  if (score < threshold) return;
  const auto [it, added] =
      by_pair_.try_emplace(PairKey(l, r), static_cast<int>(candidates_.size()));
  if (added) {
    int& first_left = first_.left[Index(l)];
    int& first_right = first_.right[Index(r)];
    candidates_.push_back({l, r, score, threshold, {first_left, first_right}});
    first_left = it->second;
    first_right = it->second;
    PushTo(best_, it->second);
    return;
  }
  Candidate& candidate = candidates_[Index(it->second)];
  candidate.threshold = std::min(candidate.threshold, threshold);
  if (score > candidate.score + weights::kLeastDistance) {
    candidate.score = score;
    PushTo(best_, it->second);
  }
}

void PairQueue::PushTo(Heap& heap, int candidate) {
  const Candidate& c = candidates_[Index(candidate)];
  heap.push_back({c.score, Apart(c.left, c.right), candidate});
  std::push_heap(heap.begin(), heap.end());
}

PairQueue::Entry PairQueue::PopFrom(Heap& heap) {
  std::pop_heap(heap.begin(), heap.end());
  const Entry entry = heap.back();
  heap.pop_back();
  return entry;
}

double PairQueue::Apart(int l, int r) const {
  if (evidence_.SameContent(l, r)) {
    // Among equals, the i-th goes with the i-th.
    const int content = StreamIndex::At(index_.left.content, l);
    const double left_count = static_cast<double>(index_.left.of_content[content].size());
    const double right_count = static_cast<double>(index_.right.of_content[content].size());
    return std::abs((StreamIndex::At(index_.left.rank, l) + 0.5) / left_count -
                    (StreamIndex::At(index_.right.rank, r) + 0.5) / right_count);
  }
  return std::abs(static_cast<double>(l) / index_.left.size() -
                  static_cast<double>(r) / index_.right.size());
}

bool PairQueue::Outdated(const Entry& entry) const {
  const Candidate& c = candidates_[Index(entry.candidate)];
  return entry.score != c.score || !pairing_.left_free(c.left) || !pairing_.right_free(c.right);
}

double PairQueue::ScoreOf(const Candidate& c) const {
  return score_.Score(c.left, c.right, rule_.scoring);
}

bool PairQueue::Ambiguous(int candidate) {
  const Candidate& c = candidates_[Index(candidate)];
  const auto rivals = [&](SideId side) {
    int* link = &first_[side][Index(OfSide(c, side))];
    for (size_t seen = 0; *link != kNone && seen < work_bounds::kCandidates; ++seen) {
      Candidate& other = candidates_[Index(*link)];
      int* next = &other.next[side];
      if (!pairing_.left_free(other.left) || !pairing_.right_free(other.right)) {
        *link = *next;  // no longer free
        continue;
      }
      if (*link != candidate && other.score >= c.score - weights::kAmbiguous) return true;
      link = next;
    }
    return false;
  };
  return rivals(SideId::kLeft) || rivals(SideId::kRight);
}

void PairQueue::Accept(const Candidate& candidate) {
  const int l = candidate.left;
  const int r = candidate.right;
  pairing_.Pair(l, r, rule_.rule);
  Spread(l, r);
}

void PairQueue::ServeBest() {
  const Entry entry = PopFrom(best_);
  if (Outdated(entry)) return;
  Candidate& candidate = candidates_[Index(entry.candidate)];
  const double score = ScoreOf(candidate);
  const bool fell = score < candidate.score - weights::kLeastDistance;
  candidate.score = score;
  if (fell) {
    if (score >= candidate.threshold) PushTo(best_, entry.candidate);
  } else if (Ambiguous(entry.candidate)) {
    PushTo(deferred_, entry.candidate);
  } else {
    Accept(Candidate(candidate));
  }
}

void PairQueue::ServeDeferred() {
  const Entry entry = PopFrom(deferred_);
  if (Outdated(entry)) return;
  Candidate& candidate = candidates_[Index(entry.candidate)];
  const double before = candidate.score;
  candidate.score = ScoreOf(candidate);
  if (candidate.score > before + weights::kLeastDistance) {
    PushTo(best_, entry.candidate);
  } else if (candidate.score < before - weights::kLeastDistance) {
    if (candidate.score >= candidate.threshold) PushTo(deferred_, entry.candidate);
  } else if (evidence_.Value(candidate.left, candidate.right) >= weights::kDoubtfulValue ||
             !Ambiguous(entry.candidate)) {
    Accept(Candidate(candidate));
  }
}

void PairQueue::Drain() {
  while (!best_.empty() || !deferred_.empty()) {
    if (!best_.empty()) {
      ServeBest();
    } else {
      ServeDeferred();
    }
  }
  for (const Candidate& candidate : candidates_) {
    for (const SideId side : kBothSides) first_[side][Index(OfSide(candidate, side))] = kNone;
  }
  candidates_.clear();
  by_pair_.clear();
}

}  // namespace onnxcmp
