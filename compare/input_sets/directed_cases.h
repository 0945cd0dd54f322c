// Sets of inputs that are made to reach something that the usual ones have not.
#ifndef ONNXCMP_COMPARE_INPUT_SETS_DIRECTED_CASES_H_
#define ONNXCMP_COMPARE_INPUT_SETS_DIRECTED_CASES_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "compare/input_sets/set_case.h"
#include "evaluator/model/model.h"
#include "feed/coverage/coverage.h"
#include "feed/coverage/unread_rows.h"
#include "feed/made_up/regime.h"

namespace onnxcmp {

// True for a graph with an input of floats along an open axis other than that of images or a batch.
bool TakesSignals(const Graph& graph);

// Axes as long as reaches a table's rows, the likeliest first. What adds to positions, or takes
// differences of them, reaches them with other lengths than the rows' indices.
std::vector<SetCase> CasesForRows(const UnreadRows& unread);

// Numbers between single constants of two graphs that differ, and between limits of inputs; at
// first sizes, with which they may be compared. None if there are none.
std::vector<SetCase> CasesBetweenNumbers(const Graph& left, const Graph& right,
                                         const std::vector<double>& limits);

// Axes below and above the numbers that either graph compares sizes with, each once.
std::vector<SetCase> CasesForSizes(const Graph& left, const Graph& right);

// Large numbers for single integers, as time stamps and seeds are: usual sets give them small ones,
// since most are counts. None if the graph has no such input.
std::vector<SetCase> CasesForSingleIntegers(const Graph& graph);

// Masks and lengths that leave no element of a row. None if attention or a recurrent operator may
// read them, for their results then have no meaning.
std::vector<SetCase> CasesOfNothing(const Graph& left, const Graph& right);

// Regimes that may exercise what a node has not shown.
std::vector<Regime> AnswersTo(absl::string_view why);

// Cases that may exercise the missing parts: regimes, then all numbers alike and of growing size,
// which reaches the limits of sums and means. None if nothing is missing that numbers decide.
std::vector<SetCase> CasesForMissing(const Coverage& coverage);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUT_SETS_DIRECTED_CASES_H_
