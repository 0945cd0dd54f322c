// Faults of the kinds that exporters, optimizers and people make, put into a loaded model.
#ifndef ONNXCMP_TESTS_SUPPORT_MODEL_FAULTS_H_
#define ONNXCMP_TESTS_SUPPORT_MODEL_FAULTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "evaluator/model/model.h"

namespace onnxcmp::testing {

// Values of the main graph by name, as a run has shown them.
using KnownValues = absl::flat_hash_map<std::string, Value>;

struct Fault {
  std::string kind;
  std::string place;  // the result or initializer that is wrong by itself
};

// "weight_one", "concat_order", ...
std::vector<std::string> FaultKinds();

// Puts in one fault of that kind; where is a matter of the seed. Nothing if the model has no place
// for it. It need not run afterwards, nor give other results: try another seed.
std::optional<Fault> InjectFault(const std::string& kind, uint64_t seed, const KnownValues& values,
                                 Model* model);

// Another name for every value and node of the main graph, other than its inputs and outputs; some
// values get an Identity, initializers are shuffled. Renames `place` as well.
void Disguise(uint64_t seed, Model* model, std::string* place);

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_SUPPORT_MODEL_FAULTS_H_
