// Runs the right model once more with the left's values wherever a result has a partner on the
// left, so that no error propagates: the remaining difference of a result is that of the nodes
// since the last paired results. It finds partners as it goes. docs/causes.md tells how.
#ifndef ONNXCMP_COMPARE_CAUSES_FORCED_FORCED_RUN_H_
#define ONNXCMP_COMPARE_CAUSES_FORCED_FORCED_RUN_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/base/memory_account.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/named_partners.h"
#include "record/graphs/side_graph.h"
#include "record/graphs/value_classes.h"
#include "record/streams/fingerprint.h"
#include "record/streams/hash128.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// The rule that made a match.
enum class MatchRule : uint8_t {
  kNone,
  kFixed,      // fixed by a repair
  kSame,       // the same bits
  kAligned,    // paired by the alignment, and near
  kStructure,  // the same operator on the same inputs, and near
  kNear,       // near
};

struct ForcedResult {
  int match = kNone;  // class of the left
  MatchRule rule = MatchRule::kNone;
  Hash128 own_content;
  Value own;   // the node's result on the left's values; empty if it failed or has the match's bits
  Value held;  // the value for its readers: the match's, else `own`; empty if there is none
  Hash128 held_content;
};

// Fixed matches: right result, class of the left.
using FixedMatches = absl::btree_map<int, int>;

struct ForcedState {
  FixedMatches fixed;
  std::vector<ForcedResult> results;  // by right result
  std::vector<Hash128> keys;          // by right node: hash of its inputs
  int matched = 0;                    // number of results with a match
  bool abandoned = false;             // the trial was not run to its end
  absl::btree_set<int> skipped;       // right nodes left out: nothing is near their results

  const ForcedResult& at(int r) const { return results[Index(r)]; }
};

class ForcedRun {
 public:
  // `aligned`: by right result, its partner on the left or kNone. `leaves`: by right result, the
  // values of initializers and inputs. `plain`: by right result, its value in the right's own run,
  // if it was kept; empty: none were. `lost`: as from LostNodes(). All others must outlive the
  // object.
  ForcedRun(const ValueClasses& left, const SideGraph& right, const std::vector<int>& aligned,
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

  const ValueClasses& left() const { return left_; }
  const SideGraph& right() const { return right_; }
  // A right result's value in the right's own run; empty if it is no longer available.
  const Value& plain(int r) const { return plain_[Index(r)]; }
  // A right initializer's or input's value.
  const Value& leaf(int r) const { return leaves_[Index(r)]; }
  // A right result's aligned partner, or kNone.
  int aligned(int r) const { return aligned_[Index(r)]; }

  // True if names allow a match of a right result with a class by distance.
  bool NameAllows(int r, int c) const {
    return named_.empty() || named_[Index(r)] == kNone || left_.of(named_[Index(r)]) == c;
  }

  // The account that the search's values are charged to: they reuse the memory of earlier ones, and
  // of the right's nodes.
  const std::shared_ptr<MemoryAccount>& memory() const { return memory_; }

  // Conditions to end a run early.
  struct Abandon {
    // Number of results in a row, not taken from the base, that find no match.
    int patience = std::numeric_limits<int>::max();
    int needed = kNone;  // a result that must find one
  };
  // `base`: an earlier state; results that do not depend on changed fixed matches are taken from
  // it. A run without one skips most of the lost nodes that read unmatched results.
  ForcedState Run(const FixedMatches& fixed, const ForcedState* base, const Abandon& abandon) const;
  ForcedState Run(const FixedMatches& fixed, const ForcedState* base = nullptr) const {
    return Run(fixed, base, Abandon());
  }
  // The same state with the skipped nodes run.
  ForcedState Completed(const ForcedState& state) const;

  // The left's value of a class in the type and the shape of a right result; empty if it does not
  // fit. `in_its_shape`: in the left's shape, unless only axes of one element differ.
  Value ValueFor(int c, int right, bool in_its_shape = false) const;
  // True if a right result has the shape of a class, except for axes of one element.
  bool HasShapeOf(int c, int right) const;
  // True if one of the two is a matrix that merges all axes of the other but the last, as
  // optimizers write products.
  bool IsFlattened(int c, int right) const;
  // The input that a matched result's node passes on, in any shape; kNone if there is none.
  int CopiedBy(const ForcedState& state, int r) const;
  // Left nodes of a right node's operator that read the match of one of its inputs: one for all
  // that read and give the same values.
  std::vector<int> NodesLike(const ForcedState& state, int n) const;
  // True if a right value is near a class, in kind, size and elements. `measured` caches
  // measurements of the value for several classes.
  bool IsNear(int c, const Value& own, LazyMeasured* measured) const;
  // Distance() of a matched result's local value from the match, in the match's own type; infinite
  // if they cannot be measured.
  double DistanceOf(const ForcedResult& result) const;
  // RelativeRms() of the same two.
  double RelativeRmsOf(const ForcedResult& result) const;
  // Its local value, and the value for its readers. Both must be tensors.
  Measured MeasuredOwn(const ForcedResult& result) const;
  Measured MeasuredHeld(const ForcedResult& result) const;
  // Number of node runs.
  int64_t runs() const { return runs_; }
  // Number of left nodes of the same structure that were examined.
  int64_t looked_at() const { return looked_at_; }

 private:
  // Constants without a match: right result, left class.
  using OpenConstants = std::vector<std::pair<int, int>>;
  class ForcedReplay;

  // A value of the left in the right's type and shape.
  struct Converted {
    Value value;  // empty if it cannot be converted
    Hash128 content;
    bool clamped = false;  // part of it is beyond the right's type
  };

  // The left's content, its type, and the right's content.
  using MeasuredPair = std::tuple<Hash128, DType, Hash128>;

  static std::shared_ptr<MemoryAccount> MemoryFor(const SideGraph& right);
  Hash128 KeyOf(int n, const ForcedState& state) const;
  void MatchLeaf(int r, ForcedState* state) const;
  // True if a right constant is a class of another type rounded to its own, and nothing else.
  bool IsTheLeftsInItsType(int c, int r) const;
  bool IsLost(int n, const ForcedState& state) const;
  // Takes a node's results from a state in which it read the same; false if it did not.
  bool TakeFromBase(int n, const ForcedState& base, ForcedState* state) const;
  // Takes local values of a node that the plain run or `base`, which may be null, gave from the
  // same inputs; false if they are not known.
  bool TakeKnown(int n, const ForcedState* base, ForcedState* state) const;
  void MatchOutput(int n, int r, ForcedState* state) const;
  // The match of the input of a cast to a wider float, whose result is near nothing in the wider
  // type. kNone if it is no such cast, or the end of a detour.
  int WidenedFrom(int n, int r, const ForcedState& state) const;
  bool IsQuantizedCounterpart(int l, int r, const ForcedResult& result) const;
  bool MayBeNear(int c, const Value& own, LazyMeasured* measured) const;
  // Distance of a result's local value from a class if it is near, else infinity.
  double DistanceIfNear(int c, const ForcedResult& result, LazyMeasured* measured) const;
  // The key of a class and a result's local value.
  MeasuredPair PairOf(int c, const ForcedResult& result) const;
  // Distance of a result's local value from a class of its kind and size.
  double DistanceFrom(int c, const ForcedResult& result) const;
  Measured MeasuredOf(const Hash128& content, const Tensor& tensor) const;
  bool SameNow(const ForcedState& a, const ForcedState& b, int r) const;
  // Nothing if a right node's inputs are not those of a left node.
  std::optional<OpenConstants> Agree(const ForcedState& state, int n, int left_node) const;
  // The nodes of NodesLike() that may read the matches of all matched inputs and give a result near
  // this one: the readers of the match with the fewest. If thousands read it, the makers of near
  // results among them.
  std::vector<int> NodesOnSame(const ForcedState& state, int n, const ForcedResult& result,
                               LazyMeasured* measured) const;
  // The cost of finding a match's readers, up to `most`.
  size_t CostOfReaders(int c, size_t most) const;
  // Nodes of a right node's operator that make one of the classes and read `read`.
  std::vector<int> MakersLike(int n, absl::Span<const int> classes, int read) const;
  // Classes of that shape that a right value may be near, in order.
  std::vector<int> MayBeNearOf(const Shape& shape, const Tensor& own, LazyMeasured* measured) const;
  // The readers of a class with that node's operator, one for all on the same classes.
  const std::vector<int>& KindsOfReaders(int c, const StreamNode& like) const;
  // Adds readers of a class that have a right node's operator and were not seen.
  void AddNodesLike(int n, int c, absl::flat_hash_set<int>* seen, std::vector<int>* nodes) const;
  // Matches the result of a left node of the same operator on the same inputs, if it is within
  // `farthest`.
  bool TryStructure(int n, int r, double farthest, LazyMeasured* measured,
                    ForcedState* state) const;
  // Hash of all that TryStructure() depends on.
  Hash128 HashOfStructure(int n, int r, double farthest, const ForcedState& state) const;
  // A reader's result of `c`, if the result `r` is much nearer to that: if a node is followed by
  // one that changes almost nothing, a node that does the work of both matches the second. Else
  // `c`; with the distance.
  std::pair<int, double> FoldedInto(int c, double distance, int r, const ForcedState& state,
                                    LazyMeasured* measured) const;
  // True if a right node may read `r` as a left node reads `c`: the same operator, and no input
  // with another match.
  bool IsReadAlike(int left_node, int c, int r, const ForcedState& state) const;
  bool PairConstants(int n, int r, int c, const std::vector<std::pair<int, int>>& open,
                     ForcedState* state) const;
  absl::StatusOr<std::vector<Value>> Compute(const ForcedState& state, int n) const;
  void Set(int r, int c, MatchRule rule, ForcedState* state) const;

  const ValueClasses& left_;
  const SideGraph& right_;
  const std::vector<int>& aligned_;
  const std::vector<Value>& leaves_;
  // Moved to a run's state, from which the next runs start.
  mutable std::vector<Value> plain_;
  const std::vector<bool> lost_;  // by right node
  const std::vector<int> named_;  // as from NamedPartners()
  const std::shared_ptr<MemoryAccount> memory_;
  // By class, right result, and whether it is in the left's shape.
  mutable absl::flat_hash_map<std::tuple<int, int, bool>, Converted> converted_;
  // Caches: trials compare the same pairs again.
  mutable absl::flat_hash_map<MeasuredPair, bool> near_;
  mutable absl::flat_hash_map<MeasuredPair, double> distances_;
  mutable absl::flat_hash_map<MeasuredPair, double> relative_rms_;
  mutable absl::flat_hash_map<Hash128, double> scales_;     // by content
  mutable absl::flat_hash_set<Hash128> without_structure_;  // where TryStructure() finds nothing
  // By class and hashes of domain and operator: KindsOfReaders(), of classes that were asked for.
  mutable absl::flat_hash_map<std::tuple<int, uint64_t, uint64_t>, std::vector<int>>
      kinds_of_readers_;
  mutable absl::flat_hash_set<int> listed_readers_;
  mutable int64_t runs_ = 0;
  mutable int64_t looked_at_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_FORCED_FORCED_RUN_H_
