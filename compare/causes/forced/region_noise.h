// Tells if rounding explains the distance of a result from its partner: both are computed again
// with every intermediate result moved by its last place at random.
#ifndef ONNXCMP_COMPARE_CAUSES_FORCED_REGION_NOISE_H_
#define ONNXCMP_COMPARE_CAUSES_FORCED_REGION_NOISE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "compare/causes/forced/forced_run.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/base/per_side.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/region.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

class RegionNoise {
 public:
  RegionNoise(const ForcedRun& run, const ForcedState& state);

  // The region of a right result, back to matched results or constants.
  Region RightRegion(int r, size_t max_nodes = kMaxRegionNodes) const;
  // The region of the left result of a class, back to matched classes.
  Region LeftRegion(int c, size_t max_nodes = kMaxRegionNodes) const;

  const SideGraph& GraphOf(SideId side) const;
  // True if the other side has a result, too.
  bool HasCounterpart(SideId side, int r) const;

  struct NoiseRatio {
    double distance = 0;  // Distance() of the right result from its partner
    // The greatest difference of elements in units of the noise that rounding explains; above 64 it
    // does not explain the difference.
    double ratio = 0;
  };
  static constexpr double kMaxRatio = 64;
  // From this ratio on, rounding explains a difference only if it vanishes in double:
  // ill-conditioned nodes and 16-bit types hide mistakes of some percent.
  static constexpr double kRatioInDouble = 8;
  // Number of times that something is moved at random.
  static constexpr uint64_t kSeeds = 3;
  // True if a matched result is near its partner when results that repairs paired with other left
  // results take their own ones instead: a node that is left out gives others a wrong input.
  bool AgreesOnItsOwn(int r) const;
  // Judges a matched right result with different local bits. If several equivalent regions were far
  // from explained by rounding, further ones that are as far apart are not run.
  NoiseRatio Judge(int r) const;

 private:
  using Elements = absl::Span<const double>;
  // A result with its region shaken; empty if that cannot be computed.
  Value Shaken(SideId side, const Region& region, int result, double epsilon, uint64_t seed) const;
  // The class of a result; kNone if it has none.
  int ClassOf(SideId side, int r) const;
  const Value& Entry(SideId side, int r) const;
  bool HasCoarser(SideId side, const Region& region, int result, double epsilon) const;
  // The epsilon of a result as an input of a region.
  double EntryEpsilon(int r) const;
  // The epsilon of 16-bit results in or before a region, if its side computes in such a type as a
  // whole, or of the type that a runtime computes in; else 0.
  double CoarseEpsilon(SideId side, const Region& region) const;
  NoiseRatio JudgeConstant(int r) const;
  NoiseRatio JudgeIntegers(int r, const Measured& own, const Measured& held) const;
  // By element: how far the result moves when its regions are shaken by `epsilon`. `is_enough` is
  // called after each run of a region and returns true if no further one is needed; its argument
  // tells if all regions have been run. The elements are valid until the next call.
  Elements Noise(int r, double epsilon, double steps,
                 absl::FunctionRef<bool(Elements, bool)> is_enough) const;
  // Differences in units of the noise that rounding explains.
  struct Ratios {
    double greatest = 0;
    bool hopeless = false;  // so many are so great that more noise cannot explain them
  };
  // `up_to`: above it, neither the greatest nor `hopeless` is computed.
  Ratios RatiosOf(const Measured& held, const Measured& own, double epsilon, Elements noise,
                  double up_to) const;

  // Describes the computation of a result's regions: their operators, types and shapes.
  std::string KindOf(int r, double epsilon) const;
  // Earlier judgements of a kind.
  struct Judged {
    int hopeless = 0;
    double least_distance = 0;  // among the hopeless ones
    bool explained = false;     // some region was not hopeless
  };

  const ForcedRun& run_;
  const ForcedState& state_;
  const ThreadPool* pool_;
  std::vector<bool> matched_;                                // by class
  const PerSide<bool> coarse_;                               // ComputesInSixteenBits()
  mutable Tensor noise_;                                     // the last result of Noise()
  mutable absl::flat_hash_map<std::string, Judged> judged_;  // by kind
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_FORCED_REGION_NOISE_H_
