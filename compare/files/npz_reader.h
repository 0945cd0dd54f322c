// Reading .npz archives: ZIP files of .npy arrays.
#ifndef ONNXCMP_COMPARE_FILES_NPZ_READER_H_
#define ONNXCMP_COMPARE_FILES_NPZ_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compare/files/npy.h"
#include "evaluator/run/evaluator.h"

namespace onnxcmp {

// Entries are read when they are asked for. Stored and deflated entries, also with ZIP64 sizes;
// checksums are checked. What an entry claims to hold is compared with what it takes in the file
// before memory is taken for it.
class NpzReader {
 public:
  // InvalidArgument for what is no ZIP archive, NotFound if the file cannot be opened. No array may
  // take more than `max_tensor` bytes.
  static absl::StatusOr<NpzReader> Open(const std::string& path,
                                        int64_t max_tensor = kDefaultMaxTensor);
  NpzReader(NpzReader&&) noexcept;
  NpzReader& operator=(NpzReader&&) noexcept;
  ~NpzReader();

  // The arrays' names, without ".npy", in the archive's order. Of entries with the same name the
  // last one counts, as in NumPy.
  const std::vector<std::string>& names() const { return names_; }
  // The names of entries that are no arrays, in order.
  const std::vector<std::string>& other_names() const { return other_names_; }
  // The array's index by name.
  std::optional<size_t> Find(absl::string_view name) const;
  absl::StatusOr<NpyArray> ReadArray(size_t index) const;

  // An entry that is no array, whole; nothing if there is none.
  absl::StatusOr<std::optional<std::string>> ReadText(const std::string& entry) const;

 private:
  struct Impl;
  explicit NpzReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
  std::vector<std::string> names_;
  std::vector<std::string> other_names_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_FILES_NPZ_READER_H_
