// Picture of a pair of values that differ: how many elements differ by how much, and the elements
// themselves, or maps of some slices if the tensor is large.
#ifndef ONNXCMP_COMPARE_PICTURES_VALUE_PICTURE_H_
#define ONNXCMP_COMPARE_PICTURES_VALUE_PICTURE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compare/pictures/decades.h"
#include "evaluator/tensor/value.h"
#include "record/differences/tensor_difference.h"

namespace onnxcmp {

// A slice of the last two axes. A cell stands for a block of elements: it is the pair of them that
// is farthest apart, so that no difference is lost between cells.
struct PictureSlice {
  std::string at;  // the other axes: "[0,3]"; "" if there are none
  std::vector<double> left, right;
};

struct ValuePicture {
  int64_t elements = 0;              // the tensor's
  int64_t counted = 0;               // elements behind the next three: evenly spread if not all
  int64_t equal = 0;                 // NaN on both sides too
  int64_t not_finite = 0;            // differences
  std::vector<DecadeCount> decades;  // the greatest first
  int64_t rows = 0, columns = 0;     // a slice's
  int64_t cell_rows = 0, cell_columns = 0;
  int64_t all_slices = 0;
  std::vector<PictureSlice> slices;  // the one with the greatest difference first

  // Every element is there.
  bool whole() const { return all_slices == 1 && rows == cell_rows && columns == cell_columns; }
};

// Nothing if the two are no tensors of numbers with as many elements.
std::shared_ptr<const ValuePicture> PictureOf(const Value& left, const Value& right,
                                              const TensorDifference& difference);

// Takes pictures while they take no more memory than this.
class PictureAlbum {
 public:
  explicit PictureAlbum(int64_t bytes) : room_(bytes) {}

  // Null where there is no room, or nothing to see.
  std::shared_ptr<const ValuePicture> Take(const Value& left, const Value& right,
                                           const TensorDifference& difference);

 private:
  int64_t room_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_PICTURES_VALUE_PICTURE_H_
