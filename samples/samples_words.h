// Words that all reports on samples have.
#ifndef ONNXCMP_SAMPLES_SAMPLES_WORDS_H_
#define ONNXCMP_SAMPLES_SAMPLES_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "samples/samples_report.h"

namespace onnxcmp {

// The figures of each output by name, those of its numbers (sqnr, cosine, max) included; those of
// all samples ("": failed, different) first. Conditions of --fail-if are on these.
std::vector<std::pair<std::string, std::map<std::string, double>>> FiguresByOutput(
    const SamplesReport& report);

// "top-1 agrees on 488 of 500 samples, SQNR 27.3 dB; worst sample 0173 with 8.1 dB".
std::string SamplesHeadline(const SamplesReport& report);
// The samples with the worst outputs, the worst first, at most so many.
std::vector<SampleOutcome> WorstSamples(const SamplesReport& report, size_t most);
// "27.3", "equal" for no noise, "lost" for a signal that is gone.
std::string Decibels(double sqnr);
// "cause", "cause 2".
std::string CauseName(size_t cause);
// The command that compares a sample alone. `command`: the same without its name.
std::string CompareAlone(const SamplesReport& report, const std::string& command, int64_t sample);

// A line for each output's figures, and one for its accuracies.
std::vector<std::string> FigureLines(const SamplesReport& report);

// Cells of a layer's line, without its operator and name.
struct LayerCells {
  std::string cost, lost, mean, deviation, worst, worst_sample, cosine, most, remark;
};

LayerCells CellsOf(const SamplesReport& report, const SampledLayer& layer);

// Findings about the whole of --sensitivity, a line each.
std::vector<std::string> SensitivityLines(const SensitivityReport& found);
// A layer's line: the figure with it alone in float, with it alone converted, and with all layers
// up to it in float; its operator and name.
std::vector<std::string> SensitiveCells(const SensitivityReport& found, size_t i);

}  // namespace onnxcmp

#endif  // ONNXCMP_SAMPLES_SAMPLES_WORDS_H_
