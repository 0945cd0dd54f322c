// How far two decoders drift apart over the steps, as a small plot of characters.
#ifndef ONNXCMP_GENERATE_RENDER_DRIFT_H_
#define ONNXCMP_GENERATE_RENDER_DRIFT_H_

#include <string>

#include "generate/generation.h"
#include "reports/table/table_options.h"

namespace onnxcmp {

// A line for the greatest difference of the logits and one for the divergence, a column a step, or
// several steps if there are more than the line has room for; by decades, since drift grows by
// them. "" if nothing differs, or there is but one step.
std::string RenderDrift(const Generation& generation, const TableOptions& look);

}  // namespace onnxcmp

#endif  // ONNXCMP_GENERATE_RENDER_DRIFT_H_
