// Files with one or several sets of inputs.
#ifndef ONNXCMP_FEED_INPUT_FILES_H_
#define ONNXCMP_FEED_INPUT_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "feed/feeds.h"
#include "record/recordings/recorded_values.h"

namespace onnxcmp {

// A folder of input_N.pb, a folder of such folders test_data_set_0, test_data_set_1, ..., or a
// recording of another format, which may hold several sets. With `each`, a recording of a single
// set is split along the first axis of its entries: slice i of every entry is set i.
class InputFiles {
 public:
  // No array may take more than `max_tensor` bytes.
  static absl::StatusOr<InputFiles> Open(const std::string& path, bool each,
                                         int64_t max_tensor = kDefaultMaxTensor);
  // Values in memory, a set each; `source` is what messages call them. There is at least one set.
  // `by_name`: a value goes to the input of its name alone, for values that were given by names.
  static absl::StatusOr<InputFiles> Of(const std::string& source, std::vector<RecordedSet> sets,
                                       bool each, bool by_name = false);

  int64_t size() const { return each_ ? slices_ : static_cast<int64_t>(files_.size()); }
  // "test_data_set_0", "[3]"; "" if there is only one set.
  std::string Name(int64_t set) const;
  // The file of a set: for names, and for values in folders.
  FeedFile& file(int64_t set) { return files_[each_ ? 0 : static_cast<size_t>(set)]; }
  bool by_name() const { return by_name_; }
  // Value i of an archive.
  absl::StatusOr<NamedValue> Read(int64_t set, size_t i);

 private:
  absl::Status CountSlices();

  bool each_ = false;
  bool by_name_ = false;
  int64_t slices_ = 0;
  std::vector<FeedFile> files_;
  std::vector<std::string> names_;  // names of the files
};

// Test data beside two models in one folder: that folder if it has several sets, else the folder of
// the only set; "" if there is none.
std::string InputsBeside(const std::string& left, const std::string& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_INPUT_FILES_H_
