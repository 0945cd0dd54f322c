// Finds results by names that users give: full ones, with their path, or their ends.
#ifndef ONNXCMP_RECORD_STREAMS_RESULT_NAMES_H_
#define ONNXCMP_RECORD_STREAMS_RESULT_NAMES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// "loop[3]/y": distinguishes a result from others of its name; just its name if it has no path.
std::string FullName(const StreamResult& result);

// The result that `given` refers to; the first of one full name, an output last.
absl::StatusOr<int> FindResult(const ResultStream& stream, absl::string_view given,
                               absl::string_view side);

// All full names and plain names of the results of streams, each once.
std::vector<std::string> NamesOf(absl::Span<const ResultStream* const> streams);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_STREAMS_RESULT_NAMES_H_
