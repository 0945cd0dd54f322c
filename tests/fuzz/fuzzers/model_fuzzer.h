// Models changed by ModelMutator and by libFuzzer itself, for targets that take models.
#ifndef ONNXCMP_TESTS_FUZZ_FUZZERS_MODEL_FUZZER_H_
#define ONNXCMP_TESTS_FUZZ_FUZZERS_MODEL_FUZZER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "onnx/onnx_pb.h"
#include "tests/fuzz/mutate_model.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace onnxcmp::fuzz {

// Writes the model if there is room for it; the new size, 0 if there is none.
inline size_t WriteModel(const onnx::ModelProto& model, uint8_t* data, size_t max_size) {
  const std::string bytes = model.SerializeAsString();
  if (bytes.size() > max_size) return 0;
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

// One in thirty times the bytes are changed and not the model, and always if they are none.
inline size_t MutateModelBytes(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  onnx::ModelProto model;
  if (seed % 30 == 0 || !model.ParseFromArray(data, static_cast<int>(size))) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  ModelMutator(seed).Mutate(&model);
  const size_t written = WriteModel(model, data, max_size);
  return written == 0 ? LLVMFuzzerMutate(data, size, max_size) : written;
}

inline size_t CrossModelBytes(const uint8_t* left, size_t left_size, const uint8_t* right,
                              size_t right_size, uint8_t* out, size_t max_size, unsigned seed) {
  onnx::ModelProto model;
  onnx::ModelProto donor;
  if (!model.ParseFromArray(left, static_cast<int>(left_size)) ||
      !donor.ParseFromArray(right, static_cast<int>(right_size))) {
    return 0;
  }
  ModelMutator(seed).Cross(donor, &model);
  return WriteModel(model, out, max_size);
}

}  // namespace onnxcmp::fuzz

#endif  // ONNXCMP_TESTS_FUZZ_FUZZERS_MODEL_FUZZER_H_
