// Differences of pairs that were measured while both sides ran, before the alignment: nearly equal
// values of one size will be paired.
#ifndef ONNXCMP_COMPARE_SIDES_EARLY_DIFFERENCES_H_
#define ONNXCMP_COMPARE_SIDES_EARLY_DIFFERENCES_H_

#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "compare/pictures/value_picture.h"
#include "record/differences/tensor_difference.h"
#include "record/differences/tolerance.h"
#include "record/streams/fingerprint.h"
#include "record/streams/hash128.h"

namespace onnxcmp {

// Keyed by the content of both values, which determines the difference.
class EarlyDifferences {
 public:
  void Add(const Hash128& left, const Hash128& right, const Tolerances& tolerance,
           TensorDifference difference, std::shared_ptr<const ValuePicture> picture) {
    measured_.try_emplace({left, right},
                          Measured{tolerance, std::move(difference), std::move(picture)});
  }
  // The result of TensorDifferenceOf for them with these options, except that `worst` has its
  // default; null if it was not measured, or with another tolerance.
  const TensorDifference* Find(const Hash128& left, const Hash128& right,
                               const DifferenceOptions& options) const {
    const auto it = measured_.find({left, right});
    if (it == measured_.end() || options.parts || it->second.tolerance != options.tolerance) {
      return nullptr;
    }
    return &it->second.difference;
  }
  // The picture of the difference that Find gives; null if none was taken.
  std::shared_ptr<const ValuePicture> PictureOf(const Hash128& left, const Hash128& right) const {
    const auto it = measured_.find({left, right});
    return it == measured_.end() ? nullptr : it->second.picture;
  }

 private:
  struct Measured {
    Tolerances tolerance;
    TensorDifference difference;
    std::shared_ptr<const ValuePicture> picture;
  };

  absl::flat_hash_map<std::pair<Hash128, Hash128>, Measured> measured_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_EARLY_DIFFERENCES_H_
