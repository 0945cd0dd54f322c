#include "record/differences/element_reader.h"

#include <complex>
#include <cstddef>

#include "evaluator/tensor/convert.h"

namespace onnxcmp {

bool FitsFloat(DType dtype) {
  return ComputeClassOf(dtype) == ComputeClass::kFloat || BitWidth(dtype) <= 16;
}

template <typename C>
void ElementReader::Read(int64_t first, int64_t count, C* out) const {
  const std::byte* data = tensor_.raw_data();
  if (runs_.contiguous()) {
    LoadElements<C>(tensor_.dtype(), data, first, count, out);
    return;
  }
  runs_.ForEach(first, count, [&](int64_t position, int64_t stride, int64_t n) {
    LoadStrided<C>(tensor_.dtype(), data, position, stride, n, out);
    out += n;
  });
}

template void ElementReader::Read(int64_t, int64_t, float*) const;
template void ElementReader::Read(int64_t, int64_t, double*) const;
template void ElementReader::Read(int64_t, int64_t, int64_t*) const;
template void ElementReader::Read(int64_t, int64_t, uint64_t*) const;
template void ElementReader::Read(int64_t, int64_t, bool*) const;
template void ElementReader::Read(int64_t, int64_t, std::complex<double>*) const;

}  // namespace onnxcmp
