// The range of a result's numbers that its readers tell apart.
#ifndef ONNXCMP_RECORD_GRAPHS_KEPT_RANGE_H_
#define ONNXCMP_RECORD_GRAPHS_KEPT_RANGE_H_

#include <cmath>
#include <limits>

#include "record/graphs/side_graph.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

struct KeptRange {
  double least = -std::numeric_limits<double>::infinity();
  double greatest = std::numeric_limits<double>::infinity();

  bool cuts() const { return std::isfinite(least) || std::isfinite(greatest); }
};

// The numbers that a Relu, or a Clip by constants, leaves as they are; all for other nodes.
KeptRange KeptBy(const SideGraph& graph, const StreamNode& node);

// If all readers of a result, or of its dequantized floats, are Relu or Clip by constants: the
// numbers that at least one of them keeps. A calibration takes the range after these.
KeptRange KeptByReaders(const SideGraph& graph, int r);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_GRAPHS_KEPT_RANGE_H_
