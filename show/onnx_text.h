// A model in ONNX's text syntax, as its parser reads it back.
#ifndef ONNXCMP_SHOW_ONNX_TEXT_H_
#define ONNXCMP_SHOW_ONNX_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace onnxcmp {

struct OnnxTextOptions {
  // Where large constants go as they are in memory: "out.onnxtxt.data" beside the text. "": all
  // elements are written as numbers into the text.
  std::string data_name;
  int64_t least_data = 4096;  // bytes of a constant that goes there
  bool follow_links = false;  // as in LoadOptions
};

struct OnnxText {
  std::string text;
  std::string data;  // for the file `data_name`
};

// The whole model of a file: all elements bit by bit, names, functions, subgraphs, types, metadata
// of the model. Comments at the top say what the syntax has no words for and is lost without a
// consequence for results (documentation, metadata of nodes). Unimplemented for what it has no
// words for and that matters: sparse constants, lists of graphs and of tensors, operators whose
// names are none for it. Functions with such names are called otherwise, which a comment says.
absl::StatusOr<OnnxText> ModelToOnnxText(const std::string& path,
                                         const OnnxTextOptions& options = {});

}  // namespace onnxcmp

#endif  // ONNXCMP_SHOW_ONNX_TEXT_H_
