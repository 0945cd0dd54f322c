// The right model run once more with the left's values wherever a result has a partner on the left,
// so that nothing is inherited: what a result then differs from its partner, the nodes since the
// last paired results made. It finds partners as it goes. docs/causes.md tells how.
#ifndef ONNXCMP_COMPARE_FORCED_FORCED_RUN_H_
#define ONNXCMP_COMPARE_FORCED_FORCED_RUN_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compare/differences/nearness.h"
#include "compare/graphs/left_classes.h"
#include "compare/graphs/named_partners.h"
#include "compare/graphs/side_graph.h"
#include "compare/streams/fingerprint.h"
#include "compare/streams/hash128.h"
#include "evaluator/base/memory_account.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// What made a match.
enum class MatchRule : uint8_t {
  kNone,
  kFixed,      // by order
  kSame,       // the same bits
  kAligned,    // paired by the alignment, and near
  kStructure,  // the same operator on the same, and near
  kNear,       // near
};

struct ForcedResult {
  int match = kNone;  // class of the left
  MatchRule rule = MatchRule::kNone;
  Hash128 own_content;
  Value
      own;  // what the node gives on the left's values; empty if it failed or has the match's bits
  Value held;  // what its readers get: the match's value, else `own`; empty if there is none
  Hash128 held_content;
};

// Matches by order: right result, class of the left.
using FixedMatches = absl::btree_map<int, int>;

struct ForcedState {
  FixedMatches fixed;
  std::vector<ForcedResult> results;  // by right result
  std::vector<Hash128> keys;          // by right node: what it ran on
  int matched = 0;                    // results that have a match
  bool abandoned = false;             // a trial that was not run to its end
  absl::btree_set<int> skipped;       // right nodes that would have found nothing near

  const ForcedResult& at(int r) const { return results[Index(r)]; }
};

class ForcedRun {
 public:
  // `aligned`: by right result, its partner on the left or kNone. `leaves`: by right result, the
  // values of initializers and inputs. `plain`: by right result, what its node gave in the right's
  // own run, where that is at hand; empty: nothing is. `lost`: as LostNodes() has it. All others
  // must outlive the object.
  ForcedRun(const LeftClasses& left, const SideGraph& right, const std::vector<int>& aligned,
            const std::vector<Value>& leaves, std::vector<Value> plain = {},
            std::vector<bool> lost = {})
      : left_(left),
        right_(right),
        aligned_(aligned),
        leaves_(leaves),
        plain_(std::move(plain)),
        lost_(std::move(lost)),
        named_(NamedPartners(left.graph(), right)),
        memory_(MemoryFor(right)) {
    plain_.resize(right.stream().results.size());
  }

  const LeftClasses& left() const { return left_; }
  const SideGraph& right() const { return right_; }
  // What a right result was in the right's own run; empty if that is not at hand any more.
  const Value& plain(int r) const { return plain_[Index(r)]; }
  // A right result's partner in the alignment, or kNone.
  int aligned(int r) const { return aligned_[Index(r)]; }

  // Whether a right result may be matched with a class for being near, as far as names tell.
  bool NameAllows(int r, int c) const {
    return named_.empty() || named_[Index(r)] == kNone || left_.of(named_[Index(r)]) == c;
  }

  // What values of the search are charged to: they take the memory of those before, and that of the
  // right's nodes.
  const std::shared_ptr<MemoryAccount>& memory() const { return memory_; }

  // When a run need not be made to its end.
  struct Abandon {
    // As many results in turn that are not taken from the base find no match.
    int patience = std::numeric_limits<int>::max();
    int needed = kNone;  // this one finds none
  };
  // `base`: an earlier state; what does not depend on what is fixed otherwise is taken from it. A
  // run without one skips most of the lost nodes that read what has no match.
  ForcedState Run(const FixedMatches& fixed, const ForcedState* base, const Abandon& abandon) const;
  ForcedState Run(const FixedMatches& fixed, const ForcedState* base = nullptr) const {
    return Run(fixed, base, Abandon());
  }
  // The same with what was skipped.
  ForcedState Completed(const ForcedState& state) const;

  // The left's value of a class in the type and the shape of a right result; empty if it does not
  // fit there. `in_its_shape`: in the left's shape, unless only axes of one element differ.
  Value ValueFor(int c, int right, bool in_its_shape = false) const;
  // Whether a right result has the shape of a class, but for axes of one element.
  bool HasShapeOf(int c, int right) const;
  // Whether one of the two is a matrix in which all axes of the other but the last are one, as
  // optimizers write products.
  bool IsFlattened(int c, int right) const;
  // What a matched result's node reads and passes on, in whatever shape; kNone if nothing.
  int CopiedBy(const ForcedState& state, int r) const;
  // Left nodes of the operator of a right node that read what one of its inputs is matched with.
  std::vector<int> NodesLike(const ForcedState& state, int n) const;
  // Whether a value of the right is near a class, in kind, size and elements. `measured` is the
  // value's, for several classes.
  bool IsNear(int c, const Value& own, LazyMeasured* measured) const;
  // How far what a matched result's node gives is from the match, as Distance() has it with the
  // match in the type that the left has it in; infinite if they cannot be measured.
  double DistanceOf(const ForcedResult& result) const;
  // As RelativeRms() has it, of the same two.
  double RelativeRmsOf(const ForcedResult& result) const;
  // Its own value, and what its readers get. Tensors.
  Measured MeasuredOwn(const ForcedResult& result) const;
  Measured MeasuredHeld(const ForcedResult& result) const;
  // How often a node has been run.
  int64_t runs() const { return runs_; }
  // How many left nodes structure has suggested and were looked at.
  int64_t looked_at() const { return looked_at_; }

 private:
  // Inputs of a right node against those of a left node.
  struct Agreement {
    bool agree = false;
    std::vector<std::pair<int, int>> open;  // constants without a match: right result, left class
  };

  // A value of the left as the right would have it.
  struct Converted {
    Value value;  // empty if it cannot be
    Hash128 content;
    bool clamped = false;  // something of it is beyond the right's type
  };

  // The left's value, as which type, and the right's.
  using MeasuredPair = std::tuple<Hash128, DType, Hash128>;

  static std::shared_ptr<MemoryAccount> MemoryFor(const SideGraph& right);
  Hash128 KeyOf(int n, const ForcedState& state) const;
  void MatchLeaf(int r, ForcedState* state) const;
  // Whether a right constant is a class of another type rounded to its own, and no more.
  bool IsTheLeftsInItsType(int c, int r) const;
  bool IsLost(int n, const ForcedState& state) const;
  void Skip(int n, ForcedState* state) const;
  // False if all was taken from `base`.
  bool RunNode(int n, const ForcedState* base, ForcedState* state) const;
  void MatchOutput(int n, int r, ForcedState* state) const;
  // The match of what a cast to a wider float reads: nothing is near that in the wider type. kNone
  // if it is no such cast, or the end of a detour.
  int WidenedFrom(int n, int r, const ForcedState& state) const;
  bool IsQuantizedTwin(int l, int r, const ForcedResult& result) const;
  bool MayBeNear(int c, const Value& own, LazyMeasured* measured) const;
  // Of a result's own value from a class if it is near, else infinity.
  double DistanceIfNear(int c, const ForcedResult& result, LazyMeasured* measured) const;
  // Of a class and a result's own value.
  MeasuredPair PairOf(int c, const ForcedResult& result) const;
  // Of a result's own value from a class of its kind and size.
  double DistanceFrom(int c, const ForcedResult& result) const;
  Measured MeasuredOf(const Hash128& content, const Tensor& tensor) const;
  bool SameNow(const ForcedState& a, const ForcedState& b, int r) const;
  Agreement Agree(const ForcedState& state, int n, int left_node) const;
  // Those of NodesLike() that may read a match of every input that has one and give something near
  // a result: readers of the match that has the fewest. Where thousands read it, of them those that
  // make what is near.
  std::vector<int> NodesOnSame(const ForcedState& state, int n, const ForcedResult& result,
                               LazyMeasured* measured) const;
  // What a match costs to find its readers, up to `most`.
  size_t CostOfReaders(int c, size_t most) const;
  // Nodes of the operator of a right node that make one of the classes and read `read`.
  std::vector<int> MakersLike(int n, absl::Span<const int> classes, int read) const;
  // Classes of that shape that a value of the right may be near, in order.
  std::vector<int> MayBeNearOf(const Shape& shape, const Tensor& own, LazyMeasured* measured) const;
  // Readers of a class that have the operator of a right node and were not seen.
  void AddNodesLike(int n, int c, absl::flat_hash_set<int>* seen, std::vector<int>* nodes) const;
  // Matches what left nodes of the same operator on the same give, if it is within `farthest`.
  bool TryStructure(int n, int r, double farthest, LazyMeasured* measured,
                    ForcedState* state) const;
  // What TryStructure() depends on.
  Hash128 HashOfStructure(int n, int r, double farthest, const ForcedState& state) const;
  // What reads `c`, if the result `r` is much nearer to that: of what a node and a next to idle one
  // after it give, the second belongs to the node that does both. Else `c`; with the distance.
  std::pair<int, double> FoldedInto(int c, double distance, int r, const ForcedState& state,
                                    LazyMeasured* measured) const;
  // Whether a right node may read `r` as a left node reads `c`: the same operator, and no input is
  // matched with another.
  bool IsReadAlike(int left_node, int c, int r, const ForcedState& state) const;
  bool PairConstants(int n, int r, int c, const std::vector<std::pair<int, int>>& open,
                     ForcedState* state) const;
  absl::StatusOr<std::vector<Value>> Compute(const ForcedState& state, int n) const;
  void Set(int r, int c, MatchRule rule, ForcedState* state) const;

  const LeftClasses& left_;
  const SideGraph& right_;
  const std::vector<int>& aligned_;
  const std::vector<Value>& leaves_;
  // A run hands them to its state, which the next ones begin with.
  mutable std::vector<Value> plain_;
  const std::vector<bool> lost_;  // by right node
  const std::vector<int> named_;  // as NamedPartners() has it
  const std::shared_ptr<MemoryAccount> memory_;
  // By class, right result, and whether it is in the left's shape.
  mutable absl::flat_hash_map<std::tuple<int, int, bool>, Converted> converted_;
  // Trials ask for the same pairs again.
  mutable absl::flat_hash_map<MeasuredPair, bool> near_;
  mutable absl::flat_hash_map<MeasuredPair, double> distances_;
  mutable absl::flat_hash_map<MeasuredPair, double> relative_rms_;
  mutable absl::flat_hash_map<Hash128, double> scales_;     // by content
  mutable absl::flat_hash_set<Hash128> without_structure_;  // where TryStructure() finds nothing
  mutable int64_t runs_ = 0;
  mutable int64_t looked_at_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_FORCED_FORCED_RUN_H_
