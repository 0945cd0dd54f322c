// Lookup tables of the alignment, as arrays by result: hashes as small numbers that are equal on
// both sides, the uses of each result, results that repeat another.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_INDEX_H_
#define ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_INDEX_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "evaluator/run/result.h"
#include "record/base/per_side.h"
#include "record/streams/fingerprint.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// Items by key, in one array (compressed sparse rows).
template <typename T>
class Csr {
 public:
  Csr() = default;
  // Keys are 0 ... keys - 1; items of one key keep their order.
  Csr(size_t keys, const std::vector<std::pair<int, T>>& items)
      : Csr(
            keys, items, [](const auto& pair) { return pair.first; },
            [](const auto& pair) { return pair.second; }) {}
  // The same for any elements with a key and an item.
  template <typename From, typename KeyOf, typename ItemOf>
  Csr(size_t keys, const std::vector<From>& all, KeyOf&& key_of, ItemOf&& item_of)
      : offsets_(keys + 1, 0), items_(all.size()) {
    for (const From& one : all) ++offsets_[static_cast<size_t>(key_of(one)) + 1];
    for (size_t k = 0; k < keys; ++k) offsets_[k + 1] += offsets_[k];
    std::vector<size_t> next(offsets_.begin(), offsets_.end() - 1);
    for (const From& one : all) items_[next[static_cast<size_t>(key_of(one))]++] = item_of(one);
  }
  // Sorts the items of each key, and keeps the first `most` of them.
  template <typename Before>
  void KeepFirst(size_t most, Before&& before) {
    size_t kept = 0;
    for (size_t k = 0; k + 1 < offsets_.size(); ++k) {
      const auto first = items_.begin() + static_cast<std::ptrdiff_t>(offsets_[k]);
      const auto last = items_.begin() + static_cast<std::ptrdiff_t>(offsets_[k + 1]);
      std::stable_sort(first, last, before);
      const size_t count = std::min(most, static_cast<size_t>(last - first));
      std::copy_n(first, count, items_.begin() + static_cast<std::ptrdiff_t>(kept));
      offsets_[k] = kept;
      kept += count;
    }
    offsets_.back() = kept;
    items_.resize(kept);
  }
  absl::Span<const T> operator[](int key) const {
    const size_t k = static_cast<size_t>(key);
    return absl::MakeConstSpan(items_).subspan(offsets_[k], offsets_[k + 1] - offsets_[k]);
  }

 private:
  std::vector<size_t> offsets_;
  std::vector<T> items_;
};

// A node that reads a result, and the input slot.
struct Use {
  int node = kNone;
  int slot = 0;
};
// Slot of results that a node's subgraphs read from outside: no input has it.
inline constexpr int kCaptureSlot = -1;

class StreamIndex {
 public:
  explicit StreamIndex(const ResultStream& stream) : stream_(&stream) {}

  const ResultStream& stream() const { return *stream_; }
  int size() const { return static_cast<int>(stream_->results.size()); }
  const StreamResult& result(int r) const { return stream_->results[Index(r)]; }
  const Fingerprint& fingerprint(int r) const { return result(r).fingerprint; }
  const StreamNode& node(int n) const { return stream_->nodes[Index(n)]; }
  int producer(int r) const { return At(producers, r); }

  bool is_output_row(int r) const { return At(output_row, r); }
  // An initializer, an input or the result of a Constant node.
  bool is_leaf(int r) const { return At(leaf, r); }
  // The result that this one repeats: with equal bits and shape, or rounded to another float type
  // or to integers and back. Itself if it repeats none.
  int root(int r) const { return At(roots, r); }
  bool is_copy(int r) const { return root(r) != r; }
  // True if it has the bits of one of its producer's inputs, in any shape.
  bool is_view(int r) const { return At(views, r); }
  // First output of a node that has a name, kNone if none has.
  int first_output(int n) const;
  // Tells if a node reads `r` or a copy of it: 2 in this slot (in any slot if the node is
  // commutative), 1 in another, 0 not at all.
  int Reads(int n, int r, int slot) const;

  template <typename T>
  static T At(const std::vector<T>& values, int i) {
    return values[Index(i)];
  }

  // By result: the fields that scores read most, copied since a stream's results are large and far
  // apart.
  std::vector<int> producers;  // StreamResult::node
  std::vector<int> slots;
  std::vector<ElementKind> kinds;
  std::vector<uint8_t> rich;
  std::vector<uint8_t> output_row;
  // By node, with kNone for absent ones.
  Csr<int> inputs;
  Csr<int> outputs;
  // By result: hashes of texts.
  std::vector<uint64_t> name;
  // By result: numbers that are equal on both sides if the hashes are.
  std::vector<int> content;   // Fingerprint::content
  std::vector<int> bits;      // Fingerprint::bits
  std::vector<int> elements;  // Fingerprint::elements
  std::vector<int> shape;     // type and shape
  std::vector<int> made_by;   // domain and operator, also as recordings give them; kNone: unknown
  std::vector<int> place;     // iterations and branches of the path, without names
  std::vector<uint8_t> leaf;
  std::vector<uint8_t> views;
  // Rounded results that the other side computes without a result before rounding; these are no
  // copies.
  std::vector<uint8_t> computed_rounded;
  std::vector<int> roots;
  std::vector<int> rank;  // position among the results of its content
  // By result. Uses of a copy count for its root as well.
  Csr<Use> uses;
  Csr<int> output_rows;  // output rows that show it
  // By node: numbers that are equal on both sides.
  std::vector<int> op;          // domain and operator
  std::vector<int> attributes;  // operator and attributes
  std::vector<uint8_t> commutative;
  // By content: results, output rows left out, in order.
  Csr<int> of_content;

 private:
  const ResultStream* stream_;
};

struct AlignmentIndex {
  AlignmentIndex(const ResultStream& left_stream, const ResultStream& right_stream);

  const StreamIndex& operator[](SideId side) const { return OfSide(*this, side); }

  StreamIndex left;
  StreamIndex right;
  int contents = 0;       // distinct ones of both sides
  bool has_half = false;  // a float of 16 bits or less occurs
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_INDEX_H_
