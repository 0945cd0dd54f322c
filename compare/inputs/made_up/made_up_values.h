// Values for inputs, by what they are for.
#ifndef ONNXCMP_COMPARE_INPUTS_MADE_UP_MADE_UP_VALUES_H_
#define ONNXCMP_COMPARE_INPUTS_MADE_UP_MADE_UP_VALUES_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "compare/inputs/made_up/input_purpose.h"
#include "compare/inputs/made_up/random_numbers.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// What numbers are like. All but the first are for those who look for inputs on which two models
// differ.
enum class Regime : uint8_t {
  kUsual,     // normal numbers of both signs; masks that end in zeros; ids from all of the table
  kZeros,     // nothing but 0; no mask
  kOnes,      // nothing but 1
  kTies,      // few different numbers
  kTiny,      // times 1e-4
  kSmall,     // times 1e-2
  kLarge,     // times 60
  kHuge,      // times 1e4
  kPositive,  // none below 0
  kNegative,  // none above 0
  kWhole,     // whole numbers and halves
  kEnds,      // ids, lengths and integers at the ends of their ranges; masks of one element
};
inline constexpr int kRegimes = 12;

class ValueMaker {
 public:
  // The same seed gives the same values.
  ValueMaker(uint64_t seed, Regime regime, int set) : random_(seed), regime_(regime), set_(set) {}

  // A tensor of this type and shape. `limit`: of ids, positions and lengths, if it is known.
  absl::StatusOr<Tensor> Make(DType dtype, const Shape& shape, const InputPurpose& purpose,
                              std::optional<int64_t> limit);

 private:
  double Number(const InputPurpose& purpose, bool scalar);
  int64_t Integer(DType dtype, const InputPurpose& purpose, bool scalar);
  int64_t Within(int64_t limit);
  int64_t Length(const InputPurpose& purpose, int64_t limit, int64_t i);
  int64_t CountFor(const InputPurpose& purpose) const;
  double Feature(const InputPurpose& purpose, int64_t feature);
  void FillText(const InputPurpose& purpose, Tensor* tensor);
  absl::StatusOr<Tensor> Image(const Shape& shape);

  RandomNumbers random_;
  Regime regime_;
  int set_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUTS_MADE_UP_MADE_UP_VALUES_H_
