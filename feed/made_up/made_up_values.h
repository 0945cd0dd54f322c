// Makes values for inputs, by their purpose.
#ifndef ONNXCMP_FEED_MADE_UP_MADE_UP_VALUES_H_
#define ONNXCMP_FEED_MADE_UP_MADE_UP_VALUES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/base/memory_account.h"
#include "evaluator/base/random_numbers.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "feed/made_up/input_purpose.h"
#include "feed/made_up/regime.h"
#include "feed/made_up/standardization.h"

namespace onnxcmp {

class ValueMaker {
 public:
  // The same seed gives the same values.
  ValueMaker(uint64_t seed, Regime regime, int set, std::shared_ptr<MemoryAccount> memory = nullptr)
      : random_(seed), regime_(regime), set_(set), memory_(std::move(memory)) {}

  // A tensor of this type and shape. `limit`: for ids, positions and lengths, if it is known.
  absl::StatusOr<Tensor> Make(DType dtype, const Shape& shape, const InputPurpose& purpose,
                              std::optional<int64_t> limit);

 private:
  struct Asked {
    DType dtype;
    const Shape& shape;
    const InputPurpose& purpose;
    std::optional<int64_t> limit;
    int64_t rows;   // the limit, or what is assumed if it is unknown
    int64_t count;  // of elements
    int64_t row;    // length of the last axis
  };
  // Makes element i; the elements are asked for in order.
  using Maker = std::function<double(int64_t i)>;

  // The maker of each purpose; any numbers for those that have none of their own.
  template <typename Other>
  Maker MakerOf(const Other&, const Asked& asked) {
    return Numbers(asked);
  }
  Maker MakerOf(const FeaturePurpose& features, const Asked& asked);
  Maker MakerOf(const AddedMaskPurpose&, const Asked& asked);
  Maker MakerOf(const MaskPurpose&, const Asked& asked);
  Maker MakerOf(const LengthPurpose& lengths, const Asked& asked);
  Maker MakerOf(const PositionPurpose& positions, const Asked& asked);
  Maker MakerOf(const IdPurpose& ids, const Asked& asked);
  Maker MakerOf(const ConditionPurpose&, const Asked& asked);
  Maker MakerOf(const SmallPurpose& small, const Asked& asked);
  Maker Numbers(const Asked& asked);

  // `normal`: instead of the next random one. `around`: how the model standardizes the element.
  double Number(const InputPurpose& purpose, bool scalar,
                std::optional<double> normal = std::nullopt, Standardization::Around around = {});
  // A number between a limit and the next greater one, now and then, if they are near.
  std::optional<double> BetweenLimits(const InputPurpose& purpose, double limit);
  // Puts the numbers of each row in order.
  static absl::Status SortRows(int64_t row, Tensor* tensor);
  // True for numbers that the model is to standardize.
  bool IsBeforeStandardization(const InputPurpose& purpose) const;
  double Usual(const InputPurpose& purpose, bool scalar, std::optional<double> normal);
  int64_t Integer(DType dtype, const InputPurpose& purpose, bool scalar);
  // True for the sets with rare values: missing ones, ids that count from the end.
  bool IsForTheRare() const { return set_ % 4 == 2; }
  bool IsForLarge(bool scalar) const;
  int64_t LargeInteger(DType dtype);
  // True for sets in which a scalar is below and above its limits in turn.
  bool CrossesLimits(const InputPurpose& purpose) const;
  int64_t Within(int64_t limit);
  int64_t Length(int64_t limit, int64_t i);
  int64_t Count(int64_t usual);  // of a loop's iterations
  void Pad(const Asked& asked, int64_t limit, std::vector<int64_t>* ids) const;
  double Feature(const FeaturePurpose& features, const InputPurpose& purpose, int64_t row,
                 int64_t feature);
  double Beside(const std::vector<double>& thresholds);
  // A number between differing constants of both sides, of either sign, if there is any.
  std::optional<double> Probe(const InputPurpose& purpose);
  template <typename T>
  const T& OneOf(const std::vector<T>& some) {
    return some[static_cast<size_t>(random_.Below(static_cast<int64_t>(some.size())))];
  }
  // A number that an encoder knows, mostly, if there is any.
  std::optional<double> Key(const InputPurpose& purpose);
  // A key of a column whose encoder takes no others.
  std::optional<double> Demanded(const InputPurpose& purpose, int64_t column);
  // The code of a missing value, in one set for some elements.
  std::optional<double> Missing(const InputPurpose& purpose);
  void FillText(const InputPurpose& purpose, Tensor* tensor);
  void FillComplex(const InputPurpose& purpose, Tensor* tensor);

  RandomNumbers random_;
  Regime regime_;
  int set_;
  std::shared_ptr<MemoryAccount> memory_;  // null: not counted
};

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_MADE_UP_MADE_UP_VALUES_H_
