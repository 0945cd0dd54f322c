// The entry of a recording that describes the others, as JSON.
#ifndef ONNXCMP_RECORD_RECORDINGS_RECORDING_JSON_H_
#define ONNXCMP_RECORD_RECORDINGS_RECORDING_JSON_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "record/recordings/recording.h"

namespace onnxcmp {

// A result with its value; RecordedValue::piece is an index into the names of entries.
struct DescribedResult {
  RecordedResult result;
  RecordedValue value;
};

// `names[i]`: the name, without ".npy", of the entry that holds piece i.
std::string RecordingToJson(const std::vector<DescribedResult>& results,
                            const std::vector<std::string>& names);

// `find(name)`: the entry of that name, which becomes RecordedValue::piece; nothing if there is
// none. InvalidArgument if the text is no description.
absl::StatusOr<std::vector<DescribedResult>> RecordingFromJson(
    absl::string_view text, absl::FunctionRef<std::optional<size_t>(absl::string_view name)> find);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_RECORDINGS_RECORDING_JSON_H_
