// Fusions of one model or of two, as text and as JSON.
#ifndef ONNXCMP_REPORTS_TABLE_RENDER_FUSIONS_H_
#define ONNXCMP_REPORTS_TABLE_RENDER_FUSIONS_H_

#include <string>
#include <vector>

#include "compare/fusions/fusion.h"
#include "compare/outcome/comparison.h"
#include "reports/table/table_options.h"
#include "reports/table/table_style.h"

namespace onnxcmp {

// For one model: the number of whole fusions of each form; the broken ones with their obstacles.
std::string RenderModelFusions(const std::string& source, const std::vector<Fusion>& fusions,
                               const TableOptions& options = {});
std::string ModelFusionsJson(const std::string& source, const std::vector<Fusion>& fusions);

// For a comparison with fusions.
std::string RenderFusions(const Comparison& comparison, const TableOptions& options,
                          const TableStyle& style);
// A member of the comparison's JSON.
std::string FusionsJson(const FusionReport& report);

// Texts common to all reports: a line of counts for each form, and the obstacles of each fusion
// that is broken on one side.
struct FusionTexts {
  std::vector<std::string> counts;
  std::vector<std::string> broken;                  // a heading for each
  std::vector<std::vector<std::string>> obstacles;  // for each of these
  // Lines of Python, one for each family and one for all; none if there is nothing to exclude.
  std::vector<std::string> nodes_to_exclude;
  std::vector<std::string> notes;
};
FusionTexts TextsOf(const FusionReport& report);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_TABLE_RENDER_FUSIONS_H_
