#include "ops/operators.h"

namespace onnxcmp {

// Declares every Register function and defines RegisterAllOperators, which calls them.
#include "ops/registrations.inc"

OpRegistry AllOperators() {
  OpRegistry registry;
  RegisterAllOperators(registry);
  return registry;
}

}  // namespace onnxcmp
