// Whether rounding explains how far a result is from its partner: both are computed again with
// every intermediate result moved by the last place at random.
#ifndef ONNXCMP_COMPARE_FORCED_REGION_NOISE_H_
#define ONNXCMP_COMPARE_FORCED_REGION_NOISE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "compare/differences/nearness.h"
#include "compare/forced/forced_run.h"
#include "compare/graphs/region.h"
#include "compare/graphs/side_graph.h"
#include "compare/pair/per_side.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

class RegionNoise {
 public:
  RegionNoise(const ForcedRun& run, const ForcedState& state);

  // Of a right result, back to results with a match, or to constants.
  Region RightRegion(int r, size_t max_nodes = kMaxRegionNodes) const;
  // Of the left result that stands for a class, back to classes that are matched.
  Region LeftRegion(int c, size_t max_nodes = kMaxRegionNodes) const;

  struct Verdict {
    double distance = 0;  // of the right result from its partner, as Distance() has it
    // The greatest difference of elements in units of what rounding explains; beyond 64 it does
    // not.
    double ratio = 0;
  };
  static constexpr double kMaxRatio = 64;
  // Whether a matched result is near its partner where what a repair has paired with another left
  // result than its own is taken for its own: what leaves a node out gives others a wrong input.
  bool AgreesOnItsOwn(int r) const;
  // Of a matched right result whose own bits are others. Where rounding was far from explaining any
  // of some regions that do the same, no further one is run that is as far apart.
  Verdict Judge(int r) const;

 private:
  using Elements = absl::Span<const double>;
  // A result when its region is shaken; empty if that cannot be computed.
  Value Shaken(SideId side, const Region& region, int result, double epsilon, uint64_t seed) const;
  const SideGraph& GraphOf(SideId side) const;
  // The class of a result; kNone if it has none.
  int ClassOf(SideId side, int r) const;
  const Value& Entry(SideId side, int r) const;
  bool HasCoarser(SideId side, const Region& region, int result, double epsilon) const;
  // The epsilon that a result comes with where a region reads it.
  double EntryEpsilon(int r) const;
  // The epsilon of 16 bits that a region reads or makes where its side computes in such a type as a
  // whole; else 0.
  double CoarseEpsilon(SideId side, const Region& region) const;
  Verdict JudgeConstant(int r) const;
  Verdict JudgeIntegers(int r, const Measured& own, const Measured& held) const;
  // By element: how far the result moves when its regions are shaken by `epsilon`. `is_enough` is
  // asked after each run of a region whether another one can be spared; it is told whether all
  // regions have been run. The elements are there until the next call.
  Elements Noise(int r, double epsilon, double steps,
                 absl::FunctionRef<bool(Elements, bool)> is_enough) const;
  // Differences in units of what rounding explains.
  struct Ratios {
    double greatest = 0;
    bool hopeless = false;  // so many are so great that more noise will not explain them
  };
  // `up_to`: beyond it the greatest is not looked for, nor whether it is hopeless.
  Ratios RatiosOf(const Measured& held, const Measured& own, double epsilon, Elements noise,
                  double up_to) const;

  // What the regions of a result do: their operators, in which types and in which shape.
  std::string KindOf(int r, double epsilon) const;
  // What was judged of a kind.
  struct Judged {
    int hopeless = 0;
    double least_distance = 0;  // of those
    bool explained = false;     // of one that is not hopeless
  };

  const ForcedRun& run_;
  const ForcedState& state_;
  const ThreadPool* pool_;
  std::vector<bool> matched_;                                // by class
  const PerSide<bool> coarse_;                               // ComputesInSixteenBits()
  mutable Tensor noise_;                                     // what Noise() gave last
  mutable absl::flat_hash_map<std::string, Judged> judged_;  // by kind
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_FORCED_REGION_NOISE_H_
