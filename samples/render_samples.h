// Reports on many samples: for a terminal, as Markdown, JSON, CSV, JUnit and as a page.
#ifndef ONNXCMP_SAMPLES_RENDER_SAMPLES_H_
#define ONNXCMP_SAMPLES_RENDER_SAMPLES_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reports/table/table_options.h"
#include "samples/samples_report.h"

namespace onnxcmp {

// `command`: the command line without --samples and its path, which compares one sample when
// "--samples PATH --sample NAME" is added.
std::string RenderSamples(const SamplesReport& report, const std::string& command,
                          const TableOptions& look);
std::string RenderSamplesMarkdown(const SamplesReport& report, const std::string& command);
std::string RenderSamplesJson(const SamplesReport& report);
std::string RenderSamplesCsv(const SamplesReport& report);  // a line for each layer
std::string RenderSamplesJunit(const SamplesReport& report);
std::string RenderSamplesHtml(const SamplesReport& report, const std::string& command);

}  // namespace onnxcmp

#endif  // ONNXCMP_SAMPLES_RENDER_SAMPLES_H_
