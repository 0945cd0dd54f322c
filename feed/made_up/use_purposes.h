// Purposes that readings of an input tell: the functions that rows of the table name.
#ifndef ONNXCMP_FEED_MADE_UP_USE_PURPOSES_H_
#define ONNXCMP_FEED_MADE_UP_USE_PURPOSES_H_

#include <cstdint>
#include <optional>

#include "feed/made_up/input_purpose.h"
#include "feed/made_up/purpose_table.h"

namespace onnxcmp {

// The use is of this purpose, with the row's limit.
std::optional<InputPurpose> Found(Purpose purpose, const Reading& at, const PurposeRule& rule);
template <Purpose purpose>
std::optional<InputPurpose> Of(const Reading& at, const PurposeRule& rule) {
  return Found(purpose, at, rule);
}

// Masks, which are lengths if they have one axis of integers.
std::optional<InputPurpose> MaskOrLengths(const Reading& at, const PurposeRule& rule);
// Masks that are only added up.
std::optional<InputPurpose> Sums(const Reading& at, const PurposeRule& rule);
std::optional<InputPurpose> Weights(const Reading& at, const PurposeRule& rule);

// Small numbers; sizes of pieces, iterations, those that grow from set to set.
std::optional<InputPurpose> SmallNumbers(const Reading& at, const PurposeRule& rule);
std::optional<InputPurpose> Pieces(const Reading& at, const PurposeRule& rule);
std::optional<InputPurpose> Rounds(const Reading& at, const PurposeRule& rule);
std::optional<InputPurpose> Growing(const Reading& at, const PurposeRule& rule);

// Lengths of a cache: past and new elements, plus `more`.
std::optional<InputPurpose> FoundCache(int64_t more, const Reading& at, const PurposeRule& rule);
template <int64_t more>
std::optional<InputPurpose> OfCache(const Reading& at, const PurposeRule& rule) {
  return FoundCache(more, at, rule);
}

// Ids that select rows of the limit's input.
std::optional<InputPurpose> RowIds(const Reading& at, const PurposeRule& rule);

// A value compared with 0, 1, 2, ...: it is the number that count, or the index of one. Nothing if
// the other one does not count.
std::optional<InputPurpose> FoundCounted(Purpose purpose, const Reading& at,
                                         const PurposeRule& rule);
template <Purpose purpose>
std::optional<InputPurpose> Counted(const Reading& at, const PurposeRule& rule) {
  return FoundCounted(purpose, at, rule);
}

// Features, keys and text of ai.onnx.ml; nothing if the operator takes any numbers.
std::optional<InputPurpose> OfMl(const Reading& at, const PurposeRule& rule);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_MADE_UP_USE_PURPOSES_H_
