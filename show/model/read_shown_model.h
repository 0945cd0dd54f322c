// From a model's message to what is shown.
#ifndef ONNXCMP_SHOW_MODEL_READ_SHOWN_MODEL_H_
#define ONNXCMP_SHOW_MODEL_READ_SHOWN_MODEL_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/load/load_model.h"
#include "show/model/shown_model.h"

namespace onnxcmp {

struct ShowOptions {
  Functions functions = Functions::kKeep;
  bool follow_links = false;  // as in LoadOptions
  // Hashes of whole constants, by which nodes of two models are compared. Without them the
  // constants of a file are not read.
  bool contents = true;
  // Sizes of free dimensions, from which shapes are inferred.
  std::map<std::string, int64_t, std::less<>> dims;
};

// The model in a file, with inferred types. Its operators need not be known. InvalidArgument for
// what is no model and for a dimension that no input has.
absl::StatusOr<ShownModel> ReadShownModel(const std::string& path, const OpRegistry& registry,
                                          const ShowOptions& options = {});

}  // namespace onnxcmp

#endif  // ONNXCMP_SHOW_MODEL_READ_SHOWN_MODEL_H_
