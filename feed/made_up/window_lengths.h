// Lengths of inputs' open axes that windows over them need: of convolutions, pools, Fourier
// transforms, pads, slices, and of shapes that cut a signal into frames.
#ifndef ONNXCMP_FEED_MADE_UP_WINDOW_LENGTHS_H_
#define ONNXCMP_FEED_MADE_UP_WINDOW_LENGTHS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "evaluator/model/model.h"

namespace onnxcmp {

// An axis that windows lead over: the least length with which each window fits once, the distance
// of the widest windows, and a number that divides the length.
struct WindowLength {
  int64_t least = 1;
  int64_t step = 1;
  int64_t multiple = 1;

  bool operator==(const WindowLength&) const = default;
  // A usual size, or a length with so many windows if one is wider than that.
  int64_t For(int64_t size, int64_t windows) const;
  void Add(const WindowLength& other);
};

// By input and axis, for open axes.
using WindowLengths = std::map<std::pair<std::string, int64_t>, WindowLength>;

WindowLengths WindowLengthsOf(const Graph& graph);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_MADE_UP_WINDOW_LENGTHS_H_
