// Decoders one after the other, as the passes of an optimizer leave them: each step by step beside
// the one before, and the last beside the first.
#ifndef ONNXCMP_GENERATE_GENERATION_CHAIN_H_
#define ONNXCMP_GENERATE_GENERATION_CHAIN_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "generate/generation.h"
#include "reports/table/table_options.h"

namespace onnxcmp {

struct GenerationChain {
  // The worst of all passes and of the ends.
  int ExitStatus() const;
  // The first pass whose decoders part.
  std::optional<size_t> BrokenBy() const;
  // The one to look at: the first that fails, else the ends, else the last pass.
  const Generation& Shown() const;

  std::vector<std::string> models;
  std::vector<Generation> passes;  // model i beside model i + 1
  // The first model beside the last, if all passes agree and there are several: what each changes
  // within tolerance adds up.
  std::optional<Generation> ends;
};

// A line for each pass and the ends, then the report of the first that fails.
std::string RenderGenerationChain(const GenerationChain& chain, const TableOptions& look);
std::string RenderGenerationChainMarkdown(const GenerationChain& chain);
// docs/generate.md describes the members.
std::string RenderGenerationChainJson(const GenerationChain& chain);
// A test for each pass and one for the ends.
std::string RenderGenerationChainJunit(const GenerationChain& chain);

}  // namespace onnxcmp

#endif  // ONNXCMP_GENERATE_GENERATION_CHAIN_H_
