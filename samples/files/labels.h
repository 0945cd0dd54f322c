// The right answers for samples: classes, or numbers of a regression.
#ifndef ONNXCMP_SAMPLES_FILES_LABELS_H_
#define ONNXCMP_SAMPLES_FILES_LABELS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace onnxcmp {

// An .npy or .npz of one array with a number for each sample, or a text with a line for each: a
// number, or "NAME,number" in any order, with or without the ending of the sample's file; a first
// line without a number is a heading. InvalidArgument, with both counts or the name, if they are
// not those of the samples; samples that a list of names leaves out have none.
absl::StatusOr<std::vector<std::optional<double>>> ReadLabels(
    const std::string& path, const std::vector<std::string>& names);

}  // namespace onnxcmp

#endif  // ONNXCMP_SAMPLES_FILES_LABELS_H_
