#include <utility>

#include "compare/recordings/recorded_values.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

class ArchiveValues : public RecordedValues {
 public:
  explicit ArchiveValues(RecordingReader reader) : reader_(std::move(reader)) {
    results_ = reader_.results();
  }

  absl::StatusOr<Read> ReadValue(size_t index) override {
    OC_ASSIGN_OR_RETURN(RecordingReader::Read read, reader_.ReadValue(index));
    return Read{std::move(read.value), read.opaque};
  }

 private:
  RecordingReader reader_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<RecordedValues>> OpenArchive(const std::string& path,
                                                            int64_t max_tensor) {
  OC_ASSIGN_OR_RETURN(RecordingReader reader, RecordingReader::Open(path, max_tensor));
  return std::make_unique<ArchiveValues>(std::move(reader));
}

}  // namespace onnxcmp
