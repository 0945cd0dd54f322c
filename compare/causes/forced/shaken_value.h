// Moves values by the last place of a type: the resulting movement of later results estimates
// rounding.
#ifndef ONNXCMP_COMPARE_CAUSES_FORCED_SHAKEN_VALUE_H_
#define ONNXCMP_COMPARE_CAUSES_FORCED_SHAKEN_VALUE_H_

#include <cstdint>
#include <memory>

#include "evaluator/base/memory_account.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// A hash of the pair, the same in every run.
uint64_t HashOf(uint64_t a, uint64_t b);

// Moves each element of a float tensor up or down by `epsilon` of its size, by signs from the seed.
// Integers up to 2^24, numbers beyond 1e30 and values of a coarser type than `epsilon` stay. The
// pool and the account may be null.
Value Shake(const Value& value, double epsilon, uint64_t seed, const ThreadPool* pool = nullptr,
            const std::shared_ptr<MemoryAccount>& memory = nullptr);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_FORCED_SHAKEN_VALUE_H_
