// Figures of a part of the samples as a file, and those of all parts as one report: the same bits
// as of a run over all samples, however they were split.
#ifndef ONNXCMP_SAMPLES_FIGURES_FILE_H_
#define ONNXCMP_SAMPLES_FIGURES_FILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "samples/samples_report.h"

namespace onnxcmp {

// SampleMeasurer::Figures() as JSON.
std::string WriteFigures(SamplesReport figures);

// The report of such texts. `names`: of each, for messages. InvalidArgument if one is no such text,
// if they are not of the same models, samples and pairs, or if a part is missing or there twice.
absl::StatusOr<SamplesReport> MergeFigures(const std::vector<std::string>& texts,
                                           const std::vector<std::string>& names);

}  // namespace onnxcmp

#endif  // ONNXCMP_SAMPLES_FIGURES_FILE_H_
