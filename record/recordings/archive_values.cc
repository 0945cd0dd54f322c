#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "record/recordings/file_form.h"
#include "record/recordings/recorded_values.h"
#include "record/recordings/value_folder.h"

namespace onnxcmp {
namespace {

class ArchiveValues : public RecordedValues {
 public:
  explicit ArchiveValues(RecordingReader reader) : reader_(std::move(reader)) {
    results_ = reader_.results();
    described_ = reader_.described();
    const std::vector<std::string> others = reader_.others();
    if (!others.empty()) {
      notes_.push_back(absl::StrCat("entries that are no arrays: ", ListNames(others)));
    }
  }

  absl::StatusOr<Read> ReadValue(size_t index) override {
    OC_ASSIGN_OR_RETURN(RecordingReader::Read read, reader_.ReadValue(index));
    return Read{std::move(read.value), read.opaque};
  }

 private:
  RecordingReader reader_;
};

// Other archives are ZIP files, too. numpy.savez without arrays writes one without entries.
absl::Status CheckArrays(const RecordingReader& reader) {
  const std::vector<std::string> others = reader.others();
  if (reader.described() || !reader.results().empty() || others.empty()) return absl::OkStatus();
  const bool pickled = std::any_of(others.begin(), others.end(), [](const std::string& name) {
    return name == "data.pkl" || absl::EndsWith(name, "/data.pkl");
  });
  return absl::InvalidArgumentError(absl::StrCat(
      pickled ? "this is an archive of torch.save, whose pickle only Python can read; "
              : absl::StrCat("this archive holds no .npy arrays (but ", ListNames(others), "); "),
      kHowToRecord));
}

}  // namespace

absl::StatusOr<std::unique_ptr<RecordedValues>> OpenArchive(const std::string& path,
                                                            int64_t max_tensor) {
  OC_ASSIGN_OR_RETURN(RecordingReader reader, RecordingReader::Open(path, max_tensor));
  if (const absl::Status status = CheckArrays(reader); !status.ok()) {
    return Annotate(status, OneLine(path));
  }
  return std::make_unique<ArchiveValues>(std::move(reader));
}

}  // namespace onnxcmp
