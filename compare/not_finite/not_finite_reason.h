// How a node came to give NaN or an infinity.
#ifndef ONNXCMP_COMPARE_NOT_FINITE_NOT_FINITE_REASON_H_
#define ONNXCMP_COMPARE_NOT_FINITE_NOT_FINITE_REASON_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compare/not_finite/not_finite.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// A node that has run.
struct RanNode {
  const Node* node = nullptr;  // null if it is not known
  bool given = false;          // no node made it: an initializer, an input
  // By input; empty where it is absent or not known.
  std::vector<Value> inputs;
  std::vector<std::string> names;  // of the inputs
  Tensor output;                   // the one in question
  // The same output of the node on the inputs in double; empty if that cannot be computed.
  std::function<Value()> in_double;
};

// Fills in all of it that values say: from the reason on.
void Explain(const RanNode& ran, NotFiniteOrigin* origin);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_NOT_FINITE_NOT_FINITE_REASON_H_
