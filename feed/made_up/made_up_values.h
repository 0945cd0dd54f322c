// Makes values for inputs, by their purpose.
#ifndef ONNXCMP_FEED_MADE_UP_MADE_UP_VALUES_H_
#define ONNXCMP_FEED_MADE_UP_MADE_UP_VALUES_H_

#include <cstdint>
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
  std::vector<int64_t> Ids(const InputPurpose& purpose, const Shape& shape, int64_t limit);
  void Pad(const InputPurpose& purpose, size_t row, int64_t limit, std::vector<int64_t>* ids) const;
  int64_t Position(int64_t i, int64_t row, size_t rank, const InputPurpose& purpose,
                   std::optional<int64_t> limit) const;
  int64_t Length(const InputPurpose& purpose, int64_t limit, int64_t i);
  int64_t CountFor(const InputPurpose& purpose);
  // Element i of small numbers.
  double Small(const InputPurpose& purpose, int64_t i, int64_t count, std::optional<int64_t> limit);
  double Feature(const InputPurpose& purpose, int64_t row, int64_t feature);
  double Beside(const std::vector<double>& thresholds);
  // A number between differing constants of both sides, of either sign, if there is any.
  std::optional<double> Probe(const InputPurpose& purpose);
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
