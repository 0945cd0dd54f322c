// Generations and invariants as text for a terminal, as Markdown, JSON and JUnit's XML.
#ifndef ONNXCMP_GENERATE_RENDER_GENERATION_H_
#define ONNXCMP_GENERATE_RENDER_GENERATION_H_

#include <string>

#include "generate/generation.h"
#include "generate/invariants.h"
#include "reports/table/table_options.h"

namespace onnxcmp {

// The roles, a line each step and prompt, the change of tokens, the table of the step that fails.
std::string RenderGeneration(const Generation& generation, const TableOptions& look);
std::string RenderGenerationMarkdown(const Generation& generation);
// docs/generate.md describes the members.
std::string RenderGenerationJson(const Generation& generation);
// The members of it that tell of the steps, for a page of one of them.
std::string RenderStepsJson(const Generation& generation);
// A test for each step.
std::string RenderGenerationJunit(const Generation& generation);

std::string RenderInvariants(const Invariants& invariants, const TableOptions& look);
std::string RenderInvariantsMarkdown(const Invariants& invariants);
std::string RenderInvariantsJson(const Invariants& invariants);
// A test for each property; one that is not tried is skipped, one that is open is in error.
std::string RenderInvariantsJunit(const Invariants& invariants);

}  // namespace onnxcmp

#endif  // ONNXCMP_GENERATE_RENDER_GENERATION_H_
