#include "ops/operators.h"

#include "ops/contrib/layouts/layouts.h"
#include "ops/contrib/schema_table.h"

namespace onnxcmp {

// Declares every Register function and defines RegisterAllOperators, which calls them.
#include "ops/registrations.inc"

OpRegistry AllOperators(const OperatorOptions& options) {
  OpRegistry registry;
  RegisterSchemaTables(registry);
  RegisterAllOperators(registry);
  RegisterChannelsLast(registry);
  RegisterBlockedChannels(registry, options.nchwc_block);
  return registry;
}

}  // namespace onnxcmp
