// Inputs made up for a model that has none.
#ifndef ONNXCMP_FEED_GENERATED_INPUTS_H_
#define ONNXCMP_FEED_GENERATED_INPUTS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/base/memory_account.h"
#include "evaluator/base/random_numbers.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/tensor.h"
#include "feed/made_up/free_sizes.h"
#include "feed/made_up/regime.h"

namespace onnxcmp {

struct GeneratedInputs {
  // 0, 1, 2, ... as in the classic table, whatever the inputs are for.
  bool ramp = false;
  // The set of inputs: its sizes and the kind of its numbers.
  SizeChoice sizes;
  Regime regime = Regime::kUsual;
  // InputPurpose::probes of all inputs.
  std::vector<double> probes;
  // If set, decides a regime for each input by itself.
  std::optional<uint64_t> mixture;
  // Sizes of named dimensions.
  std::map<std::string, int64_t, std::less<>> dims;
  // For ramps: random values instead of 0, 1, 2, ... Else the seed of the random numbers.
  std::optional<uint64_t> seed;
  int64_t max_tensor = kDefaultMaxTensor;  // bytes of one value
  // The account of EvaluatorOptions::memory: made-up values count while they are held. Null: none.
  std::shared_ptr<MemoryAccount> memory = nullptr;
};

// Makes ramps, one input at a time. A dimension without a size, or of size 0, becomes 1 on axis 0
// and 16 elsewhere. Of p elements, element i is
//   int32, int64            i
//   float16, float, double  i as that type, divided by p in double, rounded
//   complex                 the same with a real i
//   bfloat16, float8, ...   as the floats, i saturating
//   bool                    i mod 2
//   other integers          i modulo one more than the type's greatest value
//   string                  the digits of i
// With a seed: floats are normally distributed, integers uniformly from 0 to 9 (or to the greatest
// of the type), bools and strings accordingly.
// Ids that index a Gather (see IndexLimits) stay inside its table: i modulo its rows, or uniformly.
class InputGenerator {
 public:
  explicit InputGenerator(const GeneratedInputs& options);

  // `limit`: see IndexLimits.
  absl::StatusOr<Tensor> Make(const ValueInfo& input, std::optional<int64_t> limit);

 private:
  GeneratedInputs options_;
  std::optional<RandomNumbers> random_;  // nothing: 0, 1, 2, ...
};

// ResourceExhausted if a value of this shape takes more bytes than the limit, InvalidArgument if
// there can be none.
absl::Status CheckMadeUpSize(const ValueInfo& input, const Shape& shape, int64_t max_tensor);

// The names of free dimensions of the graph's inputs, in order, each once.
std::vector<std::string> FreeDimensions(const Graph& graph);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_GENERATED_INPUTS_H_
