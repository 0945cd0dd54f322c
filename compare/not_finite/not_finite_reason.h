// Explains why a node gives NaN or an infinity.
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
  bool given = false;          // no node made it: it is an initializer or an input
  // By input; empty if it is absent or not known.
  std::vector<Value> inputs;
  std::vector<std::string> names;  // the inputs'
  Tensor output;                   // the output to explain
  // The same output computed in double; empty if that is impossible.
  std::function<Value()> in_double;
};

// Sets all parts that values determine, from the reason on.
void Explain(const RanNode& ran, NotFiniteOrigin* origin);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_NOT_FINITE_NOT_FINITE_REASON_H_
