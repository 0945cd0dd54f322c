#include "record/differences/number_strips.h"

#include <complex>

namespace onnxcmp {

NumberReader::NumberReader(const Tensor& tensor)
    : reader_(tensor),
      complex_(IsComplex(tensor.dtype())),
      size_(tensor.num_elements() * (complex_ ? 2 : 1)) {}

void NumberReader::Read(int64_t first, int64_t count, double* out) const {
  if (complex_) {
    // A complex number is laid out as an array of its two parts.
    reader_.Read(first / 2, count / 2, reinterpret_cast<std::complex<double>*>(out));
  } else {
    reader_.Read(first, count, out);
  }
}

int64_t NumberPieces(int64_t size) {
  return size / kNumberPiece + (size % kNumberPiece != 0 ? 1 : 0);
}

void ForEachNumberPiece(int64_t size, const ThreadPool* pool,
                        absl::FunctionRef<void(int64_t, int64_t, int64_t)> task) {
  const int64_t pieces = NumberPieces(size);
  const auto run = [&](int64_t piece) {
    task(piece, piece * kNumberPiece, std::min(size, (piece + 1) * kNumberPiece));
  };
  if (pool != nullptr && pieces > 1) {
    pool->ParallelFor(pieces, run);
  } else {
    for (int64_t piece = 0; piece < pieces; ++piece) run(piece);
  }
}

}  // namespace onnxcmp
