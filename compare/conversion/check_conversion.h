// Checks node by node that one side is the other converted to a coarser type, without other
// changes. The effect of such a conversion on the outputs is the noise of its type, however large
// it is.
//
// The nodes of both sides get value numbers, bottom up. Cast, QuantizeLinear and DequantizeLinear
// pass on the number of their input, and a constant has the number of the constant that it was
// rounded from. A node without a counterpart of its number, such as one that computes with
// integers, is run in the other side's form on its own inputs: it is honest if the rounded result
// is the same.
#ifndef ONNXCMP_COMPARE_CONVERSION_CHECK_CONVERSION_H_
#define ONNXCMP_COMPARE_CONVERSION_CHECK_CONVERSION_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/alignment/alignment.h"
#include "compare/conversion/conversion.h"
#include "compare/sides/pair_values.h"
#include "evaluator/base/thread_pool.h"
#include "record/base/per_side.h"

namespace onnxcmp {

struct CheckedConversion {
  Conversion conversion;
  // By result of the converted side: true if it stands for one of the other side and no node,
  // weight or scale that it is made with is wrong by itself. Results before it may be suspect.
  std::vector<bool> honest;
  // By result of the converted side: true if it is suspect, or depends on one that is.
  std::vector<bool> faulty;
  // By result of the converted side: true if it is not finite where the other side's is.
  std::vector<bool> overflows;
  // By result of the converted side: the first result that it depends on, or is, which a choice at
  // nearly equal numbers has changed, as ids and conditions; kNone if there is none.
  std::vector<int> chosen_by;
  // Ids, conditions and numbers that jump, which honest nodes have made otherwise on both sides of
  // a near tie, whatever they depend on.
  std::vector<ResultPair> choices;
  // Results of the converted side that are farther from the result that they represent than
  // rounding explains, on their own inputs, in order; or constants that these read and that are no
  // rounding of the other side's.
  std::vector<int> suspects;
  std::vector<int> suspects_of;  // by suspect: the result that it represents
  // Results whose range was made for the fill of a mask, so that all their other numbers become 0.
  // They round honestly, and are causes if too little of the signal is left.
  std::vector<int> lossy;
  // Pairs of an output of the plain and of the converted side, if the converted one depends on no
  // suspect.
  std::vector<std::pair<int, int>> honest_outputs;
  int64_t nodes = 0;  // that were checked

  bool IsHonestOutput(int plain, int converted) const;
};

struct CheckedInputs {
  bool made_up = false;
  bool beyond_ranges = false;  // they may exceed calibrated ranges, which proves nothing then
};

// Nothing if neither side is a conversion of the other, or not both are models that our interpreter
// runs.
absl::StatusOr<std::optional<CheckedConversion>> CheckConversion(const PerSide<RecordedSide>& sides,
                                                                 const Alignment& alignment,
                                                                 const CheckedInputs& inputs,
                                                                 const PairValues::Watch& watch,
                                                                 const ThreadPool* pool);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CONVERSION_CHECK_CONVERSION_H_
