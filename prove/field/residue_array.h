// Residues side by side in memory, which copies share until one of them is written.
#ifndef ONNXCMP_PROVE_FIELD_RESIDUE_ARRAY_H_
#define ONNXCMP_PROVE_FIELD_RESIDUE_ARRAY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/tensor/tensor.h"
#include "prove/field/prime_field.h"
#include "prove/field/workspace.h"

namespace onnxcmp {

// A std::vector of residues in its use; memory that the system does not have ends the program, as
// there. Arrays that are made from one have its workspace, which outlives them; null: none.
class ResidueArray {
 public:
  ResidueArray() = default;
  // With anything in it.
  explicit ResidueArray(size_t size, const Workspace* workspace = nullptr);
  ResidueArray(size_t size, Residue value) : ResidueArray(size) {
    std::fill_n(owned_data(), size, value);
  }
  ResidueArray(std::initializer_list<Residue> values)
      : ResidueArray(values.begin(), values.end()) {}
  template <std::forward_iterator Iterator>
  ResidueArray(Iterator first, Iterator last)
      : ResidueArray(static_cast<size_t>(std::distance(first, last))) {
    std::copy(first, last, owned_data());
  }
  // The elements of a tensor of int64 that is contiguous, in its memory.
  explicit ResidueArray(const Tensor& tensor);

  const Workspace* workspace() const { return workspace_; }
  void set_workspace(const Workspace* workspace) { workspace_ = workspace; }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Residue* data() const { return data_; }
  const Residue* begin() const { return data_; }
  const Residue* end() const { return data_ + size_; }
  const Residue& operator[](size_t i) const { return data_[i]; }
  const Residue& front() const { return data_[0]; }

  // These are for writing: an array that shares its memory gets memory of its own first.
  Residue* data() {
    if (IsShared()) Detach();
    return owned_data();
  }
  Residue* begin() { return data(); }
  Residue* end() { return data() + size_; }
  Residue& operator[](size_t i) { return data()[i]; }

  // A tensor of int64 in the same memory. `shape` has as many elements.
  absl::StatusOr<Tensor> AsTensor(absl::Span<const int64_t> shape) const;

  friend bool operator==(const ResidueArray& a, const ResidueArray& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  bool IsShared() const { return borrowed_ || (buffer_ != nullptr && buffer_.use_count() > 1); }
  void Detach();
  Residue* owned_data() { return const_cast<Residue*>(data_); }

  const Workspace* workspace_ = nullptr;
  std::shared_ptr<Buffer> buffer_;
  const Residue* data_ = nullptr;  // in the buffer
  size_t size_ = 0;
  bool borrowed_ = false;  // the buffer's bytes are not its own
};

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_FIELD_RESIDUE_ARRAY_H_
