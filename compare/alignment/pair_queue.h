// Pairs results best first; each new pair queues its neighbours in both graphs.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_PAIR_QUEUE_H_
#define ONNXCMP_COMPARE_ALIGNMENT_PAIR_QUEUE_H_

#include <cstdint>
#include <utility>
#include <vector>
#include "compare/alignment/rules.h"

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "compare/alignment/alignment_index.h"
#include "compare/alignment/claim_log.h"
#include "compare/alignment/pair_score.h"
#include "compare/alignment/pairing.h"
#include "compare/alignment/value_evidence.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// Requirements of a stage on a pair.
struct PairRule {
  double threshold = 0;
  Scoring scoring = Scoring::kStrict;
  Rule rule = Rule::kNone;
};

class PairQueue {
 public:
  // All must outlive it.
  PairQueue(Pairing& pairing, const ValueEvidence& evidence, ClaimLog* log = nullptr);

  void SetRule(const PairRule& rule) { rule_ = rule; }
  const PairRule& rule() const { return rule_; }

  // Queues a pair if both are free, both or neither are copies, no better partner of either is
  // free, and its score reaches the rule's threshold. Else does nothing.
  void Push(int l, int r);
  // The same whatever the score is. Copies give way to the result that they repeat.
  void PushAnyway(int l, int r);
  // Pairs queued candidates and those that come up meanwhile, until none is left.
  void Drain();

  // Queues the neighbours of a pair.
  void Spread(int l, int r);
  void SpreadAll();

 private:
  struct Candidate {
    int left = 0;
    int right = 0;
    double score = 0;
    double threshold = 0;
    PerSide<int> next = {kNone, kNone};  // other candidates of the same result
  };
  struct Entry {
    double score = 0;
    double apart = 0;  // distance in position
    int candidate = 0;
    // For std::push_heap: true if `a` comes after `b`.
    friend bool operator<(const Entry& a, const Entry& b) {
      if (a.score != b.score) return a.score < b.score;
      if (a.apart != b.apart) return a.apart > b.apart;
      return a.candidate > b.candidate;
    }
  };
  using Heap = std::vector<Entry>;

  void Enqueue(int l, int r, double threshold);
  void PushTo(Heap& heap, int candidate);
  static Entry PopFrom(Heap& heap);
  bool Outdated(const Entry& entry) const;
  double ScoreOf(const Candidate& candidate) const;
  bool Ambiguous(int candidate);
  double Apart(int l, int r) const;
  void Accept(const Candidate& candidate);
  void ServeBest();
  void ServeDeferred();

  // By left result: true if Spread() of its pair may queue a free one.
  std::vector<bool> BesideFree() const;
  void SpreadToInputs(int left_node, int right_node);
  void SpreadToConsumers(int l, int r);
  void PushPlaced(int l, absl::Span<const std::pair<uint64_t, int>> rights, size_t rank,
                  size_t ranks, size_t most);

  Pairing& pairing_;
  const AlignmentIndex& index_;
  const ValueEvidence& evidence_;
  PairScore score_;
  PairRule rule_;
  ClaimLog* log_;  // may be null
  std::vector<Candidate> candidates_;
  absl::flat_hash_map<uint64_t, int> by_pair_;
  PerSide<std::vector<int>> first_;  // by result: a candidate, kNone if there is none
  Heap best_;
  // Pairs with an equally good rival. They wait until all certain pairs around them are known.
  Heap deferred_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_PAIR_QUEUE_H_
