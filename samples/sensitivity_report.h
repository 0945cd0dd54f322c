// Layers of a converted model that have to stay in float, as plain data.
#ifndef ONNXCMP_SAMPLES_SENSITIVITY_REPORT_H_
#define ONNXCMP_SAMPLES_SENSITIVITY_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compare/in_float/keep_in_float.h"

namespace onnxcmp {

struct SensitiveLayer {
  std::vector<KeptNode> nodes;  // one, or those of a module
  std::string name;             // of the node, or of the module
  std::string op_type;          // "" for several
  double in_float = 0;          // the figure if this layer alone is in float
  double coarse = 0;            // the figure if this layer alone is not
};

struct SensitivityReport {
  std::string figure;  // "top1", "sqnr"
  bool more_is_better = true;
  double converted = 0;                // the figure of the converted side as it is
  double all_in_float = 0;             // with all layers in float
  std::vector<SensitiveLayer> layers;  // those that gain most first
  // The figure with the first n layers in float, by n.
  std::vector<double> curve;
  std::string target;  // "top1 >= 0.995"; "" if none was given
  bool reached = false;
  // The smallest set found that reaches the target: indices into `layers`.
  std::vector<size_t> keep;
  double kept_figure = 0;
  std::string list;  // nodes_to_exclude=[...], to be copied
  int64_t samples = 0;
  int64_t node_runs = 0;     // nodes that ran for this
  int64_t full_runs = 0;     // runs of all nodes that a search without shared prefixes would take
  std::string not_possible;  // why nothing was tried; "": it was
};

}  // namespace onnxcmp

#endif  // ONNXCMP_SAMPLES_SENSITIVITY_REPORT_H_
