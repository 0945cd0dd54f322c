// A comparison as JSON.
#ifndef ONNXCMP_REPORTS_RENDER_JSON_H_
#define ONNXCMP_REPORTS_RENDER_JSON_H_

#include <string>

#include "compare/outcome/comparison.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

struct FixReport;

// docs/formats.md describes the format and docs/comparison.schema.json defines it. Each result,
// row, output or cause has a line; a newline ends the text, which is UTF-8 whatever bytes names
// contain.
// `fix`: one of the models mended, as the member "fix"; may be null.
std::string RenderJson(const Comparison& comparison, const FixReport* fix = nullptr);

// Its parts, for those who want them one by one: all but the rows and the results, for which there
// are empty arrays; the rows; the results of a side. A result's statistics and letters may be taken
// only when it is asked for.
std::string RenderJsonHead(const Comparison& comparison);
std::string RenderJsonRows(const Comparison& comparison);
std::string RenderJsonResults(const ResultStream& side);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_RENDER_JSON_H_
