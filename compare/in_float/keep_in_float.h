// Which nodes have to be left in float when a model is converted: plain data.
#ifndef ONNXCMP_COMPARE_IN_FLOAT_KEEP_IN_FLOAT_H_
#define ONNXCMP_COMPARE_IN_FLOAT_KEEP_IN_FLOAT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/pair/per_side.h"
#include "compare/streams/result_stream.h"

namespace onnxcmp {

// What becomes of a result that one kept node gives another.
enum class BetweenKept : uint8_t {
  kRounded,    // it is rounded to the coarser type, and back in float
  kOneReader,  // it stays in float if nothing else reads it
  kExact,      // it stays in float
};

// A node of the side that computes in float.
struct KeptNode {
  std::string name;    // "": it has none
  int result = kNone;  // its first output
};

// The smallest set of nodes found by trying with which the outputs are close although all others
// compute in the coarser type.
struct KeepInFloat {
  SideId converted = SideId::kRight;  // the side with the coarser type; the nodes are the other's
  bool quantized = false;             // to integers rather than to a float of 16 bits
  std::vector<KeptNode> nodes;        // in the order they run
  // That are in float already, although others of their operators are not. The conversion has to be
  // told of them again.
  std::vector<KeptNode> already;
  // How far the outputs are apart, as root mean squares; nothing if not even what is finite agrees.
  std::optional<double> before, after;
  // What the conversion has to do between the nodes so that the outputs are close: converters are
  // not alike in that.
  BetweenKept between = BetweenKept::kRounded;
  // An initializer that is read by nodes of the list and by others, "": there is none. Some
  // converters leave it in float for both.
  std::string shared;
  // A limit was reached before every node had been tried without.
  bool cut_short = false;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_IN_FLOAT_KEEP_IN_FLOAT_H_
