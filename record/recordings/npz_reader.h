// Reading .npz archives: ZIP files of .npy arrays.
#ifndef ONNXCMP_RECORD_RECORDINGS_NPZ_READER_H_
#define ONNXCMP_RECORD_RECORDINGS_NPZ_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/run/evaluator.h"
#include "record/recordings/npy.h"

namespace onnxcmp {

// Reads entries on demand. Supports stored and deflated entries, also with ZIP64 sizes; verifies
// checksums. Before memory is allocated, the size that an entry claims is checked against its size
// in the file.
class NpzReader {
 public:
  // InvalidArgument if it is no ZIP archive, NotFound if the file cannot be opened. No array may
  // take more than `max_tensor` bytes.
  static absl::StatusOr<NpzReader> Open(const std::string& path,
                                        int64_t max_tensor = kDefaultMaxTensor);
  NpzReader(NpzReader&&) noexcept;
  NpzReader& operator=(NpzReader&&) noexcept;
  ~NpzReader();

  // The arrays' names, without ".npy", in the archive's order. If several entries have the same
  // name, the last one counts, as in NumPy.
  const std::vector<std::string>& names() const { return names_; }
  // The names of entries that are no arrays, in order.
  const std::vector<std::string>& other_names() const { return other_names_; }
  // The array's index by name.
  std::optional<size_t> Find(absl::string_view name) const;
  absl::StatusOr<NpyArray> ReadArray(size_t index) const;

  // The whole text of an entry that is no array; nothing if there is none.
  absl::StatusOr<std::optional<std::string>> ReadText(const std::string& entry) const;

 private:
  struct Impl;
  explicit NpzReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
  std::vector<std::string> names_;
  std::vector<std::string> other_names_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_RECORDINGS_NPZ_READER_H_
