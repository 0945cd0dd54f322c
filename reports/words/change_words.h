// Changes of the right model against the left one: each kind once, with its count.
#ifndef ONNXCMP_REPORTS_WORDS_CHANGE_WORDS_H_
#define ONNXCMP_REPORTS_WORDS_CHANGE_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compare/outcome/comparison.h"
#include "compare/outcome/fused_rows.h"

namespace onnxcmp {

// One kind of change with all its places.
struct Change {
  std::string label;         // "nodes", "fused", "split", "changed", "only left", "only right"
  std::string what;          // "Div+Mul → Div", "moved", "cast f32→f16", "Shape"
  int64_t count = 0;         // 0: it has none, as another order of nodes
  std::vector<size_t> rows;  // of the comparison, where it is
  std::string counted;       // as lines have it: "2 × Div+Mul → Div", "3 moved", "4 Shape"
  bool one_of_many = false;  // a fusion or an operator, of which lines name but the first
};

// In the order of their labels, the most frequent first.
std::vector<Change> FindChanges(const Comparison& comparison,
                                const std::vector<FusedRows>& fusions);

// The same for reports that have them as a section: none if a side failed, since most of its
// results would seem to be lost, nor beside a recording, which changes nothing.
std::vector<Change> WhatChanged(const Comparison& comparison);

// A line for each label; a long one ends in the number of kinds that it leaves out.
std::vector<std::pair<std::string, std::string>> ChangeLines(const std::vector<Change>& changes);

// All but the nodes in one text: "5 × Div+Mul → Div, MatMul+Add → Gemm; 3 folded into constants on
// the right"; "" if nothing was changed.
std::string ChangesText(const Comparison& comparison, const std::vector<FusedRows>& fusions);

// True for two models that agree: what changed is then what a reader has come for, and stands above
// the table.
bool ChangesComeFirst(const Comparison& comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_WORDS_CHANGE_WORDS_H_
