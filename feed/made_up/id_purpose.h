// Ids as the rows that they select.
#ifndef ONNXCMP_FEED_MADE_UP_ID_PURPOSE_H_
#define ONNXCMP_FEED_MADE_UP_ID_PURPOSE_H_

#include "feed/made_up/index_form.h"
#include "feed/made_up/input_purpose.h"

namespace onnxcmp {

// Makes the limit of `found`, which counts rows, one of ids, and keeps the form with its tables.
// `exact`: nothing is computed after the form's remainder or sum; else only the remainder counts.
void TakeIndexForm(const IndexForm& index, bool exact, InputPurpose* found);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_MADE_UP_ID_PURPOSE_H_
