// The sequence of sets of inputs that are made up.
#ifndef ONNXCMP_COMPARE_INPUT_SETS_SET_CASE_H_
#define ONNXCMP_COMPARE_INPUT_SETS_SET_CASE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "evaluator/model/model.h"
#include "feed/made_up/free_sizes.h"
#include "feed/made_up/regime.h"

namespace onnxcmp {

struct SetCase {
  SizeChoice sizes;
  Regime regime = Regime::kUsual;
  uint64_t numbers = 0;
  std::optional<uint64_t> mixture;
  std::vector<double> probes;  // as GeneratedInputs
};

// True if coarse types are made for such numbers.
bool SuitsCoarseTypes(Regime regime);

// False if the sizes were chosen because a model does not run with the usual ones.
bool HasUsualSizes(const SetCase& one);

// The usual sets after the first: a batch of 1, then integers and halves, then large numbers along
// longer axes. `coarse`: numbers stay as they are. `tiny`: more rows cost nothing.
SetCase FurtherCase(int set, bool coarse, bool tiny);

// The first cases of a search, sizes and regimes one by one; and the mixtures after them.
std::vector<SetCase> FirstSearchCases();
SetCase MixtureCase(uint64_t i);

// Sizes with which a model may run that fails with the usual ones: numbers from its shapes.
std::vector<SizeChoice> OtherSizes(const Graph& graph);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUT_SETS_SET_CASE_H_
