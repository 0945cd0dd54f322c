// The nodes to leave in float when a model is converted, as plain data.
#ifndef ONNXCMP_COMPARE_IN_FLOAT_KEEP_IN_FLOAT_H_
#define ONNXCMP_COMPARE_IN_FLOAT_KEEP_IN_FLOAT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/base/per_side.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// Type of a result that one kept node passes to another.
enum class BetweenKept : uint8_t {
  kRounded,    // it is rounded to the coarser type, and converted back to float
  kOneReader,  // it stays in float if it has no other reader
  kExact,      // it stays in float
};

// A node of the side that computes in float.
struct KeptNode {
  std::string name;    // "" if it has none
  int result = kNone;  // its first output
};

// The smallest set of nodes found by trial with which the outputs are close although all other
// nodes compute in the coarser type.
struct KeepInFloat {
  SideId converted = SideId::kRight;  // the side with the coarser type; the nodes are the other's
  bool quantized = false;             // to integers rather than to a float of 16 bits
  std::vector<KeptNode> nodes;        // in the order of the run
  // Nodes that are already in float, although others of their operators are not. The conversion has
  // to name them again.
  std::vector<KeptNode> already;
  // Distance of the outputs, as root mean square; nothing if they are not even finite in the same
  // places.
  std::optional<double> before, after;
  // Type between the nodes that the conversion must use for the outputs to be close: converters
  // differ in that.
  BetweenKept between = BetweenKept::kRounded;
  // An initializer that nodes in the list and others read, "": there is none. Some converters leave
  // it in float for both.
  std::string shared;
  // A limit was reached before every node had been tested for removal.
  bool cut_short = false;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_IN_FLOAT_KEEP_IN_FLOAT_H_
